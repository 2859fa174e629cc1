"""The last hand at each page: Sphinx renders it from the theme's templates, and here it is changed once more.

`template_bridge` in `_config.yml` names `FinishedPages`, through which Sphinx writes every page. What a page is to be
without, or to have beside, is said in the modules of `HANDS`, each of which has a function `finish(html, page)`.
"""

import formulas
import landmarks
import late_scripts
import light_drawings
import light_head
import light_scripts
import one_sheet
from sphinx.jinja2glue import BuiltinTemplateLoader

HANDS = (one_sheet, light_head, late_scripts, formulas, landmarks, light_drawings, light_scripts)


def finished(html, page):
    """The page `html`, whose name is `page`, after every hand."""
    for hand in HANDS:
        html = hand.finish(html, page)
    return html


class FinishedPages(BuiltinTemplateLoader):
    """Sphinx's own template loader, and then the hands."""

    def render(self, template, context):
        html = super().render(template, context)
        return finished(html, context.get("pagename", template)) if "</html>" in html else html
