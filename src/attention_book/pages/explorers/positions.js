// Clocks of a position: choose a kind, a width, a position and a distance; hands, contributions and products follow.

import { fixed, listed, sum } from "./arithmetic.js";
import { button, choice, element, grid, group, slider } from "./parts.js";
import { explainer, live, texts } from "./live.js";

const TRAITS = ["kind", "width", "position", "distance", "query", "key"];
const WIDTHS = [2, 4, 8, 16, 32]; // the lists and limits of positions.py
const FARTHEST = 60;
const ROUNDING = 1e-9;
const KINDS = [["sinusoidal", "sinusoidal vectors, added"], ["rotary", "a query and a key, turned"]];
const COLUMNS = ["wavelength", "earlier", "later", "turns", "contributes"];

const tidy = (x) => (Math.abs(x) < ROUNDING ? 0 : x);

/** The angle by which each pair of coordinates turns from one position to the next. */
export const frequencies = (width) => Array.from({ length: width / 2 }, (_, i) => 10000 ** ((-2 * i) / width));

/** The pairs [x, y] of a vector at a position. A sinusoidal pair is (sin, cos): a hand that starts at twelve o'clock. */
export function pairsAt({ kind, width }, vector, position) {
  return frequencies(width).map((omega, i) => {
    const [cos, sin] = [Math.cos(omega * position), Math.sin(omega * position)];
    if (kind === "sinusoidal") return [sin, cos];
    const [x, y] = [vector[2 * i], vector[2 * i + 1]];
    return [cos * x - sin * y, sin * x + cos * y];
  });
}

/** Everything that the figure shows, from the state of the model. */
export function computed(state) {
  const { width, position, distance, query, key } = state;
  const earlier = pairsAt(state, key, position);
  const at = (far) => pairsAt(state, query, position + far);
  const angle = ([x, y]) => (state.kind === "sinusoidal" ? Math.atan2(x, y) : Math.atan2(y, x)) / (2 * Math.PI);
  const hour = (pair) => (angle(pair) + 1 + 1e-12) % 1; // where the hand stands, as a share of a turn
  const products = (later) => later.map(([x, y], i) => x * earlier[i][0] + y * earlier[i][1]);
  return {
    ...state, earlier, later: at(distance), omega: frequencies(width),
    turns: frequencies(width).map((omega) => (omega * distance) / (2 * Math.PI)),
    hours: [earlier, at(distance)].map((pairs) => pairs.map(hour)),
    contributions: products(at(distance)).map(tidy),
    products: Array.from({ length: FARTHEST + 1 }, (_, far) => tidy(sum(products(at(far))))),
  };
}

function course(products) {
  const rise = products.findIndex((x, n) => n > 0 && x > products[n - 1] + ROUNDING);
  return rise < 0
    ? `With the distance it never rises, up to ${FARTHEST}.`
    : `With the distance it first rises from ${rise - 1} to ${rise}.`;
}

/** The whole figure in words; positions.py says the same where there is no JavaScript. */
export function inWords({ kind, width, position, distance, turns, contributions, products }) {
  const pairs = width / 2;
  const hands = `${pairs} pair${pairs === 1 ? "" : "s"} of numbers`;
  const total = fixed(products[distance]);
  const [what, result] =
    kind === "sinusoidal"
      ? [
          `Sinusoidal vectors, ${hands}, of the positions ${position} and ${position + distance}.`,
          `The inner product is ${total} of at most ${fixed(pairs)}`,
        ]
      : [
          `A key at position ${position} and a query at position ${position + distance}, ${hands} each, turned.`,
          `The score, not yet divided, is ${total}, and ${fixed(products[0])} at the same position`,
        ];
  return (
    `${what} They are ${distance} apart. From one to the other the hands make ${listed(turns.map(fixed))} turns, and the ` +
    `pairs contribute ${listed(contributions.map(fixed))}. ${result}; it depends on the distance alone. ${course(products)}`
  );
}

