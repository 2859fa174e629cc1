"""`python -m benchmarks NAME`: run one benchmark; its own --help tells what it takes."""

import runpy
import sys

NAMES = ("decoding", "page", "training")

if len(sys.argv) < 2 or sys.argv[1] not in NAMES:
    sys.exit(f"python -m benchmarks NAME, where NAME is one of: {', '.join(NAMES)}")
name = sys.argv.pop(1)
sys.argv[0] = f"python -m benchmarks {name}"
runpy.run_module(f"benchmarks.{name}", run_name="__main__")
