"""Where numbers come from: what is recorded beside them."""

import re
from importlib import metadata

import torch

from attention_book import provenance


def test_the_machine_is_described():
    found = provenance.machine()
    assert found["threads"] == torch.get_num_threads()
    assert found["cores"] >= 1
    assert found["processor"] and found["system"]
    assert ("accelerator" in found) == torch.cuda.is_available()


def test_the_versions_are_those_installed():
    found = provenance.versions()
    assert found["torch"] == metadata.version("torch")
    assert re.fullmatch(r"3\.\d+\.\d+", found["python"])


def test_the_date_is_a_date():
    assert re.fullmatch(r"20\d\d-[01]\d-[0-3]\d", provenance.today())


def test_a_digest_names_what_is_missing_and_depends_on_what_is_asked_for():
    masks, positions = (provenance.code_digest(f"attention_book.{name}") for name in ("masks", "positions"))
    assert masks != positions
    assert re.fullmatch("[0-9a-f]{16}", masks)
    assert provenance.code_digest("attention_book.masks") == masks
    assert provenance.code_digest("attention_book.multi_head") == provenance.code_digest(
        "attention_book.multi_head", "attention_book.dot_product"
    )  # the one imports the other