const name = (kind) => (kind === "sinusoidal" ? "Inner product" : "Score");

/** One sentence for the announcement after a change. */
export function summary({ kind, position, distance, products }) {
  return `Positions ${position} and ${position + distance}: ${name(kind).toLowerCase()} ${fixed(products[distance])}.`;
}

const point = ([x, y]) => `(${fixed(x)}, ${fixed(y)})`;

/** How one number comes about: a title and a text. Rows are pairs, columns as in COLUMNS, counted from 0. */
export function working(view, i, j) {
  const { kind, width, omega, position, distance, earlier, later, hours, query, key, turns, contributions } = view;
  const title = `Pair ${i}`;
  const places = [position, position + distance];
  if (j === 0) return [title, `ω = 10000^(−${2 * i}/${width}) ≈ ${fixed(omega[i])}; a full turn takes 2π ÷ ω ≈ ${fixed((2 * Math.PI) / omega[i])} positions`];
  if (j === 3) return [title, `${distance} × ω ÷ 2π ≈ ${fixed(turns[i])} turns from position ${places[0]} to ${places[1]}`];
  if (j === 4) {
    const made = [0, 1].map((c) => `${fixed(later[i][c])} × ${fixed(earlier[i][c])}`).join(" + ");
    const cosine = kind === "sinusoidal" ? `, which is cos(ω · ${distance})` : "";
    return [title, `${made} ≈ ${fixed(contributions[i])}${cosine}`];
  }
  const angle = `${fixed(omega[i])} × ${places[j - 1]} = ${fixed(omega[i] * places[j - 1])}`;
  const stands = `${point([earlier, later][j - 1][i])}; the hand stands at ${fixed(hours[j - 1][i])} of a turn`;
  if (kind === "sinusoidal") return [`${title} at position ${places[j - 1]}`, `the sine and the cosine of ${angle}: ${stands}`];
  const vector = [key, query][j - 1];
  const whose = ["key", "query"][j - 1];
  return [`${title} of the ${whose} at position ${places[j - 1]}`, `${point([vector[2 * i], vector[2 * i + 1]])} turned by ${angle}: ${stands}`];
}

