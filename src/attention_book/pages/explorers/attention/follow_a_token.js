// Follow a token: one row of a sentence through split, attend, merge and project.

import { attention, bracketed, column, dot, fixed, listed, outcome, short } from "../arithmetic.js";
import { button, choice, element, grid, group, stepTo } from "../parts.js";
import { live, texts, workingPanel } from "../live.js";

const TRAITS = ["x", "w_q", "w_k", "w_v", "w_o", "n_heads", "token", "step", "tokens", "features"];
const NAMES = ["Enter", "Split", "Attend", "Merge", "Project"];

const product = (row, matrix) => matrix[0].map((_, c) => dot(row, column(matrix, c)));

/** Everything that the figure shows, from the state of the model: every line has one row per head, or is one row. */
export function computed(state) {
  const { x, n_heads, token } = state;
  const d = x[0].length / n_heads;
  const piece = (row, h) => row.slice(h * d, (h + 1) * d);
  const [q, k, v] = ["w_q", "w_k", "w_v"].map((name) => x.map((row) => product(row, state[name])));
  const heads = Array.from({ length: n_heads }, (_, h) => h);
  const found = heads.map((h) => {
    const cut = (rows) => rows.map((row) => piece(row, h));
    const { scores, weights, output } = attention([piece(q[token], h)], cut(k), cut(v));
    return { scores: scores[0], weights: weights[0], output: output[0] };
  });
  const merged = found.flatMap(({ output }) => output);
  return {
    ...state,
    d,
    heads,
    row: x[token],
    keys: heads.map((h) => k.map((row) => piece(row, h))),
    values: heads.map((h) => v.map((row) => piece(row, h))),
    q: heads.map((h) => piece(q[token], h)),
    k: heads.map((h) => piece(k[token], h)),
    v: heads.map((h) => piece(v[token], h)),
    scores: found.map(({ scores }) => scores),
    weights: found.map(({ weights }) => weights),
    found: found.map(({ output }) => output),
    merged,
    output: product(merged, state.w_o),
  };
}

const inRow = (numbers, told) => `(${numbers.map(told).join(", ")})`;

/** What happens in each step, one sentence each. */
export function story(view) {
  const { heads, tokens, features, row, weights, found, merged, output, d } = view;
  const pieces = (name) => listed(heads.map((h) => `${inRow(view[name][h], short)} for head ${h}`));
  const looks = heads.map(
    (h) =>
      `head ${h} puts ${listed(weights[h].map((weight, j) => `${fixed(weight)} on ${tokens[j]}`))}` +
      ` and finds ${inRow(found[h], fixed)}`,
  );
  const named = output.map((x, c) => [x, `${features[c]} ${fixed(x)}`]).filter(([x]) => x !== 0);
  return [
    `Enter: ${tokens[view.token]} is the row ${inRow(row, short)}.`,
    `Split: its query is ${pieces("q")}; its key is ${pieces("k")}; its value is ${pieces("v")}.`,
    `Attend, dividing by √${d}: ${looks.join("; ")}.`,
    `Merge: side by side that is ${inRow(merged, fixed)}.`,
    `Project: times W^O it becomes ${named.length ? listed(named.map(([, text]) => text)) : "a row of zeros"}.`,
  ];
}

/** The whole figure in words; follow_a_token.py says the same where there is no JavaScript. */
export const inWords = (view) => story(view).join(" ");

/** A sum of products, without the terms that are 0, as parts [text, role]. */
function writtenOut(left, right, roles) {
  const terms = left.map((x, n) => [x, right[n]]).filter(([x, y]) => x !== 0 && y !== 0);
  const parts = terms.flatMap(([x, y], n) => [
    ...(n ? [[" + "]] : []), [bracketed(x), roles[0]], [" × "], [bracketed(y), roles[1]],
  ]);
  if (!terms.length) return [["every product is 0"]];
  return [...parts, [outcome(terms.reduce((total, [x, y]) => total + x * y, 0))]];
}

const PROJECTED = { q: ["w_q", "W^Q", "query", "Query"], k: ["w_k", "W^K", "key", "Key"], v: ["w_v", "W^V", "value", "Value"] };

