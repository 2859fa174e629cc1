"""Sphinx extension: what a page says of itself to search engines, to those with whom it is shared, and to who is lost.

Each page has a description, its first paragraph without a formula, and the marks of the Open Graph protocol with a
picture. The first address of the book, which only leads on, is a page with a title and a language, and `404.html` is
what a server shows at an address that no page has. Where the book is published, `html: baseurl:` in `_config.yml`
says; as long as it is empty, links are relative, and there is no sitemap.xml, which may hold whole addresses alone.
"""

import html
from pathlib import Path

from bare_page import bare_page, leads_on
from docutils import nodes
from favicon import drawn
from PIL import Image, ImageDraw, ImageFont

LONGEST = 200
CARD = "_static/card.png"
CARD_SIZE = (1200, 630)


def shortened(text, longest=LONGEST):
    """The text on one line, cut after a sentence, or else after a word, where it is too long."""
    text = " ".join(text.split())
    if len(text) <= longest:
        return text
    sentences = text[: longest + 1].rpartition(". ")[0]
    return f"{sentences}." if len(sentences) > longest / 3 else f"{text[: longest - 1].rpartition(' ')[0]} …"


def description(doctree):
    """The first paragraph of a page that can be told without a formula; empty if it has none."""
    for paragraph in doctree.findall(nodes.paragraph):
        outer, inside = paragraph, []
        while outer is not None:
            inside += outer.get("classes", []) if isinstance(outer, nodes.Element) else []
            outer = outer.parent
        formula = next(paragraph.findall(lambda node: isinstance(node, (nodes.math, nodes.raw))), None)
        if formula is None and "page-needs" not in inside and len(paragraph.astext()) >= 40:
            return shortened(paragraph.astext())
    return ""


def marks(title, text, site, address, card, alt):
    """The meta elements of a page."""
    named = {"description": text, "twitter:card": "summary_large_image"}
    graph = {"og:type": "article", "og:site_name": site, "og:title": title, "og:description": text, "og:url": address,
             "og:image": card, "og:image:alt": alt}  # fmt: skip
    pairs = [("name", name, value) for name, value in named.items()]
    pairs += [("property", name, value) for name, value in graph.items()]
    return "\n".join(f'<meta {kind}="{name}" content="{html.escape(value)}" />' for kind, name, value in pairs if value)


def add_marks(app, pagename, templatename, context, doctree):
    if doctree is None:
        return
    base, site = app.config.html_baseurl, app.config.html_title
    title = app.env.titles[pagename].astext()
    address = f"{base.rstrip('/')}/{pagename}.html" if base else ""
    card = f"{base.rstrip('/')}/{CARD}" if base else context["pathto"](CARD, 1)
    text = description(doctree) or f"{title}: a page of {site}"
    context["metatags"] = context.get("metatags", "") + marks(title, text, site, address, card, f"The book {site}")


def picture(title):
    """What is shown beside a link to the book: its icon and its title."""
    card = Image.new("RGB", CARD_SIZE, "#ffffff")
    icon = drawn(384, finer=2)
    card.paste(icon, (100, (CARD_SIZE[1] - icon.height) // 2), icon)
    draw, font = ImageDraw.Draw(card), ImageFont.load_default(size=84)
    draw.multiline_text((560, CARD_SIZE[1] // 2), title.replace(", ", ",\n"), "#1c2025", font, "lm", spacing=24)
    return card


def write_root(app, exception):
    if exception is not None or app.builder.name != "html":
        return
    folder, base, site = Path(app.outdir), app.config.html_baseurl, app.config.html_title
    first = f"{app.config.root_doc}.html"
    folder.joinpath("_static").mkdir(exist_ok=True)
    picture(site).save(folder / CARD, optimize=True)
    about = f'<meta name="description" content="{html.escape(f"{site}: an interactive textbook")}">'
    icon = '<link rel="icon" href="_static/icon.svg">'
    page = bare_page(site, f'<a href="{first}">To the book</a>', (about, leads_on(first), icon))
    (folder / "index.html").write_text(page, encoding="utf-8")
    rooted = [f'<base href="{html.escape(base.rstrip("/"))}/">'] if base else []
    text = f'It may have moved: <a href="{first}">the contents</a> and <a href="search.html">the search</a> know.'
    page = bare_page("There is no such page", text, (about, *rooted, icon))
    (folder / "404.html").write_text(page, encoding="utf-8")
    if base:
        pages = "".join(
            f"<url><loc>{html.escape(base.rstrip('/'))}/{name}.html</loc></url>\n"
            for name in sorted(app.env.found_docs)
        )
        space = "http://www.sitemaps.org/schemas/sitemap/0.9"
        sitemap = f'<?xml version="1.0" encoding="utf-8"?>\n<urlset xmlns="{space}">\n{pages}</urlset>\n'
        (folder / "sitemap.xml").write_text(sitemap, encoding="utf-8")


def setup(app):
    app.connect("html-page-context", add_marks)
    app.connect("build-finished", write_root)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
