"""A built page's article as XHTML for readers of EPUBs: MathML, SVG with the names that XML has, no script, no control.

HTML's parser writes all names in small letters; in XML an SVG's `clippath` would be no clip path. Of a formula the
MathML stays, which the page holds for those who hear it. Colours that the page takes from its style sheet are written
out, since not every reader knows variables.
"""

import re

from lxml import etree

from editions.built_pages import drop_folded, where_to_play

HTML, SVG, MATH = "http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML"
XLINK = "http://www.w3.org/1999/xlink"
CASES = {name.lower(): name for name in (
    "clipPath", "linearGradient", "radialGradient", "textPath", "viewBox", "preserveAspectRatio", "gradientUnits",
    "gradientTransform", "patternUnits", "patternContentUnits", "patternTransform", "clipPathUnits", "markerWidth",
    "markerHeight", "markerUnits", "refX", "refY", "textLength", "lengthAdjust", "pathLength", "startOffset",
    "spreadMethod", "stdDeviation", "baseFrequency", "definitionURL")}  # fmt: skip
VARIABLE = re.compile(r"var\((--[\w-]+)(?:, *([^()]*(?:\([^()]*\))?))?\)")
ROLE = re.compile(r"\\(?:query|key|val|weight|mask|out)(?=\{)")  # the book's own commands, which colour a letter
ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
SVG_ROLES = ("application", "document", "img")  # that EPUBs know
NAME = re.compile(r"[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?")


def colours():
    """The values of the variables that figures name, in light."""
    from attention_book.pages.figures.plotting import ROLES

    return {f"--role-{name}": role.light for name, role in ROLES.items()} | {"--figure-paper": "#ffffff"}


def prepared(page, address):
    """Make a page's article ready for a reader without scripts; the page is changed.

    Args:
        page: a `BuiltPage`, whose explorers name their picture in `data-picture`.
        address: where the book is published; empty if nowhere.
    """
    article = page.article
    drop_folded(article)
    for one in article.find_class("bet-fields"):
        as_line(one)
    for one in [*article.iter("script", "input", "button"), *article.find_class("bet-told")]:
        one.drop_tree()
    for one in article.find_class("explorer"):
        _picture(one, where_to_play(page, address))
    for one in [*article.iter("details"), *article.iter("summary")]:
        one.tag = "div" if one.tag == "details" else "p"
        one.attrib.pop("open", None)
    for one in [*article.iter("mjx-container")]:
        _formula(one)


def as_line(fields):
    """Put the choices of a bet, or its blanks, in their place as a line of text."""
    for one in fields.iterfind(".//input[@data-told]"):
        one.tail = f"____{one.tail or ''}"
    said = [" ".join(label.text_content().split()) for label in fields.iter("label")]
    tail = fields.tail
    fields.clear()
    fields.tail, fields.tag, fields.text = tail, "p", f"Your bet: {' / '.join(said)}"


def _picture(explorer, where):
    """Put an explorer's picture and its words in its place."""
    told = " ".join(" ".join(one.text_content().split()) for one in explorer.iterfind("p") if not one.get("class"))
    name = explorer.attrib.pop("data-picture")
    tail = explorer.tail
    explorer.clear()
    explorer.tail, explorer.tag = tail, "figure"
    explorer.set("class", "explorer-picture")
    etree.SubElement(explorer, "img", src=name, alt=told)
    etree.SubElement(etree.SubElement(explorer, "figcaption"), "span", {"class": "explorer-where"}).text = where


def _formula(container):
    """Put a formula's MathML in its place, with its TeX as the text for those who do not see it."""
    math = container.find(".//math")
    source = math.find(".//annotation")
    math.set("alttext", ROLE.sub("", " ".join((source.text or "").split())))
    math.set("display", "block" if container.get("display") == "true" else "inline")
    meaning = math.find("semantics")
    if meaning is not None:
        [row] = [one for one in meaning if one.tag != "annotation"]
        meaning.getparent().replace(meaning, row)
    math.tail = container.tail
    container.getparent().replace(container, math)


def body_of(article):
    """The article as XHTML, from its `section` on."""
    known = colours()
    made = _element(article, HTML, known)
    made.tag = f"{{{HTML}}}div"
    etree.cleanup_namespaces(made, keep_ns_prefixes=["xlink"])
    return etree.tostring(made, encoding="unicode", with_tail=False)


def _element(one, space, known):
    """A copy of an element of HTML in the name spaces of XML."""
    space = {"svg": SVG, "math": MATH}.get(one.tag, space)
    tag = CASES.get(one.tag, one.tag) if space == SVG else one.tag
    made = etree.Element(f"{{{space}}}{tag}", nsmap={None: space, **({"xlink": XLINK} if one.tag == "svg" else {})})
    for name, value in one.attrib.items():
        written = _attribute(name, one.tag, space)
        if written and not (one.tag == "svg" and name == "role" and value not in SVG_ROLES):
            made.set(written, _clean(_resolved(value, known)))
    made.text = _clean(one.text)
    for child in one:
        if isinstance(child.tag, str):
            made.append(_element(child, space, known))
        elif len(made):
            made[-1].tail = (made[-1].tail or "") + _clean(child.tail)
        else:
            made.text = (made.text or "") + _clean(child.tail)
    made.tail = _clean(one.tail)
    return made


def _attribute(name, tag, space):
    """An attribute's name in XML; None if it has none, or says something for a browser alone."""
    if name.startswith(("on", "xmlns", "data-", "tabindex")) or not NAME.fullmatch(name):
        return None
    if space == SVG:
        if name in ("href", "xlink:href") and tag != "a":
            return f"{{{XLINK}}}href"
        return CASES.get(name, name)
    if name in ("lang", "xml:lang"):
        return "lang"
    return name if ":" not in name else None


def _resolved(value, known):
    """A value with the colours that variables name, or those that stand beside them for want of one."""
    while match := VARIABLE.search(value):
        found = known.get(match.group(1), match.group(2) or "currentColor")
        value = value[: match.start()] + found + value[match.end() :]
    return value


def _clean(text):
    return ILLEGAL.sub("", text) if text else ""


def properties_of(content):
    """What the list of an EPUB's files says of a page: whether it holds MathML, and SVG."""
    text = content.decode("utf-8") if isinstance(content, bytes) else content
    return " ".join(word for word, mark in (("mathml", "<math"), ("svg", "<svg")) if mark in text)
