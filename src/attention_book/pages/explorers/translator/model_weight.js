// A weight between two models: which translation wins, the more the language model of a noisy channel counts.

import { listed, rounded } from "../arithmetic.js";
import { button, choice, element, group, slider } from "../parts.js";
import { live, texts } from "../live.js";

const TRAITS = ["cases", "case", "weight"];
const WHOLE = 100; // the weight 1 in hundredths, as in model_weight.py
const TIED = 1e-9;

const told = (weight) => (weight / WHOLE).toFixed(2);
const letter = (n) => String.fromCharCode(65 + n);
const mark = (right) => (right ? "✓" : "✗");
const shares = (numbers) => numbers.map((x) => x / Math.max(...numbers));

/** P(y)^w P(x | y)^(1 − w) of each candidate, for w in hundredths, divided by the largest. */
export function scores(candidates, weight) {
  const w = weight / WHOLE;
  return shares(candidates.map(([, fluency, fit]) => fluency ** w * fit ** (1 - w)));
}

/** The candidates with the largest score. */
const winners = (candidates, weight) =>
  scores(candidates, weight).flatMap((score, n) => (score > 1 - TIED ? [n] : []));

/** Who wins from which weight to which: { winners, first, last }, the weights in hundredths. */
export function stretches(candidates) {
  const found = [];
  for (let weight = 0; weight <= WHOLE; weight += 1) {
    const best = winners(candidates, weight);
    if (found.length && String(found.at(-1).winners) === String(best)) found.at(-1).last = weight;
    else found.push({ winners: best, first: weight, last: weight });
  }
  return found;
}

/** Everything that the figure shows, from the state of the model. */
export function computed(state) {
  const { name, candidates } = state.cases[state.case];
  return {
    ...state, name, candidates, scores: scores(candidates, state.weight), best: winners(candidates, state.weight),
    stretches: stretches(candidates),
  };
}

const quoted = (candidates, some) => listed(some.map((n) => `“${candidates[n][0]}”`));

/** Who wins at which weight, as a sentence. */
function byWeight({ candidates, stretches }) {
  const parts = stretches.map(({ winners, first, last }) => {
    const range = first === last ? `at ${told(first)}` : `from ${told(first)} to ${told(last)}`;
    return `${range} ${quoted(candidates, winners)}`;
  });
  return `By weight: ${listed(parts)}.`;
}

/** The whole figure in words; model_weight.py says the same where there is no JavaScript. */
export function inWords(view) {
  const { name, candidates, weight, scores, best } = view;
  const names = candidates.map(([text, , , right]) => `“${text}” (${right ? "right" : "wrong"})`);
  const others = names.flatMap((one, n) => (best.includes(n) ? [] : [`${rounded(scores[n], 2)} for ${one}`]));
  const rest = others.length ? ` Divided by its score, the others are ${listed(others)}.` : "";
  return (
    `${name}: at the weight ${told(weight)} of the language model ${listed(best.map((n) => names[n]))} ` +
    `${best.length > 1 ? "win" : "wins"}.${rest} ${byWeight(view)}`
  );
}

/** One sentence: who wins now. */
export const summary = ({ candidates, weight, best }) =>
  `At the weight ${told(weight)}, ${quoted(candidates, best)} ${best.length > 1 ? "win" : "wins"}.`;

