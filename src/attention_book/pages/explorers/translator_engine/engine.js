// The translator as one thing: what a page asks of it, in ids, texts and numbers. It knows nothing of pages.

import { linesOf, tidy, withoutControls } from "./text.js";
import { Tokenizer } from "./tokenizer.js";
import { readWeights } from "./weights.js";
import { Transformer } from "./transformer.js";
import { search, shown } from "./search.js";

const LARGEST_PENALTY = 100;
const WIDEST_BEAM = 256;

export class Engine {
  /** `buffer` is the file of a translator. */
  constructor(buffer) {
    const weights = readWeights(buffer);
    this.config = weights.config;
    this.tokenizer = new Tokenizer(weights);
    this.model = new Transformer(weights);
    this.source = null; // the ids of the text last read
    this.memory = null; // what the encoder made of them
    this.known = new Map(); // prefixes that were stepped to: what came after them
  }

  /** A text as the encoder will get it. A text of several sentences is read one sentence at a time. */
  read(text, { sentence = 0 } = {}) {
    const { text: plain, controls } = withoutControls(text);
    const sentences = linesOf(plain).flat();
    const chosen = sentences[sentence] ?? "";
    const { ids, pieces, words, problem } = this.pieces(chosen);
    this.source = problem === null ? ids : null;
    this.memory = null;
    return { text: chosen, ids, pieces, words, problem, sentences, notes: notesOn(controls) };
  }

  /** A sentence as pieces, </s> at its end, and the words that they make up; or none, and what is wrong with it. */
  pieces(sentence) {
    const refused = (problem) => ({ ids: [], pieces: [], words: [], problem });
    if (sentence === "") return refused("There is nothing to translate: the text is blank.");
    const half = sentence.match(/\p{Surrogate}/u);
    if (half) return refused(`The text has half a character (${codeName(half[0])}), which stands for nothing. Remove it.`);
    const chunks = this.tokenizer.chunks(sentence);
    const count = chunks.reduce((sum, chunk) => sum + chunk.pieces.length, 0);
    const most = this.config.max_len - 1; // </s> needs a place too
    if (count > most) {
      const problem = `A sentence of ${count} subwords is too long for this model, which reads at most ${most}.`;
      return refused(`${problem} Cut it into shorter sentences.`);
    }
    const pieces = [];
    const words = [];
    for (const chunk of chunks) {
      words.push({ first: pieces.length, last: pieces.length + chunk.pieces.length - 1, text: chunk.text.trim() || chunk.text });
      pieces.push(...chunk.pieces.map((piece) => ({ ...piece, text: this.tokenizer.readable(piece.id) })));
    }
    words.push({ first: pieces.length, last: pieces.length, text: "</s>" });
    pieces.push({ id: this.config.eos_id, text: "</s>", start: sentence.length, end: sentence.length });
    return { ids: pieces.map(({ id }) => id), pieces, words, problem: null };
  }

  /** Run the encoder on the sentence last read, with some heads silenced: [{ use, layer, head }]. */
  begin({ silenced = [] } = {}) {
    if (this.source === null) throw new Error("There is no sentence to translate yet.");
    this.memory = this.encode(this.source, silenced);
    this.known = new Map([["", this.model.start(this.memory)]]);
    return { n: this.source.length, encoder: this.memory.weights };
  }

  encode(ids, silenced) {
    const silent = new Map();
    for (const { use, layer, head } of silenced) {
      const inside = (n, count) => Number.isInteger(n) && n >= 0 && n < count;
      if (!["encoder", "self", "cross"].includes(use) || !inside(layer, this.config.n_layers) || !inside(head, this.config.n_heads)) {
        throw new Error(`This translator has no head ${head} in layer ${layer} of ${use}.`);
      }
      const place = `${use} ${layer}`;
      silent.set(place, (silent.get(place) ?? new Set()).add(head));
    }
    return this.model.encode(ids, silent);
  }

  /** The most pieces that a translation of this sentence may have, </s> among them. */
  limitOf(ids) {
    return Math.min(2 * ids.length + 10, this.config.max_len);
  }

