// The player: back, play, forward, and a slider over all frames.

import { button, element, group, stepTo } from "../parts.js";

/** How long a frame stays, in milliseconds: a long translation is played faster. */
export function pauseAfter(frame, steps) {
  if (frame.phase === "pieces") return 1000;
  if (frame.phase === "encoder") return 900;
  return Math.max(300, Math.min(1400, 16000 / steps));
}

/**
 * Buttons and a slider over `count` frames. `go(frame)` is called when the reader goes somewhere, `play()` and `pause()`
 * by the button that has both names.
 */
export function playerOf({ go, play, pause, told }) {
  let [at, count, playing] = [0, 1, false];
  const onkeydown = (event) => {
    const to = stepTo(event, at, count);
    if (to !== null) go(to);
  };
  const back = button("◀ Back", () => go(Math.max(0, at - 1)), { onkeydown });
  const forward = button("Forward ▶", () => go(Math.min(count - 1, at + 1)), { onkeydown });
  const main = button("Play", () => (playing ? pause() : play()), { className: "live-main" });
  const slide = element("input", {
    type: "range", min: "0", step: "1", className: "live-slide", "aria-label": "How far the translation is",
    oninput: () => go(Number(slide.value)),
  });
  const node = group("Walk through the translation", back, main, forward, slide);
  node.classList.add("live-player");
  return {
    node,
    focus: () => main.focus({ preventScroll: true }),
    show(now, frames, runs) {
      [at, count, playing] = [now, frames, runs];
      slide.max = String(frames - 1);
      slide.value = String(now);
      slide.setAttribute("aria-valuetext", told());
      main.textContent = runs ? "Pause" : now === frames - 1 ? "Play again" : "Play";
      back.setAttribute("aria-disabled", String(now === 0));
      forward.setAttribute("aria-disabled", String(now === frames - 1));
    },
  };
}
