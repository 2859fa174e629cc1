"""The weights of the translator in the page: in a built book whose pages ask for them, and in no other."""

from types import SimpleNamespace

import pytest
import translator_weights

from attention_book.pages.explorers.translator_engine.files import weights_of


def finished(folder, exception=None, kind="html"):
    translator_weights.write(SimpleNamespace(outdir=folder, builder=SimpleNamespace(format=kind)), exception)
    return sorted(path.name for path in folder.rglob("*") if path.is_file() and path.suffix in (".bin", ".js"))


def page_that_asks(folder):
    (folder / "chapters").mkdir()
    (folder / "chapters" / "page.html").write_text(f'<script>{{"address": "{weights_of()["address"]}"}}</script>')


def test_a_page_that_asks_gets_every_file_that_it_names(tmp_path):
    page_that_asks(tmp_path)
    written = finished(tmp_path)
    addresses = [weights_of()["address"], *weights_of()["scripts"]]
    names = [address.rpartition("/")[2].split("?")[0] for address in addresses]
    assert written == sorted(names)
    assert (tmp_path / "_static" / "translator" / "en-es.bin").stat().st_size == weights_of()["bytes"]


def test_without_such_a_page_nothing_is_written(tmp_path):
    (tmp_path / "page.html").write_text("<p>No translator here.</p>")
    assert finished(tmp_path) == []


@pytest.mark.parametrize("how", [{"exception": ValueError()}, {"kind": "latex"}])
def test_a_failed_build_and_another_format_get_nothing(tmp_path, how):
    page_that_asks(tmp_path)
    assert finished(tmp_path, **how) == []
