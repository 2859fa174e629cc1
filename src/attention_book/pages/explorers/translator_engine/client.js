// The page's side of the translator: it brings the weights, starts the worker, and asks it.

const WHERE_PARTS_COME = "attentionBookWeights"; // the scripts of a page that was opened as a file put their parts here

/**
 * A translator that runs in a worker. Nothing is fetched before `load`.
 *
 * `weights` says where the file of the translator is, { address, bytes, scripts }, and `source` is the text of the
 * engine. Every promise is rejected with an Error whose message is a sentence for readers; after `cancel()`, with one
 * whose name is "AbortError".
 */
export class TranslatorClient {
  constructor({ weights, source }) {
    this.weights = weights;
    this.source = source;
    this.worker = null;
    this.calls = 0;
    this.waiting = new Map();
    this.fetching = null;
  }

  /** Bring the weights and start the worker. `onProgress(loadedBytes, totalBytes)` is called as they come. */
  async load(onProgress = () => {}) {
    this.fetching = new AbortController();
    const { signal } = this.fetching;
    const buffer = await bringWeights(this.weights, onProgress, signal);
    if (signal.aborted) throw cancelledError();
    this.worker?.terminate();
    // No module: a page that was opened as a file may not start one from a Blob.
    const address = URL.createObjectURL(new Blob([this.source], { type: "text/javascript" }));
    this.worker = new Worker(address);
    this.worker.onmessage = ({ data }) => this.settle(data);
    this.worker.onerror = (event) => {
      event.preventDefault();
      const problem = `The translator stopped working: ${event.message ?? "this browser does not run it"}.`;
      for (const number of [...this.waiting.keys()]) this.settle({ number, problem });
    };
    try {
      return await this.ask("load", [buffer], [buffer]);
    } finally {
      URL.revokeObjectURL(address);
    }
  }

  read(text, options = {}) {
    return this.ask("read", [String(text), options]);
  }

  begin(options = {}) {
    return this.ask("begin", [options]);
  }

  step(options = {}) {
    return this.ask("step", [options]);
  }

  translate(options = {}) {
    return this.ask("translate", [options]);
  }

  translateText(text, options = {}) {
    return this.ask("translateText", [String(text), options]);
  }

  /** Give up whatever was asked for and is not answered yet. What was loaded, read and begun stays. */
  cancel() {
    this.fetching?.abort();
    const numbers = [...this.waiting.keys()];
    this.worker?.postMessage({ name: "cancel", given: numbers });
    for (const number of numbers) {
      this.waiting.get(number).reject(cancelledError());
      this.waiting.delete(number);
    }
  }

  /** End the worker. */
  close() {
    this.cancel();
    this.worker?.terminate();
    this.worker = null;
  }

  ask(name, given, handedOver = []) {
    if (this.worker === null) return Promise.reject(new Error("The translator is not loaded yet."));
    this.calls += 1;
    const number = this.calls;
    return new Promise((resolve, reject) => {
      this.waiting.set(number, { resolve, reject });
      this.worker.postMessage({ number, name, given }, handedOver);
    });
  }

  settle({ number, result, problem }) {
    const call = this.waiting.get(number);
    this.waiting.delete(number);
    if (problem === undefined) call?.resolve(result);
    else call?.reject(new Error(problem));
  }
}

const cancelledError = () => new DOMException("This was cancelled.", "AbortError");

/** The address of a file of the book, seen from the page that it is used on. */
const fromThePage = (address) => new URL(address, new URL(document.documentElement.dataset.content_root ?? "", document.baseURI)).href;

/** The bytes of the weights' file: fetched, or, where a page is a file and may fetch nothing, by scripts. */
async function bringWeights({ address, bytes, scripts = [] }, onProgress, signal) {
  const whole = fromThePage(address);
  onProgress(0, bytes);
  const parts = whole.startsWith("file:") ? await partsByScripts(scripts, bytes, onProgress, signal) : await partsFetched(whole, bytes, onProgress, signal);
  const buffer = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let place = 0;
  for (const part of parts) {
    buffer.set(part, place);
    place += part.length;
  }
  if (buffer.length !== bytes) throw new Error("The translator did not arrive whole. Reloading the page may help.");
  return buffer.buffer;
}

async function partsFetched(address, bytes, onProgress, signal) {
  const parts = [];
  let loaded = 0;
  try {
    const response = await fetch(address, { signal });
    if (!response.ok) throw new Error(`the server answers ${response.status}`);
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return parts;
      parts.push(value);
      loaded += value.length;
      onProgress(loaded, bytes);
    }
  } catch (error) {
    if (signal.aborted) throw cancelledError();
    throw new Error(`The translator could not be fetched (${error.message}).`);
  }
}

/** Each script says one part of the file, in letters (base64). */
async function partsByScripts(scripts, bytes, onProgress, signal) {
  const parts = [];
  let loaded = 0;
  for (const [n, script] of scripts.entries()) {
    if (signal.aborted) throw cancelledError();
    const element = document.createElement("script");
    await new Promise((resolve, reject) => {
      element.onload = resolve;
      element.onerror = () => reject(new Error("The translator could not be read: a file of the book is missing."));
      element.src = fromThePage(script);
      document.head.append(element);
    }).finally(() => element.remove());
    const letters = atob(globalThis[WHERE_PARTS_COME]?.[n] ?? "");
    delete globalThis[WHERE_PARTS_COME]?.[n];
    parts.push(Uint8Array.from(letters, (letter) => letter.charCodeAt(0)));
    loaded += parts.at(-1).length;
    onProgress(loaded, bytes);
  }
  return parts;
}
