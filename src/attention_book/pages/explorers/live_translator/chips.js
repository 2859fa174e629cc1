// Chips that stay the same when they move: a piece that is chosen flies from the list of candidates to its place.

import { element } from "../parts.js";
import { goesOn, shownPiece } from "./record.js";

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Chips by key: `chip(key, text)` gives the one of this key, and makes it if there is none. */
export function chipBox(pressed) {
  const known = new Map();
  let fresh = new Set();

  function chip(key, text, language) {
    fresh.add(key);
    let node = known.get(key);
    if (!node) {
      node = element("button", { type: "button", className: "live-chip", onclick: () => pressed(node) });
      node.lang = language;
      known.set(key, node);
    }
    node.textContent = shownPiece(text);
    node.classList.toggle("live-mark", text.startsWith("<"));
    node.classList.toggle("live-joined", goesOn(text));
    return node;
  }

  /** Change the page by `change()`, and let each chip that is elsewhere afterwards go there. */
  function moving(change) {
    const before = new Map();
    for (const node of known.values()) if (node.isConnected) before.set(node, node.getBoundingClientRect());
    const focused = document.activeElement;
    fresh = new Set();
    change();
    for (const [key, node] of known) if (!fresh.has(key)) {
      known.delete(key);
      node.remove();
    }
    if (focused !== document.activeElement && focused.isConnected && before.has(focused)) focused.focus({ preventScroll: true });
    if (still()) return;
    for (const node of known.values()) {
      const [from, to] = [before.get(node), node.getBoundingClientRect()];
      if (!from) {
        node.animate?.([{ opacity: 0 }, { opacity: 1 }], { duration: 200 });
        continue;
      }
      const [x, y] = [from.left - to.left, from.top - to.top];
      if (Math.abs(x) + Math.abs(y) < 1) continue;
      node.animate?.([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], { duration: 420, easing: "ease-in-out" });
    }
  }
  return { chip, moving };
}
