"""Handlers: where somebody may catch the error of a guard and go on, guards count."""

import pytest

from attention_book.provenance.definitions import Definitions
from attention_book.provenance.handlers import KEPT_TO_BE_RAISED
from attention_book.provenance.source_graph import SourceGraph
from attention_book.translation.translator import Translator

HEAD = (
    "import contextlib\nimport os\nimport signal\nimport threading\n\nimport numpy as np\n\n"
    "ERRORS = (ValueError,)\n\n\nclass Refused(ValueError):\n    pass\n\n\nclass Worse(Refused):\n    pass\n\n\n"
)
CHECKED = "def checked(x):\n    if x < {}:\n        raise {}(x)\n    return x\n\n\n"
TRY = "try:\n    x = {}(x)\nexcept {}:\n    {}"


def moves(folder, code, error="ValueError"):
    """Whether an edit of a guard moves the digest of a function with some code that calls ``checked``."""
    found = set()
    body = "\n    ".join(code.split("\n"))
    for least in (1, 2):
        run = f"def run(x):\n    {body}\n    return checked(x)\n"
        (folder / "main.py").write_text(HEAD + CHECKED.format(least, error) + run)
        definitions = Definitions(SourceGraph(folder))
        found.add(definitions.digest(definitions.of("main", "run")))
    return len(found) == 2


CASES = [
    (TRY.format("checked", "ValueError", "x = 1"), True),
    (TRY.format("x.check", "ValueError as error", "x = error"), True),
    (TRY.format("checked", "Exception", "x = 1"), True),
    (TRY.format("checked", "(OSError, ValueError)", "x = 1"), True),
    (TRY.format("checked", "ERRORS", "x = 1"), True),
    (TRY.format("checked", "os.error", "x = 1"), True),  # it is not known what that is
    ("try:\n    x = checked(x)\nexcept:\n    x = 1", True),
    ("try:\n    x = checked(x)\nexcept* ValueError:\n    x = 1", True),
    (TRY.format("checked", "OSError", "x = 1"), False),
    (TRY.format("checked", "UnicodeDecodeError", "x = 1"), False),  # which is a ValueError, and not the other way
    (TRY.format("checked", "Refused", "x = 1"), False),
    (TRY.format("checked", "ValueError", "raise"), False),
    (TRY.format("checked", "ValueError as error", "raise RuntimeError from error"), False),
    (TRY.format("checked", "ValueError as error", "x = 1\n    raise error"), False),
    (TRY.format("checked", "ValueError as error", "if x:\n        return 1\n    raise error"), True),
    (TRY.format("checked", "ValueError", "raise OSError") + "\n" + TRY.format("checked", "OSError", "x = 1"), True),
    (TRY.format("checked", "ValueError", "raise x") + "\n" + TRY.format("checked", "OSError", "x = 1"), True),
    ("try:\n    x = checked(x)\nfinally:\n    return 1", True),
    ("try:\n    x = checked(x)\nfinally:\n    x = 1", False),
    ("with contextlib.suppress(ValueError):\n    x = checked(x)", True),
    ("with contextlib.nullcontext():\n    x = checked(x)", False),
    ("threading.Thread(target=checked).start()", True),
    ("class Quiet:\n    def __exit__(self, *_):\n        return True", True),
    (TRY.format("np.broadcast_shapes", "ValueError", "x = 1"), False),
    ("try:\n    x = tuple(x.shape) == x\nexcept ValueError:\n    x = 1", False),
    ("try:\n    x = tuple(x)\nexcept ValueError:\n    x = 1", True),  # x may be a generator
    ("try:\n    x = np.vectorize(x)\nexcept ValueError:\n    x = 1", True),
    ("try:\n    yield x\nexcept ValueError:\n    x = 1", True),
    ("try:\n    for one in x:\n        pass\nexcept ValueError:\n    x = 1", True),
]


@pytest.mark.parametrize(("code", "counts"), CASES, ids=[code.replace("\n", "; ") for code, _ in CASES])
def test_a_guard_counts_where_its_error_may_be_caught(tmp_path, code, counts):
    assert moves(tmp_path, code) == counts


@pytest.mark.parametrize(
    ("error", "caught", "counts"),
    [
        ("Worse", "Worse", True),
        ("Worse", "Refused", True),
        ("Worse", "ValueError", True),
        ("Refused", "Worse", False),
        ("Refused", "TypeError", False),
        ("TypeError", "ValueError", False),
    ],
)
def test_the_errors_of_the_package_have_bases(tmp_path, error, caught, counts):
    assert moves(tmp_path, TRY.format("checked", caught, "x = 1"), error) == counts


def test_an_error_that_is_kept_to_be_raised_is_harmless_until_it_can_be_had_otherwise(tmp_path):
    ((then, name),) = KEPT_TO_BE_RAISED.items()
    kept = TRY.format("checked", "ValueError as error", then)
    assert not moves(tmp_path, kept)
    assert moves(tmp_path, f"{kept}\nx.{name}(x)")
    assert moves(tmp_path, f"{kept}\ngetattr(x, '{name}')")
    assert moves(tmp_path, kept.replace("error = ", "error, x = "))
    assert callable(getattr(Translator, name))
