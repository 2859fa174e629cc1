// Grow the beam tree: walk through a recorded beam search; kept, finished and dropped prefixes, and the ranking by α.

import { fixed, short } from "./arithmetic.js";
import { button, choice, element, freshId, group, slider, stepTo } from "./parts.js";
import { live, texts } from "./live.js";

const TRAITS = ["trees", "sentence", "beam", "step", "alpha"];
const ALPHAS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
const FATES = { k: "kept", f: "finished", d: "dropped", g: "given up" };

/** Wu et al. 2016, §7; `decoding.gnmt_penalty` of the package. */
export const lengthPenalty = (length, alpha) => ((5 + length) / 6) ** alpha;

const joinedText = (text, token) => (text + (token === "</s>" ? " </s>" : token.replaceAll("▁", " "))).trim();

function withTexts(steps) {
  let live = [""];
  return steps.map((step, n) => {
    const told = step.map(([parent, token, logProb, fate]) => ({
      parent, token, logProb, fate, tokens: n + 1, text: joinedText(live[parent], token),
    }));
    live = told.filter(({ fate }) => fate === "k").map(({ text }) => text);
    return told;
  });
}

function finishedBy(steps, step, alpha) {
  const found = steps.slice(0, step).flat().filter(({ fate }) => fate === "f");
  return found
    .map((one) => ({ ...one, score: one.logProb / lengthPenalty(one.tokens, alpha) }))
    .sort((a, b) => b.score - a.score);
}

function reachAt(steps, step, alpha, limit) {
  const live = steps[step - 1].filter(({ fate }) => fate === "k");
  return live.length && step < limit ? live[0].logProb / lengthPenalty(limit, alpha) : -Infinity;
}

function decidedAt(steps, alpha, limit) {
  for (let step = 1; step <= steps.length; step += 1) {
    const finished = finishedBy(steps, step, alpha);
    if (finished.length && reachAt(steps, step, alpha, limit) <= finished[0].score) return step;
  }
  return steps.length;
}

/** Everything that the figure shows, from the state of the model. */
export function computed(state) {
  const known = state.trees[state.sentence];
  const steps = withTexts(known.beams[String(state.beam)]);
  const step = Math.min(state.step, steps.length);
  const at = { steps, step, limit: known.limit, alpha: state.alpha };
  return {
    ...state, ...at, source: known.source,
    finished: finishedBy(steps, step, state.alpha),
    reach: reachAt(steps, step, state.alpha, known.limit),
    decided: decidedAt(steps, state.alpha, known.limit),
  };
}

function verdict({ step, alpha, reach, decided }) {
  const rule = `With α = ${short(alpha)}`;
  if (step > decided) return `${rule} the search has stopped after step ${decided}: this is what it would have looked at.`;
  if (reach === -Infinity) return `${rule} the search ends here: nothing lives.`;
  if (step === decided) return `${rule} the search stops here: no live prefix can come to more than ${fixed(reach)}.`;
  return `${rule} the search goes on: a live prefix could still come to ${fixed(reach)}.`;
}

/** The whole figure in words; beam_tree.py says the same where there is no JavaScript. */
export function inWords(view) {
  const { source, beam, step, steps, finished } = view;
  const told = (wanted) =>
    steps[step - 1].filter(({ fate }) => fate === wanted).map(({ text, logProb }) => `“${text}” ${fixed(logProb)}`).join(", ") ||
    "nothing";
  const ranking = finished.map(({ text, score }) => `“${text}” ${fixed(score)}`).join(", ");
  return (
    `“${source}” with a beam of ${beam}, step ${step} of ${steps.length}: kept ${told("k")}; finished ` +
    `${told("f")}; dropped, the best of them, ${told("d")}. ` +
    `${finished.length ? `Finished so far, by score: ${ranking}.` : "No sentence has finished so far."} ${verdict(view)}`
  );
}

/**
 * The prefixes up to the step looked at, as a forest: {token, logProb, fate, children}.
 *
 * Of earlier steps only what was in the beam is there. A prefix of theirs none of whose continuations was kept is
 * "given up".
 */
export function forest({ steps, step }) {
  const roots = [];
  let live = [{ children: roots }];
  steps.slice(0, step).forEach((candidates, n) => {
    const nodes = candidates.map((one) => ({ ...one, children: [] }));
    for (const node of nodes) if (node.fate !== "d" || n === step - 1) live[node.parent].children.push(node);
    const next = nodes.filter(({ fate }) => fate === "k");
    const continued = new Set(nodes.filter(({ fate }) => fate !== "d").map(({ parent }) => parent));
    if (n > 0) live.forEach((node, rank) => { if (!continued.has(rank)) node.fate = "g"; });
    live = next;
  });
  return roots;
}

