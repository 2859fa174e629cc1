// A block, opened: one vector through attention, Add & Norm and feed-forward, in seven steps.

import { attention, bracketed, column, dot, fixed, listed, outcome, short, sum } from "../arithmetic.js";
import { button, choice, element, grid, group, stepTo, toggle } from "../parts.js";
import { live, texts, workingPanel } from "../live.js";

const TRAITS = ["x", "w_1", "w_2", "norm", "attention", "feed_forward", "token", "step", "tokens"];
const NAMES = {
  pre: ["Enter", "Norm", "Attend", "Add", "Norm", "Feed forward", "Add"],
  post: ["Enter", "Attend", "Add", "Norm", "Feed forward", "Add", "Norm"],
};
const EPS = 1e-5; // as in nn.LayerNorm
const ROUNDING = 1e-12; // below this size a mean, or what passes the ReLU, is rounding

const product = (row, matrix) => matrix[0].map((_, c) => dot(row, column(matrix, c)));
const mean = (row) => sum(row) / row.length;
const told = (m) => (Math.abs(m) > ROUNDING ? m : 0);
const variance = (row) => mean(row.map((x) => (x - mean(row)) ** 2));

/** A row minus its mean, divided by the root of its variance plus ε. */
export const normalised = (row) => row.map((x) => (x - mean(row)) / Math.sqrt(variance(row) + EPS));

/** What each of the seven steps computes for the token that is followed: lines by name. */
export function lines(state) {
  const { w_1, w_2, norm, token } = state;
  let stream = state.x;
  const zeros = (rows) => rows.map((row) => row.map(() => 0));
  const attend = (rows) => {
    const { scores, weights, output } = attention(rows, rows, rows);
    const given = state.attention ? output : zeros(rows);
    return [given, { rows, scores: scores[token], weights: weights[token], attended: given[token] }];
  };
  const feed = (rows) => {
    const inner = rows.map((row) => product(row, w_1));
    const opened = inner.map((row) => row.map((x) => Math.max(x, 0)));
    const given = state.feed_forward ? opened.map((row) => product(row, w_2)) : zeros(rows);
    return [given, { read: rows[token], inner: inner[token], opened: opened[token], fed: given[token] }];
  };
  const found = [{ row: stream[token] }];
  for (const sublayer of [attend, feed]) {
    let read = stream;
    if (norm === "pre") {
      read = stream.map(normalised);
      found.push({ before: stream[token], normalised: read[token] });
    }
    const [given, line] = sublayer(read);
    const before = stream;
    stream = stream.map((row, i) => row.map((x, c) => x + given[i][c]));
    found.push(line, { before: before[token], added: given[token], sum: stream[token] });
    if (norm === "post") {
      const after = stream.map(normalised);
      found.push({ before: stream[token], normalised: after[token] });
      stream = after;
    }
  }
  return found;
}

const inRow = (numbers, told) => `(${numbers.map(told).join(", ")})`;

/** What happens in each step, one sentence each. */
export function story(state) {
  const name = state.tokens[state.token];
  const says = {
    Enter: ({ row }) => `${name} is the row ${inRow(row, short)}`,
    Norm: ({ before, normalised: line }) =>
      `the row's mean is ${fixed(told(mean(before)))} and its variance ${fixed(variance(before))}; ` +
      `normalised it is ${inRow(line, fixed)}`,
    Add: ({ added, sum: line }) => `with ${inRow(added, fixed)} added, the row is ${inRow(line, fixed)}`,
    Attend: ({ weights, attended }) =>
      state.attention
        ? `${name} puts ${listed(weights.map((a, j) => `${fixed(a)} on ${state.tokens[j]}`))} and finds ${inRow(attended, fixed)}`
        : "the attention is zeroed and gives zeros",
    "Feed forward": ({ opened, fed }) =>
      state.feed_forward
        ? `of ${opened.length} inner numbers ${opened.filter((x) => x > ROUNDING).length} are above 0 and pass the ReLU; ` +
          `the network gives ${inRow(fed, fixed)}`
        : "the feed-forward network is zeroed and gives zeros",
  };
  const found = lines(state);
  return NAMES[state.norm].map((step, n) => `${step}: ${says[step](found[n])}.`);
}

/** The whole figure in words; block_opened.py says the same where there is no JavaScript. */
export function inWords(state) {
  const where = { pre: "before", post: "after" }[state.norm];
  return [`The norm stands ${where} each sublayer.`, ...story(state)].join(" ");
}

/** A sum of products, without the terms that are 0. */
function writtenOut(left, right) {
  const terms = left.map((x, n) => [x, right[n]]).filter(([x, y]) => x !== 0 && y !== 0);
  if (!terms.length) return "every product is 0";
  const exact = terms.flat().every((x) => Number(short(x).replace("−", "-")) === x);
  const total = terms.reduce((all, [x, y]) => all + x * y, 0);
  return terms.map(([x, y]) => `${bracketed(x)} × ${bracketed(y)}`).join(" + ") + outcome(total, !exact);
}

