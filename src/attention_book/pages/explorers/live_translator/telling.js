// What the live translator says: one sentence a frame, and what a reader should know about an answer.

import { listed } from "../arithmetic.js";
import { mostOf, namesOf, percent, quoted, shownPiece, weightsOf, writtenBefore } from "./record.js";

const LAST = 30; // characters

const counted = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;

/** The last words of a text that is long: all of it stands above. */
function lastOf(text) {
  const words = text.split(" ");
  let from = words.length - 1;
  while (from > 0 && words.slice(from - 1).join(" ").length <= LAST) from -= 1;
  return from > 0 ? `… ${words.slice(from).join(" ")}` : text;
}

/** What happens in a frame, in one or two sentences. */
export function toldOf(record, frame, { use }) {
  if (frame.phase === "pieces") {
    return `The sentence is cut into ${counted(record.keys.length - 1, "piece")} and a mark for its end. Nothing is written yet.`;
  }
  if (frame.phase === "encoder") {
    return (
      `Reading, layer ${frame.layer} of 0 to ${record.encoder.length - 1}: every English piece looks at all of them. ` +
      "The wider a ribbon, the more it takes from there."
    );
  }
  if (frame.phase === "done") {
    return (
      `Written in ${counted(record.steps.length, "step")}. Point at ${use === "encoder" ? "an English" : "a Spanish"} piece to see ` +
      `where it looked; press ${use === "encoder" ? "a Spanish one" : "it"} to see what else it could have been.`
    );
  }
  const { text, id } = record.asked[frame.step];
  const taken = record.steps[frame.step].candidates.find((one) => one.id === id);
  const before = lastOf(writtenBefore(record, frame.step));
  const share = taken ? ` (${percent(taken.probability)})` : "";
  const looks = {
    cross: "it looks at the English pieces", self: "it looks at what it has written", encoder: "it goes by what was read",
  }[use];
  const what = text === "</s>" ? "takes the end mark" : `takes ${quoted(shownPiece(text))}`;
  return `${before ? `After ${quoted(before)}` : "To begin"}, ${looks} and ${what}${share}.`;
}

/** The beginning of a text that may be long, as whole characters. */
const shortened = (text) => ([...text].length > 60 ? `${[...text].slice(0, 57).join("")}…` : text);

/** How a translation is asked for, where it is not the usual way: " with a beam of 4 and a head switched off". */
export function toldOfSettings({ beam, forced, silenced }) {
  const told = [
    ...(beam > 1 ? [`a beam of ${beam}`] : []),
    ...(forced.length ? [`${counted(forced.length, "piece")} chosen by hand`] : []),
    ...(silenced.length ? [`${counted(silenced.length, "head")} switched off`] : []),
  ];
  return told.length ? ` with ${listed(told)}` : "";
}

/**
 * Why the translator must be loaded for what was chosen before it is: a sentence for each place where it was chosen.
 *
 * `loadable` says whether a page has a translator to load; otherwise only a kernel has one.
 */
export function reasonsOf(pending, state, record, loadable) {
  const found = {};
  const [needs, until] = loadable ? ["the translator itself", "it is loaded"] : ["Python: open this page as a notebook", "then"];
  if ("text" in pending) {
    const wanted = `The Spanish of ${quoted(shortened(pending.text))}${toldOfSettings({ ...state, ...pending })}`;
    const local = "It runs in this page and sends nothing away.";
    return { answer: loadable ? `${wanted} comes when the translator is loaded. ${local}` : `${wanted} needs ${needs}.` };
  }
  if (pending.forced) {
    const step = pending.forced.length - 1;
    const { text } = record.steps[step].candidates.find(({ id }) => id === pending.forced[step]);
    found.next = `What follows ${quoted(shownPiece(text))} needs ${needs}.`;
  }
  if (pending.silenced) {
    found.heads = `A change of heads needs ${needs}. Until ${until}, all that is shown is with every head on.`;
  }
  if (pending.beam) found.search = `A beam of ${pending.beam} needs ${needs}. Until ${until}, the tree is that of a beam of ${state.beam}.`;
  return found;
}

/** The largest weights of the chip that is pointed at, {of: "source" or "target", i}; null if it has none in this use. */
export function toldOfChip(record, { use, layer, head }, { of, i }) {
  const [rows, names] = [weightsOf(record, use, layer, head), namesOf(record, use)];
  if (of === "source" && use === "cross") {
    return `${quoted(names.columns[i])} is looked at with weight ${mostOf(rows.map((row) => row[i]), names.rows, "by")}.`;
  }
  if ((of === "source") !== (use === "encoder")) return null;
  return `${quoted(names.rows[i])} looks with weight ${mostOf(Array.from(rows[i]), names.columns, "at")}.`;
}

/** What a reader should know before believing the answer: a list of sentences. */
export function warningsOf(read) {
  const told = [...(read.notes ?? [])];
  if (read.pieces.some(({ text }) => text.includes("⟨"))) {
    told.push(
      "What stands in ⟨ ⟩ is a single byte: such characters are rare in the training pairs or not in them, so the Spanish is a guess.",
    );
  }
  return told;
}
