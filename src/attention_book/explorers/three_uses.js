// Three uses of attention: choose a pair, a use, a layer and a head; point at a query and see where its weight goes.

import { fixed } from "./arithmetic.js";
import { choice, element, freshId } from "./parts.js";

const TRAITS = ["pairs", "pair", "use", "layer", "head", "query"];
const USES = [
  ["encoder_self", "encoder, to itself"],
  ["decoder_self", "decoder, to itself"],
  ["cross", "decoder, to the source"],
];

const listed = (items) => (items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`);
const quoted = (token) => `“${token}”`;
const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** Everything that the figure shows, from the state of the model. */
export function computed(state) {
  const pair = state.pairs[state.pair];
  const { queries, keys, weights } = pair.uses[state.use];
  const row = Math.min(state.query, queries.length - 1);
  const causal = state.use === "decoder_self";
  return {
    ...state, row, queries, keys,
    source: pair.source, target: pair.target,
    asked: state.use === "encoder_self" ? null : pair.asked,
    layers: weights.length, heads: weights[0].length,
    weights: weights[state.layer - 1][state.head - 1],
    seen: causal ? row + 1 : keys.length, // keys up to this one may be attended to
  };
}

/** The whole figure in words; three_uses.py says the same where there is no JavaScript. */
export function inWords({ source, target, use, layer, head, row, queries, keys, asked, weights, seen }) {
  const shares = keys.slice(0, seen).map((key, j) => `${fixed(weights[row][j])} on ${quoted(key)}`);
  const hidden = keys.slice(seen).map(quoted);
  return (
    `${quoted(source)} and ${quoted(target)} ${capital(Object.fromEntries(USES)[use])}: layer ${layer}, head ${head}, ` +
    `${queries.length} × ${keys.length} weights. The query ${quoted(queries[row])}` +
    `${asked ? `, asked for ${quoted(asked[row])},` : ""} puts ${listed(shares)}.` +
    (hidden.length ? ` Hidden, because later: ${listed(hidden)}.` : "")
  );
}

/** One sentence for the announcement after a change: where most of the row's weight is. */
export function summary({ row, queries, keys, asked, weights }) {
  const largest = Math.max(...weights[row]);
  const on = keys[weights[row].indexOf(largest)];
  return `${quoted(queries[row])}${asked ? `, asked for ${quoted(asked[row])},` : ""} puts most, ${fixed(largest)}, on ${quoted(on)}.`;
}

function render({ model, el, signal }) {
  el.classList.add("explorer-body");
  const initial = Object.fromEntries(TRAITS.map((name) => [name, structuredClone(model.get(name))]));
  const state = () => Object.fromEntries(TRAITS.map((name) => [name, model.get(name)]));
  let view = computed(state());
  let buttons = [];
  const queries = element("div", { className: "explorer-tokens", role: "radiogroup" });
  const queriesTitle = element("p", { className: "explorer-title", id: freshId("queries") });
  queries.setAttribute("aria-labelledby", queriesTitle.id);
  const keys = element("ul", { className: "explorer-tokens explorer-shares" });
  const keysTitle = element("p", { className: "explorer-title", id: freshId("keys") });
  keys.setAttribute("aria-labelledby", keysTitle.id);
  const words = element("p", { className: "explorer-words" });
  const news = element("p", { className: "explorer-news", role: "status", "aria-live": "polite" });
  const controls = element("div", { className: "explorer-row", role: "group", "aria-label": "What to look at" });
  const announce = (what) => queueMicrotask(() => (news.textContent = `${what} ${summary(view)}`.trim()));
  const send = (changes) => {
    for (const [name, value] of Object.entries(changes)) model.set(name, value);
    model.save_changes();
  };
  const counted = (n) => Array.from({ length: n }, (_, i) => [String(i + 1), String(i + 1)]);
  let choices = {};
  const restart = element("button", {
    type: "button",
    onclick: () => {
      const { pairs, ...rest } = initial; // sentences that a notebook added stay
      send(rest);
      announce("Back to the start.");
    },
  }, "Start again");

  /** The row of one query: of the chosen one, or of the one pointed at. */
  function showRow(row) {
    const now = { ...view, row, seen: view.use === "decoder_self" ? row + 1 : view.keys.length };
    keysTitle.replaceChildren(
      element("span", { className: "role-key" }, "keys"), ` and the `, element("span", { className: "role-weight" }, "weights"),
      ` that ${quoted(view.queries[row])} gives them`,
    );
    [...keys.children].forEach((item, j) => {
      const hidden = j >= now.seen;
      const weight = view.weights[row][j];
      item.className = hidden ? "explorer-masked" : "";
      item.style.setProperty("--share", String(hidden ? 0 : weight));
      item.dataset.value = String(weight);
      item.lastChild.textContent = hidden ? "hidden" : fixed(weight);
    });
    buttons.forEach((button, i) => button.classList.toggle("explorer-looked", i === row));
    words.textContent = inWords(now);
  }
  function choose(row, focus) {
    send({ query: row });
    announce("");
    if (focus) buttons[row].focus();
  }
  function walk(event, i) {
    const last = buttons.length - 1;
    const to = {
      ArrowRight: i + 1, ArrowDown: i + 1, ArrowLeft: i - 1, ArrowUp: i - 1, Home: 0, End: last,
    }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    choose(Math.min(Math.max(to, 0), last), true);
  }
  const token = (text) => element("span", { className: "explorer-piece" }, text);
  function rebuild() {
    buttons = view.queries.map((text, i) =>
      element("button", {
        type: "button", role: "radio", className: "explorer-token",
        "aria-label": view.asked ? `${text}, asked for ${view.asked[i]}` : text,
        onclick: () => choose(i, true),
        onkeydown: (event) => walk(event, i),
        onpointerenter: () => showRow(i),
        onpointerleave: () => showRow(view.row),
      }, token(text), ...(view.asked ? [element("small", {}, `→ ${view.asked[i]}`)] : [])),
    );
    queries.replaceChildren(...buttons);
    keys.replaceChildren(...view.keys.map((text) => element("li", {}, token(text), " ", element("small", {}))));
    queriesTitle.replaceChildren(
      element("span", { className: "role-query" }, "queries"),
      view.asked ? ", each with the token that its row is asked for" : "",
    );
  }
  function rebuildControls() {
    const pairs = view.pairs.map(({ source }, n) => [String(n), source]);
    const chosen = (name, label, options, numeric) =>
      choice({
        label, options, value: String(view[name]),
        changed: (value) => {
          send({ [name]: numeric ? Number(value) : value });
          announce(`${label.replace(":", "")} ${Object.fromEntries(options)[value]}.`);
        },
      });
    choices = {
      pair: chosen("pair", "Sentence:", pairs, true),
      use: chosen("use", "Use:", USES, false),
      layer: chosen("layer", "Layer:", counted(view.layers), true),
      head: chosen("head", "Head:", counted(view.heads), true),
    };
    controls.replaceChildren(...Object.values(choices).map(({ node }) => node), restart);
  }
  let [listedPairs, built] = ["", ""];
  function update() {
    view = computed(state());
    const [sentences, tokens] = [view.pairs.map(({ source }) => source), [view.use, view.asked, view.queries, view.keys]];
    if (JSON.stringify(sentences) !== listedPairs) rebuildControls();
    if (JSON.stringify(tokens) !== built) rebuild();
    [listedPairs, built] = [JSON.stringify(sentences), JSON.stringify(tokens)];
    for (const [name, { show }] of Object.entries(choices)) show(String(view[name]));
    buttons.forEach((button, i) => {
      button.setAttribute("aria-checked", String(i === view.row));
      button.tabIndex = i === view.row ? 0 : -1;
    });
    showRow(view.row);
  }

  el.replaceChildren(
    controls, queriesTitle, queries, keysTitle, keys,
    element("p", { className: "explorer-hint" }, "Point at a query, or go to it with the Tab and arrow keys. ▁ is a space that belongs to the piece."),
    news, words,
  );
  update();
  let waiting = false;
  const follow = () => {
    if (waiting) return;
    waiting = true;
    queueMicrotask(() => {
      waiting = false;
      update();
    });
  };
  const events = TRAITS.map((name) => `change:${name}`);
  events.forEach((event) => model.on(event, follow));
  const stop = () => events.forEach((event) => model.off(event, follow));
  signal?.addEventListener("abort", stop);
  return stop;
}

export default { render };