/** How one number comes about: a title, and parts [text, role]. */
export function working(view, name, i, j) {
  const { d, row, tokens, features, token } = view;
  const who = tokens[token];
  if (name === "row") return { title: `Feature “${features[j]}” of ${who}`, parts: [[short(row[j])]] };
  if (name in PROJECTED) {
    const [matrix, letter, role, noun] = PROJECTED[name];
    const place = i * d + j;
    return {
      title: `${noun} of ${who}, head ${i}, number ${j + 1}: its row times column ${place + 1} of ${letter}`,
      parts: writtenOut(row, column(view[matrix], place), [undefined, role]),
    };
  }
  if (name === "scores") {
    const [key, total] = [view.keys[i][j], dot(view.q[i], view.keys[i][j])];
    const parts = writtenOut(view.q[i], key, ["query", "key"]);
    return {
      title: `Score of ${who} with ${tokens[j]}, head ${i}`,
      parts: [...parts, [`; ${bracketed(total)} ÷ √${d}${outcome(view.scores[i][j])}`]],
    };
  }
  if (name === "weights") {
    const power = (score) => `exp(${short(score)})`;
    const parts = [[`${power(view.scores[i][j])} ÷ (${view.scores[i].map(power).join(" + ")}) ≈ ${short(view.weights[i][j])}`]];
    return { title: `Weight that head ${i} of ${who} puts on ${tokens[j]}`, parts };
  }
  if (name === "found") {
    const parts = writtenOut(view.weights[i], column(view.values[i], j), ["weight", "value"]);
    return { title: `What head ${i} finds for ${who}, number ${j + 1}`, parts };
  }
  if (name === "merged") {
    const [h, n] = [Math.floor(j / d), j % d];
    return { title: `Number ${j + 1} of the row`, parts: [[`number ${n + 1} of head ${h}: ${short(view.merged[j])}`]] };
  }
  return {
    title: `New feature “${features[j]}”: the row times column ${j + 1} of W^O`,
    parts: writtenOut(view.merged, column(view.w_o, j), ["output", undefined]),
  };
}

/** The tables of a step: name, title, letter, role, names of rows and columns, numbers, and how they are told. */
export function tables(view) {
  const { heads, tokens, features, token, d, row, merged, output, step } = view;
  const rowNames = heads.map((h) => `head ${h}`);
  const numbered = (n) => Array.from({ length: n }, (_, c) => String(c + 1));
  const table = (name, title, letter, role, columns, matrix, told = fixed) => ({ name, title, letter, role, rowNames, columns, matrix, told });
  const single = (name, title, letter, role, columns, line, told) => ({
    ...table(name, title, letter, role, columns, [line], told), rowNames: [tokens[token]],
  });
  return [
    [single("row", "Row", "x", "row", features, row, short)],
    [
      table("q", "Query", "q", "query", numbered(d), view.q, short),
      table("k", "Key", "k", "key", numbered(d), view.k, short),
      table("v", "Value", "v", "value", numbered(d), view.v, short),
    ],
    [
      table("scores", "Scores", "S", "score", tokens, view.scores),
      table("weights", "Weights", "A", "weight", tokens, view.weights),
      table("found", "Found", "O", "output", numbered(d), view.found),
    ],
    [single("merged", "Heads side by side", "O", "output", heads.flatMap((h) => numbered(d).map((n) => `${h}.${n}`)), merged)],
    [single("output", "New row", "O W^O", "output", features, output)],
  ][step];
}

function build({ el, read, send }) {
  let view = computed(read());
  const panel = workingPanel();
  const { words, news } = texts();
  news.className = "explorer-step";
  const shown = group("Numbers of this step");
  const divisors = (n) => Array.from({ length: n }, (_, m) => m + 1).filter((m) => n % m === 0);
  const token = choice({
    label: "token", value: String(view.token), options: view.tokens.map((name, i) => [String(i), name]),
    changed: (value) => send({ token: Number(value) }),
  });
  const n_heads = choice({
    label: "heads", value: String(view.n_heads), options: divisors(view.row.length).map((n) => [String(n), String(n)]),
    changed: (value) => send({ n_heads: Number(value) }),
  });
  const walk = (event, n) => {
    const step = stepTo(event, n, NAMES.length);
    if (step === null) return;
    send({ step });
    buttons[step].focus();
  };
  const buttons = NAMES.map((name, step) =>
    button(`${step + 1} ${name}`, () => send({ step }), { onkeydown: (event) => walk(event, step) }),
  );

  function update() {
    view = computed(read());
    const made = tables(view).map(({ name, title, letter, role, rowNames, columns, matrix, told }) => {
      const explain = (i, j) => {
        const { title: heading, parts } = working(view, name, i, j);
        panel.show(heading, parts);
      };
      const one = grid({ title, letter, role, rowNames, columns, describedBy: panel.node.id, looked: explain, left: () => {} });
      one.show(matrix, told, name === "weights" ? (weight) => weight : null);
      return one.node;
    });
    shown.replaceChildren(...made);
    panel.node.replaceChildren("Point at a number, or go to it with the Tab and arrow keys, to see how it is computed.");
    news.textContent = story(view)[view.step];
    words.textContent = inWords(view);
    buttons.forEach((one, n) => {
      one.setAttribute("aria-current", n === view.step ? "step" : "false");
      one.tabIndex = n === view.step ? 0 : -1;
    });
    token.show(String(view.token));
    n_heads.show(String(view.n_heads));
  }

  el.replaceChildren(
    element("div", { className: "explorer-row" }, token.node, n_heads.node),
    element("div", { className: "explorer-steps", role: "group", "aria-label": "Steps; the arrow keys walk" }, ...buttons),
    news, shown, panel.node, words,
  );
  return update;
}

export default { render: (page) => live(page, TRAITS, build) };
