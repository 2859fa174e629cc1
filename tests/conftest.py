"""What every test shares: checked shapes, repeatable examples, and honest skips.

- The annotations of the package are checked when it is called, so they must be true (not where faults are planted).
- hypothesis draws the same examples in every run of CI, and has no deadline, which a busy machine would miss.
- A test marked `corpora`, `browser` or `site` is skipped where what it needs is missing, and says so. Under
  ATTENTION_BOOK_STRICT_SKIPS=1, as in `.ci/run`, such a skip is a failure: nothing may be missing there.
"""

import gc
import os
import re
import shutil
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import Phase, settings
from type_checks import check_types, new_test

if "ATTENTION_BOOK_TYPES_UNCHECKED" not in os.environ:
    check_types()
# nbformat brings jsonschema, and that, where this is installed, the grammar of addresses in every script, which takes
# seconds to read; no notebook has one. Without it jsonschema leaves such addresses unchecked.
sys.modules.setdefault("rfc3987_syntax", None)

import torch  # noqa: E402 - the hook must be there before anything imports the package

TESTS = Path(__file__).resolve().parent
BOOK = TESTS.parent
NEEDS = ("corpora", "browser", "site")
STRICT = os.environ.get("ATTENTION_BOOK_STRICT_SKIPS") == "1"

torch.set_num_threads(1)
settings.register_profile("book", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.register_profile("few", settings.get_profile("book"), max_examples=10)
settings.register_profile("unshrunk", settings.get_profile("book"), phases=(Phase.explicit, Phase.generate))
settings.load_profile("book")


@cache
def missing(need):
    """Why tests with this marker cannot run here; None if they can."""
    if need == "corpora":
        from attention_book.data.corpora import available

        if not all(map(available, ("tatoeba-en-es", "tatoeba-en-hi"))):
            return "the corpora are not here: set ATTENTION_BOOK_DATA, or run `python -m attention_book fetch`"
    if need == "browser" and not (shutil.which("chromium") or shutil.which("chromium-browser")):
        return "Chromium is not installed"
    if need == "site" and not (BOOK / "_build" / "html" / "index.html").exists():
        return "the book is not built: run `make book`"
    return None


def pytest_runtest_setup(item):
    new_test()
    for need in NEEDS:
        if item.get_closest_marker(need) and (reason := missing(need)):
            pytest.skip(f"{need}: {reason}")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Each worker begins to collect at a place of its own: what one has rewritten and compiled, the others find.

    What is collected stays: to search it for garbage again and again took a quarter of the time of collecting.
    """
    worker = re.fullmatch(r"gw(\d+)", os.environ.get("PYTEST_XDIST_WORKER", ""))
    if worker and [Path(one).resolve() for one in session.config.args] == [TESTS]:
        files = sorted(map(str, TESTS.rglob("test_*.py")))
        begin = len(files) * int(worker[1]) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        session.config.args = files[begin:] + files[:begin]
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


LONGEST = """
    test_planted_faults test_sets test_every_page test_partial_builds test_notebooks_anywhere test_builds
    test_translator_engine test_live_translator test_model_folder test_onnx_folder test_lab test_crashes test_secrets
    test_definitions test_translator_in_one_file test_served_package test_bets test_trainer test_transformer
    test_anything_missing test_ctranslate2_folder test_corpora test_distributed test_claims test_mutants test_training
    test_attributions test_repository test_checkpoints test_exercise_numbers test_one_file test_loop test_folder_lock
    test_manual_widgets test_public_checks test_built_site test_shared_features test_decoder_leaks test_command
    test_context_length test_package_reference test_page_weight test_hand_linked test_runs test_concurrency test_reading
"""
"""Files that take long, the longest first: what `--durations` says of their tests, added up."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Long files come first, then others with slow tests: no worker is left alone with a long file at the end."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    ranks = {name: rank for rank, name in enumerate(LONGEST.split())}
    items.sort(key=lambda item: (ranks.get(item.path.stem, len(ranks)), item.path not in slow, item.path))


@pytest.fixture(scope="session")
def translator():
    """The English–Spanish translator that comes with the book, loaded once: no test may change it for good."""
    from attention_book.translation.translator import Translator

    return Translator.from_pretrained("en-es")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if STRICT and report.skipped and not hasattr(report, "wasxfail") and any(map(item.get_closest_marker, NEEDS)):
        report.outcome = "failed"
        report.longrepr = f"skipped where nothing may be missing: {report.longrepr[2]}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    report = yield
    if STRICT and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"a whole file was skipped where nothing may be missing: {report.longrepr[2]}"
    return report
