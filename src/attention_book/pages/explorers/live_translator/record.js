// A translation as the live translator knows it: its pieces, its steps, and every weight. Nothing of the page.

import { fixed, listed } from "../arithmetic.js";

/** The three uses of attention, and what they are called. */
export const USES = [
  ["cross", "Spanish looks at English"],
  ["encoder", "English looks at English"],
  ["self", "Spanish looks at Spanish"],
];

/** A piece as it is shown: a space before its letters is not, as a gap stands in its place; a space alone is "␣". */
export const shownPiece = (text) => ({ "<s>": "start", "</s>": "end", "▁": "␣" })[text] ?? text.replace(/^▁/, "").replaceAll("▁", "␣");

/** Whether a piece goes on with the word of the piece before it. */
export const goesOn = (text) => !text.startsWith("▁") && !text.startsWith("<");

/**
 * The answers of `read`, `begin` and `translate` as one record.
 *
 * `asked` are the pieces that the steps chose, {id, text}, with the end if there is one; `keys` are the pieces of the
 * source.
 */
export function recordOf(source, read, begun, translated) {
  const texts = new Map();
  for (const step of translated.steps) for (const { id, text } of step.candidates) texts.set(id, text);
  for (const { id, text } of translated.tree?.nodes ?? []) texts.set(id, text);
  return {
    source,
    text: translated.text,
    score: translated.score,
    keys: read.pieces.map(({ text }) => text), // the end mark among them
    asked: translated.ids.map((id) => ({ id, text: texts.get(id) ?? `#${id}` })),
    n: begun.n,
    encoder: begun.encoder,
    steps: translated.steps,
    nodes: translated.tree?.nodes ?? [],
  };
}

/** Names in place of places: each row of `rows` as an object with these names. */
const named = (rows, names) => rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i]])));

/** The numbers of a packed text, in ten-thousandths: base64 of all the low bytes, and then of the high ones. */
function weightsIn(text) {
  const bytes = atob(text);
  const count = bytes.length / 2;
  return Float64Array.from({ length: count }, (_, i) => (bytes.charCodeAt(i) + 256 * bytes.charCodeAt(count + i)) / 10000);
}

const unpacked = new WeakMap();

/** The same from what Python recorded and packed (packing.py); it is unpacked once. */
export function recorded(pack) {
  if (unpacked.has(pack)) return unpacked.get(pack);
  const weights = weightsIn(pack.weights);
  const [layers, heads] = pack.heads;
  let from = 0;
  const table = (cells) => Array.from({ length: layers }, () => Array.from({ length: heads }, () =>
    weights.subarray(from, (from += cells))));
  const encoder = table(pack.n ** 2);
  const steps = pack.candidates.map((candidates, t) => ({
    candidates: named(candidates, ["id", "text", "probability", "logProbability"]),
    end: pack.ends[t], self: table(t + 1), cross: table(pack.n),
  }));
  const nodes = named(pack.nodes, ["parent", "id", "text", "logProbability", "total", "kept", "finished"]);
  const read = { pieces: named(pack.pieces, ["id", "text"]) };
  const record = recordOf(pack.source, read, { n: pack.n, encoder }, { ...pack, steps, tree: { nodes } });
  unpacked.set(pack, record);
  return record;
}

/** What happens one after the other: the pieces, the layers of the encoder, a frame a step, and the end. */
export function framesOf(record) {
  return [
    { phase: "pieces" },
    ...record.encoder.map((_, layer) => ({ phase: "encoder", layer })),
    ...record.steps.map((_, step) => ({ phase: "step", step })),
    { phase: "done" },
  ];
}

/** The frame in which a step is taken. */
export const frameOfStep = (record, step) => 1 + record.encoder.length + step;

const meanOf = (rows) => Array.from(rows[0], (_, j) => rows.reduce((total, row) => total + row[j], 0) / rows.length);

function chosenRow(table, layer, head) {
  const layers = layer < 0 ? [...table] : [table[layer]];
  return meanOf(layers.map((heads) => (head < 0 ? meanOf([...heads]) : heads[head])));
}

/** The weights of one use, row after row; layer −1 is the mean of all layers, head −1 that of all heads. */
export function weightsOf(record, use, layer, head) {
  if (use !== "encoder") return record.steps.map((step) => chosenRow(step[use], layer, head));
  const cells = chosenRow(record.encoder, layer, head);
  return Array.from({ length: record.n }, (_, i) => cells.slice(i * record.n, (i + 1) * record.n));
}

/** What the rows and the columns of that table are called. */
export function namesOf(record, use) {
  const asked = record.asked.map(({ text }) => text);
  return {
    rows: (use === "encoder" ? record.keys : asked).map(shownPiece),
    columns: (use === "self" ? ["<s>", ...asked.slice(0, -1)] : record.keys).map(shownPiece),
  };
}

/** "layer 2, head 1", "layer 2, the mean of its heads", "the mean of all heads". */
export const placeOf = (layer, head) => {
  if (layer < 0) return head < 0 ? "the mean of all heads" : `head ${head}, the mean of the layers`;
  return `layer ${layer}, ${head < 0 ? "the mean of its heads" : `head ${head}`}`;
};

/** What had been written before a step, as text. */
export const writtenBefore = (record, step) =>
  record.asked.slice(0, step).map(({ text }) => text.replaceAll("▁", " ")).join("").trim();

/** How much is written when the first `count` pieces are there: [that text, the rest of the whole one if it follows]. */
export function writtenWith(record, count) {
  if (count >= record.asked.length) return [record.text, ""];
  const before = writtenBefore(record, count);
  return [before, record.text.startsWith(before) ? record.text.slice(before.length) : ""];
}

export const quoted = (text) => `“${text}”`;

/** A share for the eye: "94 %", "3.1 %", "<0.1 %". */
export function percent(share) {
  if (share < 0.001) return "<0.1\u00a0%";
  return `${share < 0.0995 ? (100 * share).toFixed(1) : Math.round(100 * share)}\u00a0%`;
}

/** The three largest weights of a row, told. */
export function mostOf(row, names, link = "on") {
  const order = [...row.keys()].sort((a, b) => row[b] - row[a]).slice(0, 3);
  return listed(order.map((j) => `${fixed(row[j])} ${link} ${quoted(names[j])}`));
}

/** The whole figure in words; explorer.py says the same where there is no JavaScript. */
export function inWords(record, { at, use, layer, head }) {
  const frames = framesOf(record);
  const frame = frames[at < 0 ? frames.length - 1 : Math.min(at, frames.length - 1)];
  const told =
    `${quoted(record.source)} is cut into ${record.keys.length - 1} pieces and an end mark: ` +
    `${listed(record.keys.map((text) => quoted(shownPiece(text))))}. ` +
    `The translator writes ${quoted(record.text)} in ${record.steps.length} steps.`;
  if (frame.phase !== "step") return told;
  const { step } = frame;
  const next = record.steps[step].candidates.slice(0, 5)
    .map(({ text, probability }) => `${quoted(shownPiece(text))} ${fixed(probability)}`);
  const before = writtenBefore(record, step);
  const what = Object.fromEntries(USES)[use];
  const looks = use === "encoder" ? "" :
    ` ${what}, ${placeOf(layer, head)}: ${mostOf(weightsOf(record, use, layer, head)[step], namesOf(record, use).columns)}.`;
  return (
    `${told} Step ${step + 1}: it has written ${before ? quoted(before) : "nothing"}, and takes ` +
    `${quoted(shownPiece(record.asked[step].text))}. The most probable next pieces are ${listed(next)}.${looks}`
  );
}
