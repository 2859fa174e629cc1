// The upper part of the live translator: a field, the translation under it, examples, and the offer to load.

import { button, element, freshId } from "../parts.js";

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

/**
 * The parts: `asked(text)` is called for a sentence that was typed or picked, `load()` when the translator is wanted.
 *
 * `offer(why)` shows the offer to load, with the reason; `progress(loaded, total)` and `done()` what becomes of it.
 */
export function asking({ examples, text, bytes, asked, load }) {
  const id = freshId("sentence");
  const field = element("input", {
    type: "text", id, className: "live-field", value: text, autocomplete: "off", spellcheck: false, lang: "en",
    placeholder: "An English sentence",
    onkeydown: (event) => { // in JupyterLab, this key submits no form
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      asked(field.value);
    },
  });
  const form = element("form", {
    className: "live-ask", onsubmit: (event) => {
      event.preventDefault();
      asked(field.value);
    },
  }, element("label", { for: id }, "English"), field, element("button", { type: "submit", className: "live-main" }, "Translate"));
  const written = element("span");
  const coming = element("span", { className: "live-coming", "aria-hidden": "true" });
  const result = element("p", { className: "live-result", lang: "es" }, written, coming);
  const answer = element("div", { className: "live-answer" }, element("span", { className: "live-label" }, "Spanish"), result);
  const presets = examples.map((one) => button(one, () => {
    field.value = one;
    asked(one);
  }, { lang: "en" }));
  const picks = element("div", { className: "live-picks", role: "group", "aria-label": "Examples" },
    element("span", {}, "Examples:"), ...presets);
  const why = element("span", { role: "status", "aria-live": "polite" });
  const loader = button(`Load the translator, ${megabytes(bytes)}`, () => load(), { className: "live-load-button" });
  const bar = element("progress", { max: 1, value: 0, hidden: true, "aria-label": "Loading the translator" });
  const offer = element("div", { className: "live-offer" }, why, " ", loader, bar);
  const problem = element("p", { className: "live-problem", role: "alert" });
  return {
    node: element("div", { className: "live-asking" }, form, answer, picks, offer, problem),
    field,
    /** Show how much is written; what is not yet keeps its place unseen, so that nothing moves when it comes. */
    write(text, rest, whole) {
      written.textContent = text;
      coming.textContent = rest;
      result.dataset.whole = String(whole);
    },
    /** Which sentence is shown below, if any. */
    picked: (text) => presets.forEach((one, i) => one.setAttribute("aria-pressed", String(examples[i] === text))),
    say: (text) => (problem.textContent = text),
    offer(reason, urgent = false) {
      why.textContent = reason;
      offer.classList.toggle("live-urgent", urgent);
      if (urgent) loader.focus({ preventScroll: true });
    },
    progress(loaded, total) {
      loader.hidden = true;
      bar.hidden = false;
      bar.value = total > 0 ? loaded / total : 0;
      why.textContent = loaded < total ? `Loading: ${megabytes(loaded)} of ${megabytes(total)}.` : "Loaded. It is starting.";
    },
    failed(reason) {
      loader.hidden = false;
      bar.hidden = true;
      why.textContent = reason;
    },
    done(reason) {
      loader.hidden = true;
      bar.hidden = true;
      offer.classList.remove("live-urgent");
      why.textContent = reason;
    },
  };
}
