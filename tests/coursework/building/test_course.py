"""A set is built: the files of both sides, nothing on the wrong one, the same again, and bad input refused."""

import json
import shutil
import stat
import zipfile
from pathlib import Path

import nbformat
import pytest
from typer.testing import CliRunner

from coursework.__main__ import app
from coursework.building.course import build_set, known_sets
from coursework.building.leaks import leaks
from coursework.building.master import read_master
from coursework.building.otter_form import NoOtter, write_otter_form
from coursework.building.variants import with_variant
from coursework.questions import BadSet, load_set

MASTER = Path(__file__).with_name("tiny_master.md")


@pytest.fixture
def sets(tmp_path):
    (tmp_path / "sets" / "tiny").mkdir(parents=True)
    shutil.copy(MASTER, tmp_path / "sets" / "tiny" / "master.md")
    return tmp_path / "sets"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The tiny set, built once with the numbers of a cohort; tests that change it take a copy."""
    base = tmp_path_factory.mktemp("tiny")
    (base / "sets" / "tiny").mkdir(parents=True)
    shutil.copy(MASTER, base / "sets" / "tiny" / "master.md")
    return build_set("tiny", base, "cohort-4", sets=base / "sets")


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def sources(path):
    return [cell.source for cell in nbformat.read(path, as_version=4).cells]


def test_students_get_one_notebook_and_instructors_the_rest(built):
    names = {path.relative_to(built).as_posix() for path in built.rglob("*") if path.is_file()}
    assert names == {
        "student/tiny.ipynb",
        *(f"instructor/{name}" for name in ("full-submission.ipynb", "gradescope.zip", "rubric.md", "secret.txt",
                                            "set.py", "solution.ipynb")),
    }  # fmt: skip
    for name in ("secret.txt", "set.py", "gradescope.zip"):
        assert stat.S_IMODE((built / "instructor" / name).stat().st_mode) == 0o600


def test_the_notebook_tells_points_time_and_pages_and_has_room_for_text(built):
    cells = nbformat.read(built / "student" / "tiny.ipynb", as_version=4).cells
    text = "\n".join(cell.source for cell in cells)
    assert "2 questions, 6 points, about 1 hours" in text and "*Translation as probability*" in text
    assert "## 1. A mean of powers\n\n*4 points, about 10 minutes, difficulty 1 of 3*" in text
    assert [cell.source for cell in cells if cell.metadata.get("tags") == ["written:why"]] == ["*Your answer.*"]
    check = next(cell for cell in cells if cell.metadata.get("tags") == ["public:power-mean"])
    assert check.metadata.jupyter.source_hidden and not check.metadata.deletable


def test_the_full_submission_has_the_answers_and_the_solution_notebook_the_tests_and_rubrics(built):
    full, solution = (sources(built / "instructor" / f"{n}.ipynb") for n in ("full-submission", "solution"))
    assert any("raised_numbers = " in source for source in full)
    assert any(source.startswith("The median looks at the order alone") for source in full)
    assert not any("TESTS" in source for source in full)
    assert any("# TESTS = (" in source for source in solution)
    assert any(source.startswith("**Rubric**\n\n- 1 point: says") for source in solution)


def test_the_rubric_has_every_question_and_the_model_answer(built):
    text = (built / "instructor" / "rubric.md").read_text()
    assert "| 1 | A mean of powers | 4 | grader | 10 | 1 | `probability-chain-rule` |" in text
    assert "| 2 | Why not the median? | 2 | people |" in text and "**A full answer**\n\nThe median looks" in text


def test_building_again_keeps_the_secret_and_writes_the_same_bytes(sets, tmp_path):
    folder = build_set("tiny", tmp_path, sets=sets)
    first = contents(folder)
    assert contents(build_set("tiny", tmp_path, sets=sets)) == first
    other = build_set("tiny", tmp_path / "other", sets=sets)
    secrets = [load_set(place / "instructor" / "set.py").secret for place in (folder, other)]
    assert secrets[0] != secrets[1] and min(map(len, secrets)) >= 32
    assert contents(other)[Path("student/tiny.ipynb")] == first[Path("student/tiny.ipynb")]


def test_what_leaks_is_found_wherever_it_hides(built, tmp_path):
    master = with_variant(read_master(MASTER), "cohort-4")
    shutil.copytree(built / "student", tmp_path / "student")
    path, secret = tmp_path / "student" / "tiny.ipynb", (built / "instructor" / "secret.txt").read_text().strip()
    clean = json.loads(path.read_text())

    def found(change):
        book = json.loads(json.dumps(clean))
        change(book)
        path.write_text(json.dumps(book))
        return " ".join(leaks(master, tmp_path / "student", [secret, "cohort-4"]))

    def text(words):
        return lambda book: book["cells"].append({"cell_type": "markdown", "metadata": {}, "source": [words]})

    assert found(lambda book: None) == ""
    assert "a line of question:power-mean" in found(text("    return raised_numbers.sum() /\n raised_numbers.size"))
    assert "a whole solution" in found(text(master.of("question", "power-mean")[0].source))
    assert "a line of hidden" in found(text("return (rng.normal(size=7).round(3),)"))
    assert "a line of rubric:why" in found(text("- 1 point: names a case in which the two differ."))
    assert "a line of model:why" in found(text(master.of("model", "why")[0].source))
    assert "the name numbers_drawn" in found(text("what numbers_drawn does"))
    assert "a secret or a seed" in found(text(secret)) and "a secret or a seed" in found(text("for cohort-4"))
    assert "the mark 'END STARTER'" in found(text("# END STARTER"))
    assert "metadata hold 'seed'" in found(lambda book: book["metadata"].update(seed=4))
    assert "hold 'points'" in found(lambda book: book["cells"][0]["metadata"].update(points=4))
    assert "has the tag 'hidden'" in found(lambda book: book["cells"][0]["metadata"].update(tags=["hidden"]))
    output = {"output_type": "stream", "name": "stdout", "text": "1"}
    assert "has outputs" in found(lambda book: book["cells"][2].update(outputs=[output]))
    (tmp_path / "student" / "notes.txt").write_text(secret)
    assert "notes.txt: a secret" in found(lambda book: None)


def test_a_set_that_leaks_is_not_handed_out(sets, tmp_path):
    path = sets / "tiny" / "master.md"
    leak = "raised_numbers = np.asarray(numbers, float) ** {{variant.power}}"
    path.write_text(path.read_text().replace("Two questions,", f"Hint: {leak}. Two questions,"))
    with pytest.raises(BadSet, match=r"nothing was handed out(.|\n)*a line of question:power-mean: raised_numbers"):
        build_set("tiny", tmp_path, sets=sets)
    assert not (tmp_path / "tiny" / "student").exists()


@pytest.mark.parametrize(
    "old, new, reason",
    [
        ('"power_mean", numbers', '"powermean", numbers', "its tests call powermean, which it does not ask for"),
        ("TESTS = (", "MORE = (", "does not run: TypeError"),
        ("(rng.normal(size=7)", "(rng.nothing(size=7)", "its inputs or its reference fail: AttributeError"),
        ("before/translation-as-probability", "before/nowhere", "The book has no page before/nowhere"),
    ],
)
def test_what_would_fail_in_the_grader_fails_when_it_is_built(sets, tmp_path, old, new, reason):
    path = sets / "tiny" / "master.md"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(BadSet, match=reason):
        build_set("tiny", tmp_path, sets=sets)


def test_bad_names_are_refused(sets, tmp_path):
    assert known_sets(sets) == ["tiny"]
    with pytest.raises(BadSet, match="no set 'tony'; there are: tiny"):
        build_set("tony", tmp_path, sets=sets)
    with pytest.raises(BadSet, match="A variant is a word"):
        build_set("tiny", tmp_path, "../out", sets=sets)
    done = CliRunner().invoke(app, ["build", "nowhere", "--to", str(tmp_path)])
    assert done.exit_code == 2 and "There is no set 'nowhere'" in done.output


def test_the_command_builds_each_variant_into_a_folder_of_its_own(tmp_path):
    done = CliRunner().invoke(app, ["build", "counting", "--to", str(tmp_path), "--variant", "1", "--variant", "2"])
    assert done.exit_code == 0, done.output
    notebooks = [tmp_path / f"counting-{n}" / "student" / "counting.ipynb" for n in (1, 2)]
    assert notebooks[0].read_bytes() != notebooks[1].read_bytes()
    assert done.output.count("hand out student/, keep instructor/") == 2


def test_the_zip_for_gradescope_has_executable_scripts_and_what_the_grader_needs(built):
    with zipfile.ZipFile(built / "instructor" / "gradescope.zip") as archive:
        modes = {entry.filename: entry.external_attr >> 16 for entry in archive.infolist()}
        requirements = archive.read("requirements.txt").decode().split()
    assert modes["setup.sh"] == modes["run_autograder"] == 0o755 and modes["set.py"] == 0o644
    assert "coursework/runner/sandbox.py" in modes and not any("building" in name for name in modes)
    assert [line.split("==")[0] for line in requirements] == ["numpy", "tqdm"]


def test_without_otter_the_message_says_what_to_install(built, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "otter", None)
    with pytest.raises(NoOtter, match=r"pip install otter-grader==.*Without --otter nothing needs it"):
        write_otter_form(built)


def test_in_otters_form_each_check_runs_and_tells_the_wrong_answer(built, tmp_path, monkeypatch):
    otter = pytest.importorskip("otter", reason="otter-grader is not installed")
    folder = shutil.copytree(built, tmp_path / "tiny")
    write_otter_form(folder)
    monkeypatch.chdir(tmp_path)  # otter keeps a log where it runs
    grader = otter.Notebook(tests_dir=str(folder / "student-otter" / "tests"))
    names = {"np": __import__("numpy"), "power_mean": lambda numbers: sum(numbers)}
    (result,) = grader.check("power_mean", global_env=names).test_case_results
    assert not result.passed and "Of 1 and 2 it is 3" in str(result.message)
    assert 'grader.check("power_mean")' in sources(folder / "student-otter" / "tiny.ipynb")
