// Ribbons between chips: as wide as the weight, side by side at the piece that looks.

const LEAST = 0.015; // of a weight that is drawn

/** An element of a drawing, with attributes and, if any, text. */
export function drawn(tag, attributes, text = null) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== null) node.textContent = text;
  return node;
}

const boxOf = (node) => ({
  x: node.offsetLeft, y: node.offsetTop, width: node.offsetWidth, height: node.offsetHeight,
  middle: node.offsetLeft + node.offsetWidth / 2, centre: node.offsetTop + node.offsetHeight / 2,
});

/** The course of a ribbon between two rows or two columns of chips. */
function acrossRows(from, to, offset, upright) {
  if (upright) {
    const [x, y, toX, toY] = [from.x, from.centre + offset, to.x + to.width, to.centre];
    const half = (x + toX) / 2;
    return `M${x} ${y}C${half} ${y} ${half} ${toY} ${toX} ${toY}`;
  }
  const down = from.y > to.y;
  const [x, y, toX, toY] = [from.middle + offset, down ? from.y : from.y + from.height, to.middle, down ? to.y + to.height : to.y];
  const half = (y + toY) / 2;
  return `M${x} ${y}C${x} ${half} ${toX} ${half} ${toX} ${toY}`;
}

/** The course of a ribbon within a row or a column, on its outer side (`side` −1: above or left; 1: below or right). */
function insideRow(from, to, offset, upright, side, room) {
  const own = from === to || (from.x === to.x && from.y === to.y);
  const far = own ? 0.45 * room : Math.min(room, 18 + 0.3 * Math.abs(upright ? from.centre - to.centre : from.middle - to.middle));
  const reach = side * far * 1.33;
  if (upright) {
    const x = side < 0 ? from.x : from.x + from.width;
    const toX = side < 0 ? to.x : to.x + to.width;
    const [y, toY] = own ? [from.centre - 8, from.centre + 8] : [from.centre + offset, to.centre];
    return `M${x} ${y}C${x + reach} ${y} ${toX + reach} ${toY} ${toX} ${toY}`;
  }
  const y = side < 0 ? from.y : from.y + from.height;
  const [x, toX] = own ? [from.middle - 9, from.middle + 9] : [from.middle + offset, to.middle];
  return `M${x} ${y}C${x} ${y + reach} ${toX} ${y + reach} ${toX} ${y}`;
}

/**
 * Ribbons over a stage of chips.
 *
 * `draw(ribbons, { upright, full, room })` shows a list of {key, from, to, weight, strong, side}: the chips that look
 * and are looked at, `side` 0 between rows and −1 or 1 within one. `full` is the width of the weight 1, in pixels. A
 * ribbon of the same key stays the same path, so that it can change its width before the reader's eyes.
 */
export function ribbonsOver() {
  const node = drawn("svg", { class: "live-ribbons", "aria-hidden": "true" });
  const known = new Map();

  function draw(ribbons, { upright, full, room }) {
    const wanted = new Map();
    const used = new Map(); // how much of a chip's edge has been given away
    for (const ribbon of ribbons) {
      const start = used.get(ribbon.from) ?? 0;
      used.set(ribbon.from, start + ribbon.weight);
      if (ribbon.weight >= LEAST) wanted.set(ribbon.key, { ...ribbon, start });
    }
    for (const [key, path] of known) {
      if (wanted.has(key)) continue;
      path.remove();
      known.delete(key);
    }
    for (const [key, { from, to, weight, start, strong, side }] of wanted) {
      const offset = (start + weight / 2 - used.get(from) / 2) * full;
      const ends = [boxOf(from), boxOf(to)];
      const course = side ? insideRow(...ends, offset, upright, side, room) : acrossRows(...ends, offset, upright);
      let path = known.get(key);
      if (!path) {
        path = drawn("path", {});
        path.style.strokeWidth = "0px";
        node.append(path);
        path.getBoundingClientRect(); // so that its width grows from 0
        known.set(key, path);
      }
      path.setAttribute("d", course);
      path.setAttribute("class", strong ? "live-strong" : "");
      path.dataset.weight = String(weight);
      path.style.strokeWidth = `${(weight * full).toFixed(2)}px`;
    }
  }
  return { node, draw };
}
