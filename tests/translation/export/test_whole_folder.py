"""A folder for another program is whole or not there, and nothing of anybody else's is lost."""

import json

import pytest

from attention_book.translation.export.whole_folder import require_free, require_packages, write_folder


def content(folder):
    return {str(path.relative_to(folder)): path.is_file() and path.read_text() for path in folder.rglob("*")}


def writing(text):
    return lambda folder: (folder / "model").write_text(text)


def test_a_new_folder_and_the_folders_above_it_are_made(tmp_path):
    folder = write_folder(tmp_path / "new" / "folder", {"kind": "test", "size": 3}, writing("one"))
    about = json.loads((folder / "export.json").read_text())
    digest = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"  # of "one", by sha256sum
    assert (about["kind"], about["size"], about["files"]) == ("test", 3, {"model": digest})
    assert sorted(content(tmp_path)) == ["new", "new/folder", "new/folder/export.json", "new/folder/model"]


def test_what_an_earlier_export_wrote_is_replaced_whole(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    write_folder(folder, {}, lambda new: [(new / name).write_text("old") for name in ("model", "other")])
    write_folder(folder, {}, writing("new"))
    assert sorted(content(tmp_path)) == ["folder", "folder/export.json", "folder/model"]
    assert (folder / "model").read_text() == "new"


@pytest.mark.parametrize("stranger", ["thesis.txt", "export.json", ".hidden"])
def test_a_folder_with_anything_else_in_it_is_left_alone(tmp_path, stranger):
    folder = write_folder(tmp_path / "folder", {}, writing("one"))
    (folder / stranger).write_text("{}")
    before = content(tmp_path)
    try:
        told = str(write_folder(folder, {}, writing("two")))
    except ValueError as error:
        told = str(error)
    assert "did not write, and nothing in it was changed" in told
    assert content(tmp_path) == before


@pytest.mark.parametrize("record", ["", "[]", "null", '{"files": {"model": ""}}', '{"written_by": "me", "files": {}}'])
def test_a_record_of_another_program_opens_nothing(tmp_path, record):
    (tmp_path / "export.json").write_text(record)
    with pytest.raises(ValueError, match=r"holds 'export\.json'"):
        require_free(tmp_path)


def test_a_file_in_its_place_is_left_alone(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ValueError, match="is a file"):
        write_folder(tmp_path / "file", {}, writing("one"))
    assert content(tmp_path) == {"file": "mine"}


@pytest.mark.parametrize("error", [OSError("full"), KeyboardInterrupt(), RuntimeError("a fault")])
def test_a_failure_leaves_what_was_there(tmp_path, error):
    folder = write_folder(tmp_path / "folder", {}, writing("one"))
    before = content(tmp_path)

    def fail(new):
        (new / "model").write_text("half")
        raise error

    for place in (folder, tmp_path / "another"):
        with pytest.raises(type(error)):
            write_folder(place, {}, fail)
        assert content(tmp_path) == before


def test_a_move_that_fails_puts_the_old_folder_back(tmp_path, monkeypatch):
    folder = write_folder(tmp_path / "folder", {}, writing("one"))
    before, replace = content(tmp_path), __import__("os").replace

    def second_fails(source, target):
        if ".part" in str(source) and target == folder:
            raise OSError("busy")
        replace(source, target)

    monkeypatch.setattr("os.replace", second_fails)
    with pytest.raises(OSError, match="busy"):
        write_folder(folder, {}, writing("two"))
    assert content(tmp_path) == before


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_folder(tmp_path / "link", {}, writing("one"))
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real" / "model").read_text() == "one"


def test_libraries_that_are_there_are_no_reason_to_refuse():
    require_packages("--test", "json", "torch")
    with pytest.raises(ImportError, match=r"--test needs no_such_library, not installed here\. In the folder of the"):
        require_packages("--test", "json", "no_such_library")
