"""The built book as one zip file: all of it, the same bytes for the same book."""

import os
import zipfile

from editions.zipped import FOLDER, make_zip


def a_built_book(folder):
    html = folder / "_build" / "html"
    (html / "_static").mkdir(parents=True)
    for name, text in {
        "index.html": "first",
        "_static/b.css": "b" * 500,
        "_static/a.js": "a",
        ".buildinfo": "x",
    }.items():
        (html / name).write_text(text, encoding="utf-8")
    return html


def test_everything_is_in_it_and_reads_back(tmp_path):
    html = a_built_book(tmp_path)
    with zipfile.ZipFile(make_zip(tmp_path)) as archive:
        archive.extractall(tmp_path / "unpacked")
        names = archive.namelist()
    assert names == sorted(names) and f"{FOLDER}/.buildinfo" not in names
    for name in ("index.html", "_static/b.css", "_static/a.js"):
        assert (tmp_path / "unpacked" / FOLDER / name).read_bytes() == (html / name).read_bytes()
    assert "open index.html" in (tmp_path / "unpacked" / FOLDER / "README.txt").read_text()


def test_the_same_book_gives_the_same_bytes_whatever_the_dates(tmp_path):
    html = a_built_book(tmp_path)
    first = make_zip(tmp_path).read_bytes()
    for path in html.rglob("*"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
        path.chmod(0o700)
    assert make_zip(tmp_path, tmp_path / "again.zip").read_bytes() == first
    (html / "index.html").write_text("other")
    assert make_zip(tmp_path).read_bytes() != first
