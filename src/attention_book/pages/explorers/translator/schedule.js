// The learning rate by step: choose a warm-up, a peak and a shape, and look at any moment of the run.

import { fixed, sum } from "../arithmetic.js";
import { button, choice, element, group, slider } from "../parts.js";
import { live, texts } from "../live.js";

const TRAITS = ["shape", "warm_up", "peak", "moment"];
const RUN = 20000; // the numbers and lists of schedule.py
const POINTS = 1000;
const WARM_UPS = [0.5, 1, 2, 4, 8, 16, 32, 64];
const PEAKS = [0.125, 0.25, 0.5, 1, 2, 4];
const SHAPES = [["cosine", "half a cosine (this book)"], ["paper", "square root (the paper)"]];

const warmSteps = ({ warm_up }) => Math.round((RUN * warm_up) / 100);

/** The rate at a step, in thousandths; 0 before the first. */
export function rate(state, step) {
  const warm = warmSteps(state);
  if (step === 0) return 0;
  if (step < warm) return (state.peak * step) / warm;
  if (state.shape === "paper") return state.peak * Math.sqrt(warm / step);
  return 0.5 * state.peak * (1 + Math.cos((Math.PI * (step - warm)) / (RUN - warm)));
}

/** Everything that the figure shows, from the state of the model. */
export function computed(state) {
  const rates = Array.from({ length: POINTS }, (_, n) => rate(state, (RUN / POINTS) * (n + 1)));
  const every = Array.from({ length: RUN }, (_, n) => rate(state, n + 1));
  const step = (RUN / 100) * state.moment;
  return {
    ...state, rates, step, now: rate(state, step), warm: warmSteps(state),
    mean: sum(rates) / POINTS, left: sum(every.slice(step)) / sum(every),
  };
}

/** The whole figure in words; schedule.py says the same where there is no JavaScript. */
export function inWords({ shape, peak, moment, step, now, warm, mean, left }) {
  const falls = { cosine: "along half a cosine to 0", paper: "with the square root of the step" }[shape];
  return (
    `Over ${RUN} steps the learning rate rises to ${fixed(peak)} × 0.001 within ${warm} steps, and then falls ` +
    `${falls}. After ${moment} % of the run, at step ${step}, it is ${fixed(now)} × 0.001. On average over the run it ` +
    `is ${fixed(mean)} × 0.001. After this moment come ${fixed(100 * left)} % of all the rates of the run, added up.`
  );
}

/** One sentence for the announcement after a change. */
export const summary = ({ step, now, left }) =>
  `At step ${step} the rate is ${fixed(now)} × 0.001; ${fixed(100 * left)} % of all rates are to come.`;

function drawn(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** The rate against the step; what is to come after the moment is shaded. The height is that of the largest peak shown. */
function curve({ rates, step, now, peak, moment }) {
  const high = Math.max(1, peak);
  const x = (at) => 52 + (540 * at) / RUN;
  const y = (value) => 14 + (126 * (high - value)) / high;
  const points = [[0, 0], ...rates.map((value, n) => [(RUN / POINTS) * (n + 1), value])];
  const line = (some) => some.map(([at, value], n) => `${n ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  const rest = points.slice((POINTS / 100) * moment);
  const area = `${line(rest)}L${x(RUN)} ${y(0)}L${x(step)} ${y(0)}Z`;
  const label = (text, at, height, anchor) => drawn("text", { x: at, y: height, "text-anchor": anchor }, text);
  const said = `Learning rate in thousandths against the step, 0 to ${RUN}; ${fixed(now)} at step ${step}, up to ${fixed(peak)}.`;
  return drawn("svg", { viewBox: "0 0 610 182", role: "img", class: "explorer-curve", "aria-label": said },
    drawn("path", { d: area, fill: "currentColor", opacity: "0.18" }),
    drawn("line", { x1: x(0), x2: x(RUN), y1: y(0), y2: y(0), class: "explorer-face" }),
    drawn("path", { d: line(points), class: "explorer-hand" }),
    drawn("line", { x1: x(step), x2: x(step), y1: 10, y2: 142, class: "explorer-face", "stroke-dasharray": "3 3" }),
    drawn("circle", { cx: x(step), cy: y(now), r: 5, class: "explorer-dot" }),
    label(String(high), 44, y(high) + 5, "end"), label("0", 44, y(0) + 5, "end"),
    ...[0, 5000, 10000, 15000].map((at) => label(String(at), x(at), 160, "middle")),
    label("20000", x(RUN), 160, "end"), label("step", x(RUN / 2), 178, "middle"));
}

function build({ el, read, send, restart }) {
  let view = computed(read());
  const { words, news, announce } = texts(() => summary(view));
  const plot = element("div", {});
  const moved = (label, trait, stops, unit) =>
    slider({
      label, stops, value: view[trait], text: (value) => `${value} ${unit}`,
      changed: (value) => send({ [trait]: value }), settled: () => announce(""),
    });
  const controls = {
    shape: choice({
      label: "After the peak:", options: SHAPES, value: view.shape,
      changed: (shape) => {
        send({ shape });
        announce(`Now ${Object.fromEntries(SHAPES)[shape]}.`);
      },
    }),
    warm_up: moved("warm-up", "warm_up", WARM_UPS, "% of the run"),
    peak: moved("peak", "peak", PEAKS, "× 0.001"),
    moment: moved("moment", "moment", Array.from({ length: 101 }, (_, n) => n), "% of the run"),
  };
  const again = button("Start again", () => {
    restart();
    announce("Back to the start.");
  });
  el.replaceChildren(
    group("Schedule", controls.shape.node, controls.warm_up.node, controls.peak.node, again),
    plot,
    group("A moment of the run", controls.moment.node),
    element("p", { className: "explorer-hint" }, "The shaded area is what is still to come after the moment."),
    news,
    words,
  );
  return () => {
    view = computed(read());
    for (const trait of TRAITS) controls[trait].show(view[trait]);
    plot.replaceChildren(curve(view));
    words.textContent = inWords(view);
  };
}

export default { render: (page) => live(page, TRAITS, build) };
