// Paint a mask: switch cells on and off; weights, sums of rows and the derivatives of outputs by inputs follow.

import { column, dot, fixed, listed, short, softmax, sum } from "./arithmetic.js";
import { board, button, choice, element, grid, group } from "./parts.js";
import { explainer, live, texts } from "./live.js";

const TRAITS = ["may", "recipe", "tokens", "x", "w_q", "w_k", "w_v"];
const RECIPES = [
  ["infinity", "−∞ in place of the score"],
  ["billion", "−10⁹ in place of the score"],
  ["zero", "weights set to 0 afterwards"],
  ["times", "scores times 1 or 0"],
];
const FELT = 1e-12; // derivatives up to this size are rounding; this and what follows are as in paint_a_mask.py
const SAID = {
  infinity: "−∞ stands in place of a hidden score",
  billion: "−10⁹ stands in place of a hidden score",
  zero: "hidden weights are set to 0 after the softmax",
  times: "scores are multiplied by 1 or 0 before the softmax",
};
const EMPTY = {
  infinity: "a bare softmax would give NaN; this book's gives zeros",
  billion: "all its scores are equal now, so it attends to every key alike",
  zero: "all its weights are 0",
  times: "all its scores are 0 now, so it attends to every key alike",
};
const PRESETS = {
  all: () => true,
  causal: (i, j) => j <= i,
  padding: (i, j, tokens) => tokens[j] !== "<pad>",
  "causal and padding": (i, j, tokens) => j <= i && tokens[j] !== "<pad>",
  "window of 2": (i, j) => j <= i && j > i - 2,
  "before only": (i, j) => j < i,
};

/** A mask by name, as `preset` of paint_a_mask.py makes it. */
export const preset = (name, tokens) => tokens.map((_, i) => tokens.map((_, j) => PRESETS[name](i, j, tokens)));

const product = (a, b) => a.map((row) => b[0].map((_, c) => dot(row, column(b, c))));

/**
 * Weights of a self-attention, and how they move with the scores.
 *
 * What goes into the softmax is `s`, a hidden score replaced or made 0; what comes out is `p`; where weights are set to
 * 0 afterwards, `kept` is 0. So a_l = kept_l p_l, and ∂a_l/∂s_k = kept_l (p_l [l = k] − p_l p_k) passed_k, in which
 * `passed` is 0 where the score was replaced by a constant.
 */
function rowOf(scores, may, recipe) {
  const instead = { infinity: -Infinity, billion: -1e9, times: 0 }[recipe];
  const p = softmax(scores.map((s, k) => (may[k] || recipe === "zero" ? s : instead)));
  const kept = may.map((on) => (on || recipe !== "zero" ? 1 : 0));
  const passed = may.map((on) => (on || recipe === "zero" ? 1 : 0));
  return { weights: p.map((x, l) => kept[l] * x), before: p, slope: (l, k) => kept[l] * passed[k] * p[l] * ((l === k) - p[k]) };
}

/**
 * The largest |∂y_i[c] / ∂x_j[e]| for each output i and input j, in closed form.
 *
 * y_i = Σ_l a_il v_l, and x_j enters it three ways: as a value, a_ij W_V[e][c]; as a key, through the score s_ij; and,
 * if j = i, as the query, through all scores of the row.
 */
function leakMatrix({ w_q, w_k, w_v }, q, k, v, rows) {
  const root = Math.sqrt(w_k[0].length);
  const components = v[0].map((_, c) => c);
  const features = w_v.map((_, e) => e);
  return rows.map((row, i) => {
    // How y_i[c] moves with the score of key n.
    const bySlope = v.map((_, n) => components.map((c) => sum(v.map((value, l) => value[c] * row.slope(l, n)))));
    return v.map((_, j) => {
      let largest = 0;
      for (const c of components) {
        for (const e of features) {
          let derivative = row.weights[j] * w_v[e][c] + (bySlope[j][c] * dot(w_k[e], q[i])) / root;
          if (i === j) derivative += sum(k.map((key, n) => bySlope[n][c] * dot(w_q[e], key))) / root;
          largest = Math.max(largest, Math.abs(derivative));
        }
      }
      return largest;
    });
  });
}

