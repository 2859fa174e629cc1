// Merge by merge: a text as bytes, and how the merges of the shipped vocabulary join them to pieces.

import { button, element, freshId, group, slider, stepTo } from "../parts.js";
import { live, texts, workingPanel } from "../live.js";

const TRAITS = ["text", "allowed", "looked", "merges"];
const LONGEST = 60; // the limits of merges.py
const STOPS = [0, 10, 30, 100, 300, 1000, 3000];

/** The letter that stands for each byte: printable Latin-1 characters for themselves, the others as U+0100 and up. */
export const LETTERS = (() => {
  const itself = (b) => (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
  let others = 0;
  return Array.from({ length: 256 }, (_, b) => String.fromCodePoint(itself(b) ? b : 256 + others++));
})();
const BYTE = new Map(LETTERS.map((letter, byte) => [letter, byte]));

// No merge crosses from one of these to the next: the pattern of GPT-2, which the tokenizers library follows.
const CHUNK =
  /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu;

/** The parts of a text that are cut by themselves, each byte as a letter. */
export function chunks(text) {
  const spelt = (part) => [...new TextEncoder().encode(part)].map((byte) => LETTERS[byte]).join("");
  return (text.normalize("NFC").match(CHUNK) ?? []).map(spelt);
}

/** Place of each merge in the list, by "left right". */
const ranks = (merges) => new Map(merges.map((merge, n) => [merge, n]));

/** The pieces of a chunk at each stage, and the number of the merge that led there (counted from 0). */
export function stagesOf(chunk, rank, allowed) {
  const stages = [{ pieces: [...chunk], merge: null }];
  for (;;) {
    const { pieces } = stages.at(-1);
    let first = Infinity;
    for (let at = 0; at + 1 < pieces.length; at += 1) first = Math.min(first, rank.get(`${pieces[at]} ${pieces[at + 1]}`) ?? Infinity);
    if (first >= allowed) return stages;
    const joined = [];
    for (let at = 0; at < pieces.length; at += 1) {
      const fits = at + 1 < pieces.length && rank.get(`${pieces[at]} ${pieces[at + 1]}`) === first;
      joined.push(fits ? pieces[at] + pieces[at + 1] : pieces[at]);
      if (fits) at += 1;
    }
    stages.push({ pieces: joined, merge: first });
  }
}

/** Bytes as readers see them: ▁ for a space, ⟨C3⟩ for a byte that is a control character or not whole UTF-8. */
export function readable(piece) {
  const bytes = Uint8Array.from([...piece].map((letter) => BYTE.get(letter)));
  const hex = (byte) => `⟨${byte.toString(16).toUpperCase().padStart(2, "0")}⟩`;
  let told = "";
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find((n) => {
      try {
        return at + n <= bytes.length && [...new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.slice(at, at + n))].length === 1;
      } catch {
        return false;
      }
    });
    const character = length ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.slice(at, at + length)) : "";
    const whole = length && !/\p{Cc}/u.test(character);
    for (const byte of whole ? [] : bytes.slice(at, at + (length || 1))) told += hex(byte);
    if (whole) told += character === " " ? "▁" : character;
    at += length || 1;
  }
  return told;
}

/** Everything that is shown: for each piece how it reads, and the stages of the chunk that it belongs to. */
export function computed({ text, allowed, merges }, rank = ranks(merges)) {
  const most = Math.min(allowed, merges.length);
  const found = chunks(text).map((chunk) => stagesOf(chunk, rank, most));
  const pieces = found.flatMap((stages) => stages.at(-1).pieces.map((piece) => ({ piece: readable(piece), stages })));
  return { most, pieces };
}

const counted = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;

/** What is shown, in words; merges.py says the same where there is no JavaScript. */
export function inWords({ most, pieces }) {
  if (!pieces.length) return "There is no text.";
  const told = pieces.map(({ piece }) => `“${piece}”`).join(", ");
  return `With the first ${counted(most, "merge")}, the text is ${counted(pieces.length, "piece")}: ${told}.`;
}

/** How the chunk of a piece came about, stage by stage. */
export function working({ piece, stages }) {
  const line = ({ pieces, merge }) => `${merge === null ? "bytes" : `merge ${merge + 1}`}: ${pieces.map(readable).join(" ")}`;
  return [piece, `${stages.map(line).join("; ")}.`];
}

function build({ el, read, send, restart }) {
  const rank = ranks(read().merges);
  let view = computed(read(), rank);
  const { words, news, announce } = texts(() => `${counted(view.pieces.length, "piece")}.`);
  const panel = workingPanel();
  const id = freshId("text");
  const input = element("input", {
    type: "text", id, value: read().text, className: "explorer-text", maxLength: LONGEST, spellcheck: false, autocomplete: "off",
    oninput: ({ target }) => send({ text: target.value.isWellFormed?.() === false ? target.value.toWellFormed() : target.value, looked: 0 }),
    onchange: () => announce("Another text."),
  });
  const all = read().merges.length;
  const merges = slider({
    label: "merges allowed", stops: [...STOPS.filter((stop) => stop < all), all], value: read().allowed,
    text: (n) => `${n} of ${all}`,
    changed: (allowed) => send({ allowed, looked: 0 }), settled: (n) => announce(`Merges: ${n}.`),
  });
  const row = element("div", { className: "explorer-row explorer-pieces", role: "group", "aria-label": "Pieces" });
  const again = button("Start again", () => {
    restart();
    announce("Back to the start.");
  });
  const look = (n) => send({ looked: n });
  let shown = "";
  function update() {
    const state = read();
    view = computed(state, rank);
    if (document.activeElement !== input) input.value = state.text;
    merges.show(state.allowed);
    const { pieces } = view;
    const looked = Math.min(state.looked, Math.max(pieces.length - 1, 0));
    const spelt = JSON.stringify(pieces.map(({ piece }) => piece));
    if (spelt !== shown) {
      shown = spelt;
      row.replaceChildren(
        ...pieces.map(({ piece }, n) =>
          button(piece, () => look(n), {
            "aria-describedby": panel.node.id,
            onkeydown: (event) => {
              const to = stepTo(event, n, row.children.length);
              if (to === null) return;
              look(to);
              row.children[to].focus();
            },
          }),
        ),
      );
    }
    [...row.children].forEach((one, n) => {
      one.tabIndex = n === looked ? 0 : -1;
      one.setAttribute("aria-pressed", String(n === looked));
    });
    if (pieces.length) panel.show(...working(pieces[looked]));
    else panel.node.textContent = "";
    words.textContent = inWords(view);
  }
  el.replaceChildren(
    group("Text", element("div", {}, element("label", { for: id }, "text: "), input), again),
    group("Merges", merges.node),
    row,
    panel.node,
    element("p", { className: "explorer-hint" }, "Choose a piece, by a click or with the Tab and arrow keys, to see how its word came together. ▁ is a space, and ⟨C3⟩ a byte that is no whole character."),
    news,
    words,
  );
  return update;
}

export default { render: (page) => live(page, TRAITS, build, { stay: ["merges"] }) };
