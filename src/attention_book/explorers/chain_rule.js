// The chain rule: choose a translation and a token; the factors, their product and what the model expected follow.

import { fixed } from "./arithmetic.js";
import { choice, element, freshId, toggle } from "./parts.js";

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

const listed = (likeliest) => likeliest.map(([token, p]) => `${token} ${fixed(p)}`).join(", ");

/** The whole figure in words; chain_rule.py says the same where there is no JavaScript. */
export function inWords({ source, target, tokens, probabilities, likeliest, logs, total, unit, scale, place }) {
  const n = logs.length;
  return (
    `“${target}” for “${source}”: ${n} factors, whose product is ${product(Math.exp(total))}. ` +
    `The surprises sum to ${fixed(-total * scale)} ${unit}, ${fixed((-total * scale) / n)} a token, ` +
    `perplexity ${fixed(Math.exp(-total / n))}. ` +
    `Given ${["<s>", ...tokens.slice(0, place)].join(" ")}, the next token ${tokens[place]} has the probability ` +
    `${product(probabilities[place])}, a surprise of ${fixed(-logs[place] * scale)} ${unit}. ` +
    `Likeliest here: ${listed(likeliest[place])}.`
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

function render({ model, el, signal }) {
  el.classList.add("explorer-body");
  const state = () => Object.fromEntries(TRAITS.map((name) => [name, model.get(name)]));
  const send = (changes) => {
    for (const [name, value] of Object.entries(changes)) model.set(name, value);
    model.save_changes();
  };
  const words = element("p", { className: "explorer-words" });
  const news = element("p", { className: "explorer-news", role: "status", "aria-live": "polite" });
  const stage = element("div", {});
  let view = computed(state());

  const go = (place) => {
    send({ place: Math.min(Math.max(place, 0), view.tokens.length - 1) });
    update();
    stage.querySelector("[aria-pressed=true]").focus();
    news.textContent = `${view.tokens[view.place]}: probability ${product(view.probabilities[view.place])}.`;
  };
  const keys = (event) => {
    const to = { ArrowLeft: view.place - 1, ArrowRight: view.place + 1, Home: 0, End: view.tokens.length - 1 }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  const sentence = choice({
    label: "translation",
    options: view.sentences.map(({ source, target }, n) => [String(n), `${source} → ${target}`]),
    value: String(view.sentence),
    changed: (name) => {
      send({ sentence: Number(name), place: 0 });
      update();
      news.textContent = `The product of ${view.logs.length} factors is ${product(Math.exp(view.total))}.`;
    },
  });
  const units = toggle("surprises in bits", view.bits, (on) => {
    send({ bits: on });
    update();
    news.textContent = `Surprises are in ${view.unit}.`;
  });

  function update() {
    const held = stage.contains(document.activeElement);
    view = computed(state());
    sentence.show(String(view.sentence));
    units.show(view.bits);
    const tokens = view.tokens.map((token, n) =>
      element("button", {
        type: "button", className: "explorer-token", tabIndex: n === view.place ? 0 : -1,
        "aria-pressed": String(n === view.place), "aria-label": `${token}, token ${n + 1} of ${view.tokens.length}`,
        onclick: () => go(n), onkeydown: keys,
      }, token, element("span", { className: "explorer-said" }, product(view.probabilities[n]))),
    );
    const expected = view.likeliest[view.place].map(([name, value]) => ({ name, value, came: name === view.tokens[view.place] }));
    if (!expected.some(({ came }) => came))
      expected.push({ name: view.tokens[view.place], value: view.probabilities[view.place], came: true });
    stage.replaceChildren(
      element("div", { className: "explorer-row", role: "group", "aria-label": "The tokens and their probabilities" }, ...tokens),
      bars(expected, `What the model expects after ${["<s>", ...view.tokens.slice(0, view.place)].join(" ")}`),
      element("p", { className: "explorer-working" },
        `Product so far ${product(Math.exp(view.soFar[view.place]))}; sum of surprises so far ` +
        `${fixed(-view.soFar[view.place] * view.scale)} ${view.unit}.`),
    );
    words.textContent = inWords(view);
    if (held) stage.querySelector("[aria-pressed=true]").focus(); // the buttons are new
  }
  el.replaceChildren(
    element("div", { className: "explorer-row", role: "group", "aria-label": "What you can change" }, sentence.node, units.node),
    stage,
    element("p", { className: "explorer-hint" }, "Choose a token, or walk with the arrow keys; ▁ marks the beginning of a word."),
    news, words,
  );
  update();
  const events = TRAITS.map((name) => `change:${name}`);
  let waiting = false;
  const follow = () => {
    if (waiting) return;
    waiting = true;
    queueMicrotask(() => {
      waiting = false;
      if (model.get("sentences") === view.sentences) return update();
      stop();
      render({ model, el, signal }); // other sentences, other choices
    });
  };
  events.forEach((event) => model.on(event, follow));
  const stop = () => events.forEach((event) => model.off(event, follow));
  signal?.addEventListener("abort", stop);
  return stop;
}

export default { render };
