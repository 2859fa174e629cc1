"""What goes from a page's head, and that icons are not read aloud."""

import light_head
import pytest

REMARK = "\n  <!-- So that users can add custom icons -->\n"
FONTAWESOME = f'{REMARK}  <script src="../_static/scripts/fontawesome.js?digest=1"></script>'
WIDGETS = '\n<script type="application/vnd.jupyter.widget-state+json">{"state": {"a": "<b>"}}</script>'
KEPT = '<script src="_static/doctools.js"></script>'


def test_the_script_of_icons_and_the_state_of_widgets_go_and_other_scripts_stay():
    page = f"<html><head>{KEPT}{FONTAWESOME}{WIDGETS}{KEPT}</head><body></body></html>"
    assert light_head.finish(page, "page") == f"<html><head>{KEPT}{KEPT}</head><body></body></html>"


def test_a_script_of_icons_that_is_loaded_otherwise_is_noticed():
    with pytest.raises(ValueError, match="chapters/masks"):
        light_head.finish('<head><script defer src="scripts/fontawesome.js"></script></head>', "chapters/masks")


def test_the_viewport_is_said_once():
    view = '<meta name="viewport" content="width=device-width" />'
    assert light_head.finish(f"<head>{view}{view}<title>x</title>\n{view}</head>", "page").count("viewport") == 1


@pytest.mark.parametrize("box", ["", '<div class="dropdown admonition">', '<div class="cell tag_hide-input toggle">'])
def test_what_opens_boxes_goes_where_there_are_none(box):
    loads = '<script src="_static/togglebutton.js"></script>'
    page = f"<head>{{}}</head><nav class='dropdown-menu'></nav><article>{box}</article>"
    assert light_head.finish(page.format(loads), "page") == page.format(loads if box else "")


def test_the_title_of_a_link_to_a_heading_is_short_and_other_titles_stay():
    link, other = '<a class="headerlink" href="#a" title="{}">#</a>', '<a href="#a" title="Link to this heading">a</a>'
    page = "<head></head>" + link.format("Link to this definition") + other
    assert light_head.finish(page, "page") == "<head></head>" + link.format("Link") + other


@pytest.mark.parametrize(
    "icon",
    ['<i class="fa-solid fa-sun">', '<i class="theme-switch fa-solid fa-moon  fa-lg">', '<span class="fas fa-expand">'],
)
def test_an_icon_is_not_read_aloud(icon):
    assert light_head.finish(f"<head></head>{icon}", "page") == f'<head></head>{icon[:-1]} aria-hidden="true">'


def test_what_only_begins_like_an_icon_stays():
    assert light_head.finish('<head></head><span class="fast lane">', "page") == '<head></head><span class="fast lane">'
