// Forty sentences in batches: choose the order and the tokens per batch, and see the rectangles and their padding.

import { rounded, sum } from "../arithmetic.js";
import { button, choice, element, group, slider } from "../parts.js";
import { live, texts } from "../live.js";

const TRAITS = ["lengths", "order", "budget"];
const BUCKET = 10; // the numbers and names of batches.py
const BUDGETS = [35, 50, 75, 100, 150, 200, 300, 400, 600];
const ORDERS = [["drawn", "as drawn"], ["buckets", `sorted in buckets of ${BUCKET}`], ["sorted", "sorted whole"]];
const NAMES = Object.fromEntries(ORDERS);
const CELL = 6; // pixels

/** The places of the sentences, sorted by length within each bucket; equal lengths keep their order. */
export function sortedInBuckets(lengths, bucket) {
  const places = lengths.map((_, place) => place);
  const found = [];
  for (let start = 0; start < places.length; start += bucket)
    found.push(...places.slice(start, start + bucket).sort((a, b) => lengths[a] - lengths[b]));
  return found;
}

/** Batches of places: each takes the next sentences as long as rows × longest row is at most the budget. */
export function cutByTokens(lengths, order, budget) {
  const groups = [];
  let longest = 0;
  for (const place of order) {
    longest = Math.max(longest, lengths[place]);
    if (groups.length === 0 || (groups.at(-1).length + 1) * longest > budget) {
      groups.push([]);
      longest = lengths[place];
    }
    groups.at(-1).push(place);
  }
  return groups;
}

/** Everything that the figure shows, from the state of the model. */
export function computed({ lengths, order, budget }) {
  const bucket = { drawn: 1, buckets: BUCKET, sorted: lengths.length }[order];
  const batches = cutByTokens(lengths, sortedInBuckets(lengths, bucket), budget).map((places) => {
    const rows = places.map((place) => lengths[place]);
    const longest = Math.max(...rows);
    return { rows, longest, cells: rows.length * longest };
  });
  const [cells, tokens] = [sum(batches.map((batch) => batch.cells)), sum(lengths)];
  return { order, budget, sentences: lengths.length, batches, cells, tokens, share: (cells - tokens) / cells };
}

/** The whole figure in words; batches.py says the same where there is no JavaScript. */
export function inWords({ order, budget, sentences, batches, cells, tokens, share }) {
  const sizes = batches.map((batch) => batch.cells);
  const each = batches.map(({ rows, longest }) => `${rows.length} × ${longest}`).join(", ");
  return (
    `${sentences} sentences with ${tokens} tokens, ${NAMES[order]}, in batches of at most ${budget} cells. ` +
    `Batches, and so updates, per pass: ${batches.length}. Of ${cells} cells ${cells - tokens} are ` +
    `padding, ${rounded(100 * share, 1)} %. The smallest batch has ${Math.min(...sizes)} cells, the largest ` +
    `${Math.max(...sizes)}. The batches, sentences × longest sentence: ${each}.`
  );
}

/** One sentence for the announcement after a change. */
export const summary = ({ batches, share }) => `Updates per pass: ${batches.length}. Padding: ${rounded(100 * share, 1)} %.`;

function drawn(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** One batch: a bar per sentence, inside a dashed frame whose empty part is the padding. */
function rectangle({ rows, longest, cells }) {
  const [width, height] = [CELL * longest, CELL * rows.length];
  const said = `${rows.length} × ${longest} cells, ${cells - sum(rows)} of them padding`;
  return drawn("svg", { width: width + 2, height: height + 2, role: "img", "aria-label": said, class: "explorer-batch" },
    ...rows.map((length, n) =>
      drawn("rect", { x: 1, y: 1 + CELL * n, width: CELL * length, height: CELL - 1, fill: "currentColor", opacity: "0.45" })),
    drawn("rect", {
      x: 1, y: 0.5, width, height, fill: "none", stroke: "currentColor", "stroke-width": 1, "stroke-dasharray": "2 2",
    }));
}

function build({ el, read, send, restart }) {
  let view = computed(read());
  const { words, news, announce } = texts(() => summary(view));
  const room = group("Batches");
  const count = element("p", { className: "explorer-working" });
  const controls = {
    order: choice({
      label: "Order:", options: ORDERS, value: view.order,
      changed: (order) => {
        send({ order });
        announce(`Now ${NAMES[order]}.`);
      },
    }),
    budget: slider({
      label: "tokens per batch", stops: BUDGETS, value: view.budget, text: (value) => `at most ${value}`,
      changed: (budget) => send({ budget }), settled: () => announce(""),
    }),
  };
  const again = button("Start again", () => {
    restart();
    announce("Back to the start.");
  });
  el.replaceChildren(
    group("Cut", controls.order.node, controls.budget.node, again),
    count,
    room,
    element("p", { className: "explorer-hint" }, "One dashed frame per batch, one bar per sentence. What a bar leaves empty is padding."),
    news,
    words,
  );
  return () => {
    view = computed(read());
    for (const trait of ["order", "budget"]) controls[trait].show(view[trait]);
    count.textContent = summary(view);
    room.replaceChildren(...view.batches.map(rectangle));
    words.textContent = inWords(view);
  };
}

export default { render: (page) => live(page, TRAITS, build, { stay: ["lengths"] }) };
