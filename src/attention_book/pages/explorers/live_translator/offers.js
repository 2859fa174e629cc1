// The offer to load the translator, at each place where a reader may find that it is needed.

import { button, element } from "../parts.js";

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

/**
 * Offers to load `bytes`: `at(place)` is the one of a place, a name; `load()` is called when one is taken.
 *
 * `show(reasons)` shows those that have a reason, {place: text}; what becomes of the load is told in place of the reason
 * by `progress(loaded, total)` and `failed(why)`, until `done()`, which leaves reasons alone. `focused()` is the place
 * whose button has the focus, if any.
 */
export function offersOf({ bytes, load }) {
  const known = new Map();
  let reasons = {};
  let [said, share, over] = ["", null, bytes === 0];

  function draw() {
    for (const [place, { node, why, loader, bar }] of known) {
      const reason = reasons[place] ?? "";
      why.textContent = reason && (said || reason);
      node.hidden = !reason;
      loader.hidden = over;
      loader.textContent = share === null ? `Load the translator, ${megabytes(bytes)}` : "Loading…";
      loader.setAttribute("aria-disabled", String(share !== null)); // it keeps the focus
      bar.hidden = over || share === null;
      bar.value = share ?? 0;
    }
  }
  return {
    at(place, className = "live-urgent") {
      const why = element("span");
      const loader = button("", () => share === null && load(), { className: "live-load-button" });
      const bar = element("progress", { max: 1, "aria-label": "Loading the translator" });
      const node = element("div", { className: `live-offer ${className}` }, why, " ", loader, bar);
      known.set(place, { node, why, loader, bar });
      draw();
      return node;
    },
    show(now) {
      if (JSON.stringify(now) !== JSON.stringify(reasons) && share === null) said = "";
      reasons = now;
      draw();
    },
    progress(loaded, total) {
      share = total > 0 ? loaded / total : 0;
      said = loaded < total ? `Loading: ${megabytes(loaded)} of ${megabytes(total)}.` : "Loaded. It is starting.";
      draw();
    },
    failed(why) {
      [said, share] = [why, null];
      draw();
    },
    done() {
      [said, share, over] = ["", null, true];
      draw();
    },
    focused: () => [...known].find(([, { node }]) => node.contains(document.activeElement))?.[0],
    focus: (place) => known.get(place).loader.focus({ preventScroll: true }),
  };
}
