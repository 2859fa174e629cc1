r"""Sphinx extension: a letter in a displayed formula says what it means, in the words of the page *Notation*.

Whoever points at the letter reads its meaning in a tooltip; a small list below the formula, which opens with a key or a
tap, has the meanings of all of its letters. What is read aloud of the formula itself stays as it was.

The same letter means different things on different pages, so no letter is explained unless the page says in its front
matter that it has the sense of *Notation*, by the section of the table and the letters as they are written there::

    symbols:
      sizes: d_k
      attention: \query{Q} \key{K} \val{V} \out{O}

A letter that is not in the section, or of which *Notation* says that this page has another sense, fails the build.
"""

import html
import re
from functools import cache
from pathlib import Path

from attention_book.pages.book_page import BookPage

BOOK = Path(__file__).parents[1]
NOTATION = "chapters/appendix/notation"
SECTION = re.compile(r"^\((notation-[\w-]+|letters-twice)\)=$", re.M)
SPELT = {
    r"\times": "×", r"\cdot": "·", r"\dots": "…", r"\top": "T", r"\partial": "∂", r"\ell": "ℓ",
    r"\lVert": "‖", r"\rVert": "‖", r"\lvert": "|", r"\rvert": "|",
    r"\theta": "θ", r"\alpha": "α", r"\beta": "β", r"\delta": "δ", r"\Delta": "Δ", r"\omega": "ω", r"\Pi": "Π",
    r"\varepsilon": "ε",
}  # fmt: skip
ROLE = re.compile(r"\\(?:query|key|val|weight|mask|out|text|mathit)\{([^{}]*)\}")
LIST = '<details class="symbols"><summary>Symbols</summary><ul>{}</ul></details>'


def plain(formula):
    """A formula as text, such as "m × d_k"; None where that would need more than letters and signs."""
    formula = ROLE.sub(r"\1", formula).replace("^\\top", "ᵀ")
    formula = re.sub(r"\\sqrt\{([^{}]*)\}", r"√\1", formula)
    formula = re.sub(r"\\tilde\{?(\w)\}?", "\\1\u0303", formula)
    formula = re.sub(r"\\[A-Za-z]+", lambda name: SPELT.get(name[0], name[0]), formula)
    formula = re.sub(r"([_^])\{(\w+)\}", r"\1\2", formula)
    return None if re.search(r"[\\{}]", formula) else " ".join(formula.split())


def said(cell):
    """A cell of the table as text; None if a formula or a link in it cannot be written so."""
    cell = re.sub(r"\[([^\]]*)\]\{[^}]*\}", r"\1", cell)
    formulas = [plain(one) for one in re.findall(r"\$([^$]+)\$", cell)]
    if None in formulas or re.search(r"\{\w+\}`", cell):
        return None
    parts = iter(formulas)
    return re.sub(r"\$[^$]+\$", lambda _: next(parts), cell).replace("`", "").strip()


def letters(cell):
    """The letters that the first cell of a row introduces, without what they are equal to."""
    for formula in re.findall(r"\$([^$]+)\$", cell):
        yield from (one.strip() for one in formula.partition("=")[0].split(",") if one.strip() != r"\dots")


def table(text):
    """The rows of a section's first table, each a dictionary of cells by the column's heading."""
    lines = [[cell.strip() for cell in line.strip().strip("|").split("|")]
             for line in text.splitlines() if line.startswith("|")]  # fmt: skip
    return [dict(zip(lines[0], row, strict=True)) for row in lines[2:]]


def meanings(notation):
    """What each section of *Notation* says of its letters: {section: {letter: text}}."""
    found, parts = {}, SECTION.split(notation)
    for name, text in zip(parts[1::2], parts[2::2], strict=True):
        known = found.setdefault(name.removeprefix("notation-"), {})
        for row in table(text) if "| In formulas |" in text else ():
            what = row.get("What it is") or row.get("What it counts")
            cells = [row["In formulas"], what, row.get("Shape", "")]
            names, what, shape = map(said, cells)
            if names and what and shape is not None:
                known |= dict.fromkeys(letters(cells[0]), f"{names}: {what}{shape and f'; {shape}'}")
    return found


def letters_elsewhere(notation, page):
    """The letters of which *Notation* says that they have another sense on this page, such as "attention/masks"."""
    *_, text = SECTION.split(notation.partition("(notation-colours)=")[0])
    return {
        letter for row in table(text) if f"{{doc}}`../{page}`" in row["Elsewhere"] for letter in letters(row["Letter"])
    }


def hints(notation, page, declared):
    """The meaning of each letter that a page declares.

    Args:
        notation: the source of the page *Notation*.
        page: the page's name in `chapters/`.
        declared: what its front matter says, letters by section.

    Raises:
        ValueError: if the table does not explain a letter so, or says that it has another sense on this page.
    """
    known, elsewhere, found = meanings(notation), letters_elsewhere(notation, page), {}
    for section, asked in declared.items():
        for letter in asked.split():
            if letter not in known.get(section, {}):
                raise ValueError(
                    f"{page}: symbols names {letter}, which section {section!r} of Notation does not explain"
                )
            if re.sub(r"_.*", "", ROLE.sub(r"\1", letter)) in elsewhere:
                raise ValueError(f"{page}: symbols names {letter}, which has another sense here, as Notation says")
            if letter in found:
                raise ValueError(f"{page}: symbols names {letter} twice")
            found[letter] = known[section][letter]
    return found


@cache
def notation_source():
    return Path(BOOK, f"{NOTATION}.md").read_text(encoding="utf-8")


def hints_of_page(page):
    """The meaning of each letter that the book's page declares; none for a page that is not of the book."""
    file = Path(BOOK, f"{page}.md")
    declared = BookPage.read(file).front_matter.get("symbols") if file.exists() else None
    return hints(notation_source(), page.removeprefix("chapters/"), declared) if declared else {}


def explained(drawn, meant):
    """A drawn formula whose marked letters have the texts of `meant` as tooltips."""
    return re.sub(
        r' data-symbol="(\d+)"', lambda mark: f' data-symbol="" title="{html.escape(meant[int(mark[1])])}"', drawn
    )


def listed(drawn):
    """The list of what the tooltips of a drawn formula say; "" if it has none."""
    rows = dict.fromkeys(re.findall(r' data-symbol="" title="([^"]*)"', drawn))  # letters of one row share their text
    return LIST.format("".join(f"<li>{row}</li>" for row in rows)) if rows else ""


def note_meanings(app, env):
    """Where the table has changed, every page is written again."""
    before = getattr(env, "symbol_hints", None)
    env.symbol_hints = meanings(notation_source())
    return sorted(env.found_docs) if before not in (None, env.symbol_hints) else []


def setup(app):
    app.connect("env-updated", note_meanings)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