function branch(node) {
  let text = "";
  for (;;) {
    text = joinedText(text, node.token);
    if (node.children.length !== 1 || node.fate === "g") break;
    [node] = node.children;
  }
  const leaf = node.children.length === 0 || node.fate === "g";
  const label = element("span", { className: `explorer-branch explorer-fate-${leaf ? node.fate : "inner"}` },
    element("span", {}, text), ` ${fixed(node.logProb)}`, leaf ? element("em", {}, ` ${FATES[node.fate]}`) : "");
  return element("li", {}, label, ...(node.children.length ? [element("ul", {}, ...node.children.map(branch))] : []));
}

function ranking({ finished }) {
  const id = freshId("caption");
  const head = ["sentence", "tokens", "log p", "score"].map((name) => element("th", { scope: "col" }, name));
  const rows = finished.map(({ text, tokens, logProb, score }) =>
    element("tr", {}, element("th", { scope: "row" }, text),
      ...[String(tokens), fixed(logProb), fixed(score)].map((cell) => element("td", {}, cell))));
  return element("table", { className: "explorer-matrix explorer-ranking", "aria-labelledby": id },
    element("caption", { id }, rows.length ? "Finished so far, the best score first" : "Nothing has finished so far"),
    ...(rows.length ? [element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)] : []));
}

/** One sentence for the announcement after a change, and the verdict. */
export function summary(view) {
  const counts = ["k", "f", "d"].map(
    (wanted) => `${view.steps[view.step - 1].filter(({ fate }) => fate === wanted).length} ${FATES[wanted]}`);
  return `Step ${view.step} of ${view.steps.length}: ${counts.join(", ")}. ${verdict(view)}`;
}

function build({ el, read, send }) {
  let view = computed(read());
  const stage = element("div", {});
  const { words, news, announce } = texts(() => summary(view));
  const change = (changes) => {
    send(changes);
    announce("");
  };

  const go = (step) => change({ step: Math.min(Math.max(step, 1), view.steps.length) });
  const onkeydown = (event) => {
    const to = stepTo(event, view.step - 1, view.steps.length);
    if (to !== null) go(to + 1);
  };
  const mover = (label, to) => button(label, () => go(to()), { onkeydown });
  const back = mover("Back", () => view.step - 1);
  const forward = mover("Forward", () => view.step + 1);
  const where = element("span", { className: "explorer-said" });
  const sentence = choice({
    label: "sentence",
    options: view.trees.map(({ source }, n) => [String(n), source]),
    value: String(view.sentence),
    changed: (name) => change({ sentence: Number(name), step: 1 }),
  });
  const beam = choice({
    label: "beam",
    options: Object.keys(view.trees[view.sentence].beams).map((size) => [size, size]),
    value: String(view.beam),
    changed: (size) => change({ beam: Number(size) }),
  });
  const alpha = slider({
    label: "length penalty α", stops: ALPHAS, value: view.alpha, text: short,
    changed: (value) => send({ alpha: value }), settled: () => announce(""),
  });

  function update() {
    view = computed(read());
    sentence.show(String(view.sentence));
    beam.show(String(view.beam));
    alpha.show(view.alpha);
    where.textContent = `step ${view.step} of ${view.steps.length}`;
    back.setAttribute("aria-disabled", String(view.step === 1));
    forward.setAttribute("aria-disabled", String(view.step === view.steps.length));
    const id = freshId("tree");
    stage.replaceChildren(
      element("p", { id, className: "explorer-title" }, "<s>, and what was written after it"),
      element("ul", { className: "explorer-tree", "aria-labelledby": id }, ...forest(view).map(branch)),
      ranking(view),
      element("p", { className: "explorer-working" }, verdict(view)),
    );
    words.textContent = inWords(view);
  }
  el.replaceChildren(
    group("What you can change", sentence.node, beam.node, alpha.node),
    group("Steps", back, forward, where),
    stage,
    element("p", { className: "explorer-hint" },
      "Behind each text stands log p, in nats. On Back and Forward the arrow keys, Home and End work as well."),
    news, words,
  );
  return update;
}

/** Other sentences, other choices. */
const shape = ({ trees }) => trees;

export default { render: (page) => live(page, TRAITS, build, { shape }) };
