"""A vocabulary from elsewhere, looked at before the tokenizers library reads it: some of what it may hold stops Python.

A prefix for pieces inside a word, for instance, makes the library panic, which is no `Exception` that could be caught
with the others. So what this book does not need is refused by name first.
"""

import json
from collections.abc import Callable
from typing import Any

from tokenizers import Tokenizer


def refuse_unreadable(tokenizer_json: str, like: Callable[[], Tokenizer]) -> None:
    """Refuse the JSON of a tokenizer that is no byte-pair encoding with the settings of this book.

    What it does not refuse, it leaves to others as it is: the digest of a result (`attention_book.provenance`) does not
    count it, as it does not count other checks that can only stop a run.

    Args:
        tokenizer_json: as the tokenizers library saves it.
        like: makes an untrained tokenizer with the settings that it should have.

    Raises:
        ValueError: the message says what is wrong.
    """
    if fault := _fault(tokenizer_json, json.loads(like().to_str())):
        raise ValueError(fault)


def _fault(tokenizer_json: str, wanted: dict[str, Any]) -> str | None:
    try:
        found = json.loads(tokenizer_json)
        model = found["model"]
        if model.get("type", "BPE") != "BPE":
            return "it is not a byte-pair encoding"
        pieces, merges = model["vocab"], model["merges"]
        settings = {**found, "model": {name: model[name] for name in model if name not in ("vocab", "merges")}}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        return f"the tokenizers library cannot read it ({type(error).__name__}: {error})"
    for name, value in settings.items():
        if name not in wanted or not _within(value, wanted[name]):
            return f"its settings for {name[:40]} are not those of a lossless byte-level encoding"
    if not isinstance(pieces, dict) or not all(type(i) is int and 0 <= i < len(pieces) for i in pieces.values()):
        return "its ids are not 0, 1, 2, … without gaps"
    if not isinstance(merges, list) or not all(_is_merge(merge) for merge in merges):
        return "its merges are not pairs of pieces"
    return None


def _within(value: Any, wanted: Any) -> bool:
    """Whether a setting is the wanted one; an older file may leave entries of it out."""
    if isinstance(value, dict) and isinstance(wanted, dict):
        return all(name in wanted and _within(value[name], wanted[name]) for name in value)
    return value is None or (type(value) is type(wanted) and value == wanted)


def _is_merge(merge: Any) -> bool:
    parts = merge.split(" ") if isinstance(merge, str) else merge
    return isinstance(parts, list) and len(parts) == 2 and all(isinstance(part, str) and part for part in parts)
