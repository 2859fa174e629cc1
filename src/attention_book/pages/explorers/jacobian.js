// The softmax Jacobian: choose the number of keys, d_k and C, and watch p, J and its spectrum.

import { bracketed, dot, softmax, sum } from "./arithmetic.js";
import { button, choice, element, grid, group, slider, toggle } from "./parts.js";
import { explainer, live, texts } from "./live.js";

const TRAITS = ["n", "d_k", "divisor", "c", "draws", "draw", "own_scale"];
const WIDTHS = Array.from({ length: 10 }, (_, power) => 2 ** power); // the lists of jacobian.py
const DIVISORS = [0.25, 0.5, 1, 2, 4, 8, 16, 32];
const DEAD = 1e-6;
const ROUNDING = 1e-12; // below this, digits are not to be trusted
const NUMBERED = 5; // with more keys, cells have no room for numbers
const RAISED = Object.fromEntries([..."-0123456789"].map((sign, n) => [sign, "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"[n]]));

/** A number with three significant digits. */
export function compact(x) {
  if (Math.abs(x) < ROUNDING) return x === 0 ? "0" : "<10⁻¹²";
  const [digits, power] = x.toExponential(2).split("e");
  const inside = Number(power) >= -3 && Number(power) < 3;
  const raised = [...String(Number(power))].map((sign) => RAISED[sign]).join("");
  return (inside ? String(Number(`${digits}e${power}`)) : `${Number(digits)}·10${raised}`).replaceAll("-", "−");
}

/** (diag p − p pᵀ) / C. */
export const jacobian = (p, c) => p.map((a, i) => p.map((b, j) => ((i === j ? a : 0) - a * b) / c));

/** Eigenvalues of a symmetric matrix, the largest first: rotations that set one pair of entries to 0 after the other. */
export function eigenvalues(symmetric) {
  const a = symmetric.map((row) => [...row]);
  const n = a.length;
  const beside = () => sum(a.flatMap((row, i) => row.map((x, j) => (i === j ? 0 : x * x))));
  const enough = 1e-32 * sum(a.flat().map((x) => x * x));
  for (let sweep = 0; sweep < 60 && beside() > enough; sweep += 1)
    for (let i = 0; i < n - 1; i += 1)
      for (let j = i + 1; j < n; j += 1) {
        if (a[i][j] === 0) continue;
        const theta = (a[j][j] - a[i][i]) / (2 * a[i][j]);
        const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
        const cosine = 1 / Math.hypot(t, 1);
        const sine = t * cosine;
        for (let k = 0; k < n; k += 1) [a[k][i], a[k][j]] = [cosine * a[k][i] - sine * a[k][j], sine * a[k][i] + cosine * a[k][j]];
        for (let k = 0; k < n; k += 1) [a[i][k], a[j][k]] = [cosine * a[i][k] - sine * a[j][k], sine * a[i][k] + cosine * a[j][k]];
      }
  return a.map((row, i) => row[i]).sort((x, y) => y - x);
}

/** Everything that the figure shows, from the state of the model. */
export function computed(state) {
  const { n, d_k, divisor, draws, draw } = state;
  const c = { one: 1, root: Math.sqrt(d_k), free: state.c }[divisor];
  const z = draws[draw].slice(0, n);
  const scores = z.map((x) => Math.sqrt(d_k) * x);
  const p = softmax(scores.map((s) => s / c));
  const j = jacobian(p, c);
  const spectrum = eigenvalues(j);
  const all = j.flat();
  return {
    ...state, temperature: c, z, scores, p, j, spectrum,
    largest: Math.max(...all),
    norm: Math.sqrt(dot(all, all)),
    dead: all.filter((x) => Math.abs(x) < DEAD).length,
    entropy: -sum(p.map((x) => (x > 0 ? x * Math.log(x) : 0))),
    trace: sum(j.map((row, i) => row[i])),
  };
}

/** The whole figure in words; jacobian.py says the same where there is no JavaScript. */
export function inWords({ n, d_k, divisor, temperature, p, largest, norm, dead, entropy, spectrum, trace }) {
  const c = compact(temperature);
  const divided = { one: "not divided", root: `divided by √${d_k} = ${c}`, free: `divided by C = ${c}` }[divisor];
  return (
    `${n} scores, √${d_k} times normal numbers, ${divided}. The weights are ${p.map(compact).join(", ")}; their entropy ` +
    `is ${compact(entropy)} of at most ${compact(Math.log(n))} nats. The largest entry of J is ${compact(largest)}, its ` +
    `Frobenius norm ${compact(norm)}, so its ${n * n} entries have the standard deviation ${compact(norm / n)} and the ` +
    `mean 0; ${dead} of them are dead, below 10⁻⁶ in size. The largest eigenvalue is ${compact(spectrum[0])}; all ` +
    `${n} eigenvalues add up to the trace, ${compact(trace)}.`
  );
}

