"""What the first cell of a stand-alone notebook does: one thread, the page's colours, and a font for Hindi.

The built page has all three from the book's build and from its style sheets. A notebook is opened in a Jupyter that
knows nothing of either.
"""

import base64
import os
from dataclasses import replace
from pathlib import Path

DARK = ("[data-jp-theme-light=false]", ".vscode-dark", "html[theme=dark]")
"""What tells that a page is dark: in JupyterLab and Notebook, in VS Code, and in Colab."""
WORD_TABLES = Path(__file__).with_name("word_tables.css")
FONT = "Noto Sans Devanagari"
_LETTERS = "U+0900-097F, U+1CD0-1CF9, U+200C-200D, U+20B9, U+25CC, U+A8E0-A8FF"


def prepare(hindi: bool = False) -> None:
    """Make this notebook compute with one thread, as the book's build does, and look like its page.

    Args:
        hindi: whether Hindi words are to be drawn, by Matplotlib and in what the cells show.

    The number of threads is left alone where ``OMP_NUM_THREADS`` was set before. A missing font is no error: the
    reader's own system may have the letters.
    """
    from IPython.display import HTML, display

    os.environ.setdefault("OMP_NUM_THREADS", "1")  # torch reads it when it is imported
    style = role_colours() + WORD_TABLES.read_text(encoding="utf-8")
    if hindi and (font := font_file()):
        teach_matplotlib(font)
        style += font_face(font)
    display(HTML(f"<style>\n{style}</style>"))


def role_colours() -> str:
    """Style rules that give figures and words the colours of their roles, on light and on dark pages."""
    from .figures.plotting import ROLES

    def rule(where: str, paper: str, colours: dict[str, str]) -> str:
        named = "".join(f"--role-{name}: {colour}; " for name, colour in colours.items())
        return f"{where} {{ {named}--figure-paper: {paper}; }}\n"

    light = rule(":root", "#ffffff", {name: role.light for name, role in ROLES.items()})
    return light + rule(", ".join(DARK), "#111111", {name: role.dark for name, role in ROLES.items()})


def font_file() -> Path | None:
    """The font for Devanagari that the package brings along; None where it was installed without."""
    try:
        import fontpkg_noto_sans_devanagari
    except ModuleNotFoundError:
        return None
    return next(iter(sorted(Path(fontpkg_noto_sans_devanagari.ROOT, "files").glob("*.ttf"))), None)


def teach_matplotlib(font: Path) -> None:
    """Let Matplotlib take the letters that its own font lacks from this one, in bold text too.

    Matplotlib draws one weight of this font; without an entry for bold it warns whenever a text is bold.
    """
    import matplotlib as mpl
    from matplotlib import font_manager

    families = mpl.rcParams["font.family"]
    if FONT in families:
        return
    known = font_manager.fontManager
    known.addfont(font)
    known.ttflist += [replace(entry, weight="bold") for entry in known.ttflist if entry.name == FONT]
    mpl.rcParams["font.family"] = [*families, FONT]


def font_face(font: Path) -> str:
    """Style rules that carry the font itself, for the Hindi words of tables, figures and explorers."""
    data = base64.b64encode(font.read_bytes()).decode("ascii")
    return (
        f'@font-face {{ font-family: "{FONT}"; font-weight: 100 900; unicode-range: {_LETTERS}; '
        f'src: url("data:font/ttf;base64,{data}") format("truetype"); }}\n'
        f':lang(hi) {{ font-family: "{FONT}", "Nirmala UI", "Kohinoor Devanagari", "Mangal", sans-serif; }}\n'
    )
