"""The file for the translator in the page: read back byte by byte, and refused where it is not whole."""

import json
import struct
import zlib

import numpy as np
import pytest
import torch
from tiny_translator import tiny_translator

from attention_book.data.subwords import as_json
from attention_book.models.quantisation import quantised
from attention_book.translation import page_weights as module
from attention_book.translation.page_weights import LARGEST, model_of, page_weights, write_page_weights
from attention_book.translation.translator import Translator

VARIANTS = [{}, {"norm": "post", "positions": "learned"}, {"tie_embeddings": False, "positions": "none", "bias": False}]


@pytest.mark.parametrize("changes", VARIANTS, ids=str)
def test_the_file_holds_what_its_description_says(changes):
    translator = tiny_translator(**changes)
    content = page_weights(translator)
    magic, checksum, length = struct.unpack_from("<8sII", content)
    assert magic == b"ATTNBK01" and checksum == zlib.crc32(content[12:]) and (16 + length) % 8 == 0
    header = json.loads(content[16 : 16 + length])
    numbers = content[16 + length :]
    parameters = dict(translator.model.named_parameters())
    assert header["config"] == translator.model.config.to_dict()
    assert header["tensors"].keys() == parameters.keys()
    for name, entry in header["tensors"].items():
        weight = parameters[name].detach().numpy()
        assert entry["shape"] == list(weight.shape)
        kind = np.int8 if weight.ndim == 2 else np.float32
        values = np.frombuffer(numbers, kind, weight.size, entry["offset"]).reshape(weight.shape)
        if weight.ndim == 1:
            assert (values == weight).all()
        else:
            scales = np.frombuffer(numbers, np.float32, weight.shape[0], entry["scales"])
            assert np.abs(values * scales[:, None] - weight).max() <= np.abs(weight).max() / 253
            assert np.abs(values).max(axis=1).tolist() == [127] * len(weight)


def test_the_vocabulary_in_the_file_is_that_of_the_tokenizers_library():
    translator = tiny_translator()
    content = page_weights(translator)
    (length,) = struct.unpack_from("<I", content, 12)
    header = json.loads(content[16 : 16 + length])
    model = json.loads(as_json(translator.subwords))["model"]
    pairs = zip(header["merges"][::2], header["merges"][1::2], strict=True)
    assert {piece: i for i, piece in enumerate(header["pieces"])} == model["vocab"]
    assert [[header["pieces"][a], header["pieces"][b]] for a, b in pairs] == model["merges"]


@pytest.mark.parametrize("changes", VARIANTS, ids=str)
def test_its_model_is_the_quantised_one_and_still_translates(changes):
    translator = tiny_translator(**changes)
    again = model_of(page_weights(translator))
    wanted = dict(quantised(translator.model).named_parameters())
    assert all(torch.equal(parameter, wanted[name]) for name, parameter in again.named_parameters())
    assert Translator(again, translator.subwords).translate("I like cats.") == "Me gustan los gatos."


def test_the_shipped_one_fits_into_a_page_and_is_the_same_each_time(translator, tmp_path):
    written = write_page_weights(translator, tmp_path / "weights")
    content = written.read_bytes()
    assert len(content) <= LARGEST == 10_000_000
    assert content == page_weights(translator)


def test_what_the_page_cannot_run_is_refused(translator, monkeypatch):
    with pytest.raises(ValueError, match="sinusoidal, learned or no positions"):
        page_weights(tiny_translator(positions="rotary"))
    monkeypatch.setattr(module, "LARGEST", 1000)
    with pytest.raises(ValueError, match="may fetch 1,000"):
        page_weights(tiny_translator())


def refusal(content):
    """What is said of a file; nothing if it is read."""
    try:
        model_of(bytes(content))
    except ValueError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("place", [0, 9, 13, 20, -1])
def test_a_changed_bit_is_noticed(place):
    content = bytearray(page_weights(tiny_translator()))
    content[place] ^= 4
    assert ("no file of a translator" if place == 0 else "damaged") in refusal(content)


@pytest.mark.parametrize("length", [0, 7, 12, 18, 500, -1])
def test_a_file_that_was_cut_is_noticed(length):
    assert ("no file of a translator" if 0 <= length < 16 else "damaged") in refusal(
        page_weights(tiny_translator())[:length]
    )
