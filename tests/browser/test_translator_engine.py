"""The engine of the translator in the page, in Chromium, against Python with the same weights in eight bits."""

import base64
import json
import random
import re
import struct
import unicodedata
import zlib

import numpy as np
import pytest
import torch
import translator_in_chromium as chromium_side
from serving import served
from tiny_translator import tiny_translator
from tokenizers import Tokenizer
from translator_in_chromium import NEAR, disagreements, reference

from attention_book.analysis.ablation import Head, without_heads
from attention_book.data.normalisation import tidy
from attention_book.data.sentence_splitting import split_sentences, without_controls
from attention_book.data.subwords import as_json
from attention_book.models.search_interface import inference
from attention_book.translation.beam_tree import grow
from attention_book.translation.decoding import beam_search, greedy_decode
from attention_book.translation.export.page_weights import model_of, page_weights
from attention_book.translation.shipped_translator import SENTENCES
from attention_book.translation.translator import InputTooLong

pytestmark = pytest.mark.browser

TEXTS = [
    *SENTENCES,
    "He left.", "Come in!", "Who are you?", "It is late.", "I don't know.", "The sea is calm.", "Where's my hat?",
    "She sings well.", "We lost the key.", "Close the window.", "My sister is a doctor.", "They won't come today.",
    "There are two dogs.", "Is this your book?", "I have never seen snow.", "The train leaves at 7:30.",
    "Don't be late!", "He bought a red car.", "Can you help me?", "What a beautiful day!",
    "I was born in 1990.", "The soup is too hot.",
    "You must not smoke here.", "Her brother lives in Rome.", "He wrote me a letter.", "I'd like some water.",
    "Nobody answered the phone.", "The children are asleep.", "We need more time.", "Has the rain stopped?",
    "This house is very old.", "She smiled at the baby.",
]  # fmt: skip
ODD = [
    "", "   \n ", "👩‍🚀🎉", "कैसे", "안녕.", "I\0like\x07cats.", "\x1b[31mred\x1b[0m",
    "One dog. Two cats!\n\nThree birds.\r\nNo. 7 is here.", "a" * 10_000, "dog " * 2500, "x\ud800y", "</s> <b>bold</b>",
    "\u200b\n", "e\u0301", "...",
]  # fmt: skip


@pytest.fixture(scope="module")
def page(chromium, tmp_path_factory):
    """A page that holds the engine itself, loaded once in plain JavaScript and once with WebAssembly, which is used."""
    folder = tmp_path_factory.mktemp("engine")
    chromium_side.prepare(folder)
    with served(folder) as address:
        page = chromium.new_page()
        page.set_default_timeout(60_000)
        page.goto(f"{address}/page.html")
        for name in ("plain", "kernel"):
            chromium_side.load_engine(page, plain=name == "plain")
            page.evaluate("(name) => { (window.engines ??= {})[name] = engine; }", name)
        yield page
        page.close()


@pytest.fixture(params=["kernel", "plain"])
def either(request, page):
    """The same page, whose engine multiplies by WebAssembly or in plain JavaScript."""
    page.evaluate("(name) => { window.engine = engines[name]; }", request.param)
    assert page.evaluate("engine.plain") == (request.param == "plain")
    yield page
    page.evaluate("() => { window.engine = engines.kernel; }")


def strings(count, seed=14):
    """Strings of code points that this Python, which knows Unicode 14, calls assigned: any of them, and hard ones."""
    assigned = [c for c in map(chr, range(0x110000)) if unicodedata.category(c) not in ("Cn", "Cs")]
    pools = [
        assigned,
        assigned[:128],
        [c for c in assigned if 127 < ord(c) < 0x300],
        [c for c in assigned if c.isspace() or unicodedata.category(c) == "Cc"],
        [c for c in assigned if unicodedata.combining(c)],
        [c for c in assigned if c.isnumeric()],
        [c for c in assigned if 0x1F300 <= ord(c) <= 0x1FAFF] + ["\u200d", "\ufe0f", "\u20e3"],
        [c for c in assigned if c.islower()] + list(". .?! "),
        list("'sStremvld ’"),
        list("aB. !?\"')…NoMr.J."),
    ]
    draw = random.Random(seed)
    for _ in range(count):
        some = draw.choices(pools, k=3)
        yield "".join(draw.choice(draw.choice(some)) for _ in range(draw.randrange(1, 40)))