/** How one number comes about: a title and a text. */
export function working(state, name, j) {
  const line = lines(state)[state.step];
  const place = `number ${j + 1}`;
  if (name === "weights") {
    if (!state.attention) return [`Weight on ${state.tokens[j]}`, "it multiplies nothing: the attention is zeroed"];
    const power = (score) => `exp(${short(score)})`;
    const made = `${power(line.scores[j])} ÷ (${line.scores.map(power).join(" + ")}) ≈ ${short(line.weights[j])}`;
    return [`Weight on ${state.tokens[j]}: scores are dot products ÷ √${state.x[0].length}`, made];
  }
  const off = (name === "attended" && !state.attention) || (name === "fed" && !state.feed_forward);
  if (off) return [`Output, ${place}`, "0: this sublayer is zeroed"];
  if (name === "normalised") {
    const [m, v] = [told(mean(line.before)), variance(line.before)];
    return [`Normalised, ${place}`, `(${short(line.before[j])} − ${bracketed(m)}) ÷ √(${short(v)} + ε) ≈ ${short(line.normalised[j])}, ε = 0.00001`];
  }
  if (name === "attended") return [`What attention finds, ${place}: weights times values`, writtenOut(line.weights, column(line.rows, j))];
  if (name === "sum") {
    const exact = [line.before[j], line.added[j]].every((x) => Number(short(x).replace("−", "-")) === x);
    return [`Sum, ${place}`, `${short(line.before[j])} + ${bracketed(line.added[j])}${outcome(line.sum[j], !exact)}`];
  }
  if (name === "inner") return [`Inner ${place}: the row times column ${j + 1} of W₁`, writtenOut(line.read, column(state.w_1, j))];
  if (name === "opened") return [`After the ReLU, ${place}`, `the larger of 0 and ${short(line.inner[j])} is ${short(line.opened[j])}`];
  if (name === "fed") return [`Output, ${place}: the inner numbers times column ${j + 1} of W₂`, writtenOut(line.opened, column(state.w_2, j))];
  return [{ row: "Row", before: "Row before", added: "What is added" }[name] + `, ${place}`, short(line[name][j])];
}

/** The tables of a step: name, title, letter, role, columns and numbers. */
export function tables(state) {
  const { tokens, step, norm } = state;
  const line = lines(state)[step];
  const numbered = (row) => row.map((_, c) => String(c + 1));
  const table = (name, title, letter, role, columns = numbered(line[name])) => ({ name, title, letter, role, columns, numbers: line[name] });
  return {
    Enter: () => [table("row", "Row", "x", "row")],
    Norm: () => [table("before", "Row", "x", "row"), table("normalised", "Normalised", "LayerNorm(x)", "row")],
    Attend: () => [table("weights", "Weights", "A", "weight", tokens), table("attended", "Found", "O", "output")],
    Add: () => [table("before", "Row", "x", "row"), table("added", "Added", "sublayer", "output"), table("sum", "Sum", "x", "row")],
    "Feed forward": () => [
      table("inner", "Inner numbers", "x W₁", "row"), table("opened", "After the ReLU", "max(0, x W₁)", "row"),
      table("fed", "Given", "max(0, x W₁) W₂", "output"),
    ],
  }[NAMES[norm][step]]();
}

function build({ el, read, send }) {
  let state = read();
  const panel = workingPanel();
  const { words, news } = texts();
  news.className = "explorer-step";
  const shown = group("Numbers of this step");
  const token = choice({
    label: "token", value: String(state.token), options: state.tokens.map((name, i) => [String(i), name]),
    changed: (value) => send({ token: Number(value) }),
  });
  const norm = choice({
    label: "norm", value: state.norm, options: [["pre", "before each sublayer (pre)"], ["post", "after each sum (post)"]],
    changed: (value) => send({ norm: value }),
  });
  const attends = toggle("attention works", state.attention, (on) => send({ attention: on }));
  const feeds = toggle("feed-forward works", state.feed_forward, (on) => send({ feed_forward: on }));
  const walk = (event, n) => {
    const step = stepTo(event, n, buttons.length);
    if (step === null) return;
    send({ step });
    buttons[step].focus();
  };
  const buttons = NAMES.pre.map((_, step) => button("", () => send({ step }), { onkeydown: (event) => walk(event, step) }));

  function update() {
    state = read();
    const made = tables(state).map(({ name, title, letter, role, columns, numbers }) => {
      const explain = (_, j) => panel.show(...working(state, name, j));
      const one = grid({
        title, letter, role, columns, rowNames: [state.tokens[state.token]], describedBy: panel.node.id, looked: explain, left: () => {},
      });
      one.show([numbers], name === "row" ? short : fixed, name === "weights" ? (weight) => weight : null);
      return one.node;
    });
    shown.replaceChildren(...made);
    panel.node.replaceChildren("Point at a number, or go to it with the Tab and arrow keys, to see how it is computed.");
    news.textContent = story(state)[state.step];
    words.textContent = inWords(state);
    buttons.forEach((one, n) => {
      one.textContent = `${n + 1} ${NAMES[state.norm][n]}`;
      one.setAttribute("aria-current", n === state.step ? "step" : "false");
      one.tabIndex = n === state.step ? 0 : -1;
    });
    token.show(String(state.token));
    norm.show(state.norm);
    attends.show(state.attention);
    feeds.show(state.feed_forward);
  }

  el.replaceChildren(
    element("div", { className: "explorer-row" }, token.node, norm.node, attends.node, feeds.node),
    element("div", { className: "explorer-steps", role: "group", "aria-label": "Steps; the arrow keys walk" }, ...buttons),
    news, shown, panel.node, words,
  );
  return update;
}

export default { render: (page) => live(page, TRAITS, build) };
