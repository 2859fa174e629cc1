// The live translator: type a sentence, see it read and written piece by piece, look at every weight, and interfere.

import { button, choice, element, group } from "../parts.js";
import { live, texts } from "../live.js";
import { addressOf, viewIn } from "./address.js";
import { asking } from "./asking.js";
import { beamDrawing } from "./beam_drawing.js";
import { KernelClient, latestOnly } from "./clients.js";
import { headsBoard } from "./heads.js";
import { pauseAfter, playerOf } from "./player.js";
import { offersOf } from "./offers.js";
import { frameOfStep, framesOf, inWords, recorded, recordOf, USES, writtenWith } from "./record.js";
import { stageOf } from "./stage.js";
import { reasonsOf, toldOf, toldOfChip, warningsOf } from "./telling.js";
import { TranslatorClient } from "../translator_engine/client.js";

const TRAITS = ["records", "text", "at", "use", "layer", "head", "beam", "forced", "silenced", "weights", "engine", "kernel", "plays"];
const ALPHA = 0.6; // the length penalty of a beam
const CANDIDATES = 8;
const BEAMS = ["1", "2", "3", "4", "5"];
const PHONE = matchMedia("(max-width: 36rem)"); // as in live_translator.css

const alike = (one, other) => JSON.stringify(one) === JSON.stringify(other);
/** Those of some changes that change anything. */
const differing = (changes, state) => Object.fromEntries(Object.entries(changes).filter(([name, value]) => !alike(value, state[name])));

