"""Print requirements.hashes: every pin of requirements.lock, and what other systems need beside, with its SHA-256s.

Run by `make lock`. uv resolves for all systems and Pythons at once, so that Windows' and macOS's own packages and the
CUDA libraries of Linux are there too, and each line holds the digests of all files of that release.
"""

import subprocess
import sys

HEADER = """\
# The digests of all files that may be installed: made by `make lock`, read by site/install_locked.py. Not to be edited.
"""


def hashed(requirement_files, lock="requirements.lock"):
    """The pins with their digests, as pip reads them."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--universal", "--generate-hashes"]
    command += ["--python-version", "3.11", "--no-header", "--no-annotate", "--constraint", lock]
    return subprocess.run([*command, *requirement_files], check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    print(HEADER + hashed(sys.argv[1:]), end="")
