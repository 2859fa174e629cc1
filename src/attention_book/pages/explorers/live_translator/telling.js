// What the live translator says: one sentence a frame, and what a reader should know about an answer.

import { mostOf, namesOf, percent, quoted, shownPiece, weightsOf, writtenBefore } from "./record.js";

const counted = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;

/** What happens in a frame, in one or two sentences. */
export function toldOf(record, frame, { use }) {
  if (frame.phase === "pieces") {
    return `The sentence is cut into ${counted(record.keys.length - 1, "piece")} and a mark for its end. Nothing is written yet.`;
  }
  if (frame.phase === "encoder") {
    return (
      `Reading, layer ${frame.layer} of ${record.encoder.length}: every English piece looks at all of them. ` +
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
  const before = writtenBefore(record, frame.step);
  const share = taken ? ` (${percent(taken.probability)})` : "";
  const looks = {
    cross: "it looks at the English pieces", self: "it looks at what it has written", encoder: "it goes by what was read",
  }[use];
  const what = text === "</s>" ? "takes the end mark" : `takes ${quoted(shownPiece(text))}`;
  return `${before ? `After ${quoted(before)}` : "To begin"}, ${looks} and ${what}${share}.`;
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
