// Alignments: a table of attention weights, one row a target piece; step through the rows and see how each was mixed.

import { fixed, listed, sum } from "./arithmetic.js";
import { button, choice, element, freshId, grid, group, stepTo } from "./parts.js";
import { live, texts } from "./live.js";

const TRAITS = ["examples", "example", "reading", "piece", "text", "problem"];
const READINGS = { own: "the model's own translation", reference: "our translation, forced through" };
const MIXED = 0.9; // of the weight, at least, is told state by state
const SIDES = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

const quoted = (piece) => `“${piece}”`;
const UPRIGHT = 2; // letters, the mark of a space among them: turned, “▁I” would be a dash beside a dash
const subscript = (n) => String(n).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]);

export const entropy = (row) => 0 - sum(row.filter((x) => x > 0).map((x) => x * Math.log(x)));

/** Everything that the figure shows, from the state of the model. */
export function computed(state) {
  const known = state.examples[state.example];
  const reading = state.reading in known.readings ? state.reading : "own";
  const shown = known.readings[reading];
  return {
    ...state, reading,
    source: known.source, keys: known.pieces, both: "reference" in known.readings,
    target: shown.target, pieces: shown.pieces, logProbs: shown.log_probs, first: shown.first, weights: shown.weights,
    at: Math.min(state.piece, shown.pieces.length) - 1,
  };
}

const largest = (row) => row.indexOf(Math.max(...row));

/** The terms of the context: the largest weights with their states, until most of the weight is told; then the rest. */
export function mixture(row, keys) {
  const order = row.map((_, j) => j).sort((a, b) => row[b] - row[a] || a - b);
  let [count, told] = [0, 0];
  while (count < order.length && told < MIXED) told += row[order[count++]];
  const terms = order.slice(0, count).map((j) => `${fixed(row[j])} h${subscript(j + 1)} (${keys[j]})`);
  const rest = order.slice(count).map((j) => row[j]);
  return rest.length ? [...terms, `${fixed(sum(rest))} of the other ${rest.length}`] : terms;
}

function expected({ pieces, logProbs, first, at }) {
  const told = `log-probability ${fixed(logProbs[at])}`;
  const [choice, logProb] = first[at];
  if (choice === pieces[at]) return `${told}, is the model's first choice`;
  return `${told}, is not the model's first choice, which is ${quoted(choice)}, ${fixed(logProb)}`;
}

const spread = (row) => `the entropy is ${fixed(entropy(row))} nats, that of ${fixed(Math.exp(entropy(row)))} even weights`;

/** The whole figure in words; alignments.py says the same where there is no JavaScript. */
export function inWords(view) {
  const { source, target, reading, keys, pieces, logProbs, weights, at } = view;
  const row = weights[at];
  const worst = logProbs.indexOf(Math.min(...logProbs));
  return (
    `${quoted(source)} and ${quoted(target)}, ${READINGS[reading]}: ${pieces.length} pieces, log-probability ` +
    `${fixed(sum(logProbs))}; the least expected is ${quoted(pieces[worst])}, ${fixed(logProbs[worst])}. ` +
    `Piece ${at + 1}, ${quoted(pieces[at])}, ${expected(view)}. Its row gives ` +
    `${listed(row.map((x, j) => `${fixed(x)} to ${quoted(keys[j])}`))}. The context is ` +
    `${mixture(row, keys).join(" + ")}. The largest weight is on ${quoted(keys[largest(row)])}; ${spread(row)}.`
  );
}

/** One sentence for the announcement after a change. */
export function summary({ keys, pieces, logProbs, weights, at }) {
  const row = weights[at];
  return (
    `Piece ${at + 1} of ${pieces.length}, ${quoted(pieces[at])}, log-probability ${fixed(logProbs[at])}: ` +
    `most weight, ${fixed(Math.max(...row))}, on ${quoted(keys[largest(row)])}.`
  );
}

