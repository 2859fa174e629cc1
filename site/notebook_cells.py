"""The cells of a stand-alone notebook: a page's Markdown blocks and code cells in order, as a reader needs them.

What the page hides is folded. An exercise's statement is a cell of its own, and the cell in which it is answered is cut
in two, the answer and its check, each marked in its metadata, so that a grading system finds them.
"""

import ast

import nbformat
from notebook_blocks import CodeCell, Exercise

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
FOLDED = {  # which tags of a page fold what in a notebook; an output that is made to be played with stays open
    "source_hidden": {"remove-cell", "remove-input", "hide-cell", "hide-input"},
    "outputs_hidden": {"remove-cell", "hide-cell", "hide-output"},
}
SETUP = """\
# Set-up: the book's package, one thread, colours, fonts.
import importlib.util
import subprocess
import sys

ADDRESS = {address!r}  # where pip finds the package, from the book's _config.yml; empty if that does not say


class PackageMissing(ImportError):
    def _render_traceback_(self):
        return [str(self)]


if ADDRESS and not importlib.util.find_spec("attention_book"):
    subprocess.run([sys.executable, "-m", "pip", "install", f"attention-book[notebooks] @ {{ADDRESS}}"])
    importlib.invalidate_caches()
if not importlib.util.find_spec("attention_book"):
    raise PackageMissing(
        "This notebook needs the book's package, attention-book, and the Python that runs it does not have it.\\n"
        "Install it where this Python finds it, either from a copy of the book's repository:\\n"
        f"    cd FOLDER-OF-THE-BOOK; {{sys.executable}} -m pip install '.[notebooks]'\\n"
        "or from a wheel of it:\\n"
        f"    {{sys.executable}} -m pip install 'attention-book[notebooks] @ file:///FOLDER/attention_book-….whl'\\n"
        "Then run this cell again."
    )

from attention_book.pages.notebook import prepare

prepare({options})"""


def setup_cell(address="", hindi=False):
    """The first code cell: it installs the package if it knows from where, and says how to otherwise.

    Args:
        address: what pip installs the package from, such as "git+https://…"; empty if nobody has said.
        hindi: whether the page has letters of Hindi.
    """
    source = SETUP.format(address=address, options="hindi=True" if hindi else "")
    return nbformat.v4.new_code_cell(source, metadata={"tags": ["setup"], "jupyter": {"source_hidden": True}})


def code_cell(cell, **metadata):
    """A page's code cell with its tags, folded as far as the page hides it."""
    tags = set(cell.metadata.get("tags", ()))
    folded = {part: True for part, hiding in FOLDED.items() if tags & hiding}
    about = {**cell.metadata, **({"jupyter": folded} if folded else {}), **metadata}
    return nbformat.v4.new_code_cell(cell.source, metadata=about)


def check_of(statement):
    """The call of a check in `check_…(…)` or `display(check_…(…))`; None if the statement is neither."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    while isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
        if call.func.id.startswith("check_"):
            return call
        call = call.args[0] if call.func.id == "display" and len(call.args) == 1 else None
    return None


def answer_and_check(source):
    """A cell with which an exercise is answered, as two: the answer, and the checks at its end; None if it has none.

    An answer that is written into the call of its check, `check_shapes({"a": ...})`, moves into the first cell under a
    name, `answer = {"a": ...}`, so that the second cell holds nothing of the reader's.
    """
    try:
        statements = ast.parse(source).body
    except SyntaxError:  # a line of IPython's
        return None
    first = len(statements)
    while first and check_of(statements[first - 1]):
        first -= 1
    checks = statements[first:]
    if not checks:
        return None
    given = source.split("\n")[: checks[0].lineno - 1]
    calls = [check_of(statement) for statement in checks]
    if any(isinstance(one, ast.Starred) or (isinstance(one, ast.keyword) and one.arg is None)
           for call in calls for one in [*call.args, *call.keywords]):  # fmt: skip
        return None
    written = [argument for call in calls for argument in call.args if not isinstance(argument, ast.Name)]
    answers, moved = [], iter(range(1, len(written) + 1))

    def named(argument, name):
        if isinstance(argument, ast.Name):
            return argument
        answers.append(f"{name} = {dedented(ast.get_source_segment(source, argument), argument, source)}")
        return ast.Name(name)

    for call in calls:
        call.args = [named(one, f"answer_{next(moved)}" if len(written) > 1 else "answer")
                     if not isinstance(one, ast.Name) else one for one in call.args]  # fmt: skip
        for keyword in call.keywords:
            keyword.value = named(keyword.value, f"answer_{keyword.arg}")
    answer = "\n".join([*given, *answers]).strip("\n")
    return answer, "\n".join(ast.unparse(statement) for statement in checks)


def dedented(segment, node, source):
    """An expression of several lines, moved to the left margin if it stood on a line of its own."""
    first, *rest = segment.split("\n")
    line = source.split("\n")[node.lineno - 1]
    indent = node.col_offset if not line[: node.col_offset].strip() else 0
    rest = [line[indent:] if not line[:indent].strip() else line for line in rest]
    return "\n".join([first, *rest])


def code_cells(cell, exercise=None):
    """The notebook's cells for one of the page's: one, or two if it answers an exercise and checks the answer."""
    if exercise is None:
        return [code_cell(cell)]
    about = {"label": exercise.label}
    parts = answer_and_check(cell.source)
    if parts is None or not parts[0]:
        return [code_cell(cell, exercise={**about, "role": "check" if parts else "answer"})]
    roles = zip(("answer", "check"), parts, strict=True)
    return [code_cell(nbformat.v4.new_code_cell(text, metadata=cell.metadata), exercise={**about, "role": role})
            for role, text in roles]  # fmt: skip


def statement_cell(exercise):
    about = {"label": exercise.label, "number": exercise.number, "kind": exercise.kind, "title": exercise.title}
    return nbformat.v4.new_markdown_cell(exercise.text, metadata={"exercise": about})


def notebook_of(blocks, cells, attachments=(), note="", openings=()):
    """A notebook from Markdown blocks and code cells, in the page's order.

    A cell that the page does not show (tag `remove-cell`) has no place among the blocks; it comes before the next one
    that has. `note` follows the first block, and `openings` are code cells to run before the page's own.
    """
    waiting = {index: cell for index, cell in enumerate(cells) if cell.cell_type == "code"}
    out, text = [], []
    exercise = None  # the one whose statement came last

    def flush():
        if text:
            add(nbformat.v4.new_markdown_cell("\n\n".join(text)))
            text.clear()

    def add(cell):
        named = {name: data for name, data in dict(attachments).items() if f"(attachment:{name})" in cell.source}
        if named:
            cell["attachments"] = named
        out.append(cell)

    def code(up_to, exercise=None):
        for index in [index for index in waiting if index <= up_to]:
            flush()
            out.extend(code_cells(waiting.pop(index), exercise if index == up_to else None))

    for block in blocks:
        if isinstance(block, CodeCell):
            code(block.index, exercise)
            exercise = None
            continue
        if isinstance(block, Exercise):
            flush()
            add(statement_cell(block))
            exercise = block
            continue
        exercise = None
        if block.startswith("#"):
            flush()
        text.append(block)
        if note:
            text.append(note)
            note = ""
    flush()
    code(len(cells))
    place = next((n for n, cell in enumerate(out) if n or cell.cell_type == "code"), len(out))
    out[place:place] = openings
    for number, cell in enumerate(out):
        cell["id"] = f"cell-{number}"  # the same page gives the same file
    return nbformat.v4.new_notebook(cells=out, metadata={"kernelspec": KERNEL})
