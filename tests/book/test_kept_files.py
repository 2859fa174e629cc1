"""Files that took long to make: made again if and only if something that they are made from has changed."""

import kept_files
import pytest
from kept_files import kept

made = []


def joined(words, file, most=None):
    """The function whose files are kept: counts how often it is called."""
    made.append(words)
    return " ".join([*sorted(words), file.read_text(), str(most)]).encode()


@pytest.fixture
def file(tmp_path):
    made.clear()
    path = tmp_path / "font"
    path.write_text("first")
    return path


def test_it_is_made_once(tmp_path, file):
    one = kept(tmp_path / "kept", joined, {"a", "b", "c"}, file)
    two = kept(tmp_path / "kept", joined, {"c", "b", "a"}, file)
    assert one == two == b"a b c first None" and len(made) == 1


@pytest.mark.parametrize("change", ["words", "file", "limit", "code", "packages"])
def test_it_is_made_again_where_something_has_changed(tmp_path, file, change, monkeypatch):
    arguments = [{"a"}, file]
    kept(tmp_path, joined, *arguments)
    if change == "words":
        arguments[0] = {"b"}
    elif change == "file":
        file.write_text("second")
    elif change == "limit":
        arguments.append(1)
    elif change == "code":
        monkeypatch.setattr(kept_files.inspect, "getsource", lambda module: "another")
    else:
        (tmp_path / "lock").write_text("fonttools==9")
        monkeypatch.setattr(kept_files, "LOCK", tmp_path / "lock")
    assert kept(tmp_path, joined, *arguments) == joined(*arguments)
    assert len(made) == 3


def test_without_a_place_nothing_is_kept(tmp_path, file):
    assert kept(None, joined, {"a"}, file) == kept(None, joined, {"a"}, file)
    assert len(made) == 2 and [path.name for path in tmp_path.iterdir()] == ["font"]


def test_what_fails_leaves_nothing(tmp_path, file):
    with pytest.raises(AttributeError):
        kept(tmp_path / "kept", joined, {"a"}, "no file")
    assert list((tmp_path / "kept").iterdir()) == []
