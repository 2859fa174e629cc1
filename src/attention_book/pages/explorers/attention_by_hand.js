// Attention by hand: change a number in Q, K or V and watch scores, weights and output follow.

import { attention, bracketed, causalMask, dot, fixed, listed, outcome, short } from "./arithmetic.js";
import { button, editor, element, grid, group, toggle } from "./parts.js";
import { explainer, live, texts } from "./live.js";

const LIMIT = 1e6; // the package's own limit, see attention_by_hand.py
const TRAITS = ["q", "k", "v", "scaled", "causal", "query_tokens", "key_tokens"];

/** Everything that the figure shows, from the state of the model. */
export function computed(state) {
  const { q, k, v, scaled, causal } = state;
  const name = (names, n, kind) => names[n] ?? `${kind} ${n + 1}`;
  return {
    ...state,
    ...attention(q, k, v, { scaled, mask: causal ? causalMask(q.length, k.length) : null }),
    queries: q.map((_, i) => name(state.query_tokens, i, "query")),
    keys: k.map((_, j) => name(state.key_tokens, j, "key")),
  };
}

const nothing = (weights) => weights.every((weight) => weight === 0);

/** The whole figure in words; attention_by_hand.py says the same where there is no JavaScript. */
export function inWords({ q, scaled, causal, weights, output, queries, keys }) {
  const rule =
    `Scores are ${scaled ? `divided by √${q[0].length}` : "not divided"}; ` +
    (causal ? "no query may attend to a later key." : "every query may attend to every key.");
  const rows = queries.map((query, i) => {
    const spread = nothing(weights[i])
      ? "may attend to nothing"
      : `puts ${listed(weights[i].map((weight, j) => `${fixed(weight)} on ${keys[j]}`))}`;
    return `The query of ${query} ${spread}; its output is (${output[i].map(fixed).join(", ")}).`;
  });
  return [rule, ...rows].join(" ");
}

/** One clause a query: what most of its weight is on. For the announcement after a change. */
export function summary({ weights, queries, keys }) {
  const clauses = queries.map((query, i) => {
    const largest = Math.max(...weights[i]);
    const on = keys.filter((_, j) => largest - weights[i][j] < 0.0005);
    if (largest === 0) return `${query} may attend to nothing`;
    return `${query} attends most to ${listed(on)} (${fixed(largest)}${on.length > 1 ? " each" : ""})`;
  });
  return `${clauses.join("; ")}.`;
}

function largest(matrix) {
  const flat = matrix.flat();
  const n = flat.indexOf(Math.max(...flat));
  return [Math.floor(n / matrix[0].length), n % matrix[0].length];
}

const between = (parts, joint) => parts.flatMap((part, n) => (n ? [[joint], ...part] : part));

function scoreWorking({ q, k, scaled, scores, queries, keys }, i, j) {
  const product = dot(q[i], k[j]);
  const width = q[i].length;
  const parts = between(q[i].map((x, c) => [[bracketed(x), "query"], [" × "], [bracketed(k[j][c]), "key"]]), " + ");
  parts.push([outcome(product)]);
  if (scaled) parts.push([`; ${bracketed(product)} ÷ √${width}`], [outcome(product / Math.sqrt(width))]);
  if (scores[i][j] === -Infinity) parts.push([`; ${keys[j]} comes later, so the mask puts −∞ in its place`, "mask"]);
  return { title: `Score of ${queries[i]} (query) with ${keys[j]} (key)`, parts };
}

function weightWorking({ scores, weights, queries, keys }, i, j) {
  const title = `Weight that ${queries[i]} puts on ${keys[j]}`;
  if (nothing(weights[i])) return { title, parts: [[`${queries[i]} may attend to nothing: all its weights are 0`]] };
  const highest = Math.max(...scores[i]);
  const shift = Math.max(...scores[i].filter(Number.isFinite).map(Math.abs)) > 20 ? highest : 0;
  const power = (score) => [`exp(${short(score - shift)})`];
  const parts = [power(scores[i][j]), [" ÷ ("], ...between(scores[i].map((score) => [power(score)]), " + "), [")"]];
  parts.push([outcome(weights[i][j], ![0, 1].includes(weights[i][j]))]);
  if (shift) parts.push([` (the largest score, ${short(shift)}, is subtracted first)`]);
  return { title, parts };
}

