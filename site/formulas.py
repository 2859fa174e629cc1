r"""Formulas are set when the book is built, and a page needs no MathJax (a hand of `finished_pages`).

MathJax runs here in V8 (`typesetter.js`) and gives for each formula what it would have drawn in a browser, the MathML
for those who hear it, and the style rules that a page's formulas use. The MathML holds the TeX source as an
annotation, which is what is copied (`copied_formulas.js`). A formula is as large as its letters: MathJax measures the
font around it, and a style rule says the same with `1ex`.

A formula is what stands between `\(` and `\)` or `\[` and `\]` where Sphinx or an output of a cell has put it; a
formula that MathJax does not understand fails the build. The fonts, with the characters that the pages use, are
written when all pages are there.
"""

import html as escapes
import json
import os
import re
import tomllib
from functools import cache
from pathlib import Path

import yaml
from kept_files import place_of
from subset_fonts import subset_font
from symbol_hints import explained, hints_of_page, listed
from vendored_files import MANIFEST, known_files

CONFIG = Path(__file__).parents[1] / "_config.yml"
COMPONENTS = ("startup.js", "core.js", "adaptors/liteDOM.js", "input/tex-full.js", "output/chtml.js",
              "output/chtml/fonts/tex.js")  # fmt: skip
PACKAGES = ("base", "ams", "newcommand", "configmacros", "html", "boldsymbol", "color")
FONTS = "_static/vendor/mathjax"
TOKEN = re.compile(
    r"<(?:script|style|pre|code|textarea|svg)\b.*?</(?:script|style|pre|code|textarea|svg)>|<!--.*?-->|<[^>]*>", re.S
)
FORMULA = re.compile(r"\\\((.+?)\\\)|\\\[(.+?)\\\]", re.S)
HOLDS = re.compile(r"\bclass=\"(?:[^\"]* )?(?:math|output_area|output)(?: [^\"]*)?\"")
VOID = {"br", "img", "hr", "input", "meta", "link", "wbr", "source", "col", "area", "base", "embed", "track"}
BROWSER_PARTS = re.compile(
    r"\s*<script>window\.MathJax = .*?</script>|\s*<script [^>]*src=\"[^\"]*mathjax[^\"]*\"></script>", re.S
)
ROOT = re.compile(r"<html[^>]* data-content_root=\"([^\"]*)\"")
RULE = re.compile(r" ?([^{}]*)(\{(?:[^{}\"]|\"(?:[^\"\\]|\\.)*\")*\})")  # a brace may be what is drawn
FACE = re.compile(r"\{font-family:([A-Z0-9-]+);src:url\(\"[^\"]*/([\w-]+)\.woff\"\)")
LETTERS = re.compile(r"\.(TEX-[A-Z0-9]+)$")
MARK = re.compile(r"\[([\w-]+)(?:=\"([^\"]*)\")?\]")
NEGATED = re.compile(r":not\([^()]*\)")
PART = re.compile(r"<mjx-[\w-]+( [^<>]*)>")
CLASSES = re.compile(r" class=\"([^\"]*)\"")
LOOK = re.compile(r" style=\"([^\"]*)\"")
UNREAD = re.compile(r" (?:texclass|unselectable)=\"[^\"]*\"")  # no rule and no script asks for them
ALWAYS = {"MJXZERO", "MJXTEX", "MJXTEX-S1", "MJXTEX-S4", "MJXTEX-A"}  # what stretches is made of these
CONTENT = re.compile(r"content:\"((?:[^\"\\]|\\.)*)\"")
STYLE = '<style class="formulas">{}</style>'
INLINE = re.compile(
    r"([(\[“‘]?)"
    r"(<span class=\"math\b[^\"]*\"><mjx-container(?:(?!</mjx-container>).)*</mjx-container></span>)"
    r"([.,;:?!)\]”’…]*)",
    re.S,
)
STYLES = re.compile(r"<style class=\"formulas\">(.*?)</style>", re.S)
OWN_RULES = (
    ".math-stop{white-space:nowrap}"
    "mjx-container{font-size:calc(1ex/.442);position:relative}"
    "mjx-assistive-mml{border:0!important;clip:rect(1px,1px,1px,1px);display:block!important;left:0;overflow:hidden!important;"
    "padding:1px 0 0!important;position:absolute!important;top:0;user-select:none;width:auto!important}"
    'mjx-assistive-mml[display="block"]{width:100%!important}'
)


def with_its_stop(match):
    """A formula in a line with the brackets and the stop that touch it, so that no line begins with a stop."""
    before, formula, after = match.groups()
    return f'<span class="math-stop">{match.group(0)}</span>' if before or after else formula