def test_texts_are_made_ready_and_cut_as_in_python(page):
    texts = [*strings(2000), *TEXTS]
    found = page.evaluate(
        """(texts) => texts.map((text) => {
            const { text: plain, controls } = engineModule.withoutControls(text);
            const ids = engine.tokenizer.encode(text);
            const back = engine.tokenizer.decode(ids);
            return [ids, back, engineModule.tidy(text), plain, controls, engineModule.linesOf(text)];
        })""",
        texts,
    )
    subwords = reference().subwords
    for text, got in zip(texts, found, strict=True):
        lines = text.strip().replace("\r\n", "\n").replace("\r", "\n").split("\n")
        ours = [subwords.encode(text), unicodedata.normalize("NFC", text), tidy(text), *without_controls(text)]
        assert got == [*ours, [split_sentences(line) for line in lines]], ascii(text)


def test_pieces_read_and_spell_as_in_python(page):
    subwords = reference().subwords
    readable = page.evaluate("engine.tokenizer.bytes.map((_, id) => engine.tokenizer.readable(id))")
    assert readable == subwords.tokens(range(len(subwords)))
    draw = random.Random(3)
    rows = [[draw.choice([draw.randrange(len(subwords)), draw.randrange(260)]) for _ in range(12)] for _ in range(300)]
    assert page.evaluate("(rows) => rows.map((ids) => engine.tokenizer.decode(ids))", rows) == list(
        map(subwords.decode, rows)
    )


