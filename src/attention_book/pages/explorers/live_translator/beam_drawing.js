// The tree of a beam search, drawn: a column for each step, what was kept and what ended, and the way that won.

import { fixed } from "../arithmetic.js";
import { element } from "../parts.js";
import { shownPiece } from "./record.js";
import { drawn } from "./ribbons.js";

const [COLUMN, LINE, TOP] = [74, 27, 14];
/**
 * Where the nodes of a tree stand: those that were kept or ended, each with `depth` and `line`, and whether it is `best`.
 *
 * Children stand below one another in the order in which the search ranked them; a node stands beside its first child.
 */
export function placed(nodes, asked) {
  const children = new Map([[-1, []]]);
  nodes.forEach((one, n) => {
    const parent = one.parent ?? -1;
    if (one.kept || one.finished) children.set(parent, [...(children.get(parent) ?? []), n]);
  });
  const best = new Set();
  let at = -1;
  for (const { id } of asked) {
    at = (children.get(at) ?? []).find((n) => nodes[n].id === id) ?? -2;
    best.add(at);
  }
  const found = [];
  let line = 0;
  const walk = (n, depth) => {
    const inner = children.get(n) ?? [];
    const ordered = [...inner].sort((a, b) => best.has(b) - best.has(a));
    const mine = { n, depth, line, best: best.has(n) };
    if (n >= 0) found.push(mine);
    ordered.forEach((child, rank) => {
      if (rank > 0) line += 1;
      walk(child, depth + 1);
    });
  };
  walk(-1, -1);
  return found.map((one) => ({ ...nodes[one.n], ...one }));
}

/** What ended, the best first, by what the search ranks: `score`. */
export function ended(nodes, alpha) {
  const pathOf = (n) => (n < 0 || n === undefined ? [] : [...pathOf(nodes[n].parent ?? -1), nodes[n]]);
  return nodes.flatMap((one, n) => {
    if (!one.finished) return [];
    const path = pathOf(n);
    const text = path.slice(0, -1).map((piece) => piece.text.replaceAll("▁", " ")).join("").trim();
    return [{ text, total: one.total, pieces: path.length, score: one.total / ((5 + path.length) / 6) ** alpha }];
  }).sort((a, b) => b.score - a.score);
}

/** The drawing and its words: `show(record, beam, alpha)`. */
export function beamDrawing() {
  const picture = element("div", { className: "live-tree", tabIndex: 0, role: "region", "aria-label": "The tree of the search" });
  const list = element("ol", { className: "live-ended" });
  const heading = element("p", { className: "explorer-title" });
  const hint = element("p", { className: "explorer-hint" },
    "A line is as thick as the piece at its end is probable. The coloured way won; where a way stops without an end, it was given up.");
  const node = element("div", {}, picture, hint, heading, list);

  function show(record, beam, alpha) {
    const nodes = placed(record.nodes, record.asked);
    const by = new Map(nodes.map((one) => [one.n, one]));
    const [width, height] = [
      (Math.max(0, ...nodes.map(({ depth }) => depth)) + 1) * COLUMN + 60, (Math.max(0, ...nodes.map(({ line }) => line)) + 1) * LINE + TOP,
    ];
    const svg = drawn("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img" });
    const [x, y] = [(one) => 40 + (one ? one.depth : -1) * COLUMN + 40, (one) => TOP + (one ? one.line : 0) * LINE];
    const edges = nodes.map((one) => {
      const from = by.get(one.parent ?? -1);
      const [ax, ay, bx, by_] = [from ? x(from) : 14, y(from), x(one), y(one)];
      return drawn("path", {
        d: `M${ax} ${ay}C${(ax + bx) / 2} ${ay} ${(ax + bx) / 2} ${by_} ${bx} ${by_}`,
        class: one.best ? "live-won" : "", "stroke-width": String(Math.max(1, 9 * Math.exp(one.logProbability)).toFixed(2)),
      });
    });
    const labels = nodes.map((one) => drawn("text", {
      x: x(one), y: y(one) + 4, "text-anchor": "middle", class: one.best ? "live-won" : one.finished ? "live-end" : "",
    }, shownPiece(one.text)));
    const finished = ended(record.nodes, alpha);
    svg.setAttribute("aria-label",
      `${nodes.length} pieces were tried and kept with a beam of ${beam}. ${finished.length} translations ended.`);
    svg.append(drawn("circle", { cx: 14, cy: TOP, r: 4 }), ...edges, ...labels);
    picture.replaceChildren(svg);
    heading.textContent = finished.length ? "Ended, the best score first" : "Nothing ended";
    list.replaceChildren(...finished.slice(0, 5).map(({ text, total, score }) => {
      const told = element("span", {}, text);
      told.lang = "es";
      return element("li", {}, told, element("small", {}, ` log p ${fixed(total)}, score ${fixed(score)}`));
    }));
  }
  return { node, show };
}
