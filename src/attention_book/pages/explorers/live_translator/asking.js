// The upper part of the live translator: a field, examples, the offer to load, and the address of a sentence.

import { button, element, freshId } from "../parts.js";

const MARK = "#translate=";
const LONGEST_IN_ADDRESS = 1000;

/** The sentence in an address, or null: whatever cannot be decoded is none, and nothing of it is more than text. */
export function sentenceIn(hash) {
  if (!hash.startsWith(MARK)) return null;
  try {
    const text = decodeURIComponent(hash.slice(MARK.length)).replace(/\p{Cc}/gu, " ").trim();
    return text ? text.slice(0, LONGEST_IN_ADDRESS) : null;
  } catch {
    return null;
  }
}

/** The address of this page with a sentence in it. */
export function addressOf(text, page) {
  const whole = text.slice(0, LONGEST_IN_ADDRESS).replace(/\p{Cs}/gu, ""); // half a surrogate pair has no address
  return `${page.split("#")[0]}${MARK}${encodeURIComponent(whole)}`;
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

/**
 * The parts: `asked(text)` is called for a sentence that was typed or picked, `load()` when the translator is wanted.
 *
 * `needs(why)` shows the offer to load, with the reason; `progress(loaded, total)` and `done()` what becomes of it.
 */
export function asking({ examples, text, bytes, asked, load }) {
  const id = freshId("sentence");
  const field = element("input", {
    type: "text", id, className: "live-field", value: text, autocomplete: "off", spellcheck: false, lang: "en",
    placeholder: "An English sentence",
  });
  const form = element("form", {
    className: "live-ask", onsubmit: (event) => {
      event.preventDefault();
      asked(field.value);
    },
  }, element("label", { for: id }, "English"), field, element("button", { type: "submit", className: "live-main" }, "Translate"));
  const picks = element("div", { className: "live-picks", role: "group", "aria-label": "Examples" },
    element("span", {}, "Examples:"),
    ...examples.map((one) => button(one, () => {
      field.value = one;
      asked(one);
    }, { lang: "en" })));
  const why = element("span", { role: "status", "aria-live": "polite" });
  const loader = button(`Load the translator, ${megabytes(bytes)}`, () => load(), { className: "live-load-button" });
  const bar = element("progress", { max: 1, value: 0, hidden: true, "aria-label": "Loading the translator" });
  const offer = element("div", { className: "live-offer" }, why, " ", loader, bar);
  const problem = element("p", { className: "live-problem", role: "alert" });
  return {
    node: element("div", { className: "live-asking" }, form, picks, offer, problem),
    field,
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
