// The stage: English chips, Spanish chips, the ribbons between them, and the pieces that may come next.

import { element, stepTo } from "../parts.js";
import { chipBox } from "./chips.js";
import { goesOn, percent, shownPiece, weightsOf } from "./record.js";
import { ribbonsOver } from "./ribbons.js";

const NEXT = 5; // candidates shown
const APART = 12; // pixels between the arcs of one row and the chips of the other
const WALK = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 };

/**
 * A stage. `stepChosen(step)` is called for a Spanish chip, `nextChosen(step, id)` for a candidate. `pointedAt(where)` is
 * called when a chip is pointed at, with {chip, use, layer, head}, or null. `under` stands under the rows.
 *
 * `show(view)` takes {record, frame, seen, use, layer, head, forced, wanted}: the frame of `framesOf`, and how many
 * pieces have been seen already; they stay, faintly, when an earlier step is looked at. `wanted` is a beginning, in ids,
 * that was chosen and is not yet followed, if any. `node` has the rows, `next` the pieces that may come next.
 */
export function stageOf({ stepChosen, nextChosen, pointedAt, under }) {
  const ribbons = ribbonsOver();
  const box = chipBox((chip) => chip.live.pressed());
  const line = (name, label, role, language) => {
    const row = element("ol", { className: `live-row live-${name}`, "aria-label": `${label} pieces` });
    const title = element("p", { className: "live-label" }, `${label} `, element("span", { className: `role-${role}` }, ""));
    row.lang = language;
    return { row, title, node: element("div", { className: "live-line" }, title, row) };
  };
  const [source, target] = [line("source", "English", "key", "en"), line("target", "Spanish", "query", "es")];
  const rows = element("div", { className: "live-rows" }, ribbons.node, source.node, target.node);
  const title = element("p", { className: "live-label" });
  const list = element("ol", { className: "live-candidates" });
  const next = element("div", { className: "live-next" }, title, list);
  const node = element("div", { className: "live-stage" }, rows, under);
  let [view, pointed, laid, filling] = [null, null, null, false]; // chips that are moved lose the focus meanwhile

  const item = (content, name = "") => element("li", { className: name }, content);

  /** A chip in a row: it is pressed and pointed at, and the arrow keys lead to its neighbours. */
  function chipAt(row, i, key, text, pressed) {
    const chip = box.chip(key, text, row === target ? "es" : "en");
    chip.removeAttribute("aria-pressed");
    const point = (to) => {
      if (filling) return;
      pointed = to;
      drawRibbons();
      pointedAt(to && view.frame.phase !== "pieces" ? { chip: { of: row === source ? "source" : "target", i }, ...shownUse() } : null);
    };
    const look = () => point({ row, i });
    chip.live = { pressed: pressed ?? look }; // a finger has no way to point
    chip.onpointerenter = look;
    chip.onfocus = () => {
      look();
      for (const one of row.row.querySelectorAll("button:enabled")) one.tabIndex = one === chip ? 0 : -1;
    };
    chip.onpointerleave = chip.onblur = () => point(null);
    chip.onkeydown = (event) => {
      const all = [...row.row.querySelectorAll("button:enabled")];
      const to = stepTo(event, all.indexOf(chip), all.length, WALK);
      if (to !== null) all[to].focus();
    };
    return chip;
  }

  const keyOf = (record, step, id) => `${record.asked.slice(0, step).map((one) => one.id).join(" ")}|${id}`;

  function fill() {
    const { record, frame, seen, forced } = view;
    const step = frame.phase === "step" ? frame.step : frame.phase === "done" ? record.asked.length : 0;
    source.row.replaceChildren(...record.keys.map((text, i) => {
      const joined = i > 0 && goesOn(text);
      return item(chipAt(source, i, `source ${i} ${text}`, text), joined ? "live-tight" : "");
    }));
    const begin = item(box.chip("start", "<s>", "es"), "");
    begin.firstChild.disabled = true; // nobody wrote it
    target.row.replaceChildren(begin, ...record.asked.map(({ id, text }, t) => {
      const tight = t > 0 && goesOn(text) ? "live-tight" : "";
      if (t < Math.max(step, seen)) {
        const chip = chipAt(target, t, keyOf(record, t, id), text, () => stepChosen(t));
        chip.classList.toggle("live-later", t > step);
        chip.classList.toggle("live-forced", t < forced);
        chip.setAttribute("aria-label", `${shownPiece(text)}${t < forced ? ", chosen by you" : ""}`);
        if (frame.phase === "step" && t === step) chip.setAttribute("aria-current", "step");
        else chip.removeAttribute("aria-current");
        return item(chip, `${tight} ${frame.phase === "step" && t === step ? "live-now" : ""}`);
      }
      const now = frame.phase === "step" && t === step;
      const slot = element("span", { className: `live-slot${now ? " live-open" : ""}${text.startsWith("<") ? " live-small" : ""}`, "aria-hidden": "true" },
        element("span", {}, shownPiece(text)));
      return item(slot, `${tight} ${now ? "live-now" : ""}`);
    }));
    for (const { row } of [source, target]) {
      const all = [...row.querySelectorAll("button:enabled")];
      const stop = all.find((one) => one === document.activeElement) ?? row.querySelector("[aria-current]") ?? all[0];
      all.forEach((one) => (one.tabIndex = one === stop ? 0 : -1));
    }
    fillNext(step);
  }

  function fillNext(step) {
    const { record, frame, seen, wanted } = view;
    const asking = frame.phase === "step";
    next.hidden = !asking;
    const { candidates } = record.steps[Math.min(step, record.steps.length - 1)];
    const taken = record.asked[step]?.id;
    title.textContent = asking ? "Which piece comes next? Choose another one to see what follows." : "";
    const shown = candidates.slice(0, NEXT);
    if (asking && !shown.some(({ id }) => id === taken)) {
      shown.push(candidates.find(({ id }) => id === taken) ?? { ...record.asked[step], probability: null });
    }
    list.replaceChildren(...(asking ? shown : []).map(({ id, text, probability }) => {
      const own = id === taken;
      const key = keyOf(record, step, id);
      const chip = box.chip(own && step < seen ? `${key} again` : key, text, "es");
      const told = probability === null ? "less" : percent(probability);
      chip.live = { pressed: () => nextChosen(step, id) };
      chip.classList.remove("live-later", "live-forced");
      if (wanted?.length === step + 1 && wanted[step] === id) chip.setAttribute("aria-pressed", "true");
      else chip.removeAttribute("aria-pressed");
      chip.tabIndex = 0;
      chip.onpointerenter = chip.onpointerleave = chip.onfocus = chip.onblur = chip.onkeydown = null;
      chip.setAttribute("aria-label", `${shownPiece(text)}, ${told}${own ? ", taken" : ""}`);
      const bar = element("span", { className: "live-bar", "aria-hidden": "true" });
      bar.style.setProperty("--share", String(probability ?? 0));
      const number = element("span", { className: "live-share", "aria-hidden": "true" }, told);
      return element("li", { className: own ? "live-taken" : "" }, chip, bar, number);
    }));
  }

  /** The use and the layer that a frame shows: the encoder's own while it runs. */
  function shownUse() {
    const { frame, use, layer, head } = view;
    if (frame.phase === "encoder") return { use: "encoder", layer: frame.layer, head: use === "encoder" ? head : -1 };
    return { use, layer, head };
  }

  function drawRibbons() {
    if (!view || !node.isConnected) return;
    const { record, frame, seen } = view;
    const { use, layer, head } = shownUse();
    const drawing = [];
    if (frame.phase !== "pieces") {
      const step = frame.phase === "step" ? frame.step : -1;
      const [sources, targets] = [source, target].map(({ row }) => [...row.children].map((one) => one.firstChild));
      const [from, to] = { cross: [targets.slice(1), sources], self: [targets.slice(1), targets], encoder: [sources, sources] }[use];
      const side = { cross: 0, self: -1, encoder: 1 }[use];
      const looking = use === "encoder" ? source : target;
      weightsOf(record, use, layer, head).forEach((row, i) => {
        if (use !== "encoder" && i > Math.max(step, seen - 1)) return;
        Array.from(row).forEach((weight, j) => {
          const byRow = pointed && pointed.row === looking ? pointed.i === i : !pointed && (use === "encoder" ? null : step === i);
          const byKey = pointed && pointed.row === source && use === "cross" ? pointed.i === j : false;
          const strong = byRow === null ? false : byRow || byKey;
          drawing.push({ key: `${use} ${i} ${j}`, from: from[i], to: to[j], weight, strong, side });
        });
      });
    }
    node.dataset.dimmed = String(Boolean(pointed) || (frame.phase === "step" && use !== "encoder"));
    const [a, b] = [source.row, target.row];
    const gap = laid ? b.offsetLeft - a.offsetLeft - a.offsetWidth : b.offsetTop - a.offsetTop - a.offsetHeight;
    const full = laid ? 20 : rows.classList.contains("live-large") ? 32 : 26;
    ribbons.draw(drawing, { upright: laid, full, room: gap - APART });
  }

  /** Rows as large as they fit, and columns if they do not. */
  function lay() {
    if (!node.isConnected || !view) return;
    const tooWide = () => [source, target].some(({ row }) => row.offsetWidth > rows.clientWidth);
    rows.classList.remove("live-upright", "live-large", "live-compact");
    rows.classList.add("live-large");
    if (tooWide()) rows.classList.remove("live-large");
    if (tooWide()) rows.classList.add("live-compact");
    laid = tooWide();
    if (laid) rows.classList.remove("live-compact");
    rows.classList.toggle("live-upright", laid);
    drawRibbons();
  }

  function show(now) {
    const other = view?.record !== now.record;
    view = now;
    pointed = null;
    filling = true;
    box.moving(() => {
      fill();
      if (other) lay();
    });
    filling = false;
    const { use } = shownUse();
    node.dataset.use = use;
    source.title.lastChild.textContent = use === "self" ? "" : use === "encoder" ? "(queries and keys)" : "(keys)";
    target.title.lastChild.textContent = use === "encoder" ? "" : use === "self" ? "(queries and keys)" : "(queries)";
    drawRibbons();
  }
  const watcher = new ResizeObserver(lay);
  watcher.observe(node);
  return { node, next, show, end: () => watcher.disconnect() };
}
