"""The translator of the page, in Chromium, beside the Python model with the same weights in eight bits.

The tests use it. Run as a command, it translates sentences of the corpus with both and says how often they agree, and
how long the page takes; Chromium has the network off, and shares the machine with whatever else runs on it:

    python tests/translator_in_chromium.py --sentences 500
    python tests/translator_in_chromium.py --sentences 500 --plain
"""

import argparse
import shutil
import tempfile
from collections import Counter
from functools import cache, partial
from pathlib import Path
from statistics import median

import torch
from playwright.sync_api import sync_playwright
from serving import served

from attention_book.data import corpora
from attention_book.models.search_interface import inference
from attention_book.pages.explorers.translator_engine.files import ENGINE, engine_module, weights_of, write_weights
from attention_book.translation.decoding import beam_search, greedy_decode
from attention_book.translation.export.page_weights import model_of, page_weights
from attention_book.translation.translator import Translator

PAGE = (
    '<!doctype html><html lang="en" data-content_root="./"><meta charset="utf-8"><link rel="icon" href="data:,">'
    "<title>Engine</title></html>"
)
NEAR = 1e-4
"""Scores nearer than this to one another are a tie that rounding may break either way."""

_LOAD = """async ([text, address, plain]) => {
    window.engineModule = await import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
    window.makeEngine = (buffer, plain) => {
        const { validate } = WebAssembly;
        if (plain) WebAssembly.validate = () => false; // so does a browser without SIMD
        try {
            return new engineModule.Engine(buffer);
        } finally {
            WebAssembly.validate = validate;
        }
    };
    const buffer = await (await fetch(address)).arrayBuffer();
    const begun = performance.now();
    window.engine = makeEngine(buffer, plain);
    if (engine.plain !== plain) throw new Error("This browser does not multiply as was asked for.");
    window.finished = (steps) => {
        for (;;) {
            const { done, value } = steps.next();
            if (done) return value;
        }
    };
    return performance.now() - begun;
}"""
_ENCODE = """(texts) => {
    window.encoded = texts.map((text) => {
        const begun = performance.now();
        const { ids } = engine.read(text);
        engine.begin();
        return { ids, memory: engine.memory, ms: performance.now() - begun };
    });
}"""
_DECODE = """(beamSize) => encoded.map(({ ids: source, memory, ms }) => {
    Object.assign(engine, { source, memory });
    const begun = performance.now();
    const { ids, score, text } = finished(engine.translate({ beamSize }));
    return { source, ids, score, text, encoding: ms, decoding: performance.now() - begun };
})"""


def engine_text():
    """The engine without its worker, as a module whose parts a test can call."""
    return engine_module(*(name for name in ENGINE if name != "worker.js"))


def prepare(folder):
    """Write an empty page and the weights beside it."""
    write_weights(folder)
    (folder / "page.html").write_text(PAGE, encoding="utf-8")
    return folder / "page.html"


def load_engine(page, plain=False):
    """Run the engine in the page itself, as `engine`; returns the milliseconds that reading its file took.

    With `plain`, WebAssembly says that it knows no SIMD, and the engine multiplies in plain JavaScript.
    """
    return page.evaluate(_LOAD, [engine_text(), weights_of()["address"], plain])


def translations(page, texts, beam_size, clock=lambda: 0.0):
    """What the page makes of some sentences: source ids, ids, score, text, and milliseconds of encoding and decoding.

    Returns:
        These, and how far `clock` went meanwhile, for encoding and for decoding all of them.
    """
    times = [clock()]
    page.evaluate(_ENCODE, list(texts))
    times.append(clock())
    found = page.evaluate(_DECODE, beam_size)
    times.append(clock())
    return found, (times[1] - times[0], times[2] - times[1])


@cache
def reference():
    """The shipped translator with the page's weights, in float32."""
    shipped = Translator.from_pretrained("en-es")
    return Translator(model_of(page_weights(shipped)), shipped.subwords)


def sought(ids, beam_size):
    """What Python makes of a sentence of ids."""
    src = torch.tensor([ids])
    model = reference().model
    return (greedy_decode(model, src) if beam_size == 1 else beam_search(model, src, beam_size))[0]


