"""The fingerprint of the code behind a result."""

import ast
import sys

from attention_book.provenance.code_text import CodeText


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
