"""Where the package finds the results and the pages: in its checkout, or in itself."""

from pathlib import Path

from attention_book import paths

BOOK = Path(__file__).parents[1]


def test_in_a_checkout_the_folders_beside_src_are_read():
    assert paths.checkout() == BOOK
    assert paths.folder("results") == BOOK / "results"
    assert (paths.folder("chapters/appendix") / "measurements.md").is_file()


def test_an_installed_package_reads_its_own_copy(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "PACKAGE", tmp_path / "lib" / "site-packages" / "attention_book")
    assert paths.checkout() is None
    assert paths.folder("results") == tmp_path / "lib" / "site-packages" / "attention_book" / "results"