def typesetter():
    """A function that calls MathJax: of the name of a method of `typesetter.js`, and of its arguments."""
    return typesetter_of(os.getpid())  # V8 does not survive a fork


@cache
def typesetter_of(process):
    """The function of `typesetter`, for the process with this number."""
    from py_mini_racer import MiniRacer

    entry = tomllib.loads(MANIFEST.read_text(encoding="utf-8"))["mathjax"]
    files = {name.as_posix(): path for path, name in known_files(entry)}
    engine = MiniRacer()
    engine.eval("var window = globalThis, global = globalThis; var setTimeout = () => 0;")
    engine.eval(
        "var MathJax = { loader: { load: [] }, startup: { typeset: false, ready: () => {}, pageReady: () => {} } };"
    )
    for name in COMPONENTS:
        engine.eval(f"{files[name].read_text(encoding='utf-8')};0")
    macros = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))["sphinx"]["config"]["mathjax3_config"]["tex"]["macros"]
    engine.eval(Path(__file__).with_name("typesetter.js").read_text(encoding="utf-8") + ";0")
    engine.eval(f"var typesetter = Typesetter({json.dumps(macros)}, {json.dumps(PACKAGES)});0")

    def call(name, *arguments):
        return engine.eval(f"typesetter.{name}({', '.join(json.dumps(one) for one in arguments)})")

    return call


def typeset(formula, display, hints=None):
    """A formula as the HTML of its place in a page.

    Args:
        formula: TeX, as it is read, without marks of HTML.
        display: whether it stands on a line of its own.
        hints: symbols in TeX and what they mean, told where the formula is displayed (`symbol_hints`).

    Raises:
        ValueError: if MathJax does not understand it.
    """
    try:
        drawn, mathml = json.loads(typesetter()("set", formula, display, list(hints) if hints and display else []))
    except Exception as error:
        reason = re.search(r"Error: (.*)", str(error))
        raise ValueError(
            f"MathJax does not understand the formula {formula.strip()!r}: {reason and reason.group(1)}"
        ) from None
    mathml = re.sub(r' data-(?:mjx-[\w-]+|symbol)="[^"]*"', "", mathml)
    opening, content = re.match(
        r"(<math[^>]*>)(.*)</math>", " ".join(mathml.split()).replace("> <", "><"), re.S
    ).groups()
    source = f'<annotation encoding="application/x-tex">{escapes.escape(formula.strip(), quote=False)}</annotation>'
    spoken = f"{opening}<semantics><mrow>{content}</mrow>{source}</semantics></math>"
    block = "block" if display else "inline"
    spoken = f'<mjx-assistive-mml unselectable="on" display="{block}">{spoken}</mjx-assistive-mml>'
    drawn = re.sub(r"(<mjx-container[^>]*?) style=\"[^\"]*\"", r"\1", drawn, count=1)
    # Letters that MathJax's fonts lack are as wide as the reader's font has them, which nobody knows here.
    drawn = re.sub(r"(<mjx-utext[^>]* style=\"[^\"]*?) ?width: [\d.]+px;", r"\1", drawn)
    drawn = drawn.replace("<mjx-math ", '<mjx-math aria-hidden="true" ', 1)
    drawn = explained(drawn, list((hints or {}).values()))
    return drawn.removesuffix("</mjx-container>") + spoken + "</mjx-container>"


def rules(text, body):
    """MathJax's style rules without spaces, and without those for what the formulas of `body` do not have.

    Raises:
        ValueError: if they name no font in a way that can be read here.
    """
    text = re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", text))
    text = re.sub(r" ?([{};,>]) ?", r"\1", text).replace(": ", ":").replace(";}", "}")
    families = ALWAYS | {f"MJX{name}" for name in re.findall(r"\bTEX-[A-Z0-9]+", body)}
    parts, marks = set(re.findall(r"<(mjx-[\w-]+)", body)), set()
    for attributes in set(PART.findall(body)):
        marks.update(mark for name, value in re.findall(r"([\w-]+)=\"([^\"]*)\"", attributes)
                     for mark in ((name, ""), (name, value)))  # fmt: skip
    kept, faces = [], 0

    def can_be(selector):
        named = set(re.findall(r"(?<![.\w-])mjx-[\w-]+", selector))
        return named <= parts and set(MARK.findall(NEGATED.sub("", selector))) <= marks

    for head, rule in RULE.findall(text):
        face = FACE.match(rule)
        faces += bool(face)
        if face and face.group(1) in families:
            kept.append(
                f'@font-face{{font-family:{face.group(1)};src:url("FONTS/{face.group(2)}.woff2") format("woff2")}}'
            )
        letters = LETTERS.match(head)
        able = [one for one in head.split(",") if can_be(one)]
        if not face and able and (not letters or f"MJX{letters.group(1)}" in families):
            kept.append(f"{','.join(able)}{rule}")
    if not faces:
        raise ValueError("MathJax's style sheet names no font in a way that formulas.py can read")
    return "".join(kept)