def total_of(source, ids):
    """The log-probability that Python gives to a translation."""
    with inference(model := reference().model):
        log_probs = model(torch.tensor([source]), torch.tensor([[1, *ids[:-1]]]))[0].log_softmax(dim=-1)
    return log_probs[range(len(ids)), ids].sum().item()


def disagreements(page, texts, beam_size):
    """The sentences that the two translate differently, as (text, what the page writes, Python's score, the page's)."""
    found = []
    for text, theirs in zip(texts, translations(page, texts, beam_size)[0], strict=True):
        ours = sought(theirs["source"], beam_size)
        if list(ours.tokens) != theirs["ids"] or abs(ours.score - theirs["score"]) > NEAR:
            found.append((text, theirs["text"], ours.score, theirs["score"]))
    return found


def outcome(theirs, beam_size):
    """How a translation of the page compares with Python's: "the same", "ties" or "others"."""
    ours = sought(theirs["source"], beam_size)
    if list(ours.tokens) == theirs["ids"]:
        return "the same"
    return "ties" if abs(ours.score - theirs["score"]) < NEAR else "others"


def processor_seconds(browser):
    """How long the processes that show pages have computed, whatever else the machine did meanwhile."""
    processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    return sum(process["cpuTime"] for process in processes if process["type"] == "renderer")


def report(found, seconds, outcomes):
    """What the page made of sentences, in a line: times by the clock, and of the processor.

    A sentence's time a piece by the clock holds whatever else the machine did; their median is moved least by that.
    """
    pieces = sum(len(one["ids"]) for one in found)
    middle = median(one["decoding"] / len(one["ids"]) for one in found)
    encoding = median(one["encoding"] for one in found)
    return (
        f"{len(found)} sentences: {', '.join(f'{outcomes[name]} {name}' for name in ('the same', 'ties', 'others'))}; "
        f"a piece {sum(one['decoding'] for one in found) / pieces:.2f} ms by the clock (median of the sentences "
        f"{middle:.2f}), {1000 * seconds[1] / pieces:.2f} ms of the processor; to encode a sentence {encoding:.1f} ms "
        f"by the clock (median), {1000 * seconds[0] / len(found):.1f} ms of the processor"
    )


def main():
    """Compare and time, on sentences of the validation set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sentences", type=int, default=500)
    parser.add_argument("--plain", action="store_true", help="multiply in plain JavaScript, without WebAssembly")
    given = parser.parse_args()
    texts = [pair.source for pair in corpora.load("tatoeba-en-es").validation[: given.sentences]]
    with tempfile.TemporaryDirectory() as folder, served(folder) as address, sync_playwright() as playwright:
        prepare(Path(folder))
        path = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=path, args=["--headless", "--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.goto(f"{address}/page.html")
        before = page.evaluate("performance.memory.usedJSHeapSize")
        ms = load_engine(page, given.plain)
        how = "in plain JavaScript" if given.plain else "by WebAssembly"
        print(f"{weights_of()['bytes']:,} bytes; read and checked in {ms:.0f} ms; products {how}")
        for beam_size in (1, 4):
            translations(page, texts[:20], beam_size)  # until the browser has compiled what is called often
            found, outcomes, seconds, others = [], Counter(), [0.0, 0.0], []
            for n in range(0, len(texts), 10):
                new, took = translations(page, texts[n : n + 10], beam_size, partial(processor_seconds, browser))
                seconds = [sum(pair) for pair in zip(seconds, took, strict=True)]
                for theirs in new:
                    outcomes[kind := outcome(theirs, beam_size)] += 1
                    if kind == "others":
                        others.append(theirs)
                found += new
                if len(found) % 100 == 0 or len(found) == len(texts):
                    print(f"beam of {beam_size}, {report(found, seconds, outcomes)}", flush=True)
            for theirs in others:
                print("  ", theirs["text"], sought(theirs["source"], beam_size).score, theirs["score"])
        after = page.evaluate("performance.memory.usedJSHeapSize")
        print(
            f"memory: {(after - before) / 1e6:.0f} MB of objects, and {weights_of()['bytes'] / 1e6:.0f} MB of weights"
        )
        browser.close()


if __name__ == "__main__":
    main()