function build({ el, read, send, model, signal }) {
  let state = read();
  const usual = { ...state };
  let record = recorded(state.records.find(({ source }) => source === state.text) ?? state.records[0]);
  let plain = { source: record.source, beam: 1, text: record.text };
  let [asked, seen, shownAt, timer, ready, begun] = [null, 0, null, null, null, false];
  let intent = { from: -1, play: false }; // where a record that comes is shown first
  let pending = {}; // what has been chosen and waits for the translator to be loaded, and from where it is shown then
  let pendingFrom = intent;
  let fromAddress = null; // the key of what an address asked for
  const size = state.weights.bytes ?? 0;
  const client = state.kernel ? new KernelClient(model) : null;
  let engine = client;
  const latest = latestOnly(() => engine?.cancel());

  const key = ({ text, beam, forced, silenced }) => JSON.stringify([text, beam, forced, silenced]);
  const changed = () => state.forced.length > 0 || state.silenced.length > 0;
  const frames = () => framesOf(record);
  const frameAt = () => (state.at < 0 ? frames().length - 1 : Math.min(state.at, frames().length - 1));
  const stepsAt = (frame) => ({ step: frame.step, done: record.asked.length })[frame.phase] ?? 0;
  const { words, news, announce } = texts();
  news.classList.add("explorer-hidden");

  // The translator itself.
  const offers = offersOf({ bytes: client ? 0 : size, load });
  const waits = () => "text" in pending;
  /** While another sentence waits for the translator, the one before is no answer to it, and is not shown. */
  const hide = (hidden) => el.classList.toggle("live-waiting", hidden);
  async function load() {
    const total = size;
    offers.progress(0, total);
    try {
      engine = new TranslatorClient({ weights: state.weights, source: state.engine });
      await engine.load((loaded, all) => offers.progress(loaded, all || total));
    } catch (error) {
      engine = null;
      const why = `The translator could not be loaded. ${error.message} The examples go on working.`;
      offers.failed(why);
      announce(why);
      return;
    }
    ready = true;
    const place = offers.focused();
    offers.done();
    ask.loaded("The translator is in this page now. What you type does not leave it.");
    announce("The translator is loaded.");
    if (Object.keys(pending).length) {
      const { from, play } = waits() ? { from: 0, play: true } : pendingFrom;
      change({}, from, play);
    } else if (ask.field.value.trim() && ask.field.value !== state.text) newText(ask.field.value);
    if (place) ({ idle: ask.field, heads: board.off, search: beam.node.querySelector("select") })[place]?.focus({ preventScroll: true });
    if (place === "answer" || place === "next") player.focus();
  }
  if (client) ready = true;

  /**
   * Another text, beam, forced beginning or set of silent heads: what is shown next, and from where.
   *
   * Before the translator is loaded, what it is needed for is kept until then, and offered where it was chosen.
   * `shared` says that an address asks for it: then nothing else is an answer.
   */
  function change(changes, from, play, { shared = false } = {}) {
    const wanted = { ...pending, ...changes };
    if (ready || isRecorded({ ...state, ...changes })) {
      const now = ready ? wanted : changes;
      pending = waits() || ready ? {} : differing(Object.fromEntries(Object.entries(pending).filter(([name]) => !(name in changes))), state);
      if (!play && alike(differing(now, state), {})) {
        draw();
        return;
      }
      const next = key({ ...state, ...now });
      intent = { from, play };
      asked = asked === next ? null : asked; // ask again, although nothing changed
      send(now);
      update();
      return;
    }
    stop();
    pending = { ...differing(wanted, state), ...(shared ? { text: wanted.text } : {}) };
    pendingFrom = { from, play };
    hide(waits());
    draw();
    announce(Object.values(reasons()).join(" "));
  }
  const reasons = () => reasonsOf(pending, state, record, size > 0);
  const isRecorded = ({ text, beam, forced, silenced }) =>
    beam === 1 && !forced.length && !silenced.length && state.records.some(({ source }) => source === text);
  const newText = (text) => {
    ask.say("");
    if (!text.trim()) {
      ask.say("Type an English sentence first.");
      return;
    }
    change({ text, forced: [] }, 0, true);
    if (waits()) offers.focus("answer");
    if (el.getBoundingClientRect().top < 0) comeIntoView();
  };
  /** Bring the sentence into view, once the page has taken its shape. */
  const comeIntoView = () => requestAnimationFrame(() => el.scrollIntoView({ block: "start" }));

  async function fetchRecord() {
    const { text, beam, forced, silenced, records } = state;
    ask.say("");
    if (isRecorded(state)) {
      await latest(async () => {});
      took(recorded(records.find(({ source }) => source === text)), []);
      return;
    }
    if (!ready) return;
    el.classList.add("live-busy");
    try {
      await latest(async (stillWanted) => {
        const cut = await engine.read(text);
        if (!stillWanted()) return;
        if (cut.problem) {
          ask.say(`${cut.problem} Below is still the translation of the sentence before.`);
          announce(cut.problem);
          return;
        }
        const settings = { beamSize: beam, lengthPenalty: ALPHA, candidates: CANDIDATES };
        if (changed() && (plain.source !== text || plain.beam !== beam)) {
          await engine.begin({ silenced: [] });
          plain = { source: text, beam, text: (await engine.translate({ ...settings, forced: [] })).text };
        }
        const encoded = await engine.begin({ silenced });
        const translated = await engine.translate({ ...settings, forced });
        if (stillWanted()) took(recordOf(text, cut, encoded, translated), warningsOf(cut), cut.sentences);
      });
    } catch (error) {
      if (fromAddress === key(state) && changed()) {
        change({ forced: [], silenced: [] }, 0, true); // there are no such pieces
        return;
      }
      ask.say(error.message);
      announce(error.message);
    } finally {
      el.classList.remove("live-busy");
      hide(false);
    }
  }

  /** A record has come: show it, from where it was wished. */
  function took(now, warnings, sentences = []) {
    hide(false);
    record = now;
    if (!changed()) plain = { source: record.source, beam: state.beam, text: record.text };
    const others = sentences.filter((one) => one !== record.source);
    shared.replaceChildren();
    notes.replaceChildren(...warnings.map((one) => element("p", {}, one)));
    if (sentences.length > 1) {
      notes.append(element("p", {}, `This text has ${sentences.length} sentences. The first is translated here; take another: `,
        ...others.slice(0, 8).map((one) => button(one, () => newText(one), { lang: "en" }))));
    }
    const from = intent.from < 0 ? frames().length - 1 : Math.min(intent.from, frames().length - 1);
    stop();
    go(from, { play: intent.play, say: false });
    intent = { from: -1, play: false };
  }

  // Walking through it.
  function stop() {
    clearTimeout(timer);
    timer = null;
  }
  function go(to, { play = false, keep = false, say = true } = {}) {
    stop();
    const last = frames().length - 1;
    if (!keep) seen = stepsAt(frames()[to]);
    shownAt = to === last ? -1 : to;
    send({ at: shownAt });
    draw();
    if (say) announce(toldOf(record, frames()[to], state));
    if (play && to < last) {
      timer = setTimeout(() => go(to + 1, { play: true, say: false }), pauseAfter(frames()[to], record.steps.length));
      draw();
    } else if (play) announce(`It has written “${record.text}”.`);
  }
  const player = playerOf({
    go: (to) => go(to),
    play: () => go(frameAt() === frames().length - 1 ? 0 : frameAt(), { play: true, say: false }),
    pause: () => go(frameAt(), { keep: true }),
    told: () => toldOf(record, frames()[frameAt()], state),
  });
  const stage = stageOf({
    under: player.node,
    pointedAt: (where) => {
      told.textContent = (where && toldOfChip(record, where, where.chip)) ?? toldOf(record, frames()[frameAt()], state);
    },
    stepChosen: (step) => go(frameOfStep(record, step), { keep: true }),
    nextChosen: (step, id) => {
      if (record.asked[step].id === id && step >= state.forced.length) {
        go(frameOfStep(record, step) + 1, { keep: seen > step });
        return;
      }
      const forced = [...record.asked.slice(0, step).map((one) => one.id), id];
      change({ forced }, frameOfStep(record, step), true);
    },
  });

  // What can be set.
  const ask = asking({
    examples: state.records.map(({ source }) => source), text: state.text, asked: newText,
    offer: offers.at("answer"), idle: offers.at("idle", ""),
  });
  const share = state.kernel ? [] : [button("Share this translation", () => {
    const text = ask.field.value;
    const view = { ...state, ...pending };
    const address = addressOf({ ...view, text, forced: text === view.text ? view.forced : [] }, usual, location.href);
    history.replaceState(null, "", address);
    navigator.clipboard?.writeText(address).catch(() => {});
    shared.replaceChildren("The address of this page now leads to this translation. Send it to somebody.");
    announce(shared.textContent);
  }, { className: "live-link" })];
  const shared = element("p", { className: "live-shared" });
  const told = element("p", { className: "live-told" });
  const notes = element("div", { className: "live-notes" });
  const compared = element("p", { className: "live-compared" });
  const undo = button("Undo", () => change({ forced: [], silenced: [] }, -1, false));
  // The mean comes first, as −1: layers and heads are counted from 0.
  const counts = (n) => Array.from({ length: n + 1 }, (_, i) => [String(i - 1), i === 0 ? "mean" : String(i - 1)]);
  const number = (name) => (value) => {
    send({ [name]: Number(value) });
    announce(toldOf(record, frames()[frameAt()], read()));
  };
  const use = choice({ label: "Ribbons:", options: USES, value: state.use, changed: (value) => send({ use: value }) });
  const layer = choice({ label: "layer", options: counts(record.encoder.length), value: String(state.layer), changed: number("layer") });
  const head = choice({ label: "head", options: counts(record.encoder[0].length), value: String(state.head), changed: number("head") });
  const beam = choice({
    label: "Beam:", options: BEAMS.map((one) => [one, one]), value: String(state.beam),
    changed: (value) => change({ beam: Number(value) }, -1, false),
  });
  const silent = () => pending.silenced ?? state.silenced;
  const places = () => ({ use: state.use, layer: state.layer, head: state.head });
  const same = (one) => (other) => one.use === other.use && one.layer === other.layer && one.head === other.head;
  const board = headsBoard({
    chosen: (l, h) => send({ layer: l, head: h }),
    silenced: (on) => {
      const rest = silent().filter((one) => !same(places())(one));
      change({ silenced: on ? [...rest, places()] : rest }, -1, false);
    },
    restored: () => change({ silenced: [] }, -1, false),
    looked: () => {},
    offer: offers.at("heads"),
  });
  const tree = beamDrawing();
  const part = (summary, ...inner) => element("details", { ontoggle: () => draw() }, element("summary", {}, summary), ...inner);
  const heads = part("Every head: maps of weights, and a switch", board.node);
  const search = part("The search: a beam and its tree", group("Search", beam.node), offers.at("search"), tree.node);
  const inText = part("The same in words", words);
  const parts = [heads, search, inText];
  const examplesBelow = element("div");
  const choices = element("div", { className: "live-choices" }, offers.at("next"), examplesBelow,
    group("What the ribbons show", use.node, layer.node, head.node, ...share), shared, ...parts);
  const lower = element("div", { className: "live-lower" }, stage.next, choices);
  /** On a phone, the translation and its ribbons stand above the examples, if there is one. */
  function arrange() {
    const [place, focused] = [PHONE.matches && !waits() ? examplesBelow : ask.node, document.activeElement];
    if (ask.more.parentNode === place) return;
    const within = ask.more.contains(focused);
    place.append(ask.more);
    if (within) focused.focus({ preventScroll: true });
  }

  function drawInside() {
    const waiting = "silenced" in pending;
    if (heads.open) board.show({ record, use: state.use, layer: state.layer, head: state.head, off: silent(), waiting });
    if (search.open) tree.show(record, state.beam, ALPHA);
  }
  function draw() {
    state = read();
    const [at, all] = [frameAt(), frames()];
    told.textContent = toldOf(record, all[at], state);
    const { use: shownUse, layer: l, head: h, forced } = state;
    stage.show({ record, frame: all[at], seen, use: shownUse, layer: l, head: h, forced: forced.length, wanted: pending.forced });
    // While it writes, the next pieces stand where the choices do, so that nothing below them moves.
    lower.classList.toggle("live-writing", timer !== null && all[at].phase === "step" && !parts.some(({ open }) => open));
    offers.show({ ...(ready || waits() || !size ? {} : { idle: "The examples are recorded. For a sentence of yours:" }), ...reasons() });
    const count = Math.max(seen, stepsAt(all[at]));
    ask.write(...writtenWith(record, count), count >= record.asked.length);
    arrange();
    ask.picked(waits() ? null : record.source);
    player.show(at, all.length, timer !== null);
    const without = state.silenced.length ? `${state.silenced.length === 1 ? "A head is" : `${state.silenced.length} heads are`} switched off. ` : "";
    const otherwise = plain.text === record.text ? ["The translation is the same as without your change."] :
      ["Left alone, the translator writes “", element("span", { lang: "es" }, plain.text), "”"];
    compared.replaceChildren(...(changed() ? [without, ...otherwise, " ", undo] : []));
    use.show(state.use);
    layer.show(String(state.layer));
    head.show(String(state.head));
    beam.show(String(pending.beam ?? state.beam));
    words.textContent = inWords(record, state);
    drawInside();
  }

  function update() {
    state = read();
    if (key(state) !== asked) {
      asked = key(state);
      if (document.activeElement !== ask.field) ask.show(state.text);
      if (!(begun === false && isRecorded(state))) fetchRecord();
    }
    if (state.at !== shownAt) {
      shownAt = state.at;
      seen = stepsAt(frames()[frameAt()]);
    }
    begun = true;
    draw();
  }

  el.classList.add("live-translator");
  el.replaceChildren(ask.node, told, stage.node, compared, notes, lower, news);
  PHONE.addEventListener("change", arrange, { signal });
  const follow = () => {
    const view = viewIn(location.hash, usual, record.encoder.length, record.encoder[0].length);
    if (view === null) return;
    const { use: u, layer: l, head: h, ...asks } = view;
    ask.show(view.text);
    fromAddress = key(asks);
    search.open ||= asks.beam > 1;
    heads.open ||= asks.silenced.length > 0;
    send({ use: u, layer: l, head: h });
    change(asks, 0, true, { shared: true });
    const { top } = el.getBoundingClientRect();
    if (top < 0 || top > innerHeight / 2) comeIntoView();
  };
  if (!state.kernel) {
    queueMicrotask(follow);
    addEventListener("hashchange", follow, { signal });
  }
  if (state.plays) playWhenSeen(el, () => state.at < 0 && asked === key(state) && !waits() && go(0, { play: true, say: false }));
  signal?.addEventListener("abort", () => {
    stop();
    stage.end();
    ask.end();
    engine?.close?.();
  });
  return update;
}

/** Play once, when the reader sees it and has touched nothing; never where motion is unwanted. */
function playWhenSeen(el, play) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const touched = new AbortController();
  const watcher = new IntersectionObserver((entries) => {
    if (!entries.some((one) => one.isIntersecting)) return;
    end();
    play();
  }, { threshold: 0.4 });
  const end = () => {
    watcher.disconnect();
    touched.abort();
  };
  for (const event of ["pointerdown", "keydown"]) el.addEventListener(event, end, { signal: touched.signal });
  setTimeout(() => watcher.observe(el), 900);
}

/** Other records are another explorer. */
const shape = ({ records, kernel }) => `${kernel} ${records.map(({ source }) => source).join("\n")}`;

export default {
  render: (page) => live(page, TRAITS, (parts) => build({ ...parts, model: page.model, signal: page.signal }), { shape }),
};
