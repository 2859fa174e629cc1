"""A page without what nothing on it needs (one of the hands of `finished_pages`).

- FontAwesome's script, 1.5 MB that stop the page's head: the icons are drawn by a font (`icons`).
- The state of the notebook's widgets, up to 1.4 MB: it waits for ipywidgets' own scripts, which no page loads, as every
  widget carries an HTML form of itself.
- sphinx-design's script of tabs, and the script of boxes that open, where there are none of these.
- The long titles of the links to each heading and definition, hundreds on a page of the reference.
- What the theme writes twice, and the empty lines and margins of its templates.
"""

import re

SCRIPT = re.compile(
    r"\s*<!-- So that users can add custom icons -->\s*<script src=\"[^\"]*/scripts/fontawesome\.js[^>]*></script>"
)
WIDGETS = re.compile(r"\s*<script type=\"application/vnd\.jupyter\.widget-state\+json\">.*?</script>", re.S)
TABS = re.compile(r"\s*<script[^>]* src=\"[^\"]*/design-tabs\.js[^>]*></script>")
OPENS = re.compile(r"\s*<script[^>]* src=\"[^\"]*/togglebutton\.js[^>]*></script>")
TWICE = re.compile(r"(<meta name=\"viewport\"[^>]*>)(.*?)(?:\s*<meta name=\"viewport\"[^>]*>)+", re.S)
ARTICLE = re.compile(r"(.*?)(<article.*</article>|\Z)(.*)", re.S)  # what a page's own text is in
PERMALINK = re.compile(r'(<a class="headerlink"[^>]*) title="Link to this [^"]*"')
MARGIN = re.compile(r"\s*\n\s*")
ICON = re.compile(r"<(i|span) class=\"((?:[^\"]* )?fa[srb]? [^\"]*|(?:[^\"]* )?fa-(?:solid|regular|brands) [^\"]*)\">")


def finish(html, page):
    """The page with a light head, and with icons that are not read aloud.

    Raises:
        ValueError: if the theme's icons are not loaded as this module expects.
    """
    html, found = SCRIPT.subn("", html)
    if not found and "fontawesome.js" in html:
        raise ValueError(f"{page}: fontawesome.js is loaded in another way than light_head.py knows")
    html = WIDGETS.sub("", html)
    html = html if "sd-tab-set" in html else TABS.sub("", html)
    html = PERMALINK.sub(r'\1 title="Link"', html)
    head, end, body = html.partition("</head>")
    while (lighter := TWICE.sub(r"\1\2", head)) != head:
        head = lighter
    before, article, after = ARTICLE.match(head + end + ICON.sub(r'<\1 class="\2" aria-hidden="true">', body)).groups()
    before = before if "toggle" in article or "dropdown" in article else OPENS.sub("", before)
    return MARGIN.sub("\n", before) + article + MARGIN.sub("\n", after)
