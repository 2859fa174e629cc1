// How an explorer lives: it reads the traits of its model and follows them, says what changed, and explains numbers.

import { element, freshId } from "./parts.js";

/**
 * Run an explorer that reads these traits; what `render` of its module does.
 *
 * `build({ el, read, send, restart })` fills `el` and returns a function `update()`, which is called at once and after
 * each change of a trait. When `shape(state)` has changed, the explorer is built anew. `read()` returns the state, all
 * traits by name; `send(changes)` sets some; `restart()` sets all but those in `stay` to what they were at the start.
 * Returns what ends it; the end of `signal` does so too.
 */
export function live({ model, el, signal }, traits, build, { shape = () => null, stay = [] } = {}) {
  const read = () => Object.fromEntries(traits.map((name) => [name, model.get(name)]));
  const initial = structuredClone(read());
  for (const name of stay) delete initial[name];
  const send = (changes) => {
    for (const [name, value] of Object.entries(changes)) model.set(name, value);
    model.save_changes();
  };
  const restart = () => send(structuredClone(initial));
  let update = null;
  let built;
  const show = () => {
    const now = shape(read());
    if (update === null || now !== built) update = build({ el, read, send, restart });
    built = now;
    update();
  };
  let waiting = false;
  const follow = () => {
    // A kernel sends several traits one after the other: look at them when all have come.
    if (waiting) return;
    waiting = true;
    queueMicrotask(() => {
      waiting = false;
      show();
    });
  };
  el.classList.add("explorer-body");
  show();
  const events = traits.map((name) => `change:${name}`);
  events.forEach((event) => model.on(event, follow));
  const stop = () => events.forEach((event) => model.off(event, follow));
  signal?.addEventListener("abort", stop);
  return stop;
}

/**
 * The two texts of an explorer: `words` says all that it shows, `news` is read aloud when it changes.
 *
 * `announce(what)` puts `what` into the news, and `summary()` after it. A change is followed in a microtask (see
 * `live`), and the summary is made after that.
 */
export function texts(summary = () => "") {
  const words = element("p", { className: "explorer-words" });
  const news = element("p", { className: "explorer-news", role: "status", "aria-live": "polite" });
  const announce = (what) => queueMicrotask(() => (news.textContent = `${what} ${summary()}`.trim()));
  return { words, news, announce };
}

/** A panel that says how a number comes about: `show(title, parts)`: a text, or parts [text, role] of one. */
export function workingPanel() {
  const node = element("p", { className: "explorer-working", id: freshId("working") });
  const span = ([text, role]) => element("span", role ? { className: `role-${role}` } : {}, text);
  const show = (title, told) =>
    node.replaceChildren(element("strong", {}, `${title}: `), ...(typeof told === "string" ? [told] : told.map(span)));
  return { node, show };
}

/**
 * A panel on the number that is looked at in some grids: the one pointed at, or else the one focused last.
 *
 * A number's place is the names that `over(…)` was given for its grid, then its row and column. `told(...place)` is
 * what `show` of `workingPanel` takes, `cell(...place)` its cell, and `made(...place)` the places that it is made of:
 * all of these cells are marked. Call `begin(...place)` first, and `show()` after each change.
 */
export function explainer({ told, cell, made = () => [] }) {
  const panel = workingPanel();
  let [looked, chosen, marked] = [null, null, []];
  const show = () => {
    panel.show(...told(...looked));
    marked.forEach((one) => one.classList.remove("explorer-part", "explorer-looked"));
    const parts = made(...looked).map((place) => cell(...place));
    parts.forEach((one) => one.classList.add("explorer-part"));
    cell(...looked).classList.add("explorer-looked");
    marked = [...parts, cell(...looked)];
  };
  return {
    node: panel.node,
    show,
    begin: (...place) => (looked = chosen = place),
    /** What a grid wants to know of this panel. */
    over: (...names) => ({
      describedBy: panel.node.id,
      looked: (i, j, stays) => {
        looked = [...names, i, j];
        if (stays) chosen = looked;
        show();
      },
      left: () => {
        looked = chosen;
        show();
      },
    }),
  };
}
