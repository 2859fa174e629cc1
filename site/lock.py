"""Print requirements.lock: the versions that pip chooses, in an empty environment, for all requirements files at once.

Run by `make lock` with the oldest Python that the book supports. Local version labels such as `+cpu` are left out: they
say which build of a release was at hand, not which release.
"""

import json
import subprocess
import sys

HEADER = """\
# The whole set, pinned: made by `make lock` from the requirements files with Python {python}. Not to be edited by hand.
# It is used as a constraint (`pip install -r requirements.txt -c requirements.lock`), so each file installs its share.
"""


def resolved(requirement_files):
    """`name==version` of everything that pip would install for these files, sorted."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-"]
    for file in requirement_files:
        command += ["--requirement", file]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    python = report["environment"]["python_full_version"]
    packages = (item["metadata"] for item in report["install"])
    return python, sorted((f"{p['name']}=={p['version'].split('+')[0]}" for p in packages), key=str.lower)


if __name__ == "__main__":
    version, lines = resolved(sys.argv[1:])
    print(HEADER.format(python=version) + "\n".join(lines))