/** One sentence for the announcement after a change. */
export function summary({ p, n, norm, dead }) {
  const most = Math.max(...p);
  return `Largest weight ${compact(most)}, on key ${p.indexOf(most) + 1}; norm of J ${compact(norm)}; ${dead} of ${n * n} entries dead.`;
}

/** How one number comes about, and what it means: a title and a text. `kind` is a grid, i and j are counted from 0. */
export function working(view, kind, i, j) {
  const { d_k, z, scores, p, temperature, spectrum, n } = view;
  const c = compact(temperature);
  if (kind === "scores") return [`Score of key ${i + 1}`, `${bracketed(z[i], compact)} × √${d_k} ≈ ${compact(scores[i])}`];
  if (kind === "p") {
    const highest = Math.max(...scores);
    const power = (s) => `exp(${compact((s - highest) / temperature)})`;
    const others = n > NUMBERED ? `the sum of these powers of all ${n} scores` : scores.map(power).join(" + ");
    const shift = `; scores ÷ ${c}, after subtracting the largest, ${compact(highest)}`;
    return [`Weight of key ${i + 1}`, `${power(scores[i])} ÷ (${others}) ≈ ${compact(p[i])}${shift}`];
  }
  if (kind === "spectrum") {
    const title = `Eigenvalue ${i + 1} of ${n}`;
    if (i === n - 1) return [title, "0, always: raising all scores together, (1, …, 1), changes no weight"];
    const sorted = [...p].sort((a, b) => b - a);
    const [low, high] = [sorted[i + 1], sorted[i]].map((x) => compact(x / temperature));
    return [title, `${compact(spectrum[i])}, between two neighbours of the sorted weights ÷ ${c}: ${low} and ${high}`];
  }
  const entry = view.j[i][j];
  const [a, b] = [compact(p[i]), compact(p[j])];
  const made = i === j ? `p${i + 1} (1 − p${i + 1}) ÷ C = ${a} × ${compact(1 - p[i])} ÷ ${c}` : `−p${i + 1} p${j + 1} ÷ C = −${a} × ${b} ÷ ${c}`;
  const moves = entry > 0 ? "rises" : "falls";
  const effect = `if the score of key ${j + 1} rises by a little h, the weight of key ${i + 1} ${moves} by ${compact(Math.abs(entry))} h`;
  return [`J, row ${i + 1}, column ${j + 1}`, `${made} ≈ ${compact(entry)}: ${effect}${Math.abs(entry) < DEAD ? "; dead" : ""}`];
}

/** The cells that a result is made of, as [grid, row, column]. */
export function ingredients({ n }, kind, i, j) {
  if (kind === "j") return [["p", i, 0], ["p", j, 0]];
  if (kind === "p") return Array.from({ length: n }, (_, at) => ["scores", at, 0]);
  return kind === "spectrum" ? Array.from({ length: n }, (_, at) => ["j", at, at]) : [];
}

function readout(rows) {
  const cells = Object.fromEntries(rows.map(([name]) => [name, element("td", {})]));
  const lines = rows.map(([name, label]) => element("tr", {}, element("th", { scope: "row" }, label), cells[name]));
  const node = element("table", { className: "explorer-matrix explorer-readout" }, element("caption", {}, "Sizes"), element("tbody", {}, ...lines));
  return { node, show: (values) => Object.entries(values).forEach(([name, text]) => (cells[name].textContent = text)) };
}

