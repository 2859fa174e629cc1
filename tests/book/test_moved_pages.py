"""Old addresses lead to where their pages are now; a move that cannot be right stops the build."""

import pytest
from bs4 import BeautifulSoup
from docutils import nodes
from moved_pages import check_moves, write_forwards
from sphinx.errors import ConfigError

OLD, NEW = "chapters/translator/tour", "chapters/before/tour"


class App:
    """As much of Sphinx as the extension asks."""

    def __init__(self, folder, moves, builder="html"):
        self.outdir, self.builder, self.config, self.env = folder, self, self, self
        self.name, self.moved_pages, self.found_docs = builder, moves, {NEW}
        self.titles = {NEW: nodes.title("", "A tour & more")}


@pytest.fixture
def forward(tmp_path):
    write_forwards(App(tmp_path, {OLD: NEW}), None)
    return BeautifulSoup((tmp_path / f"{OLD}.html").read_text(encoding="utf-8"), "html.parser")


def test_the_old_address_forwards_with_and_without_scripts(forward):
    assert forward.find("meta", {"http-equiv": "refresh"})["content"] == "0; url=../before/tour.html"
    assert forward.script.string == 'location.replace("../before/tour.html" + location.hash)'
    assert forward.a["href"] == forward.find("link")["href"] == "../before/tour.html"
    assert forward.a.string == "A tour & more"


@pytest.mark.parametrize(("builder", "exception"), [("singlehtml", None), ("html", ValueError())])
def test_nothing_is_written_for_another_builder_or_after_a_failure(tmp_path, builder, exception):
    write_forwards(App(tmp_path, {OLD: NEW}, builder), exception)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("moves", "why"), [({NEW: NEW}, "is a page of the book"), ({OLD: "gone"}, "no page of the book")]
)
def test_a_move_that_cannot_be_right_is_refused(tmp_path, moves, why):
    app = App(tmp_path, moves)
    with pytest.raises(ConfigError, match=why):
        check_moves(app, app.env)


def test_a_right_move_passes(tmp_path):
    app = App(tmp_path, {OLD: NEW})
    assert check_moves(app, app.env) is None
