// Heads, split and joined: each number by its place in memory, with and without the two transposes.

import { listed } from "../arithmetic.js";
import { button, choice, element, group, slider, table, toggle } from "../parts.js";
import { live, texts } from "../live.js";

const TRAITS = ["length", "n_heads", "split", "merge", "word"];
const WORDS = ["I", "like", "old", "cats", "that", "sleep", "all", "day"]; // the words and sizes of reshaped_heads.py
const [WIDTH, HEADS, LENGTHS] = [8, [2, 4], [2, 3, 4, 5, 6, 7, 8]];
const range = (n, value = (i) => i) => Array.from({ length: n }, (_, i) => value(i));

/** Which of the two tests notice, in a sentence. */
export function verdict({ length, n_heads, split, merge }) {
  if (split && merge) return "Right.";
  if (split || merge) return "Wrong, and both tests notice.";
  const hidden = length % n_heads === 0 || n_heads % length === 0;
  return `Wrong, and ${hidden ? "neither test notices" : "only the order notices"}.`;
}

/** Everything that the figure shows: the place in memory that each number of a head and of a joined row comes from. */
export function computed(state) {
  const { length, n_heads, split, merge } = state;
  const d = WIDTH / n_heads;
  const heads = range(n_heads, (i) => range(length, (r) => range(d, (c) =>
    split ? WIDTH * r + d * i + c : d * (length * i + r) + c)));
  const flat = heads.flat(2);
  const joined = range(length, (r) => range(WIDTH, (c) =>
    merge ? heads[Math.floor(c / d)][r][c % d] : flat[WIDTH * r + c]));
  return {
    ...state, d, heads, joined,
    marked: Math.min(state.word, length - 1),
    rows: range(length, (r) => range(WIDTH, (c) => WIDTH * r + c)),
    same: joined.flat().every((place, n) => place === n),
    verdict: verdict(state),
  };
}

/** Some numbers in their order: [0, 1, 2, 3, 8] is "I 0–3 and like 0". */
function told(places) {
  const runs = [];
  for (const place of places)
    if (runs.length && place === runs.at(-1).at(-1) + 1 && place % WIDTH) runs.at(-1).push(place);
    else runs.push([place]);
  return listed(runs.map((run) =>
    `${WORDS[Math.floor(run[0] / WIDTH)]} ${run[0] % WIDTH}${run.length > 1 ? `–${run.at(-1) % WIDTH}` : ""}`));
}

/** The whole figure in words; reshaped_heads.py says the same where there is no JavaScript. */
export function inWords({ length, n_heads, split, merge, marked, d, heads, joined, same, verdict }) {
  const way = (transposed) => (transposed ? "transpose" : "no transpose");
  const cut = heads.map((head, i) =>
    `head ${i} holds ${split ? `columns ${d * i}–${d * (i + 1) - 1} of every word` : told(head.flat())}`);
  const rows = joined.map((row, r) => `${WORDS[r]} has ${told(row)}`);
  return (
    `${length} words of ${WIDTH} numbers, ${n_heads} heads. Split with ${way(split)}: ${cut.join("; ")}. ` +
    `Joined with ${way(merge)}: ${same ? "each word has its own numbers back" : rows.join("; ")}. ${verdict} ` +
    `The numbers of ${WORDS[marked]} are marked.`
  );
}

function build({ el, read, send, restart }) {
  let view = computed(read());
  const { words, news, announce } = texts(() => view.verdict);
  const room = group("Where the numbers stand");
  const said = element("p", { className: "explorer-working" });
  const counted = (values) => values.map((value) => [String(value), String(value)]);
  const switched = (name, label) =>
    toggle(label, view[name], (on) => {
      send({ [name]: on });
      announce(on ? `The ${name} has its transpose.` : `The ${name} has no transpose.`);
    });
  const follow = (word) => {
    send({ word });
    announce(`The numbers of ${WORDS[word]} are marked.`);
  };
  const controls = {
    split: switched("split", "transpose in the split"),
    merge: switched("merge", "transpose in the merge"),
    length: slider({
      label: "words", stops: LENGTHS, value: view.length,
      changed: (length) => send({ length }), settled: () => announce(""),
    }),
    n_heads: choice({
      label: "Heads:", options: counted(HEADS), value: String(view.n_heads),
      changed: (n) => {
        send({ n_heads: Number(n) });
        announce(`${n} heads.`);
      },
    }),
    word: choice({ label: "Mark:", options: WORDS.map((word, n) => [String(n), word]), value: "1", changed: (n) => follow(Number(n)) }),
  };
  const again = button("Start again", () => {
    restart();
    announce("Back to the start.");
  });

  /** One matrix of places; the numbers of the marked word stand out. */
  function matrix(title, letter, role, places) {
    const made = table({
      title, letter, role, rowNames: WORDS.slice(0, places.length), columns: range(places[0].length, String),
      cell: (i, j) => String(places[i][j]),
    });
    made.querySelectorAll("td").forEach((cell) => {
      const word = Math.floor(Number(cell.textContent) / WIDTH);
      cell.classList.toggle("explorer-followed", word === view.marked);
      cell.onclick = () => follow(word);
    });
    return made;
  }
  el.replaceChildren(
    group("What is computed", controls.split.node, controls.merge.node),
    group("Sizes", controls.length.node, controls.n_heads.node, controls.word.node, again),
    said, room,
    element("p", { className: "explorer-hint" }, "Each number is its place in memory. Click one to mark its word."),
    news,
    words,
  );
  return () => {
    view = computed(read());
    for (const name of ["split", "merge", "length"]) controls[name].show(view[name]);
    controls.n_heads.show(String(view.n_heads));
    controls.word.show(String(view.marked));
    controls.word.node.querySelectorAll("option").forEach((one, n) => (one.hidden = one.disabled = n >= view.length));
    said.textContent = view.verdict;
    room.replaceChildren(
      matrix("Queries", "Q", "query", view.rows),
      ...view.heads.map((head, i) => matrix("Head", String(i), "query", head)),
      matrix("Joined rows", "", "output", view.joined),
    );
    words.textContent = inWords(view);
  };
}

export default { render: (page) => live(page, TRAITS, build) };
