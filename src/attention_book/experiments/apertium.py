"""Apertium, a translator made of dictionaries and rules that people wrote (Forcada et al. 2011), as a peer.

It is a program of its own and no part of this book: on Debian and Ubuntu it comes with the packages ``apertium`` and
``apertium-eng-spa``.
"""

import shutil
import subprocess
from collections.abc import Sequence

PACKAGES = ("apertium", "lttoolbox", "apertium-eng-spa")


def by_rules(sources: Sequence[str]) -> list[str]:
    """What Apertium writes; a word that it does not know it leaves as it is.

    Each sentence is a paragraph of its own, so that no sentence has to do with the next. The program is started for
    each call, which takes it longer than a sentence does, so give it many sentences at once.

    Raises:
        FileNotFoundError: Apertium is not installed.
        RuntimeError: it gives another number of translations.
    """
    program = shutil.which("apertium")
    if program is None:
        raise FileNotFoundError("Apertium is not installed: `sudo apt install apertium apertium-eng-spa` installs it")
    given = "\n\n".join(sources) + "\n"
    ran = subprocess.run([program, "-u", "eng-spa"], input=given, capture_output=True, encoding="utf-8", check=True)
    found = [" ".join(paragraph.split()) for paragraph in ran.stdout.strip("\n").split("\n\n")]
    if len(found) != len(sources):
        raise RuntimeError(f"Apertium was given {len(sources)} sentences and returned {len(found)}")
    return found


class Apertium:
    """`by_rules` in the form of the book's other translators."""

    def translate(self, sources: Sequence[str], *, beam_size: int = 0, length_penalty: float = 0.0) -> list[str]:
        """Translate sentences; `beam_size` and `length_penalty` are of no use to rules."""
        return by_rules(sources)


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
