// The chain rule: choose a translation and a token; the factors, their product and what the model expected follow.

import { fixed } from "./arithmetic.js";
import { choice, element, freshId, group, stepTo, toggle } from "./parts.js";
import { live, texts } from "./live.js";

const TRAITS = ["sentences", "sentence", "place", "bits"];

/** A probability that may be very small. */
export const product = (p) => (p >= 0.001 ? fixed(p) : p.toExponential(2).replaceAll("-", "−"));

/** Everything that the figure shows, from the state of the model. */
export function computed(state) {
  const known = state.sentences[state.sentence];
  const place = Math.min(state.place, known.tokens.length - 1);
  const logs = known.probabilities.map(Math.log);
  const total = logs.reduce((sum, x) => sum + x, 0);
  let running = 0;
  return {
    ...state, ...known, place, logs, total,
    soFar: logs.map((log) => (running += log)),
    unit: state.bits ? "bits" : "nats",
    scale: state.bits ? 1 / Math.log(2) : 1,
  };
}

/** The whole figure in words; chain_rule.py says the same where there is no JavaScript. */
export function inWords({ source, target, tokens, probabilities, likeliest, logs, total, unit, scale, place }) {
  const n = logs.length;
  return (
    `“${target}” for “${source}”: ${n} factors, whose product is ${product(Math.exp(total))}. ` +
    `The surprises sum to ${fixed(-total * scale)} ${unit}, ${fixed((-total * scale) / n)} per token, ` +
    `perplexity ${fixed(Math.exp(-total / n))}. ` +
    `Given ${["<s>", ...tokens.slice(0, place)].join(" ")}, the next token ${tokens[place]} has the probability ` +
    `${product(probabilities[place])}, a surprise of ${fixed(-logs[place] * scale)} ${unit}. ` +
    `Likeliest here: ${likeliest[place].map(([token, p]) => `${token} ${fixed(p)}`).join(", ")}.`
  );
}

function bars(rows, caption) {
  const id = freshId("caption");
  const body = rows.map(({ name, value, came }) => {
    const cell = element("td", { className: "explorer-bar" }, fixed(value));
    cell.style.setProperty("--share", String(value));
    return element("tr", came ? { className: "explorer-came" } : {}, element("th", { scope: "row" }, name), cell);
  });
  return element("table", { className: "explorer-matrix explorer-weight explorer-bars", "aria-labelledby": id },
    element("caption", { id }, caption), element("tbody", {}, ...body));
}

/** What is said after a change, by the trait that the reader changed. */
const NEWS = {
  sentence: ({ logs, total }) => `The product of ${logs.length} factors is ${product(Math.exp(total))}.`,
  place: ({ tokens, place, probabilities }) => `${tokens[place]}: probability ${product(probabilities[place])}.`,
  bits: ({ unit }) => `Surprises are in ${unit}.`,
};

function build({ el, read, send }) {
  let view = computed(read());
  let touched = "place";
  const stage = element("div", {});
  const { words, news, announce } = texts(() => NEWS[touched](view));
  const change = (name, changes) => {
    touched = name;
    send(changes);
    announce("");
  };
  const focusPlace = () => stage.querySelector("[aria-pressed=true]").focus();
  const go = (place) => {
    change("place", { place });
    queueMicrotask(focusPlace); // the buttons are new then
  };
  const onkeydown = (event) => {
    const to = stepTo(event, view.place, view.tokens.length);
    if (to !== null) go(to);
  };
  const sentence = choice({
    label: "translation",
    options: view.sentences.map(({ source, target }, n) => [String(n), `${source} → ${target}`]),
    value: String(view.sentence),
    changed: (name) => change("sentence", { sentence: Number(name), place: 0 }),
  });
  const units = toggle("surprises in bits", view.bits, (bits) => change("bits", { bits }));

  function update() {
    const held = stage.contains(document.activeElement);
    view = computed(read());
    sentence.show(String(view.sentence));
    units.show(view.bits);
    const tokens = view.tokens.map((token, n) =>
      element("button", {
        type: "button", className: "explorer-token", tabIndex: n === view.place ? 0 : -1,
        "aria-pressed": String(n === view.place), "aria-label": `${token}, token ${n + 1} of ${view.tokens.length}`,
        onclick: () => go(n), onkeydown,
      }, token, element("span", { className: "explorer-said" }, product(view.probabilities[n]))),
    );
    const expected = view.likeliest[view.place].map(([name, value]) => ({ name, value, came: name === view.tokens[view.place] }));
    if (!expected.some(({ came }) => came))
      expected.push({ name: view.tokens[view.place], value: view.probabilities[view.place], came: true });
    stage.replaceChildren(
      group("The tokens and their probabilities", ...tokens),
      bars(expected, `What the model expects after ${["<s>", ...view.tokens.slice(0, view.place)].join(" ")}`),
      element("p", { className: "explorer-working" },
        `Product so far ${product(Math.exp(view.soFar[view.place]))}; sum of surprises so far ` +
        `${fixed(-view.soFar[view.place] * view.scale)} ${view.unit}.`),
    );
    words.textContent = inWords(view);
    if (held) focusPlace();
  }
  el.replaceChildren(
    group("What you can change", sentence.node, units.node),
    stage,
    element("p", { className: "explorer-hint" }, "Choose a token, or walk with the arrow keys; ▁ marks the beginning of a word."),
    news, words,
  );
  return update;
}

/** Other sentences, other choices. */
const shape = ({ sentences }) => sentences;

export default { render: (page) => live(page, TRAITS, build, { shape }) };
