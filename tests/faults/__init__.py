"""Faults to plant in the package, by the room of the code that they change: each names the tests that must catch it."""

from . import attention, counting, data, experiments, little_language, models, studies, training, translation
from .fault import Fault

ROOMS = (attention, counting, data, experiments, little_language, models, studies, training, translation)
FAULTS = {name: fault for room in ROOMS for name, fault in room.FAULTS.items()}

__all__ = ["FAULTS", "ROOMS", "Fault"]