def plainer(body, styles):
    """The formulas of `body` without what no rule of `styles` asks for, such as a class for each kind of letters."""
    asked = set(re.findall(r"\.([A-Za-z][\w-]*)", styles))

    def classes(match):
        kept = [name for name in match.group(1).split() if name in asked or not name.startswith("mjx-")]
        return f' class="{" ".join(kept)}"' if kept else ""

    def look(match):
        short = re.sub(r"\s*([:;])\s*", r"\1", match.group(1)).strip(";")
        return f' style="{short}"'

    def part(match):
        attributes = LOOK.sub(look, CLASSES.sub(classes, UNREAD.sub("", match.group(1))))
        return match.group(0).removesuffix(f"{match.group(1)}>") + attributes + ">"

    return PART.sub(part, body)


def finish(html, page):
    """The page with its formulas set, and without MathJax.

    Raises:
        ValueError: if there is a formula that MathJax does not understand.
    """
    html = BROWSER_PARTS.sub("", html)
    head, end, body = html.partition("</head>")
    hints = hints_of_page(page)
    parts, position, open_tags, count, symbols = [], 0, [], 0, []

    def text(piece):
        nonlocal count
        if not any(holds for _, holds in open_tags):
            return piece

        def one(match):
            nonlocal count
            if not count:
                typesetter()("begin")
            count += 1
            formula = match.group(1) if match.group(1) is not None else match.group(2)
            drawn = typeset(escapes.unescape(formula), match.group(1) is None, hints)
            symbols.append(listed(drawn))
            return drawn

        return FORMULA.sub(one, piece)

    try:
        for token in TOKEN.finditer(body):
            parts += [text(body[position : token.start()]), token.group(0)]
            if symbols and token.group(0) == "</div>":  # the list stands below the formula and its number
                parts.append("".join(symbols))
                symbols.clear()
            position = token.end()
            follow(token.group(0), open_tags)
    except ValueError as error:
        raise ValueError(f"{page}: {error}") from None
    body = "".join([*parts, body[position:]])
    if not count:
        return head + end + body
    root = ROOT.search(head).group(1) if ROOT.search(head) else ""
    styles = rules(typesetter()("styles"), body).replace("FONTS", f"{root}{FONTS}")
    return head + STYLE.format(styles + OWN_RULES) + end + INLINE.sub(with_its_stop, plainer(body, styles))


def follow(token, open_tags):
    """Keep the list of open elements, each with whether formulas may stand in it."""
    match = re.match(r"<(/?)([a-zA-Z][\w-]*)", token)
    if not match or match.group(2) in VOID or (token.endswith(("/>", f"</{match.group(2)}>")) and not match.group(1)):
        return
    if not match.group(1):
        open_tags.append((match.group(2), bool(HOLDS.search(token))))
        return
    for place in range(len(open_tags) - 1, -1, -1):
        if open_tags[place][0] == match.group(2):
            del open_tags[place:]
            return


def write_fonts(app, exception):
    """Write the fonts that the pages name, with the characters that their formulas use."""
    if exception is not None or app.builder.format != "html":
        return
    characters, names = set(), set()
    for file in Path(app.outdir).rglob("*.html"):
        for styles in STYLES.findall(file.read_text(encoding="utf-8")):
            names.update(re.findall(rf"{FONTS}/([\w-]+)\.woff2", styles))
            for content in CONTENT.findall(styles):
                characters.update(chr(int(code, 16)) for code in re.findall(r"\\([0-9a-fA-F]+)", content))
                characters.update(re.sub(r"\\[0-9a-fA-F]+ ?", "", content).replace("\\", ""))
    entry = tomllib.loads(MANIFEST.read_text(encoding="utf-8"))["mathjax"]
    fonts = {path.stem: path for path, _ in known_files(entry) if path.suffix == ".woff"}
    folder = Path(app.outdir, FONTS)
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        content, _ = subset_font(fonts[name], None if name.endswith("Zero") else characters, place=place_of(app))
        (folder / f"{name}.woff2").write_bytes(content)


def setup(app):
    app.connect("build-finished", write_fonts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
