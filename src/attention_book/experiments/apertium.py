"""Apertium, a translator made of dictionaries and rules that people wrote (Forcada et al. 2011), as a peer.

It is a program of its own and no part of this book: on Debian and Ubuntu it comes with the packages ``apertium`` and
``apertium-eng-spa``.
"""

import re
import shutil
import subprocess
from collections.abc import Sequence

PACKAGES = ("apertium", "lttoolbox", "apertium-eng-spa")
MARKS = {"*": "unknown", "@": "not in the bilingual dictionary", "#": "without the form that is needed"}
"""What Apertium writes before a word that one of its steps could not deal with."""


class Apertium:
    """Apertium as a translator of sentences.

    Args:
        direction: one of those that ``apertium -l`` lists.
        marks: whether to leave the marks of `MARKS` in; without them a word that Apertium does not know stands in the
            translation as it stands in the source (its option ``-u``).

    Raises:
        FileNotFoundError: Apertium is not installed.

    Pitfall: the program has to be started for each call, which takes it longer than a sentence does. Give it many
    sentences at once.
    """

    def __init__(self, direction: str = "eng-spa", marks: bool = False):
        program = shutil.which("apertium")
        if program is None:
            raise FileNotFoundError(
                "Apertium is not installed: `sudo apt install apertium apertium-eng-spa` installs it"
            )
        self._command = [program, *([] if marks else ["-u"]), direction]

    def translate(self, text: Sequence[str], *, beam_size: int = 0, length_penalty: float = 0.0) -> list[str]:
        """Translate sentences; `beam_size` and `length_penalty` are there for `evaluate` and are not used.

        Each sentence is a paragraph of its own, so that no sentence has to do with the next.

        Raises:
            ValueError: a text has a line feed in it or is empty, so that it would be no paragraph.
            RuntimeError: Apertium fails, or gives another number of paragraphs.
        """
        for number, sentence in enumerate(text):
            if not sentence.strip() or "\n" in sentence:
                raise ValueError(f"sentence {number} must be one line with something on it, got {sentence!r}")
        if not text:
            return []
        given = "\n\n".join(text) + "\n"
        ran = subprocess.run(self._command, input=given, capture_output=True, encoding="utf-8", check=False)
        if ran.returncode:
            raise RuntimeError(f"Apertium failed: {(ran.stderr or ran.stdout).strip()}")
        found = [" ".join(paragraph.split()) for paragraph in ran.stdout.strip("\n").split("\n\n")]
        if len(found) != len(text):
            raise RuntimeError(f"Apertium was given {len(text)} sentences and returned {len(found)}")
        return found


def marked_words(translations: Sequence[str]) -> dict[str, int]:
    """How many words of translations have each mark of `MARKS` before them."""
    words = [word.lstrip("¿¡([\"'«") for translation in translations for word in translation.split()]
    return {mark: sum(bool(re.match(rf"{re.escape(mark)}\w", word)) for word in words) for mark in MARKS}


def versions() -> dict[str, str]:
    """The version of each of `PACKAGES`, as the system's package manager gives it; empty where there is none."""
    asking = shutil.which("dpkg-query")
    if asking is None:
        return {}
    found = {}
    for package in PACKAGES:
        ran = subprocess.run([asking, "-W", "-f", "${Version}", package], capture_output=True, text=True, check=False)
        if not ran.returncode:
            found[package] = ran.stdout.strip()
    return found
