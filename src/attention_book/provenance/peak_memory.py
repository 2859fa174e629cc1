"""The most memory that a call holds at one time, beside what there was before: NumPy's by tracemalloc, torch's own."""

import tracemalloc
from collections.abc import Callable

from torch.profiler import ProfilerActivity, profile


def numpy_peak(call: Callable[[], object]) -> int:
    """The most bytes that Python and NumPy held at one time during a call, its result included."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def torch_peak(call: Callable[[], object]) -> int:
    """The most bytes of tensors on the processor that torch held at one time during a call, its result included.

    Torch's profiler writes down every allocation and every release, also of buffers that no Python code ever sees.
    """
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as recorded:
        result = call()  # kept until the record ends, so that its release is not counted
    events = [event for event in recorded.profiler.kineto_results.events() if event.name() == "[memory]"]
    held = most = 0
    for event in sorted(events, key=lambda event: event.start_ns()):
        held += event.nbytes()
        most = max(most, held)
    del result
    return most
