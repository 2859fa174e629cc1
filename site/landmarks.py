"""A page that says what its parts are, to those who hear it (one of the hands of `finished_pages`).

The theme leaves some things without a name or a place: the arrow that opens the list of solutions, the sidebar around
the book's title, and the entries of the bibliography, which their list does not own. The empty corner of a table with
headings on two sides is no heading.
"""

import re

ARROW = re.compile(
    r"(<a class=\"[^\"]*\" href=\"[^\"]*\">([^<]*)</a><details[^>]*>)"
    r"<summary>(<span class=\"toctree-toggle\") role=\"presentation\""
)
SIDEBAR = re.compile(r"(<div id=\"pst-primary-sidebar\" class=\"[^\"]*\")>")
ENTRY = re.compile(r"(<div class=\"citation\"[^>]*) role=\"doc-biblioentry\"")
CORNER = re.compile(r"<th(?: scope=\"col\")?( class=\"head\")?>(?:<p></p>)?</th>")


def finish(html, page):
    """The page with names and places for these."""
    html = ARROW.sub(r'\1<summary aria-label="Pages under \2">\3 aria-hidden="true"', html)
    html = SIDEBAR.sub(r'\1 role="region" aria-label="The book">', html)
    html = ENTRY.sub(r'\1 role="listitem"', html)
    return CORNER.sub(r"<td\1></td>", html)