/** Everything that the figure shows, from the state of the model. */
export function computed(state) {
  const { x, w_q, w_k, w_v, may, recipe } = state;
  const [q, k, v] = [w_q, w_k, w_v].map((w) => product(x, w));
  const scores = q.map((query) => k.map((key) => dot(query, key) / Math.sqrt(w_k[0].length)));
  const rows = scores.map((row, i) => rowOf(row, may[i], recipe));
  const weights = rows.map((row) => row.weights);
  return {
    ...state, scores, weights,
    before: rows.map((row) => row.before),
    sums: weights.map((row) => [sum(row)]),
    leaks: leakMatrix(state, q, k, v, rows),
  };
}

const nothing = (row) => !row.some(Boolean);

/** Pairs [i, j] of an output and another input that it feels. */
const felt = ({ leaks }) => leaks.flatMap((row, i) => row.flatMap((x, j) => (i !== j && x > FELT ? [[i, j]] : [])));

/** The largest derivative with respect to a later input, as `attention_book.attention.masks.leak` computes it. */
export const leakOf = (view) => Math.max(0, ...felt(view).filter(([i, j]) => j > i).map(([i, j]) => view.leaks[i][j]));

function told({ tokens }, pairs) {
  const rows = [...new Set(pairs.map(([i]) => i))];
  const names = (i) => listed(pairs.filter(([k]) => k === i).map(([, j]) => `“${tokens[j]}”`));
  return rows.map((i) => `“${tokens[i]}” feels ${names(i)}`).join("; ");
}

function shownThrough(view) {
  const hidden = felt(view).filter(([i, j]) => !view.may[i][j]);
  const later = felt(view).filter(([i, j]) => j > i);
  return [
    hidden.length ? `Hidden and felt: ${told(view, hidden)}.` : "No output feels what is hidden from it.",
    later.length ? `Later and felt: ${told(view, later)}.` : "No output feels a later input.",
    `The leak is ${fixed(leakOf(view))}.`,
  ].join(" ");
}

/** The whole figure in words; paint_a_mask.py says the same where there is no JavaScript. */
export function inWords(view) {
  const { tokens, may, weights, sums, recipe } = view;
  const names = tokens.map((token) => `“${token}”`);
  const rows = names.map((name, i) => {
    const keys = names.filter((_, j) => may[i][j]);
    const on = nothing(may[i]) ? `may attend to nothing (${EMPTY[recipe]})` : `may attend to ${listed(keys)}`;
    return `${name} ${on}; its weights are ${weights[i].map(fixed).join(", ")}, with the sum ${fixed(sums[i][0])}.`;
  });
  return [`Of a hidden key: ${SAID[recipe]}.`, ...rows, shownThrough(view)].join(" ");
}

const power = (score) => `exp(${short(score)})`;

function weightWorking({ tokens, may, recipe, scores, weights, before }, i, j) {
  const title = `Weight that “${tokens[i]}” puts on “${tokens[j]}”`;
  if (nothing(may[i])) return [title, `“${tokens[i]}” may attend to nothing: ${EMPTY[recipe]}.`];
  const counted = (n) => may[i][n] || recipe === "zero" || recipe === "times";
  const entering = (n) => (recipe === "times" && !may[i][n] ? 0 : scores[i][n]);
  if (!counted(j)) return [title, `0, because ${SAID[recipe]}, and its exponential is 0.`];
  const below = tokens.flatMap((_, n) => (counted(n) ? [power(entering(n))] : [])).join(" + ");
  const ratio = `${power(entering(j))} ÷ (${below}) ≈ ${fixed(before[i][j])}`;
  if (may[i][j]) return [title, `${ratio}.`];
  return [title, recipe === "zero" ? `${ratio}, then set to ${fixed(weights[i][j])}.` : `${ratio}, although it is hidden.`];
}

