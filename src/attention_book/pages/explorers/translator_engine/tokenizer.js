// Byte-pair encoding on the bytes of a text: pieces and back, as `data/subwords.py` has them from the tokenizers library.

// No merge crosses from one of these chunks to the next: the pattern of GPT-2 (Radford et al. 2019).
const CHUNK =
  /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu;
const SPECIALS = ["<pad>", "<s>", "</s>", "<unk>"];
const STRICT = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const NEVER = 0x7fffffff; // the rank of two pieces that no merge joins

/** The letter that stands for each byte in a vocabulary: printable Latin-1 for itself, the others as U+0100 and up. */
const LETTERS = (() => {
  const itself = (b) => (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
  let others = 0;
  return Array.from({ length: 256 }, (_, b) => String.fromCodePoint(itself(b) ? b : 256 + others++));
})();

export class Tokenizer {
  /** `pieces` spells each piece in `LETTERS`, by its id; `merges` has two ids a merge, in the order of learning. */
  constructor({ pieces, merges }) {
    const byte = new Map(LETTERS.map((letter, b) => [letter, b]));
    const ids = new Map(pieces.map((piece, id) => [piece, id]));
    this.bytes = pieces.map((piece, id) =>
      Uint8Array.from(id < SPECIALS.length ? [] : [...piece].map((letter) => byte.get(letter))),
    );
    this.size = pieces.length;
    this.ofByte = LETTERS.map((letter) => ids.get(letter));
    this.joined = []; // by rank: the id of the piece that a merge makes
    this.ranks = new Map(); // by left · size + right
    for (let n = 0; n < merges.length; n += 2) {
      this.ranks.set(merges[n] * this.size + merges[n + 1], n / 2);
      this.joined.push(ids.get(pieces[merges[n]] + pieces[merges[n + 1]]));
    }
    this.readings = []; // by id: what `readable` found
    this.encoder = new TextEncoder();
    this.decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  }

  /**
   * The pieces of a text in its NFC form: for each chunk of it, { start, text, pieces: [{ id, start, end }] }.
   *
   * Start and end count UTF-16 units. A piece that is only part of a character has the start and end of the whole one.
   */
  chunks(text) {
    return [...text.normalize("NFC").matchAll(CHUNK)].map(({ 0: chunk, index }) => {
      const places = [];
      let place = index;
      for (const character of chunk) {
        const length = this.encoder.encode(character).length;
        for (let b = 0; b < length; b += 1) places.push([place, place + character.length]);
        place += character.length;
      }
      let at = 0;
      const pieces = this.merged(this.encoder.encode(chunk)).map((id) => {
        const [start] = places[at];
        at += this.bytes[id].length;
        return { id, start, end: places[at - 1][1] };
      });
      return { start: index, text: chunk, pieces };
    });
  }

  /** The ids of a text's pieces, without <s> and </s>. */
  encode(text) {
    return this.chunks(text).flatMap(({ pieces }) => pieces.map(({ id }) => id));
  }

  /** Start with single bytes. As long as there is one, make the merge that was learnt first, the leftmost of its kind. */
  merged(bytes) {
    const ids = Int32Array.from(bytes, (byte) => this.ofByte[byte]);
    const rankAt = (n) => this.ranks.get(ids[n] * this.size + ids[n + 1]) ?? NEVER;
    const ranks = Int32Array.from({ length: ids.length - 1 }, (_, n) => rankAt(n));
    let pairs = ranks.length;
    for (;;) {
      let best = -1;
      let least = NEVER;
      for (let n = 0; n < pairs; n += 1) {
        if (ranks[n] < least) {
          best = n;
          least = ranks[n];
        }
      }
      if (best < 0) return [...ids.subarray(0, pairs + 1)];
      ids[best] = this.joined[least];
      ids.copyWithin(best + 1, best + 2, pairs + 1);
      ranks.copyWithin(best, best + 1, pairs);
      pairs -= 1;
      if (best > 0) ranks[best - 1] = rankAt(best - 1);
      if (best < pairs) ranks[best] = rankAt(best);
    }
  }

  /** The text that ids spell; special pieces are skipped, and bytes that are no whole character become U+FFFD. */
  decode(ids) {
    return this.decoder.decode(Uint8Array.from(ids.flatMap((id) => [...this.bytes[id]])));
  }

  /** A piece as readers see it: ▁ for a space, ⟨C3⟩ for a byte that is a control character or no whole character. */
  readable(id) {
    return (this.readings[id] ??= id < SPECIALS.length ? SPECIALS[id] : asReadable(this.bytes[id]));
  }
}

function asReadable(bytes) {
  let told = "";
  for (let at = 0; at < bytes.length; ) {
    const [character, length] = characterAt(bytes, at);
    if (character === " ") told += "▁";
    else if (character !== null && !/\p{Cc}/u.test(character)) told += character;
    else for (const b of bytes.subarray(at, at + length)) told += `⟨${b.toString(16).toUpperCase().padStart(2, "0")}⟩`;
    at += length;
  }
  return told;
}

/** The character that begins at a byte, and its length in bytes; null and 1 if none does. */
function characterAt(bytes, at) {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length += 1) {
    try {
      return [STRICT.decode(bytes.subarray(at, at + length)), length];
    } catch {
      // more bytes may make it whole
    }
  }
  return [null, 1];
}
