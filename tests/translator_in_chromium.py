"""The translator of the page, in Chromium, beside the Python model with the same weights in eight bits.

The tests use it. Run as a command, it translates sentences of the corpus with both and says how often they agree, and
how long the page takes; Chromium has the network off, and shares the machine with whatever else runs on it:

    python tests/translator_in_chromium.py --sentences 500
"""

import argparse
import shutil
import tempfile
import threading
from collections import Counter
from contextlib import contextmanager
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import torch
from playwright.sync_api import sync_playwright

from attention_book.data import corpora
from attention_book.models.search_interface import inference
from attention_book.pages.explorers.base import joined
from attention_book.pages.explorers.translator_engine.files import ENGINE, weights_of, write_weights
from attention_book.translation.decoding import beam_search, greedy_decode
from attention_book.translation.page_weights import model_of, page_weights
from attention_book.translation.translator import Translator

PAGE = (
    '<!doctype html><html lang="en" data-content_root="./"><meta charset="utf-8"><link rel="icon" href="data:,">'
    "<title>Engine</title></html>"
)
NEAR = 1e-4
"""Scores nearer than this to one another are a tie that rounding may break either way."""

_LOAD = """async ([text, address]) => {
    window.engineModule = await import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
    const buffer = await (await fetch(address)).arrayBuffer();
    const begun = performance.now();
    window.engine = new engineModule.Engine(buffer);
    window.finished = (steps) => {
        for (;;) {
            const { done, value } = steps.next();
            if (done) return value;
        }
    };
    return performance.now() - begun;
}"""
_TRANSLATE = """([texts, beamSize]) => texts.map((text) => {
    const begun = performance.now();
    const { ids: source } = engine.read(text);
    engine.begin();
    const encoded = performance.now();
    const { ids, score, text: spelt } = finished(engine.translate({ beamSize }));
    const ms = [encoded - begun, performance.now() - encoded];
    return { source, ids, score, text: spelt, ms };
})"""


def engine_module():
    """The engine without its worker, as a module whose parts a test can call."""
    return joined(*(f"translator_engine/{name}" for name in ENGINE if name != "worker.js"))


def prepare(folder):
    """Write an empty page and the weights beside it."""
    write_weights(folder)
    (folder / "page.html").write_text(PAGE, encoding="utf-8")
    return folder / "page.html"


@contextmanager
def served(folder):
    """The folder over HTTP: its address."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def load_engine(page):
    """Run the engine in the page itself, as `engine`; returns the milliseconds that reading its file took."""
    return page.evaluate(_LOAD, [engine_module(), weights_of()["address"]])


def translations(page, texts, beam_size):
    """What the page makes of some sentences: source ids, ids, score, text and milliseconds."""
    return page.evaluate(_TRANSLATE, [list(texts), beam_size])


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
    for text, theirs in zip(texts, translations(page, texts, beam_size), strict=True):
        ours = sought(theirs["source"], beam_size)
        if list(ours.tokens) != theirs["ids"] or abs(ours.score - theirs["score"]) > NEAR:
            found.append((text, theirs["text"], ours.score, theirs["score"]))
    return found


def compared(page, texts, beam_size):
    """Of some sentences: how many came out the same, how many were ties, the others, and how much was done."""
    same, ties, others, pieces, took = 0, 0, [], 0, [0.0, 0.0]
    for theirs in translations(page, texts, beam_size):
        ours = sought(theirs["source"], beam_size)
        pieces += len(theirs["ids"])
        took = [sum(pair) for pair in zip(took, theirs["ms"], strict=True)]
        if list(ours.tokens) == theirs["ids"]:
            same += 1
        elif abs(ours.score - theirs["score"]) < NEAR:
            ties += 1
        else:
            others.append((theirs["text"], ours.score, theirs["score"]))
    return {"same": same, "ties": ties, "others": others, "pieces": pieces, "encoding": took[0], "decoding": took[1]}


def processor_seconds(browser):
    """How long the processes that show pages have computed, whatever else the machine did meanwhile."""
    processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    return sum(process["cpuTime"] for process in processes if process["type"] == "renderer")


def main():
    """Compare and time, on sentences of the validation set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sentences", type=int, default=500)
    count = parser.parse_args().sentences
    texts = [pair.source for pair in corpora.load("tatoeba-en-es").validation[:count]]
    with tempfile.TemporaryDirectory() as folder, served(folder) as address, sync_playwright() as playwright:
        prepare(Path(folder))
        path = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=path, args=["--headless", "--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.goto(f"{address}/page.html")
        before = page.evaluate("performance.memory.usedJSHeapSize")
        print(f"{weights_of()['bytes']:,} bytes; read and checked in {load_engine(page):.0f} ms")
        for beam_size in (1, 4):
            translations(page, texts[:20], beam_size)  # until the browser has compiled what is called often
            sums = Counter()
            others = []
            for n in range(0, count, 10):
                begun = processor_seconds(browser)
                found = compared(page, texts[n : n + 10], beam_size)
                others += found.pop("others")
                sums.update(found, seconds=processor_seconds(browser) - begun, sentences=len(texts[n : n + 10]))
                if (n + 10) % 100 == 0 or n + 10 >= count:
                    print(
                        f"beam of {beam_size}, {sums['sentences']} sentences: {sums['same']} the same, {sums['ties']} "
                        f"ties, {len(others)} others; {sums['decoding'] / sums['pieces']:.1f} ms a piece and "
                        f"{sums['encoding'] / sums['sentences']:.0f} ms to encode a sentence by the clock, "
                        f"{1000 * sums['seconds'] / sums['pieces']:.1f} ms a piece of the processor, encoding included",
                        flush=True,
                    )
            for other in others:
                print("  ", *other)
        after = page.evaluate("performance.memory.usedJSHeapSize")
        print(
            f"memory: {(after - before) / 1e6:.0f} MB of objects, and {weights_of()['bytes'] / 1e6:.0f} MB of weights"
        )
        browser.close()


if __name__ == "__main__":
    main()