function outputWorking({ v, weights, output, queries }, i, c) {
  const parts = between(
    weights[i].map((weight, j) => [[short(weight), "weight"], [" × "], [bracketed(v[j][c]), "value"]]), " + ",
  );
  parts.push([outcome(output[i][c], !weights[i].every(Number.isInteger))]);
  return { title: `Output for ${queries[i]}, component ${c + 1}`, parts };
}

/** How one number comes about: a title, and parts [text, role] of a written-out computation. */
export function working(view, kind, i, j) {
  return { scores: scoreWorking, weights: weightWorking, output: outputWorking }[kind](view, i, j);
}

/** The cells that a result is made of, as [matrix, row, column]. */
export function ingredients({ q, k }, kind, i, j) {
  if (kind === "scores") return q[i].flatMap((_, c) => [["q", i, c], ["k", j, c]]);
  if (kind === "weights") return k.map((_, n) => ["scores", i, n]);
  return k.flatMap((_, n) => [["weights", i, n], ["v", n, j]]);
}

function build({ el, read, send, restart }) {
  let view = computed(read());
  const { words, news, announce } = texts(() => summary(view));
  const panel = explainer({
    told: (...place) => {
      const { title, parts: written } = working(view, ...place);
      return [title, written];
    },
    cell: (name, i, j) => parts[name].cell(i, j),
    made: (...place) => ingredients(view, ...place),
  });
  panel.begin("scores", ...largest(view.scores));

  const matrix = (name, title, letter, role, noun, rowNames) =>
    editor({
      title, letter, role, noun, rowNames, values: view[name], limit: LIMIT,
      changed: (i, j, number) =>
        send({ [name]: read()[name].map((row, n) => (n === i ? row.map((x, c) => (c === j ? number : x)) : row)) }),
      settled: (i, j, number) =>
        number === null
          ? (news.textContent = `Not changed: this takes a number between ${short(-LIMIT)} and ${short(LIMIT)}.`)
          : announce(`${noun} of ${rowNames[i]}, component ${j + 1}: ${short(number)}.`),
    });
  const result = (name, title, letter, role, columns) =>
    grid({ title, letter, role, columns, rowNames: view.queries, ...panel.over(name) });
  const components = view.v[0].map((_, c) => String(c + 1));
  const parts = {
    q: matrix("q", "Queries", "Q", "query", "Query", view.queries),
    k: matrix("k", "Keys", "K", "key", "Key", view.keys),
    v: matrix("v", "Values", "V", "value", "Value", view.keys),
    scores: result("scores", "Scores", "S", "score", view.keys),
    weights: result("weights", "Weights", "A", "weight", view.keys),
    output: result("output", "Output", "O", "output", components),
  };
  const root = `divide the scores by √${view.q[0].length}`;
  const switches = {
    scaled: toggle(root, view.scaled, (on) => {
      send({ scaled: on });
      announce(`The scores are ${on ? "" : "no longer "}divided.`);
    }),
    causal: toggle("hide later keys (causal mask)", view.causal, (on) => {
      send({ causal: on });
      announce(on ? "Later keys are hidden." : "All keys can be seen.");
    }),
  };
  const again = button("Start again", () => {
    restart();
    announce("Back to the numbers of the start.");
  });

  function update() {
    view = computed(read());
    for (const name of ["q", "k", "v"]) parts[name].show(view[name]);
    parts.scores.show(view.scores, fixed);
    view.scores.forEach((row, i) =>
      row.forEach((score, j) => {
        for (const name of ["scores", "weights"])
          parts[name].cell(i, j).classList.toggle("explorer-masked", score === -Infinity);
      }),
    );
    parts.weights.show(view.weights, fixed, (weight) => weight);
    parts.output.show(view.output, fixed);
    for (const name of ["scaled", "causal"]) switches[name].show(view[name]);
    words.textContent = inWords(view);
    panel.show();
  }

  el.replaceChildren(
    group("What you can change", parts.q.node, parts.k.node, parts.v.node),
    group("Switches", switches.scaled.node, switches.causal.node, again),
    group("What follows", parts.scores.node, parts.weights.node, parts.output.node),
    panel.node,
    element("p", { className: "explorer-hint" },
      "Point at a result, or go to it with the Tab and arrow keys, to see how it is computed."),
    news,
    words,
  );
  return update;
}

const sizes = (matrix) => [matrix.length, matrix[0].length];
const shape = ({ q, k, v, query_tokens, key_tokens }) => JSON.stringify([query_tokens, key_tokens, ...[q, k, v].map(sizes)]);

export default { render: (page) => live(page, TRAITS, build, { shape }) };
