// A client as the engine's, whose answers Python computed beforehand: `weights.answers`, by question.
class FakeTranslatorClient {
  static log = (globalThis.asked ??= []);

  constructor({ weights }) {
    this.answers = weights.answers;
    this.failing = weights.failing;
    FakeTranslatorClient.log.push(["new"]);
  }

  async answer(question) {
    FakeTranslatorClient.log.push(question);
    await new Promise((done) => setTimeout(done, 5));
    const found = this.answers[JSON.stringify(question)];
    if (found === undefined) throw new Error(`Nobody asked Python ${JSON.stringify(question)}.`);
    return found;
  }

  async load(onProgress) {
    if (this.failing) throw new Error("There is no such file.");
    onProgress(1_000_000, 4_000_000);
    await new Promise((done) => setTimeout(done, 50));
    onProgress(4_000_000, 4_000_000);
    return {};
  }

  read(text) {
    this.text = text;
    return this.answer(["read", text]);
  }

  begin({ silenced }) {
    this.silenced = silenced.map(({ use, layer, head }) => `${use} ${layer} ${head}`);
    return this.answer(["begin", this.text, this.silenced]);
  }

  translate({ beamSize, forced }) {
    return this.answer(["translate", this.text, this.silenced, beamSize, forced]);
  }

  cancel() {
    FakeTranslatorClient.log.push(["cancel"]);
  }
}
