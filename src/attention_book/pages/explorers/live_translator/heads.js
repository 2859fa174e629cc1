// All heads of one use at once, as small maps to choose from, and the chosen one as a heat map with names.

import { fixed } from "../arithmetic.js";
import { button, element, grid, toggle } from "../parts.js";
import { workingPanel } from "../live.js";
import { namesOf, placeOf, USES, weightsOf } from "./record.js";

const MOST_CELLS = 40; // of a side of the named map: more of them cannot be read

/** A table of weights as a picture of as many pixels, in the colour that the canvas has as its text. */
function paint(canvas, rows) {
  const columns = Math.max(...rows.map((row) => row.length));
  [canvas.width, canvas.height] = [columns, rows.length];
  const pen = canvas.getContext("2d");
  const colour = getComputedStyle(canvas).color;
  rows.forEach((row, i) => Array.from(row).forEach((weight, j) => {
    pen.globalAlpha = Math.min(1, weight);
    pen.fillStyle = colour;
    pen.fillRect(j, i, 1, 1);
  }));
}

/**
 * The heads of a use. `chosen(layer, head)` is called for one that is pressed, `silenced(on)` when the chosen head is
 * switched, `looked(row)` when a row of the map is looked at (null: none any more). `offer` stands under the switch.
 *
 * Heads that are `off` are only to be so if `waiting`.
 */
export function headsBoard({ chosen, silenced, restored, looked, offer }) {
  const board = element("div", { className: "live-heads", role: "group", "aria-label": "Heads" });
  const map = element("div", { className: "live-map" });
  const panel = workingPanel();
  const title = element("p", { className: "explorer-title" });
  const off = toggle("Switch this head off", false, (on) => silenced(on));
  const again = button("Switch all heads on", () => restored());
  const which = element("span", { className: "live-label" }, "Choose one head of one layer first.");
  const node = element("div", { className: "live-inside" },
    element("div", { className: "live-board" }, board, element("div", { className: "live-switches" }, off.node, which, again), offer),
    element("div", { className: "live-beside" }, title, map, panel.node));
  let buttons = [];

  function makeBoard(layers, heads) {
    buttons = [];
    const made = (layer, head) => {
      const canvas = element("canvas", { className: "live-thumb", "aria-hidden": "true" });
      const one = button("", () => chosen(layer, head), { className: "live-head" });
      one.append(canvas, element("span", {}, head < 0 ? "mean" : `head ${head}`));
      buttons.push({ one, canvas, layer, head });
      return one;
    };
    const rows = Array.from({ length: layers }, (_, l) =>
      element("div", { className: "live-layer", role: "group", "aria-label": `Layer ${l}` },
        element("span", { className: "live-label" }, `layer ${l}`),
        ...Array.from({ length: heads + 1 }, (_, h) => made(l, h - 1))));
    board.replaceChildren(...rows);
  }

  function showMap(rows, names, use, tell) {
    const columns = names.columns.map((name) => name.slice(0, 12));
    if (rows.length > MOST_CELLS || names.columns.length > MOST_CELLS) {
      map.replaceChildren(`${rows.length} × ${names.columns.length} weights are too many to be named here.`);
      return;
    }
    const table = grid({
      title: "weights", letter: "A", role: "weight", rowNames: names.rows, columns, describedBy: panel.node.id,
      looked: (i, j) => {
        looked(i);
        tell(i, j);
      },
      left: () => looked(null),
    });
    table.node.classList.add("live-heat");
    const says = (selector, language) => table.node.querySelectorAll(selector).forEach((one) => (one.lang = language));
    says("th[scope=row]", use === "encoder" ? "en" : "es");
    says("th[scope=col]", use === "self" ? "es" : "en");
    const full = rows.map((row) => names.columns.map((_, j) => row[j] ?? null));
    table.show(full, () => "", (weight) => weight ?? 0);
    full.forEach((row, i) => row.forEach((weight, j) => {
      const cell = table.cell(i, j);
      cell.classList.toggle("explorer-masked", weight === null);
      cell.setAttribute("aria-label", weight === null ? "hidden, because later" : fixed(weight));
    }));
    map.replaceChildren(table.node);
  }

  function show({ record, use, layer, head, off: quiet, waiting }) {
    const [layers, heads] = [record.encoder.length, record.encoder[0].length];
    if (buttons.length !== layers * (heads + 1)) makeBoard(layers, heads);
    const isOff = (l, h) => quiet.some((one) => one.use === use && one.layer === l && one.head === h);
    for (const { one, canvas, layer: l, head: h } of buttons) {
      paint(canvas, weightsOf(record, use, l, h));
      one.setAttribute("aria-pressed", String(l === layer && h === head));
      one.setAttribute("aria-label", `${placeOf(l, h)}${isOff(l, h) ? (waiting ? ", to be switched off" : ", switched off") : ""}`);
      one.classList.toggle("live-off", isOff(l, h));
    }
    const one = layer >= 0 && head >= 0;
    off.show(one && isOff(layer, head));
    off.node.classList.toggle("explorer-idle", !one);
    off.node.querySelector("input").disabled = !one;
    which.hidden = one;
    again.disabled = quiet.length === 0;
    const [rows, names] = [weightsOf(record, use, layer, head), namesOf(record, use)];
    title.textContent = `${Object.fromEntries(USES)[use]}: ${placeOf(layer, head)}`;
    const tell = (i, j) => {
      const weight = rows[i][j];
      panel.show(`“${names.rows[i]}” on “${names.columns[j]}”`,
        weight === undefined ? "hidden, because it comes later." : [["weight ", null], [fixed(weight), "weight"]]);
    };
    panel.show("A row", "is one query: its weights over the columns add up to 1. Point at a cell, or walk with the arrow keys.");
    showMap(rows, names, use, tell);
  }
  return { node, off: off.node.querySelector("input"), show };
}
