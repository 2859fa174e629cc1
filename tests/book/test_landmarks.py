"""What the theme leaves without a name or a place."""

import landmarks
from bs4 import BeautifulSoup


def finished(content):
    return BeautifulSoup(landmarks.finish(content, "page"), "html.parser")


def test_the_arrow_of_a_list_is_named_after_what_it_opens():
    arrow = '<summary><span class="toctree-toggle" role="presentation"><i class="x"></i></span></summary>'
    page = finished(f'<a class="reference internal" href="a.html">Solutions</a><details>{arrow}<ul></ul></details>')
    assert page.summary["aria-label"] == "Pages under Solutions" and page.summary.span["aria-hidden"] == "true"


def test_the_sidebar_is_a_region_with_a_name():
    page = finished('<div id="pst-primary-sidebar" class="bd-sidebar-primary bd-sidebar"><a>x</a></div>')
    assert page.div["role"] == "region" and page.div["aria-label"]


def test_the_entries_of_the_bibliography_are_items_of_their_list():
    page = finished('<div role="list"><div class="citation" id="id1" role="doc-biblioentry"></div></div>')
    assert page.select_one(".citation")["role"] == "listitem"


def test_an_empty_corner_is_no_heading_and_a_heading_stays_one():
    page = finished('<tr><th scope="col"></th><th scope="col">a</th></tr><tr><th class="head"><p></p></th></tr>')
    assert [(one.name, one.get_text()) for one in page.find_all(["th", "td"])] == [("td", ""), ("th", "a"), ("td", "")]
