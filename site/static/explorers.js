// Brings the explorers of a built page to life: it runs their front-end modules (anywidget's format) with no kernel.
//
// An explorer stands in the page as `div.explorer`, holding its words and, as JSON, { esm, css, state }. Each module is
// loaded once however many explorers use it, from a Blob, so that pages opened as files work too.
(() => {
  "use strict";
  const modules = new Map();
  const styles = new Set();

  function moduleOf(text) {
    if (!modules.has(text)) {
      const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
      modules.set(text, import(address).finally(() => URL.revokeObjectURL(address)));
    }
    return modules.get(text);
  }

  function addStyle(text) {
    if (!text || styles.has(text)) return;
    styles.add(text);
    const style = document.createElement("style");
    style.textContent = text;
    document.head.append(style);
  }

  /** What a front-end module expects of a widget's model, over plain values. */
  function modelOf(state) {
    const listeners = new Map();
    const heard = (name) => listeners.get(name) ?? [];
    const tell = (name, ...rest) => heard(name).slice().forEach((listener) => listener(...rest));
    const model = {
      get: (name) => state[name],
      set(name, value) {
        if (Object.is(state[name], value)) return;
        state[name] = value;
        tell(`change:${name}`, model, value);
        tell("change", model);
      },
      save_changes() {},
      on: (name, listener) => void listeners.set(name, [...heard(name), listener]),
      off(name, listener) {
        if (!name) listeners.clear();
        else listeners.set(name, listener ? heard(name).filter((one) => one !== listener) : []);
      },
      send() {
        throw new Error("this page has no kernel to send a message to");
      },
    };
    return model;
  }

  function sayItFailed(box, error) {
    const paragraph = document.createElement("p");
    paragraph.setAttribute("role", "alert");
    paragraph.className = "explorer-error";
    paragraph.textContent =
      "This explorer could not start, so its numbers cannot be changed here; what is said above holds. " +
      `Reloading the page may help. The browser says: ${error}`;
    box.querySelector(".explorer-waits")?.remove();
    box.append(paragraph);
  }

  async function start(box) {
    const stage = document.createElement("div");
    try {
      const { esm, css, state } = JSON.parse(box.querySelector("script[type='application/json']").textContent);
      const exported = (await moduleOf(esm)).default;
      const widget = typeof exported === "function" ? await exported() : exported;
      const model = modelOf(state);
      const { signal } = new AbortController();
      addStyle(css);
      box.append(stage); // in the page, so that a module may measure itself
      await widget.initialize?.({ model, signal });
      await widget.render?.({ model, el: stage, signal });
      box.replaceChildren(stage);
      box.dataset.explorer = "ready";
    } catch (error) {
      stage.remove();
      sayItFailed(box, error);
      box.dataset.explorer = "failed";
    }
  }

  const startAll = () => document.querySelectorAll("div.explorer:not([data-explorer])").forEach((box) => {
    box.dataset.explorer = "starting";
    start(box);
  });
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", startAll);
  else startAll();
})();