function drawn(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** One clock face: the earlier hand dashed, the later one whole, both as long as the vectors are. */
function clock(earlier, later, longest, roles) {
  const hand = ([x, y], role, dash) =>
    drawn("line", {
      x1: 0, y1: 0, x2: (40 * x) / longest, y2: (-40 * y) / longest, class: `explorer-hand ${role}`,
      ...(dash ? { "stroke-dasharray": "7 6", "stroke-linecap": "butt" } : {}),
    });
  return drawn("svg", { viewBox: "-48 -48 96 96", "aria-hidden": "true", class: "explorer-clock" },
    drawn("circle", { r: 45, class: "explorer-face" }),
    hand(earlier, roles[0], true), hand(later, roles[1], false));
}

/** The inner product against the distance, with the chosen distance marked. */
function curve({ kind, products, distance }) {
  const [low, high] = [Math.min(0, ...products), Math.max(0, ...products, 0.001)];
  const x = (far) => 46 + (548 * far) / FARTHEST;
  const y = (value) => 12 + (126 * (high - value)) / (high - low);
  const path = products.map((value, far) => `${far ? "L" : "M"}${x(far).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  const label = (text, at, height, anchor) => drawn("text", { x: at, y: height, "text-anchor": anchor }, text);
  return drawn("svg", { viewBox: "0 0 610 180", role: "img", class: "explorer-curve", "aria-label": `${name(kind)} against the distance, from ${fixed(products[0])} at 0 to ${fixed(products[FARTHEST])} at ${FARTHEST}; ${fixed(products[distance])} at ${distance}.` },
    drawn("line", { x1: x(0), x2: x(FARTHEST), y1: y(0), y2: y(0), class: "explorer-face" }),
    drawn("path", { d: path, class: "explorer-hand" }),
    drawn("line", { x1: x(distance), x2: x(distance), y1: 8, y2: 142, class: "explorer-face", "stroke-dasharray": "3 3" }),
    drawn("circle", { cx: x(distance), cy: y(products[distance]), r: 5, class: "explorer-dot" }),
    label(high.toFixed(1), 40, y(high) + 5, "end"), label("0", 40, y(0) + 5, "end"),
    ...[0, 20, 40, 60].map((far) => label(String(far), x(far), 158, "middle")),
    label("distance", x(FARTHEST / 2), 176, "middle"));
}

function build({ el, read, send, restart }) {
  let view = computed(read());
  let built = 0; // the number of pairs that the table has
  let pairs;
  const { words, news, announce } = texts(() => summary(view));
  const panel = explainer({
    told: (...place) => {
      const [title, text] = working(view, ...place);
      return [title, `${text}.`];
    },
    cell: (i, j) => pairs.cell(i, j),
  });
  const clocks = element("div", { className: "explorer-clocks" });
  const legend = element("p", { className: "explorer-hint" });
  const plot = element("div", {});
  const numbers = element("div", {});
  const counted = Array.from({ length: FARTHEST + 1 }, (_, n) => n);
  const moved = (label, trait, stops) =>
    slider({ label, stops, value: view[trait], changed: (value) => send({ [trait]: value }), settled: () => announce("") });
  const controls = {
    kind: choice({
      label: "Positions:", options: KINDS, value: view.kind,
      changed: (kind) => {
        send({ kind });
        announce(`Now ${Object.fromEntries(KINDS)[kind]}.`);
      },
    }),
    width: moved("width of a vector", "width", WIDTHS),
    position: moved("earlier position", "position", counted),
    distance: moved("distance to the later one", "distance", counted),
  };
  const again = button("Start again", () => {
    restart();
    announce("Back to the start.");
  });

  function rebuild() {
    built = view.omega.length;
    panel.begin(0, 4);
    pairs = grid({
      title: "Pairs", letter: "ω", role: "pairs", rowNames: view.omega.map((_, i) => String(i)), columns: COLUMNS,
      ...panel.over(),
    });
    pairs.node.classList.add("explorer-narrow");
    numbers.replaceChildren(pairs.node);
  }
  function update() {
    view = computed(read());
    if (view.omega.length !== built) rebuild();
    for (const trait of Object.keys(controls)) controls[trait].show(view[trait]);
    const rotary = view.kind === "rotary";
    const roles = rotary ? ["explorer-key", "explorer-query"] : ["", ""];
    const longest = Math.max(...view.earlier.concat(view.later).map(([x, y]) => Math.hypot(x, y)), 1);
    clocks.replaceChildren(...view.omega.map((_, i) => clock(view.earlier[i], view.later[i], longest, roles)));
    const hands = rotary
      ? [element("span", { className: "role-key" }, "dashed: the key"), "; ", element("span", { className: "role-query" }, "whole: the query")]
      : ["dashed: the earlier position; whole: the later one"];
    legend.replaceChildren("One clock per pair, the fastest first. Hands, ", ...hands, ".");
    plot.replaceChildren(curve(view));
    const rows = view.omega.map((omega, i) => [
      (2 * Math.PI) / omega, view.hours[0][i], view.hours[1][i], view.turns[i], view.contributions[i],
    ]);
    pairs.show(rows, fixed);
    words.textContent = inWords(view);
    panel.show();
  }

  el.replaceChildren(
    group("Kind and width", controls.kind.node, controls.width.node, again),
    group("Two positions", controls.position.node, controls.distance.node),
    clocks,
    legend,
    plot,
    group("What the pairs do", numbers),
    panel.node,
    element("p", { className: "explorer-hint" },
      "Columns: positions for a full turn; where the two hands stand, as a share of a turn; turns between them; what the " +
      "pair adds to the product. Point at a number, or go to it with Tab and the arrow keys, to see how it comes about."),
    news,
    words,
  );
  return update;
}

export default { render: (page) => live(page, TRAITS, build) };
