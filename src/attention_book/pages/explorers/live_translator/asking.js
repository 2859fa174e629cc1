// The upper part of the live translator: a field, the translation under it, and examples.

import { button, element, freshId } from "../parts.js";

/**
 * The parts: `asked(text)` is called for a sentence that was typed or picked. `offer` stands where the translation is
 * missing, `idle` under the examples, which are in `more`, a node of its own.
 */
export function asking({ examples, text, asked, offer, idle }) {
  const id = freshId("sentence");
  const ask = () => asked(field.value.replace(/\s*\n\s*/g, " ").trim());
  const field = element("textarea", {
    id, className: "live-field", value: text, rows: 1, autocomplete: "off", spellcheck: false, lang: "en",
    placeholder: "An English sentence", enterKeyHint: "go",
    oninput: () => grow(),
    onkeydown: (event) => { // in JupyterLab, this key submits no form
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      ask();
    },
    onbeforeinput: (event) => { // some keyboards of phones tell no key
      if (event.inputType !== "insertLineBreak" || event.isComposing) return;
      event.preventDefault();
      ask();
    },
  });
  /** As high as what stands in it. */
  function grow() {
    field.style.height = "auto";
    const [inside, edges] = [field.scrollHeight, field.offsetHeight - field.clientHeight];
    field.style.height = inside > 0 ? `${inside + edges}px` : "";
  }
  let wide = 0;
  const watcher = new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width === wide) return;
    wide = contentRect.width;
    grow();
  });
  watcher.observe(field);
  const show = (now) => {
    field.value = now;
    grow();
  };
  const form = element("form", {
    className: "live-ask", onsubmit: (event) => {
      event.preventDefault();
      ask();
    },
  }, element("label", { for: id }, "English"), field, element("button", { type: "submit", className: "live-main" }, "Translate"));
  const written = element("span");
  const coming = element("span", { className: "live-coming", "aria-hidden": "true" });
  const result = element("p", { className: "live-result", lang: "es" }, written, coming);
  const answer = element("div", { className: "live-answer" }, element("span", { className: "live-label" }, "Spanish"), result, offer);
  const presets = examples.map((one) => button(one, () => {
    show(one);
    asked(one);
  }, { lang: "en" }));
  const picks = element("div", { className: "live-picks", role: "group", "aria-label": "Examples" },
    element("span", {}, "Examples:"), ...presets);
  const loaded = element("p", { className: "live-loaded" });
  const problem = element("p", { className: "live-problem", role: "alert" });
  return {
    node: element("div", { className: "live-asking" }, form, answer, problem),
    more: element("div", { className: "live-more" }, picks, idle, loaded),
    field,
    show,
    /** Show how much is written; what is not yet keeps its place unseen, so that nothing moves when it comes. */
    write(text, rest, whole) {
      written.textContent = text;
      coming.textContent = rest;
      result.dataset.whole = String(whole);
    },
    /** Which sentence is shown below, if any. */
    picked: (text) => presets.forEach((one, i) => one.setAttribute("aria-pressed", String(examples[i] === text))),
    say: (text) => (problem.textContent = text),
    loaded: (text) => (loaded.textContent = text),
    end: () => watcher.disconnect(),
  };
}
