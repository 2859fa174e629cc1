// Three uses of attention: choose a pair, a use, a layer and a head; point at a query and see where its weight goes.

import { fixed, listed } from "./arithmetic.js";
import { button, choice, element, freshId, group, stepTo } from "./parts.js";
import { live, texts } from "./live.js";

const TRAITS = ["pairs", "pair", "use", "layer", "head", "query"];
const USES = [
  ["encoder_self", "encoder, to itself"],
  ["decoder_self", "decoder, to itself"],
  ["cross", "decoder, to the source"],
];
const STEPS_OF_KEYS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

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
    weights: weights[state.layer][state.head],
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

function build({ el, read, send, restart }) {
  let view = computed(read());
  let buttons = [];
  const queries = element("div", { className: "explorer-tokens", role: "radiogroup" });
  const queriesTitle = element("p", { className: "explorer-title", id: freshId("queries") });
  queries.setAttribute("aria-labelledby", queriesTitle.id);
  const keys = element("ul", { className: "explorer-tokens explorer-shares" });
  const keysTitle = element("p", { className: "explorer-title", id: freshId("keys") });
  keys.setAttribute("aria-labelledby", keysTitle.id);
  const { words, news, announce } = texts(() => summary(view));
  const controls = group("What to look at");
  const counted = (n) => Array.from({ length: n }, (_, i) => [String(i), String(i)]);
  let choices = {};
  const again = button("Start again", () => {
    restart();
    announce("Back to the start.");
  });

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
    buttons.forEach((one, i) => one.classList.toggle("explorer-looked", i === row));
    words.textContent = inWords(now);
  }
  function choose(row) {
    send({ query: row });
    announce("");
    buttons[row].focus();
  }
  function walk(event, i) {
    const to = stepTo(event, i, buttons.length, STEPS_OF_KEYS);
    if (to !== null) choose(to);
  }
  const token = (text) => element("span", { className: "explorer-piece" }, text);
  function rebuild() {
    buttons = view.queries.map((text, i) =>
      element("button", {
        type: "button", role: "radio", className: "explorer-token",
        "aria-label": view.asked ? `${text}, asked for ${view.asked[i]}` : text,
        onclick: () => choose(i),
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
    controls.replaceChildren(...Object.values(choices).map(({ node }) => node), again);
  }
  let [listedPairs, built] = ["", ""];
  function update() {
    view = computed(read());
    const [sentences, tokens] = [view.pairs.map(({ source }) => source), [view.use, view.asked, view.queries, view.keys]];
    if (JSON.stringify(sentences) !== listedPairs) rebuildControls();
    if (JSON.stringify(tokens) !== built) rebuild();
    [listedPairs, built] = [JSON.stringify(sentences), JSON.stringify(tokens)];
    for (const [name, { show }] of Object.entries(choices)) show(String(view[name]));
    buttons.forEach((one, i) => {
      one.setAttribute("aria-checked", String(i === view.row));
      one.tabIndex = i === view.row ? 0 : -1;
    });
    showRow(view.row);
  }

  el.replaceChildren(
    controls, queriesTitle, queries, keysTitle, keys,
    element("p", { className: "explorer-hint" }, "Point at a query, or go to it with the Tab and arrow keys. ▁ is a space that belongs to the piece."),
    news, words,
  );
  return update;
}

/** "Start again" keeps sentences that a notebook added. */
const stay = ["pairs"];

export default { render: (page) => live(page, TRAITS, build, { stay }) };