/** The table of weights, with the surprise at each piece behind its row. `choose(i, focus)` and `look(i)` take a row. */
function tableOf({ keys, pieces, logProbs, weights }, describedBy, choose, look, left) {
  const made = grid({
    title: "Weights", letter: "A", role: "weight", rowNames: pieces, columns: keys, describedBy,
    looked: (i, j, stays) => (stays ? choose(i) : look(i)), left,
  });
  made.node.classList.add("explorer-alignment");
  made.node.style.setProperty("--columns", String(keys.length));
  made.show(weights, () => "");
  const [head, rows] = [made.node.tHead.rows[0], [...made.node.tBodies[0].rows]];
  [...head.cells].slice(1).forEach((cell) => {
    const turned = [...cell.textContent].length > UPRIGHT;
    cell.replaceChildren(element("span", { className: turned ? "explorer-turned" : "" }, cell.textContent));
  });
  head.append(element("th", { scope: "col", className: "explorer-surprise" }, "log p"));
  const worst = Math.max(1, ...logProbs.map((x) => -x));
  rows.forEach((row, i) => {
    weights[i].forEach((weight, j) => {
      const cell = made.cell(i, j);
      cell.style.setProperty("--side", String(Math.sqrt(weight)));
      cell.setAttribute("aria-label", fixed(weight));
    });
    const surprise = element("td", { className: "explorer-surprise" }, fixed(logProbs[i]));
    surprise.style.setProperty("--share", String(-logProbs[i] / worst));
    row.append(surprise);
    row.addEventListener("click", () => choose(i));
    row.addEventListener("pointerenter", () => look(i));
    row.addEventListener("pointerleave", left);
  });
  return { node: made.node, mark: (at, pointed) => rows.forEach((row, i) => {
    row.classList.toggle("explorer-row-chosen", i === at);
    row.classList.toggle("explorer-row-looked", i === pointed);
  }) };
}

/** The pieces of the source, each with its weight as a level and as a number. */
function levels({ keys, weights, at }) {
  const row = weights[at];
  return keys.map((key, j) => {
    const bar = element("span", { className: "explorer-level" });
    bar.style.setProperty("--share", String(row[j]));
    const item = element("li", {}, bar, element("span", { className: "explorer-piece" }, key), element("small", {}, fixed(row[j])));
    item.dataset.value = String(row[j]);
    item.classList.toggle("explorer-largest", j === largest(row));
    return item;
  });
}