function drawn(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** A strip from weight 0 to weight 1, cut where the winner changes; right winners stand on a darker ground. */
function strip(view) {
  const { candidates, weight, stretches } = view;
  const x = (at) => 8 + (594 * Math.min(Math.max(at, 0), WHOLE)) / WHOLE;
  const label = (text, at, height, anchor = "middle") => drawn("text", { x: at, y: height, "text-anchor": anchor }, text);
  const pieces = stretches.flatMap(({ winners, first, last }) => {
    const [from, to] = [x(first - 0.5), x(last + 0.5)];
    const right = winners.every((n) => candidates[n][3]);
    const inside = { x: from, y: 14, width: to - from, height: 34, class: "explorer-face" };
    const ground = { ...inside, class: "", fill: "currentColor", opacity: right ? "0.25" : "0.05" };
    const name = winners.map((n) => `${letter(n)} ${mark(candidates[n][3])}`).join(", ");
    return [drawn("rect", ground), drawn("rect", inside), ...(to - from > 40 ? [label(name, (from + to) / 2, 37)] : [])];
  });
  const at = x(weight);
  return drawn("svg", { viewBox: "0 0 610 92", role: "img", class: "explorer-curve", "aria-label": byWeight(view) },
    ...pieces,
    drawn("line", { x1: at, x2: at, y1: 8, y2: 54, class: "explorer-hand" }),
    drawn("path", { d: `M${at - 7} 0L${at + 7} 0L${at} 11Z`, class: "explorer-dot" }),
    label("0", x(0), 68, "start"), label("½", x(WHOLE / 2), 68), label("1", x(WHOLE), 68, "end"),
    label("Model 1 alone", x(0), 86, "start"), label("both alike", x(WHOLE / 2), 86),
    label("language model alone", x(WHOLE), 86, "end"));
}

/** A row per candidate: both probabilities and the score, each divided by the largest of its column. */
function rows({ candidates, scores, best }) {
  const columns = [shares(candidates.map((one) => one[1])), shares(candidates.map((one) => one[2])), scores];
  return candidates.map(([text, , , right], n) => {
    const cells = columns.map((column, c) => {
      const cell = element("td", {}, rounded(column[n], 2));
      cell.dataset.value = String(column[n]);
      cell.style.setProperty("--share", String(column[n]));
      cell.classList.toggle("explorer-first", c === 2 && best.includes(n));
      return cell;
    });
    const said = element("span", { className: "explorer-hidden" }, right ? "right" : "wrong");
    const sign = element("span", { "aria-hidden": "true" }, ` ${mark(right)}`);
    const name = [`${letter(n)}: `, element("span", { lang: "es" }, text), sign, said];
    return element("tr", {}, element("th", { scope: "row" }, ...name), ...cells);
  });
}

function build({ el, read, send, restart }) {
  let view = computed(read());
  const { words, news, announce } = texts(() => summary(view));
  news.classList.add("explorer-hidden"); // it is read aloud; on the page `now` says the same
  const [plot, body] = [element("div", {}), element("tbody", {})];
  const now = element("p", { className: "explorer-step" });
  const corner = element("span", { className: "explorer-hidden" }, "translation y");
  const heads = [corner, "P(y)", "P(x | y)", "score"].map((name) => element("th", { scope: "col" }, name));
  const caption = element("caption", {}, "Each number is divided by the largest in its column");
  const controls = {
    case: choice({
      label: "Sentence:", options: view.cases.map(({ name }, n) => [String(n), name]), value: String(view.case),
      changed: (value) => {
        send({ case: Number(value) });
        announce(`${view.cases[Number(value)].name}.`);
      },
    }),
    weight: slider({
      label: "weight w of the language model", stops: Array.from({ length: WHOLE + 1 }, (_, n) => n), value: view.weight,
      text: told, changed: (weight) => send({ weight }), settled: () => announce(""),
    }),
  };
  const again = button("Start again", () => {
    restart();
    announce("Back to the start.");
  });
  el.replaceChildren(
    group("Sentence", controls.case.node, again),
    group("Weight", controls.weight.node),
    now,
    plot,
    element("table", { className: "explorer-matrix explorer-attributions" },
      caption, element("thead", {}, element("tr", {}, ...heads)), body),
    element("p", { className: "explorer-hint" },
      "The strip says which translation wins at which weight: ✓ is a right one, ✗ a wrong one."),
    news,
    words,
  );
  return () => {
    view = computed(read());
    controls.case.show(String(view.case));
    controls.weight.show(view.weight);
    now.textContent = summary(view);
    plot.replaceChildren(strip(view));
    body.replaceChildren(...rows(view));
    words.textContent = inWords(view);
  };
}

export default { render: (page) => live(page, TRAITS, build, { stay: ["cases"], shape: ({ cases }) => JSON.stringify(cases) }) };
