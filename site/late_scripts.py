"""No script stops a page from being drawn (a hand of `finished_pages`).

Sphinx, the theme and the extensions put their scripts into a page's head, where each is waited for before anything is
drawn. None of them has anything to do before the page is there: they move to its end, in their order. What stays is
the script that chooses between light and dark, and those that wait by themselves (`defer`).
"""

import re

SCRIPT = re.compile(r"\s*<script\b([^>]*)>(.*?)</script>", re.S)
PRELOAD = re.compile(
    r"(?:\s*<!-- Pre-loaded scripts[^>]*-->)?\s*<link\b[^>]*\brel=\"preload\"[^>]*\bas=\"script\"[^>]*>"
)
FIRST = "dataset.mode"


def waits(attributes):
    """Whether a script does not stop the page, or is none that is executed."""
    return re.search(r"\bdefer\b|\basync\b|\btype=\"(?!text/javascript)", attributes) is not None


def finish(html, page):
    """The page with the scripts of its head at the end of its body.

    Raises:
        ValueError: if the page has no end of its body to put them before.
    """
    head, end, body = html.partition("</head>")
    moved = []

    def move(match):
        if waits(match.group(1)) or FIRST in match.group(2):
            return match.group(0)
        moved.append(match.group(0))
        return ""

    head = SCRIPT.sub(move, PRELOAD.sub("", head))
    if not moved:
        return head + end + body
    place = body.rfind("</body>")
    if place < 0:
        raise ValueError(f"{page}: there is no </body> for its scripts to stand before")
    return head + end + body[:place].rstrip() + "".join(moved) + "\n" + body[place:]
