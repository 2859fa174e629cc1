// Three attributions: choose a sentence and a written piece, and see three answers to "what did it depend on?".

import { fixed, listed } from "../arithmetic.js";
import { button, choice, element, freshId, group, stepTo } from "../parts.js";
import { live, texts } from "../live.js";

const TRAITS = ["sentences", "sentence", "row", "gradient", "text", "problem", "kernel"];
const LONGEST = 80; // the limit of attributions.py
const STEPS_OF_KEYS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
const GRADIENTS = [
  ["gradient", "at the sentence"],
  ["integrated", "mean on the way there"],
];

const quoted = (token) => `“${token}”`;
const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** Everything that the figure shows, from the state of the model. */
export function computed(state) {
  const shown = state.sentences[state.sentence];
  const row = Math.min(state.row, shown.written.length - 1);
  const gradient = state.gradient === "integrated" ? "integrated gradient" : "gradient × input";
  const columns = [
    { name: "weights", role: "weight", values: shown.weights[row] },
    { name: gradient, role: "", values: shown[state.gradient][row] },
    { name: "leaving out", role: "output", values: shown["leaving out"][row] },
  ].map((column) => ({ ...column, largest: Math.max(...column.values.map(Math.abs)) }));
  return { ...shown, ...state, row, columns }; // the sentence has a "gradient" too: the reader's choice stays
}

/** The share of a bar that is filled: a full bar is the column's largest number, whatever its sign. */
export const share = (value, largest) => (largest > 0 ? Math.abs(value) / largest : 0);

/** The whole figure in words; attributions.py says the same where there is no JavaScript. */
export function inWords({ source, target, words, written, probability, row, columns }) {
  const told = columns.map(
    ({ name, values }) => `${capital(name)}: ${listed(values.map((x, j) => `${fixed(x)} for ${quoted(words[j])}`))}.`,
  );
  return (
    `${quoted(source)} became ${quoted(target)} The piece ${quoted(written[row])} has the probability ` +
    `${fixed(probability[row])}. ${told.join(" ")}`
  );
}

/** One sentence for the announcement after a change: which word is first in each column. */
export function summary({ words, written, row, columns }) {
  const first = ({ name, values }) => `${name}, ${quoted(words[values.indexOf(Math.max(...values))])}`;
  return `For ${quoted(written[row])}, the largest is: ${columns.map(first).join("; ")}.`;
}

function build({ el, read, send, restart }) {
  let view = computed(read());
  let pieces = [];
  const written = element("div", { className: "explorer-tokens", role: "radiogroup" });
  const writtenTitle = element("p", { className: "explorer-title", id: freshId("written") }, "written pieces");
  written.setAttribute("aria-labelledby", writtenTitle.id);
  const caption = element("caption", { id: freshId("caption") });
  const table = element("table", { className: "explorer-matrix explorer-attributions", "aria-labelledby": caption.id });
  const { words, news, announce } = texts(() => summary(view));
  const controls = group("What to look at");
  const problem = element("p", { className: "explorer-problem", role: "alert" });
  const typed = element("input", {
    type: "text", id: freshId("text"), className: "explorer-text", maxLength: LONGEST, spellcheck: false, autocomplete: "off",
    onchange: ({ target }) => {
      send({ text: target.value });
      announce("");
    },
  });
  const own = group(
    "Your sentence",
    element("div", {}, element("label", { for: typed.id }, "Your sentence: "), typed),
  );
  const again = button("Start again", () => {
    restart();
    announce("Back to the start.");
  });

  function choose(row) {
    send({ row });
    announce("");
    pieces[row].focus();
  }
  function walk(event, i) {
    const to = stepTo(event, i, pieces.length, STEPS_OF_KEYS);
    if (to !== null) choose(to);
  }
  function rebuildPieces() {
    pieces = view.written.map((text, i) =>
      element("button", {
        type: "button", role: "radio", className: "explorer-token",
        onclick: () => choose(i), onkeydown: (event) => walk(event, i),
      }, element("span", { className: "explorer-piece" }, text)),
    );
    written.replaceChildren(...pieces);
  }
  let choices = {};
  function rebuildControls() {
    choices = {
      sentence: choice({
        label: "Sentence:", options: view.sentences.map(({ source }, n) => [String(n), source]), value: String(view.sentence),
        changed: (value) => {
          send({ sentence: Number(value), row: 0 });
          announce(`${view.sentences[Number(value)].source}`);
        },
      }),
      gradient: choice({
        label: "Gradient:", options: GRADIENTS, value: view.gradient,
        changed: (gradient) => {
          send({ gradient });
          announce(`Gradient ${Object.fromEntries(GRADIENTS)[gradient]}.`);
        },
      }),
    };
    controls.replaceChildren(...Object.values(choices).map(({ node }) => node), again);
  }
  const cell = ({ role, values, largest }, j) => {
    const made = element("td", { className: role ? `explorer-${role}` : "" }, fixed(values[j]));
    made.dataset.value = String(values[j]);
    made.style.setProperty("--share", String(share(values[j], largest)));
    made.classList.toggle("explorer-negative", values[j] < 0);
    made.classList.toggle("explorer-first", largest > 0 && values[j] === Math.max(...values));
    return made;
  };
  function showTable() {
    const { columns } = view;
    caption.textContent = `What did ${quoted(view.written[view.row])} depend on? (P = ${fixed(view.probability[view.row])})`;
    const corner = element("th", { scope: "col" }, element("span", { className: "explorer-hidden" }, "source word"));
    const heads = columns.map(({ name, role }) =>
      element("th", { scope: "col" }, element("span", role ? { className: `role-${role}` } : {}, name)),
    );
    const rows = view.words.map((word, j) =>
      element("tr", {}, element("th", { scope: "row" }, word), ...columns.map((column) => cell(column, j))),
    );
    table.replaceChildren(caption, element("thead", {}, element("tr", {}, corner, ...heads)), element("tbody", {}, ...rows));
  }
  let [listedSentences, built] = ["", ""];
  function update() {
    view = computed(read());
    const [sources, now] = [JSON.stringify(view.sentences.map(({ source }) => source)), JSON.stringify([view.sentence, view.written])];
    if (sources !== listedSentences) rebuildControls();
    if (now !== built) rebuildPieces();
    [listedSentences, built] = [sources, now];
    choices.sentence.show(String(view.sentence));
    choices.gradient.show(view.gradient);
    pieces.forEach((one, i) => {
      one.setAttribute("aria-checked", String(i === view.row));
      one.tabIndex = i === view.row ? 0 : -1;
    });
    own.hidden = !view.kernel;
    own.style.display = view.kernel ? "" : "none";
    problem.textContent = view.problem;
    showTable();
    words.textContent = inWords(view);
  }

  el.replaceChildren(
    controls, own, problem, writtenTitle, written, table,
    element("p", { className: "explorer-hint" },
      "Choose a written piece, by a click or with the Tab and arrow keys. A full bar is the largest number of its column; " +
      "a hatched bar is negative. Weights are shares; the other two are in nats."),
    news, words,
  );
  return update;
}

/** "Start again" keeps sentences that a reader typed. */
const stay = ["sentences", "text", "problem", "kernel"];

export default { render: (page) => live(page, TRAITS, build, { stay }) };
