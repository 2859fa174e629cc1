"""Where numbers come from: what is recorded beside them."""

import re
from importlib import metadata

import torch

from attention_book.attention.multi_head import MultiHeadAttention
from attention_book.provenance import code_digest, environment


def test_the_machine_is_described():
    found = environment.machine()
    assert found["threads"] == torch.get_num_threads()
    assert found["cores"] >= 1
    assert found["processor"] and found["system"]
    assert ("accelerator" in found) == torch.cuda.is_available()


def test_the_versions_are_those_installed():
    found = environment.versions()
    assert found["torch"] == metadata.version("torch")
    assert re.fullmatch(r"3\.\d+\.\d+", found["python"])


def test_the_date_is_a_date():
    assert re.fullmatch(r"20\d\d-[01]\d-[0-3]\d", environment.today())


def test_a_digest_is_of_a_module_or_of_names_in_it():
    one, other = (code_digest.code_digest(MultiHeadAttention.__module__, *names) for names in ([], ["split_heads"]))
    assert one != other
    assert re.fullmatch("[0-9a-f]{16}", one)