function build({ el, read, send, restart }) {
  let view = computed(read());
  let built = 0; // the number of keys that the grids have
  let parts = {};
  const { words, news, announce } = texts(() => summary(view));
  const panel = explainer({
    told: (...place) => {
      const [title, text] = working(view, ...place);
      return [title, `${text}.`];
    },
    cell: (name, i, j) => parts[name].cell(i, j),
    made: (...place) => ingredients(view, ...place),
  });
  const told = (label) => (value) => announce(`${label}: ${compact(value)}.`);

  const most = () => Array.from({ length: view.draws[0].length - 1 }, (_, at) => at + 2);
  const controls = {
    n: slider({ label: "keys, n", stops: most(), value: view.n, changed: (n) => send({ n }), settled: told("Keys") }),
    d_k: slider({ label: "width of a key, d_k", stops: WIDTHS, value: view.d_k, changed: (d_k) => send({ d_k }), settled: told("Width") }),
    divisor: choice({
      label: "scores divided by C =", value: view.divisor,
      options: [["one", "1 (not divided)"], ["root", "√d_k"], ["free", "a number of your own"]],
      changed: (divisor) => {
        send({ divisor });
        announce("Another divisor.");
      },
    }),
    c: slider({ label: "your own C", stops: DIVISORS, value: view.c, changed: (c) => send({ c }), settled: told("C") }),
    own_scale: toggle("colours up to this map's own largest entry, not to ¼", view.own_scale, (on) => {
      send({ own_scale: on });
      announce(on ? "Colours on the map's own scale." : "Colours on the scale up to ¼.");
    }),
  };
  const another = button("Draw again", () => {
    const { draw, draws } = read();
    const next = (draw + 1) % draws.length;
    send({ draw: next });
    announce(`Draw ${next + 1} of ${draws.length}.`);
  });
  const again = button("Start again", () => {
    restart();
    announce("Back to the start.");
  });
  const sizes = readout([
    ["norm", "‖J‖ (Frobenius)"], ["sd", "SD of its entries, ‖J‖ ÷ n"], ["mean", "mean of its entries"], ["dead", "dead entries, below 10⁻⁶"],
    ["trace", "trace, Σ of the eigenvalues"], ["entropy", "entropy of p, in nats"], ["scale", "full colour at"],
  ]);
  const results = group("What follows");

  function rebuild() {
    built = view.n;
    const names = view.p.map((_, at) => String(at + 1));
    const made = (name, title, letter, role, columns) =>
      grid({ title, letter, role, columns, rowNames: names, ...panel.over(name) });
    const top = view.p.indexOf(Math.max(...view.p));
    panel.begin("j", top, top);
    parts = {
      scores: made("scores", "Scores", "s", "score", ["s"]),
      p: made("p", "Weights", "p", "weight", ["p"]),
      j: made("j", "Jacobian", "J", "jacobian", names),
      spectrum: made("spectrum", "Eigenvalues", "λ", "spectrum", ["λ"]),
    };
    parts.j.node.classList.toggle("explorer-dense", built > NUMBERED);
    results.replaceChildren(parts.scores.node, parts.p.node, parts.j.node, parts.spectrum.node, sizes.node);
  }
  function update() {
    view = computed(read());
    if (view.n !== built) rebuild();
    for (const name of ["n", "d_k", "divisor", "c", "own_scale"]) controls[name].show(view[name]);
    controls.c.node.classList.toggle("explorer-idle", view.divisor !== "free");
    controls.c.node.querySelector("input").disabled = view.divisor !== "free";
    const column = (numbers) => numbers.map((x) => [x]);
    const full = view.own_scale ? view.largest || 1 : 0.25;
    parts.scores.show(column(view.scores), compact);
    parts.p.show(column(view.p), compact, (x) => x);
    parts.j.show(view.j, (x) => (built > NUMBERED ? "" : compact(x)));
    parts.spectrum.show(column(view.spectrum.map((x, at) => (at === built - 1 ? 0 : x))), compact);
    view.j.forEach((row, i) =>
      row.forEach((x, j) => {
        const cell = parts.j.cell(i, j);
        cell.style.setProperty("--strength", String(Math.min(1, (Math.abs(x) / full) ** 0.6)));
        cell.classList.toggle("explorer-negative", x < 0);
        if (built > NUMBERED) cell.setAttribute("aria-label", compact(x));
      }),
    );
    sizes.show({
      norm: compact(view.norm), sd: compact(view.norm / built), mean: "0", trace: compact(view.trace), scale: `±${compact(full)}`,
      dead: `${view.dead} of ${built * built} (${Math.round((100 * view.dead) / built ** 2)} %)`,
      entropy: `${compact(view.entropy)} of ${compact(Math.log(built))}`,
    });
    words.textContent = inWords(view);
    panel.show();
  }

  el.replaceChildren(
    group("Scores", controls.n.node, controls.d_k.node, another),
    group("Division", controls.divisor.node, controls.c.node),
    group("Colours", controls.own_scale.node, again),
    results,
    panel.node,
    element("p", { className: "explorer-hint" }, "Point at a cell, or go to it with the Tab and arrow keys, to see how it is computed."),
    news,
    words,
  );
  return update;
}

export default { render: (page) => live(page, TRAITS, build) };
