"""Where numbers come from: what is recorded beside them."""

import ast
import re
import sys
from importlib import metadata

import torch

from attention_book import provenance
from attention_book.code_text import CodeText
from attention_book.multi_head import MultiHeadAttention


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


def test_a_digest_is_of_a_module_or_of_names_in_it():
    one, other = (provenance.code_digest(MultiHeadAttention.__module__, *names) for names in ([], ["split_heads"]))
    assert one != other
    assert re.fullmatch("[0-9a-f]{16}", one)


def test_a_digest_is_the_same_on_every_python():
    # Python 3.12 gave functions and classes a list of type parameters, and 3.13 stopped writing empty lists.
    tree = ast.parse("class A(B):\n    def f(x: int = None, *, y=...):\n        return f'{x!r:>3}', [], b'', 1j\n")
    writer = CodeText(lambda *_: [], "module", "", "", messages=False)
    writer.write(tree, {})
    found = "".join(writer.pieces)
    assert found.startswith("Module(body=[ClassDef(name='A', bases=[Name(id='B', ctx=Load(), ), ], keywords=[], body=[")
    assert "defaults=[Constant(value=None, ), ]" in found
    assert "type_params" not in found
    if sys.version_info[:2] == (3, 11):
        assert found.replace(", )", ")").replace(", ]", "]").replace("<>", "") == ast.dump(tree)
