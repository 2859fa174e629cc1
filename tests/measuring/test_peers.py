"""Our weights in other projects' models translate as ours do. Where a project is missing, its test is skipped."""

import os
from pathlib import Path

import pytest

from attention_book.translation.decoding import beam_search, greedy_decode
from attention_book.translation.translator import Translator
from benchmarks import peers

ANNOTATED = os.environ.get("ATTENTION_BOOK_ANNOTATED")


TEXTS = ("Thank you.", "I like cats.", "Where is the station?", "She would have liked to come with us yesterday.")


@pytest.fixture(scope="module")
def ours():
    """The translator, and its translations, greedy and with a beam."""
    translator = Translator.from_pretrained("en-es")
    model, subwords = translator.model.eval(), translator.subwords
    sentences = [[*subwords.encode(text), subwords.eos_id] for text in TEXTS]

    def readable(src, beam_size, most):
        found = greedy_decode(model, src) if beam_size == 1 else beam_search(model, src, beam_size, peers.ALPHA)
        return [list(one.tokens) for one in found]

    decode = peers.by_batches(readable, sentences, model.config.pad_id)
    return model, sentences, {beam_size: decode(len(sentences), beam_size) for beam_size in (1, 4)}


def assert_same(translate, ours):
    model, sentences, wanted = ours
    decode = peers.by_batches(translate, sentences, model.config.pad_id)
    assert {beam_size: decode(3, beam_size) for beam_size in wanted} == wanted
    assert decode(1, 1) == wanted[1]


def test_hugging_face(ours):
    pytest.importorskip("transformers", reason="transformers is not installed")
    assert_same(peers.hugging_face(ours[0]), ours)


def test_joeynmt(ours):
    pytest.importorskip("joeynmt", reason="joeynmt is not installed")
    assert_same(peers.joeynmt(ours[0]), ours)


@pytest.mark.skipif(not ANNOTATED, reason="ATTENTION_BOOK_ANNOTATED names no copy of The Annotated Transformer")
def test_the_annotated_transformer(ours):
    assert_same(peers.annotated(ours[0], Path(ANNOTATED)), ours)


def test_definitions_alone_are_taken_of_a_file(tmp_path):
    lines = ["import math, nothing_there", "import os", "import math", "from copy import deepcopy as c", "FACE = 1 / 0",
             "class A:\n    def root(self):\n        return math.sqrt(4)", "def f(x):\n    return c(x)"]  # fmt: skip
    (tmp_path / peers.ANNOTATED).write_text("\n".join([*lines, "f(0).missing"]), encoding="utf-8")
    for path in (tmp_path, tmp_path / peers.ANNOTATED):
        code = peers.definitions(path)
        assert code.A().root() == 2 and code.f([1]) == [1]
        assert not hasattr(code, "os") and not hasattr(code, "FACE")


def test_batches_keep_the_order_of_the_sentences():
    seen = []

    def echo(src, beam_size, most):
        seen.append((tuple(src.shape), beam_size, most))
        return [[one for one in row if one] for row in src.tolist()]

    sentences = [[5, 2], [6, 7, 8, 2], [9, 9, 2]]
    assert peers.by_batches(echo, sentences, 0)(2, 4) == sentences
    assert seen == [((2, 4), 4, 18), ((1, 2), 4, 14)]