def test_pieces_stand_where_the_tokenizers_library_puts_them(page):
    library = Tokenizer.from_str(as_json(reference().subwords))
    for text in ["I like cats, don't you?", "naïve 👩‍🚀 x", "আমি 3½ ☕s"]:
        read = page.evaluate("(text) => engine.read(text)", text)
        units = np.cumsum([0, *(len(c.encode("utf-16-le")) // 2 for c in text)]).tolist()  # by characters
        wanted = [(units[start], units[end]) for start, end in library.encode(text).offsets]
        pieces = read["pieces"]
        assert [(piece["start"], piece["end"]) for piece in pieces] == [*wanted, (units[-1], units[-1])]
        assert read["text"] == text and read["ids"][-1] == 2 and read["problem"] is None
        # Words follow one another without a gap, and spell the text.
        assert [word["first"] for word in read["words"]] == [0, *(word["last"] + 1 for word in read["words"][:-1])]
        assert read["words"][-1] == {"first": len(pieces) - 1, "last": len(pieces) - 1, "text": "</s>"}
        assert "".join(word["text"] for word in read["words"][:-1]) == text.replace(" ", "")


_FORCED_TEACHER = """([text, tgt, source]) => {
    const numbers = (array) => {
        const bytes = new Uint8Array(Float32Array.from(array).buffer);
        let letters = "";
        for (let n = 0; n < bytes.length; n += 4096) letters += String.fromCharCode(...bytes.subarray(n, n + 4096));
        return btoa(letters);
    };
    const other = () => makeEngine(Uint8Array.from(atob(source), (c) => c.charCodeAt(0)).buffer, window.engine.plain);
    const engine = source ? other() : window.engine;
    const { ids } = engine.read(text);
    const { encoder } = engine.begin();
    const steps = [];
    let state = engine.model.start(engine.memory);
    for (const id of tgt) {
        const [found] = engine.model.step([id], [state]);
        state = found.state;
        steps.push(found);
    }
    const rows = (name) => steps.map((step) => step[name].map((layer) => layer.map(numbers)));
    return {
        ids, encoder: encoder.map((layer) => layer.map(numbers)), self: rows("self"), cross: rows("cross"),
        logits: steps.map(({ logits }) => numbers(logits)),
    };
}"""


def numbers(letters):
    return np.frombuffer(base64.b64decode(letters), np.float32)


def check_one_pass(page, translator, text, source=None):
    """Teacher forcing: the same logits within 1e-4, the same weights within 1e-5."""
    model = translator.model
    src = torch.tensor([[*translator.subwords.encode(text), 2]])
    with inference(model):
        tgt = torch.tensor([[1, *greedy_decode(model, src)[0].tokens[:-1]]])
        logits, weights = model(src, tgt)[0].numpy(), model.attention_weights(src, tgt)
    found = page.evaluate(_FORCED_TEACHER, [text, tgt[0].tolist(), source])
    assert found["ids"] == src[0].tolist()
    apart = [np.abs(np.stack([numbers(row) for row in found["logits"]]) - logits).max()]
    encoder = np.stack([[numbers(head) for head in layer] for layer in found["encoder"]])
    apart.append(np.abs(encoder - weights["encoder_self"][:, 0].flatten(2).numpy()).max())
    for name, ours in (("self", weights["decoder_self"]), ("cross", weights["cross"])):
        for i, step in enumerate(found[name]):
            row = np.stack([[numbers(head) for head in layer] for layer in step])
            wanted = ours[:, 0, :, i].numpy()
            apart.append(np.abs(row - wanted[..., : row.shape[-1]]).max())
            assert row.shape[-1] == (i + 1 if name == "self" else src.shape[1])
    assert apart[0] < 1e-4 and max(apart[1:]) < 1e-5, (text, apart)


def test_logits_and_weights_are_those_of_python(either):
    for text in TEXTS[6:26]:
        check_one_pass(either, reference(), text)


@pytest.mark.parametrize(
    "changes",
    [
        {"norm": "post", "positions": "learned"},
        {"tie_embeddings": False, "positions": "none", "bias": False},
        {"d_k": 5, "d_v": 7},
    ],
    ids=str,
)
def test_other_configurations_run_too(either, changes):
    translator = tiny_translator(**changes)
    content = page_weights(translator)
    translator = type(translator)(model_of(content), translator.subwords)
    check_one_pass(either, translator, "You like cats.", base64.b64encode(content).decode())


@pytest.mark.slow
@pytest.mark.parametrize("beam_size", [1, 4])
def test_forty_sentences_are_translated_as_in_python(either, beam_size):
    assert len(set(TEXTS)) == 40
    found = disagreements(either, TEXTS, beam_size)
    assert len(found) <= 1  # a tie that rounding breaks the other way
    assert all(abs(ours - theirs) < NEAR for _, _, ours, theirs in found), found


def test_the_tree_is_that_of_the_search(page):
    text = SENTENCES[1]
    src = torch.tensor([[*reference().subwords.encode(text), 2]])
    tree = grow(reference().model, src, 3, alphas=(0.6,))
    nodes = page.evaluate(
        "(text) => (engine.read(text), engine.begin(), finished(engine.translate({ beamSize: 3 })).tree.nodes)", text
    )
    path = []
    for node in nodes:
        path.append((*(path[node["parent"]] if node["parent"] >= 0 else ()), node["id"]))
    fates = [("finished" if n["finished"] else "kept") if n["kept"] else "dropped" for n in nodes]
    ours = [(step, one) for step, all_ in enumerate(tree.steps, start=1) for one in all_.candidates]
    assert [(n["step"], p, fate) for n, p, fate in zip(nodes, path, fates, strict=True)] == [
        (step, one.tokens, one.fate) for step, one in ours
    ]
    np.testing.assert_allclose([n["total"] for n in nodes], [one.log_prob for _, one in ours], atol=1e-4)
    best = tree.finished(0.6)[0]
    assert [p for n, p in zip(nodes, path, strict=True) if n["best"]][-1] == best.tokens
    assert max(n["score"] for n in nodes if n["finished"] and n["kept"]) == pytest.approx(best.score, abs=1e-4)


class Begun:
    """A model that may only begin in one way: at the first steps every other piece is impossible."""

    def __init__(self, model, forced):
        self.model, self.forced, self.config = model, forced, model.config
        self.encode = model.encode

    def start(self, memory):
        return _Begun(self.model.start(memory), 0)

    def step(self, tokens, state):
        log_probs, inner = self.model.step(tokens, state.inner)
        if state.length < len(self.forced):
            only = torch.full_like(log_probs, -torch.inf)
            only[:, self.forced[state.length]] = log_probs[:, self.forced[state.length]]
            log_probs = only
        return log_probs, _Begun(inner, state.length + 1)


class _Begun:
    def __init__(self, inner, length):
        self.inner, self.length = inner, length

    def reorder(self, rows):
        return _Begun(self.inner.reorder(rows), self.length)


@pytest.mark.parametrize("forced", ["A mí", "Yo", "El perro", "Me gustan los gatos."])
@pytest.mark.parametrize("beam_size", [1, 3])
def test_a_forced_beginning_is_a_search_in_which_nothing_else_is_possible(page, forced, beam_size):
    subwords = reference().subwords
    ids = [*subwords.encode(forced), *([2] if forced.endswith(".") else [])]
    src = torch.tensor([[*subwords.encode("I like cats."), 2]])
    model = Begun(reference().model, ids)
    (ours,) = greedy_decode(model, src) if beam_size == 1 else beam_search(model, src, beam_size, 1.0)
    found = page.evaluate(
        """([forced, beamSize]) => {
            engine.read("I like cats.");
            engine.begin();
            return finished(engine.translate({ beamSize, lengthPenalty: 1, forced }));
        }""",
        [ids, beam_size],
    )
    assert found["ids"] == list(ours.tokens) and found["ids"][: len(ids)] == ids
    assert found["score"] == pytest.approx(ours.score, abs=1e-4)
    assert len(found["steps"]) == len(found["ids"])


@pytest.mark.parametrize(
    "heads",
    [
        [("encoder", 0, 1)],
        [("self", 1, 0), ("self", 1, 3)],
        [("cross", 2, 2), ("cross", 0, 0), ("encoder", 2, 3)],
    ],
    ids=str,
)
def test_silenced_heads_are_those_that_the_package_removes(page, heads):
    names = {"encoder": "encoder_self", "self": "decoder_self", "cross": "cross"}
    model, subwords = reference().model, reference().subwords
    text, prefix = SENTENCES[3], subwords.encode("¿Quién te dijo")
    src = torch.tensor([[*subwords.encode(text), 2]])
    tgt = torch.tensor([[1, *prefix]])
    with inference(model):
        with without_heads(model, [Head(names[use], layer, head) for use, layer, head in heads]):
            ours = model(src, tgt)[0, -1].log_softmax(dim=-1)
        whole = model(src, tgt)[0, -1].log_softmax(dim=-1)
    found = page.evaluate(
        """([text, prefix, heads]) => {
            engine.read(text);
            engine.begin({ silenced: heads.map(([use, layer, head]) => ({ use, layer, head })) });
            return engine.step({ prefix, candidates: 20 });
        }""",
        [text, prefix, heads],
    )
    ids = [one["id"] for one in found["candidates"]]
    log_probs = [one["logProbability"] for one in found["candidates"]]
    np.testing.assert_allclose(log_probs, ours[ids].numpy(), atol=1e-4)
    assert log_probs == sorted(log_probs, reverse=True) and set(ids) <= set(ours.topk(23).indices.tolist())
    assert (ours - whole).abs().max() > 0.01  # the heads do something
    assert found["end"] == pytest.approx(ours[2].exp().item(), abs=1e-5)


def test_odd_texts_have_the_same_answers_as_in_python(page):
    found = page.evaluate("(texts) => texts.map((text) => finished(engine.translateText(text, { beamSize: 1 })))", ODD)
    ours = reference().translate_each(ODD, beam_size=1)
    for text, theirs, outcome in zip(ODD, found, ours, strict=True):
        assert theirs["text"] == outcome.text, ascii(text[:40])
        assert (theirs["problem"] is None) == (outcome.error is None), ascii(text[:40])
        if isinstance(outcome.error, InputTooLong):
            assert re.findall(r"\d+", theirs["problem"]) == re.findall(r"\d+", str(outcome.error))[:2]
        assert len(theirs["notes"]) == len(outcome.notes), ascii(text[:40])
    assert [bool(one["problem"]) for one in found].count(True) == 3  # twice 10 000 letters, half a character


def test_what_the_explorer_reads_of_odd_texts(page):
    found = page.evaluate("(texts) => texts.map((text) => engine.read(text))", ODD)
    for text, read in zip(ODD, found, strict=True):
        (source,) = [without_controls(text)[0]]
        lines = source.strip().replace("\r\n", "\n").replace("\r", "\n").split("\n")
        assert read["sentences"] == [sentence for line in lines for sentence in split_sentences(line)]
        if not read["sentences"]:
            assert "nothing to translate" in read["problem"] and read["ids"] == []
    assert all("at most 255" in found[n]["problem"] and found[n]["pieces"] == [] for n in (8, 9))
    assert "half a character (U+D800)" in found[10]["problem"]
    second = page.evaluate("(text) => engine.read(text, { sentence: 1 })", ODD[7])
    assert second["text"] == "Two cats!" and len(second["sentences"]) == 4


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("engine.begin({ silenced: [{ use: 'cross', layer: 3, head: 0 }] })", "no head 0 in layer 3 of cross"),
        ("engine.step({ prefix: [8000] })", "pieces of the vocabulary"),
        ("engine.step({ prefix: [1] })", "pieces of the vocabulary"),
        ("engine.step({ prefix: [2] })", "nothing follows"),
        ("engine.step({ prefix: Array(99).fill(300) })", "at most 19 more pieces"),
        ("finished(engine.translate({ beamSize: 0 }))", "width of the beam"),
        ("finished(engine.translate({ beamSize: 2.5 }))", "width of the beam"),
        ("finished(engine.translate({ lengthPenalty: -1 }))", "length penalty"),
        ("finished(engine.translate({ lengthPenalty: NaN }))", "length penalty"),
        ("finished(engine.translate({ forced: [2, 300] }))", "follow </s>"),
        ("(engine.read(''), engine.begin())", "no sentence"),
        ("(engine.read('I like cats.'), engine.step())", "has not read"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(page, call, message):
    page.evaluate("() => { engine.read('I like cats.'); engine.begin(); }")
    assert message in page.evaluate(
        f"() => {{ try {{ {call}; return 'nothing was said'; }} catch (error) {{ return error.message; }} }}"
    )


def sealed(header, numbers):
    """A file with a checksum that is right, whatever the header says."""
    text = json.dumps(header).encode()
    text += b" " * (-(16 + len(text)) % 8)
    content = struct.pack("<I", len(text)) + text + numbers
    return b"ATTNBK01" + struct.pack("<I", zlib.crc32(content)) + content


def malformed():
    """Files that are damaged, or lie about themselves, by what is wrong with them."""
    good = page_weights(tiny_translator())
    (length,) = struct.unpack_from("<I", good, 12)
    numbers = good[16 + length :]
    name = "encoder.layers.0.add_attention.norm.weight"

    def with_changes(**changes):
        header = json.loads(good[16 : 16 + length])
        for key, value in changes.items():
            (header["config"] if key in header["config"] else header)[key] = value
        return sealed(header, numbers)

    header = json.loads(good[16 : 16 + length])
    at = header["tensors"][name]["offset"]
    tensors = header["tensors"]
    return {
        "empty": b"",
        "of another kind": b"<!doctype html><title>Not found</title>",
        "cut": good[:-100],
        "a bit changed": good[:5000] + bytes([good[5000] ^ 1]) + good[5001:],
        "a header that is too long": good[:8]
        + struct.pack("<I", zlib.crc32(struct.pack("<I", 2**31) + good[16:]))
        + struct.pack("<I", 2**31)
        + good[16:],
        "a header of another kind": sealed([1, 2], numbers),
        "a number that is none": sealed(header, numbers[:at] + struct.pack("<f", float("nan")) + numbers[at + 4 :]),
        "another width": with_changes(d_model=64),
        "a width of zero": with_changes(d_model=0),
        "a width that is huge": with_changes(d_model=10**9),
        "another norm": with_changes(norm="<b>"),
        "rotations": with_changes(positions="rotary"),
        "too few pieces": with_changes(pieces=header["pieces"][:-1]),
        "pieces twice": with_changes(pieces=[*header["pieces"][:-1], header["pieces"][0]]),
        "an odd merge": with_changes(merges=header["merges"][:-1]),
        "a merge of nothing": with_changes(merges=[*header["merges"][:-1], 10**6]),
        "a tensor less": with_changes(tensors={n: t for n, t in tensors.items() if n != name}),
        "a tensor outside": with_changes(tensors={**tensors, name: {**tensors[name], "offset": 10**9}}),
        "a tensor before": with_changes(tensors={**tensors, name: {**tensors[name], "offset": -8}}),
        "a tensor between": with_changes(tensors={**tensors, name: {**tensors[name], "offset": at + 1}}),
    }


def test_malformed_files_are_refused_in_a_sentence(page):
    files = {name: base64.b64encode(content).decode() for name, content in malformed().items()}
    files["good"] = base64.b64encode(page_weights(tiny_translator())).decode()
    said = page.evaluate(
        """(files) => Object.fromEntries(Object.entries(files).map(([name, letters]) => {
            try {
                new engineModule.Engine(Uint8Array.from(atob(letters), (c) => c.charCodeAt(0)).buffer);
                return [name, null];
            } catch (error) {
                return [name, error.message];
            }
        }))""",
        files,
    )
    assert said.pop("good") is None
    assert not {
        name: told for name, told in said.items() if not told or not told.startswith(("The file", "This is no"))
    }
