// The engine's side of the conversation with `client.js`: it runs in a worker, so that the page stays quick meanwhile.

import { Engine } from "./engine.js";

let engine = null;
const cancelled = new Set(); // the numbers of calls that nobody waits for any more

/** Let waiting messages come in. A timer would wait four milliseconds each time. */
const { port1, port2 } = new MessageChannel();
const breath = () =>
  new Promise((resolve) => {
    port1.onmessage = resolve;
    port2.postMessage(null);
  });

const CALLS = {
  load(buffer) {
    engine = new Engine(buffer);
    return { config: engine.config, vocabularySize: engine.tokenizer.size };
  },
  read: (text, options) => engine.read(text, options),
  begin: (options) => engine.begin(options),
  step: (options) => engine.step(options),
  translate: (options) => engine.translate(options),
  translateText: (text, options) => engine.translateText(text, options),
};

async function answer({ number, name, given }) {
  if (engine === null && name !== "load") throw new Error("The translator is not loaded yet.");
  const result = CALLS[name](...given);
  if (typeof result?.next !== "function") return result;
  for (;;) {
    const { done, value } = result.next();
    if (done) return value;
    await breath();
    if (cancelled.has(number)) return null;
  }
}

// One call after the other: what a step finds belongs to the sentence that was begun before it.
let turn = Promise.resolve();
self.onmessage = ({ data }) => {
  if (data.name === "cancel") {
    data.given.forEach((number) => cancelled.add(number));
    return;
  }
  turn = turn.then(async () => {
    const { number } = data;
    try {
      await breath();
      const result = cancelled.has(number) ? null : await answer(data);
      self.postMessage({ number, result });
    } catch (error) {
      self.postMessage({ number, problem: error.message });
    }
    cancelled.delete(number);
  });
};
