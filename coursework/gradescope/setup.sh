#!/usr/bin/env bash
# Gradescope runs this once, when the image is built. The grader needs Python 3.11 or newer.
set -euo pipefail
source_folder="${AUTOGRADER:-/autograder}/source"
cd "$source_folder"

python=""
for name in python3.13 python3.12 python3.11; do
    if command -v "$name" > /dev/null && "$name" -c 'import ensurepip' 2> /dev/null; then python="$name"; break; fi
done
if [ -z "$python" ]; then
    apt-get update
    for name in python3.13 python3.12 python3.11; do
        if apt-get install -y "$name" "$name-venv"; then python="$name"; break; fi
    done
fi
[ -n "$python" ] || { echo "No Python 3.11 or newer could be installed; choose a newer base image." >&2; exit 1; }

"$python" -m venv ../environment
../environment/bin/pip install --quiet --requirement requirements.txt
if [ -d book ]; then rm -rf ../book; cp -r book ../book; fi  # what students may import has to be readable