function leakWorking({ tokens, may, leaks }, i, j) {
  const title = `Largest derivative of the output for “${tokens[i]}” by the input “${tokens[j]}”`;
  const status =
    i === j ? "its own input, from which its query is made"
    : leaks[i][j] <= FELT ? "nothing of it arrives"
    : !may[i][j] ? `hidden by the mask and felt all the same${j > i ? "; it comes later: a leak" : ""}`
    : j > i ? "the mask allows it, and it comes later: a leak, if the tokens are to be predicted"
    : "the mask allows it";
  return [title, `${fixed(leaks[i][j])} (${status}).`];
}

/** What one number of the results is: a title and a sentence. */
export function working(view, kind, i, j) {
  if (kind === "weights") return weightWorking(view, i, j);
  if (kind === "leaks") return leakWorking(view, i, j);
  return [`Sum of the weights of “${view.tokens[i]}”`, `${view.weights[i].map(fixed).join(" + ")} = ${fixed(view.sums[i][0])}.`];
}

function build({ el, read, send, restart }) {
  let view = computed(read());
  const { tokens } = view;
  const { words, news, announce } = texts(() => shownThrough(view));
  const panel = explainer({
    told: (...place) => working(view, ...place),
    cell: (name, i, j) => parts[name].cell(i, j),
  });
  panel.begin("weights", tokens.length - 1, 0);
  const mask = board({
    title: "Mask", letter: "M", role: "mask", rowNames: tokens, columns: tokens,
    says: (i, j) => `${tokens[i]} may attend to ${tokens[j]}`,
    toggled: (i, j) => {
      const { may } = read();
      const on = !may[i][j];
      send({ may: may.map((row, n) => row.map((old, m) => (n === i && m === j ? on : old))) });
      announce(`“${tokens[i]}” ${on ? "may" : "may not"} attend to “${tokens[j]}”.`);
    },
  });
  const result = (name, title, letter, role, columns) =>
    grid({ title, letter, role, columns, rowNames: tokens, ...panel.over(name) });
  const parts = {
    weights: result("weights", "Weights", "A", "weight", tokens),
    sums: result("sums", "Sums", "ΣA", "weight", ["sum"]),
    leaks: result("leaks", "Leak matrix", "∂O/∂X", "output", tokens),
  };
  for (const one of Object.values(parts)) one.node.classList.add("explorer-narrow");
  const recipe = choice({
    label: "A hidden key:", options: RECIPES, value: view.recipe,
    changed: (value) => {
      send({ recipe: value });
      announce(`Now ${SAID[value]}.`);
    },
  });
  const presets = Object.keys(PRESETS).map((name) =>
    button(name, () => {
      send({ may: preset(name, tokens) });
      announce(`The mask is now: ${name}.`);
    }),
  );
  const again = button("Start again", () => {
    restart();
    announce("Back to the start.");
  });

  function update() {
    view = computed(read());
    mask.show(view.may);
    recipe.show(view.recipe);
    parts.weights.show(view.weights, fixed, (weight) => weight);
    parts.sums.show(view.sums, fixed);
    parts.leaks.show(view.leaks, fixed);
    view.may.forEach((row, i) =>
      row.forEach((on, j) => {
        parts.weights.cell(i, j).classList.toggle("explorer-hidden-key", !on);
        const leaks = i !== j && view.leaks[i][j] > FELT && (j > i || !on);
        const cell = parts.leaks.cell(i, j);
        cell.classList.toggle("explorer-leaking", leaks);
        if (leaks) cell.append(element("small", {}, on ? "later" : "hidden"));
      }),
    );
    words.textContent = inWords(view);
    panel.show();
  }

  el.replaceChildren(
    group("Presets", ...presets, again),
    group("Recipe", recipe.node),
    group("What you can paint", mask.node),
    group("What follows", parts.weights.node, parts.sums.node, parts.leaks.node),
    panel.node,
    element("p", { className: "explorer-hint" },
      "A row is a query, a column a key. Click a cell of the mask, or go to it with Tab and the arrow keys and press " +
      "Space, to allow or forbid it. ■ is allowed. Point at a result to see how it comes about."),
    news,
    words,
  );
  return update;
}

const shape = ({ tokens, may, x }) => JSON.stringify([tokens, may.length, x.length]);

export default { render: (page) => live(page, TRAITS, build, { shape }) };
