"""Where a number comes from: the machine, the versions, the code. Written beside every measured result."""

import os
import platform
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import torch


def today() -> str:
    """The date in UTC, as YYYY-MM-DD."""
    return datetime.now(UTC).date().isoformat()


def machine() -> dict[str, str | int]:
    """The processor, the number of cores it lends us, the threads torch uses, and the accelerator if there is one."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text().splitlines()
        name = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), name)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    found = {"processor": name, "cores": cores, "threads": torch.get_num_threads(), "system": platform.system()}
    if torch.cuda.is_available():
        found["accelerator"] = torch.cuda.get_device_name()
    return found


def versions() -> dict[str, str]:
    """The versions of Python and of the libraries that a measured number may depend on."""
    names = ("numpy", "sacrebleu", "tokenizers", "torch")
    return {"python": platform.python_version(), **{name: metadata.version(name) for name in names}}
