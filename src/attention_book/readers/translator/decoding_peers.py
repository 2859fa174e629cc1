"""What ``python -m benchmarks decoding`` measured: the book's searches beside CTranslate2, with the same weights."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ... import paths

NAMES = {
    "ours:readable": "the search that the chapters show",
    "ours:float32": "the faster search, float32",
    "ours:int8": "the faster search, int8 by rows",
    "ctranslate2:float32": "CTranslate2, float32",
    "ctranslate2:int8": "CTranslate2, int8",
    "hugging-face": "Hugging Face transformers",
    "joeynmt": "JoeyNMT",
    "annotated": "The Annotated Transformer, our search",
}
"""The contenders of the benchmark, as the page calls them."""
MARK = "ctranslate2:float32"
"""The contender that the ratios are taken to."""


@dataclass(frozen=True)
class DecodingPeers:
    """The record, as *Measurements* reads it.

    Attributes:
        record: what the benchmark wrote.
    """

    record: Mapping[str, Any]

    @property
    def contenders(self) -> list[str]:
        """Who took part in every task, in the order of :data:`NAMES`."""
        return [name for name in NAMES if all(name in table["contenders"] for table in self.record["tables"])]

    @property
    def header(self) -> tuple[str, ...]:
        """The headings of :meth:`rows`."""
        return ("search", *(_task(table) for table in self.record["tables"]), "same as the first row")

    def rows(self) -> list[tuple[str, ...]]:
        """A row per contender: tokens per second of processor time by task, and the share of equal translations."""
        rows = []
        for name in self.contenders:
            found = [table["contenders"][name] for table in self.record["tables"]]
            equal = sorted(one["equal"] for one in found)
            rows.append((NAMES[name], *map(_speed, found), _range(equal)))
        return rows

    def ratios(self, name: str) -> list[float]:
        """How many times as fast as CTranslate2 in float32 a contender is, by task: ratios of the medians.

        Raises:
            KeyError: if the contender did not take part.
        """
        return [table["contenders"][name]["ratio"] for table in self.record["tables"]]

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        faster = self.ratios("ours:float32")
        return {
            "peer_sentences": self.record["sentences"],
            "peer_rounds": self.record["rounds"],
            "peer_processor": self.record["machine"]["processor"],
            "peer_version": self.record["versions"]["ctranslate2"],
            "peer_date": self.record["date"],
            "peer_load": max(self.record["load"]["before"], self.record["load"]["after"]),
            "peer_least": min(faster),
            "peer_most": max(faster),
        }


def _task(table: Mapping[str, Any]) -> str:
    sentences = "one sentence" if table["batch"] == 1 else f"{table['batch']} sentences"
    return f"{sentences}, {'greedy' if table['beam'] == 1 else 'beam ' + str(table['beam'])}"


def _speed(found: Mapping[str, Any]) -> str:
    """Such as "707 (659 to 747), 0.73": the median, the range, and the ratio to CTranslate2 in float32."""
    rate = found["processor"]
    return f"{rate['median']:,.0f} ({rate['least']:,.0f} to {rate['most']:,.0f}), {found['ratio']:.2f}"


def _range(shares: list[float]) -> str:
    least, most = f"{shares[0]:.1%}", f"{shares[-1]:.1%}"
    return least if least == most else f"{least} to {most}"


def read() -> DecodingPeers:
    """The benchmark on record."""
    path = paths.folder("results") / "benchmarks" / "decoding.json"
    return DecodingPeers(json.loads(path.read_text(encoding="utf-8")))