function build({ el, read, send, restart }, kernel) {
  let view = computed(read());
  const { words, news, announce } = texts(() => summary(view));
  const told = element("p", { className: "explorer-working", id: freshId("told") });
  const title = element("p", { className: "explorer-title", id: freshId("levels") });
  const bars = element("ul", { className: "explorer-levels", "aria-labelledby": title.id });
  const mixed = element("p", { className: "explorer-working" });
  const lines = element("p", { className: "explorer-pair" });
  const stage = element("div", { className: "explorer-alignment-stage" });
  const where = element("span", { className: "explorer-said" });
  const controls = group("What to look at");

  const choose = (at) => {
    if (at !== view.at) {
      send({ piece: at + 1 });
      announce("");
    } else showRow(at);
  };
  const step = (label, by) =>
    button(label, () => choose(Math.min(Math.max(view.at + by, 0), view.pieces.length - 1)), {
      onkeydown: (event) => {
        const to = stepTo(event, view.at, view.pieces.length, SIDES);
        if (to !== null) choose(to);
      },
    });
  const [back, forward] = [step("Back", -1), step("Forward", 1)];
  const steps = group("Steps", back, forward, where);
  const again = button("Start again", () => {
    restart();
    announce("Back to the start.");
  });

  let table;
  /** The row of one piece: of the chosen one, or of the one pointed at. */
  function showRow(at) {
    const now = { ...view, at };
    const row = now.weights[at];
    table.mark(view.at, at);
    told.textContent = `Piece ${at + 1} of ${now.pieces.length}, ${quoted(now.pieces[at])}, ${expected(now)}.`;
    title.replaceChildren(
      element("span", { className: "role-weight" }, "weights"), " of the source's ",
      element("span", { className: "role-value" }, "states"), ` in the context for ${quoted(now.pieces[at])}`,
    );
    bars.replaceChildren(...levels(now));
    mixed.textContent = `c${subscript(at + 1)} = ${mixture(row, now.keys).join(" + ")}. Most on ${quoted(now.keys[largest(row)])}; ${spread(row)}.`;
    words.textContent = inWords(now);
  }
  let choices = {};
  function rebuildControls() {
    const changed = (name, value, said) => {
      send({ [name]: value });
      announce(said);
    };
    const example = choice({
      label: "Sentence:", value: String(view.example), options: view.examples.map(({ source }, n) => [String(n), source]),
      changed: (value) => changed("example", Number(value), `${view.examples[value].source}`),
    });
    const reading = choice({
      label: "Written:", value: view.reading, options: Object.entries(READINGS),
      changed: (value) => changed("reading", value, `${READINGS[value]}.`),
    });
    choices = { example, reading };
    controls.replaceChildren(example.node, reading.node, again);
  }
  const asked = field(view, (text) => send({ text }));
  let [listedSources, built] = ["", ""];
  function update() {
    view = computed(read());
    const sources = JSON.stringify(view.examples.map(({ source }) => source));
    if (sources !== listedSources) rebuildControls();
    const tables = JSON.stringify([view.keys, view.pieces, view.weights]);
    if (tables !== built) {
      table = tableOf(view, told.id, choose, showRow, () => showRow(view.at));
      stage.replaceChildren(table.node);
    }
    [listedSources, built] = [sources, tables];
    choices.example.show(String(view.example));
    choices.reading.show(view.reading);
    choices.reading.node.querySelector("select").disabled = !view.both;
    lines.replaceChildren(`${view.source} → `, element("span", { lang: "es" }, view.target));
    where.textContent = `piece ${view.at + 1} of ${view.pieces.length}`;
    back.setAttribute("aria-disabled", String(view.at === 0));
    forward.setAttribute("aria-disabled", String(view.at === view.pieces.length - 1));
    asked.show(view);
    showRow(view.at);
  }

  el.replaceChildren(
    controls, ...(kernel ? [asked.node] : []), lines,
    element("div", { className: "explorer-row" }, stage, element("div", { className: "explorer-beside" }, steps, told, title, bars, mixed)),
    element(
      "p", { className: "explorer-hint" },
      "The filled share of a cell is the weight. The longer the bar below log p, the less the model expected the piece. " +
        "Point at a row, or go to it with the Tab and arrow keys. ▁ is a space that belongs to the piece." +
        (kernel ? "" : " In a running notebook you can type a sentence of your own."),
    ),
    news, words,
  );
  return update;
}

/** A field for a sentence of the reader's own, which only a kernel can translate. */
function field(view, asked) {
  const id = freshId("text");
  const input = element("input", {
    type: "text", id, value: view.text, className: "explorer-text", maxLength: 300,
    onchange: ({ target }) => asked(target.value),
  });
  const problem = element("p", { className: "explorer-problem", role: "alert" });
  return {
    node: element("div", {}, element("label", { for: id }, "A sentence of your own: "), input, problem),
    show(now) {
      if (document.activeElement !== input) input.value = now.text;
      problem.textContent = now.problem;
      input.setAttribute("aria-invalid", String(now.problem !== ""));
    },
  };
}

/** "Start again" keeps sentences that a notebook added. */
const stay = ["examples", "text", "problem"];

export default {
  render: (page) => live(page, TRAITS, (parts) => build(parts, Boolean(page.model.widget_manager)), { stay }),
};
