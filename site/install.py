"""Run pip and say what it is doing: what is fetched, how large it is, how many packages, how long it took.

`python site/install.py` alone installs the book's own package, from this folder: it is linked and not copied, nothing
is fetched for it, and it is built by the setuptools that is installed (requirements.txt), not by one that pip would
bring for the purpose. All that comes from elsewhere is installed by install_locked.py, which uses this module.

On a terminal the present step is on a line that is written over; large packages, errors and the end have lines of their
own. Only the standard library is used.
"""

import re
import subprocess
import sys
import time
from importlib.metadata import version

LARGE = 20_000_000
UNITS = {"bytes": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}
FETCHED = re.compile(r"\s*(Downloading|Using cached) (?:\S*/)?(\S+?)-(\d[^-\s]*)\S* \(([\d.]+) (bytes|kB|MB|GB)\)")
COUNTED = re.compile(r"Progress (\d+) of (\d+)")
INSTALLING = re.compile(r"Installing collected packages: (.*)")
QUIET = (
    *("Collecting ", "Requirement already satisfied", "Looking in ", "Obtaining dependency", "Successfully "),
    *("Would install ", "Ignoring "),
    "WARNING: Location ",  # a folder of packages that an index may be, and that lacks this one: others may have it
)
OWN = ["--no-deps", "--no-build-isolation", "--editable", "."]


class Steps:
    """Reads pip's lines and tells of them.

    Args:
        out: where to tell.
        live: whether a line may be written over; by default if `out` is a terminal.
    """

    def __init__(self, out=None, live=None):
        self.out = out or sys.stdout
        self.live = self.out.isatty() if live is None else live
        self.packages, self.bytes, self.fetching = 0, 0.0, ""

    def say(self, text, passing=False):
        if self.live or not passing:
            clear, end = ("\r\x1b[K" if self.live else ""), ("" if passing else "\n")
            print(f"{clear}{text}", end=end, file=self.out, flush=True)

    def line(self, line):
        """One line of pip's output."""
        line = line.rstrip()
        if ".metadata (" in line:
            return
        if found := FETCHED.match(line):
            how, name, version, size, unit = found.groups()
            size = float(size) * UNITS[unit]
            self.packages, self.bytes = self.packages + 1, self.bytes + size
            verb = "downloading" if how == "Downloading" else "in pip's cache:"
            self.fetching = f"  {verb} {name} {version}, {size / 1e6:.1f} MB"
            self.say(self.fetching, passing=size < LARGE)
        elif found := COUNTED.match(line):
            done, total = map(int, found.groups())
            if total:
                self.say(f"{self.fetching}: {100 * done // total} %", passing=True)
        elif found := INSTALLING.match(line):
            number = len(found[1].split(", "))
            fetched = f"{self.bytes / 1e6:,.0f} MB in {self.packages} packages. " if self.packages else ""
            self.say(f"  {fetched}Unpacking {number} packages; the largest take a minute or two …")
        elif line.strip() and not line.lstrip().startswith(QUIET):
            # Errors are what remains of interest; what pip says of metadata and of building is told in passing.
            told = re.match(r"(ERROR|WARNING|error|fatal)", line.lstrip()) is not None
            self.say(line if told else f"  {line.strip()[:100]}", passing=not told)


def install(arguments, title, out=None, live=None):
    """Run `pip install`.

    Args:
        arguments: what follows `pip install`.
        title: what is being done, for the first line.
        out, live: see `Steps`.

    Returns:
        pip's exit status, and what it said, line by line; if it failed, the end of that was shown.
    """
    start, steps, said = time.monotonic(), Steps(out, live), []
    bar = "raw" if tuple(map(int, version("pip").split(".")[:2])) >= (24, 1) else "off"  # older ones have no "raw"
    options = ["--disable-pip-version-check", "--no-compile", "--progress-bar", bar]
    command = [sys.executable, "-m", "pip", "install", *options, *arguments]
    steps.say(title)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    for line in process.stdout:
        said.append(line)
        steps.line(line)
    status = process.wait()
    if status:
        steps.say("".join(line for line in said[-30:] if not COUNTED.match(line)))
        steps.say(f"pip failed with status {status}: see above")
    else:
        steps.say(f"  done in {time.monotonic() - start:.0f} s")
    return status, said


if __name__ == "__main__":
    sys.exit(install(OWN, "Installing the book's own package")[0])
