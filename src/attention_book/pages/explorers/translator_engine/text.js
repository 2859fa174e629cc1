// A reader's text made ready for the translator, as `data/normalisation.py` and `data/sentence_splitting.py` do it.

// What Python's str.split() takes for a space; JavaScript's own \s is another set.
const SPACES = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/gu;
const CONTROLS = /[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]/gu; // those that are no spaces
const ZERO_WIDTH_SPACES = /[\u200b\u2060\ufeff]/gu;
const SMALL = /^\p{Lowercase}/u;
// Python's isdigit(): decimal digits, and digits that are raised, lowered, circled or followed by a full stop.
const DIGIT =
  /^[\p{Nd}\xb2\xb3\xb9\u1369-\u1371\u19da\u2070\u2074-\u2079\u2080-\u2089\u2460-\u2468\u2474-\u247c\u2488-\u2490\u24ea\u24f5-\u24fd\u24ff\u2776-\u277e\u2780-\u2788\u278a-\u2792\u{10a40}-\u{10a43}\u{10e60}-\u{10e68}\u{11052}-\u{1105a}\u{1f100}-\u{1f10a}]/u;
const ABBREVIATIONS = new Set("mr mrs ms dr mt st prof rev gen capt sr jr vs etc".split(" "));

/** One sentence: NFC, runs of any spaces folded into one, none at either end, zero-width spaces removed. */
export function tidy(text) {
  return text.replace(ZERO_WIDTH_SPACES, "").normalize("NFC").split(SPACES).filter(Boolean).join(" ");
}

/** A space for every control character that is no space itself; and the names of those, such as U+0000, in order. */
export function withoutControls(text) {
  const name = (control) => `U+${control.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  return { text: text.replace(CONTROLS, " "), controls: (text.match(CONTROLS) ?? []).map(name) };
}

/** For each line of a text, without the spaces around it, its sentences, tidy. */
export function linesOf(text) {
  const spaces = [...text.matchAll(SPACES)];
  const [first, last] = [spaces[0], spaces.at(-1)];
  const end = last && last.index + last[0].length === text.length ? last.index : text.length;
  const start = first?.index === 0 ? first[0].length : 0;
  const inside = text.slice(Math.min(start, end), end);
  return inside.replaceAll("\r\n", "\n").replaceAll("\r", "\n").split("\n").map(splitSentences);
}

/** Cut a line where one sentence ends and the next begins; nothing but space is lost. */
export function splitSentences(line) {
  const sentences = [];
  let sentence = [];
  const words = tidy(line).split(" ").filter(Boolean);
  words.forEach((word, n) => {
    sentence.push(word);
    if (n + 1 < words.length && !endsSentence(word, words[n + 1])) return;
    sentences.push(sentence.join(" "));
    sentence = [];
  });
  return sentences;
}

/** Whether a sentence ends with this word, given the one after it. */
function endsSentence(word, after) {
  const closed = cutEnd(word, "\"'”’»)]");
  const body = cutEnd(closed, ".!?…");
  const mark = closed.slice(body.length);
  if (mark === "" || SMALL.test(after)) return false;
  if (mark !== ".") return true;
  const stem = body.replace(/^["'“‘«([¿¡]+/u, "").toLowerCase();
  const initial = /^\p{L}$/u.test(stem) && stem !== "i";
  const number = stem === "no" && DIGIT.test(after);
  return !(ABBREVIATIONS.has(stem) || stem.includes(".") || initial || number);
}

function cutEnd(word, characters) {
  let end = word.length;
  while (end > 0 && characters.includes(word[end - 1])) end -= 1;
  return word.slice(0, end);
}