  /** What may follow the pieces written so far. */
  step({ prefix = [], candidates = 5 } = {}) {
    const limit = this.limitOf(this.requireBegun());
    this.requirePrefix(prefix, limit - 1);
    if (prefix.includes(this.config.eos_id)) throw new Error("The translation has ended: nothing follows </s>.");
    // Each known prefix has the state before its last piece is fed; feed what is not known yet.
    let found = null;
    for (let length = 0; length <= prefix.length; length += 1) {
      const key = prefix.slice(0, length).join(" ");
      const state = this.known.get(key);
      if (state.found === undefined) [state.found] = this.model.step([prefix[length - 1] ?? this.config.bos_id], [state]);
      found = state.found;
      const next = prefix.slice(0, length + 1).join(" ");
      if (length < prefix.length && !this.known.has(next)) this.known.set(next, { ...found.state });
    }
    return { ...this.told(shown(found, { config: this.config, candidates })), limit };
  }

  /** Translate the sentence that was begun. A generator, which pauses after each step. */
  *translate({ beamSize = 4, lengthPenalty = 0.6, forced = [], candidates = 5 } = {}) {
    const limit = this.limitOf(this.requireBegun());
    requireSettings(beamSize, lengthPenalty);
    this.requirePrefix(forced, limit);
    const end = forced.indexOf(this.config.eos_id);
    if (end >= 0 && end < forced.length - 1) throw new Error("Nothing can be forced to follow </s>.");
    const found = yield* search(this.model, this.memory, { beamSize, lengthPenalty, limit, forced, candidates });
    return {
      ids: found.ids,
      text: this.spell(found.ids),
      score: found.score,
      steps: found.steps.map((step) => this.told(step)),
      tree: { nodes: found.nodes.map((node) => ({ ...node, text: this.tokenizer.readable(node.id) })) },
    };
  }

  /** Translate a whole text, sentence by sentence, as `Translator.translate` in Python. A generator too. */
  *translateText(text, { beamSize = 4, lengthPenalty = 0.6 } = {}) {
    requireSettings(beamSize, lengthPenalty);
    const { text: plain, controls } = withoutControls(text);
    const notes = notesOn(controls);
    const lines = linesOf(plain).map((sentences) => sentences.map((sentence) => this.pieces(sentence)));
    const problem = lines.flat().find((sentence) => sentence.problem !== null)?.problem ?? null;
    if (problem !== null) return { text: null, notes, problem };
    const translated = [];
    for (const sentences of lines) {
      const texts = [];
      for (const { ids } of sentences) {
        const limit = this.limitOf(ids);
        const found = yield* search(this.model, this.encode(ids, []), { beamSize, lengthPenalty, limit, candidates: 0 });
        if (found.ids.at(-1) !== this.config.eos_id) notes.push(notEnded(found.ids.length));
        texts.push(this.spell(found.ids));
      }
      translated.push(texts.filter(Boolean).join(" "));
    }
    return { text: translated.join("\n"), notes, problem: null };
  }

  /** The text of a translation: control characters, which a model might write, become spaces. */
  spell(ids) {
    return tidy(withoutControls(this.tokenizer.decode(ids)).text);
  }

  told({ candidates, ...rest }) {
    return { candidates: candidates.map((one) => ({ ...one, text: this.tokenizer.readable(one.id) })), ...rest };
  }

  requireBegun() {
    if (this.memory === null) throw new Error("The encoder has not read the sentence yet.");
    return this.source;
  }

  requirePrefix(ids, most) {
    const { vocab_size, pad_id, bos_id } = this.config;
    const isPiece = (id) => Number.isInteger(id) && id >= 0 && id < vocab_size && id !== pad_id && id !== bos_id;
    if (!Array.isArray(ids) || !ids.every(isPiece)) throw new Error("A translation is made of pieces of the vocabulary, and this is none.");
    if (ids.length > most) throw new Error(`A translation of this sentence has at most ${most} more pieces: this beginning is too long.`);
  }
}

const codeName = (character) => `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

function notesOn(controls) {
  return controls.length ? [`Control characters were replaced by spaces: ${controls.length} (${[...new Set(controls)].join(", ")}).`] : [];
}

const notEnded = (length) =>
  `The translation of a sentence did not end within ${length} subwords, and what is given may be its beginning only.`;

function requireSettings(beamSize, lengthPenalty) {
  if (!Number.isInteger(beamSize) || beamSize < 1 || beamSize > WIDEST_BEAM) {
    throw new Error(`The width of the beam must be a whole number from 1 to ${WIDEST_BEAM}.`);
  }
  if (typeof lengthPenalty !== "number" || !(lengthPenalty >= 0 && lengthPenalty <= LARGEST_PENALTY)) {
    throw new Error(`The length penalty must be a number from 0 to ${LARGEST_PENALTY}.`);
  }
}
