// Whom the live translator asks: the engine in the page, or Python where there is a kernel.

/** A client whose answers come from the kernel: each question is a message, and so is its answer. */
export class KernelClient {
  constructor(model) {
    this.model = model;
    this.number = 0;
    this.waiting = new Map();
    this.heard = (content) => {
      const settled = this.waiting.get(content?.number);
      if (!settled) return;
      this.waiting.delete(content.number);
      if ("error" in content) settled.reject(new Error(content.error));
      else settled.resolve(content.answer);
    };
    model.on("msg:custom", this.heard);
  }

  ask(what, given = {}) {
    const number = (this.number += 1);
    this.model.send({ ask: what, number, given });
    return new Promise((resolve, reject) => this.waiting.set(number, { resolve, reject }));
  }

  load = () => this.ask("load");
  read = (text) => this.ask("read", { text });
  begin = (given) => this.ask("begin", given);
  step = (given) => this.ask("step", given);
  translate = (given) => this.ask("translate", given);

  cancel() {
    for (const { reject } of this.waiting.values()) reject(new Error("cancelled"));
    this.waiting.clear();
  }
}

/**
 * One question after another: `run(work)` starts `work(stillWanted)` and makes older work unwanted.
 *
 * What old work still says is dropped, its complaints too.
 */
export function latestOnly(cancel) {
  let latest = 0;
  return async (work) => {
    const mine = (latest += 1);
    const stillWanted = () => mine === latest;
    if (mine > 1) cancel();
    try {
      return await work(stillWanted);
    } catch (error) {
      if (stillWanted()) throw error;
      return undefined;
    }
  };
}
