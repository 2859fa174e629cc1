"""The explorer *live translator*: the translator itself, piece by piece, with every weight."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import traitlets

from ....translation.translator import Translator
from ..base import Explorer, front_end, style_sheet
from ..translator_engine.files import engine_source, weights_of
from ..words import fixed, listed
from .answers import BEAMS, USES, Answers
from .packing import packed, unpacked

SENTENCES = (
    "I like cats.",
    "My brother doesn't eat meat.",
    "The two women are reading an old newspaper.",
    "The lighthouse keeper polished the enormous lens.",
)
"""What a page shows before the translator is loaded."""
NAMES = {
    "cross": "Spanish looks at English",
    "encoder": "English looks at English",
    "self": "Spanish looks at Spanish",
}
LONGEST = 20_000  # characters of a text
TOLD = 5  # of the next pieces, in words
_FILES = (
    *("record.js", "telling.js", "ribbons.js", "chips.js", "clients.js", "heads.js", "beam_drawing.js", "address.js"),
    *("offers.js", "asking.js", "player.js", "stage.js", "live_translator.js"),
)
_PACKED = {
    "to_json": lambda records, _: [packed(one) for one in records],
    "from_json": lambda packs, _: [unpacked(one) for one in packs],
}
_QUESTIONS = ("load", "read", "begin", "step", "translate")


def _style() -> str:
    return style_sheet() + (Path(__file__).parent / "live_translator.css").read_text(encoding="utf-8")


class LiveTranslator(Explorer):
    """A translator to type into, and to look into.

    In the built page it runs by itself: first it shows records of a few sentences, and on demand it loads the
    translator into the page. In a notebook its answers are Python's, so any translator will do, and
    ``explorer.text = "Where is the bank?"`` translates a sentence of yours.

    Args:
        translator: a Transformer of the reader's own; only a notebook can run it.
        sentences: what is recorded; the first is shown.
        name: of a translator that comes with the book, which is used where no other is given.

    Attributes:
        records: all about each of those sentences, as `Answers.record` gives it; the page gets them packed.
        text: what is translated.
        at: the frame that is shown, counted from 0: the pieces, each layer of the encoder, each step, the end; −1 is
            the end as well.
        use: whose weights the ribbons are: ``"cross"``, ``"encoder"`` or ``"self"``.
        layer, head: counted from 0; −1 is the mean.
        beam: 1, which is greedy search, to 5.
        forced: ids that the translation must begin with.
        silenced: heads that are switched off, each {"use", "layer", "head"}, counted from 0.
        plays: whether it plays once by itself when a reader sees it, where motion is welcome.
        weights, engine, kernel: where the page finds the weights, the engine's text, and whether Python answers.
    """

    title = "The translator"
    heights = (682, 841)
    _esm = front_end("translator_engine/client.js", *(f"live_translator/{name}" for name in _FILES))
    _css = _style()

    records = traitlets.List(traitlets.Dict(), minlen=1).tag(sync=True, **_PACKED)
    text = traitlets.Unicode(SENTENCES[0]).tag(sync=True)
    at = traitlets.Int(-1, min=-1).tag(sync=True)
    use = traitlets.Enum(list(NAMES), "cross").tag(sync=True)
    layer = traitlets.Int(2, min=-1).tag(sync=True)
    head = traitlets.Int(-1, min=-1).tag(sync=True)
    beam = traitlets.Int(1, min=BEAMS[0], max=BEAMS[-1]).tag(sync=True)
    forced = traitlets.List(traitlets.Int()).tag(sync=True)
    silenced = traitlets.List(traitlets.Dict()).tag(sync=True)
    plays = traitlets.Bool(False).tag(sync=True)
    weights = traitlets.Dict().tag(sync=True)
    engine = traitlets.Unicode("").tag(sync=True)
    kernel = traitlets.Bool(True).tag(sync=True)

    def __init__(
        self,
        translator: Translator | None = None,
        sentences: Iterable[str] = SENTENCES,
        name: str = "en-es",
        **traits: Any,
    ):
        self._own, self._name = translator is not None, name
        self._answers = Answers(translator or Translator.from_pretrained(name))
        records = [self._answers.record(text) for text in sentences]
        super().__init__(**{"records": records, "text": records[0]["source"], **traits})
        self.on_msg(self._asked)

    @traitlets.validate("text")
    def _readable(self, proposal):
        if len(proposal.value) > LONGEST:
            raise traitlets.TraitError(f"text has at most {LONGEST:,} characters, and this has {len(proposal.value):,}")
        return proposal.value

    @traitlets.validate("layer", "head")
    def _there(self, proposal):
        config, name = self._answers.translator.model.config, proposal.trait.name
        n = {"layer": config.n_layers, "head": config.n_heads}[name]
        if proposal.value >= n:
            raise traitlets.TraitError(f"there are {n} {name}s, counted from 0; −1 is their mean")
        return proposal.value

    @traitlets.validate("silenced")
    def _known(self, proposal):
        config = self._answers.translator.model.config
        for one in proposal.value:
            right = set(one) == {"use", "layer", "head"} and one["use"] in USES
            if not (right and one["layer"] in range(config.n_layers) and one["head"] in range(config.n_heads)):
                raise traitlets.TraitError(
                    f'{one!r} is no head: one is {{"use": "cross", "layer": 0, "head": 1}}, counted from 0'
                )
        return proposal.value

    @property
    def record(self) -> dict[str, Any]:
        """All about the present text, with the present beam, forced beginning and silent heads.

        Raises:
            ValueError: the text cannot be translated; the message says why.
        """
        if self.beam == 1 and not self.forced and not self.silenced:
            for known in self.records:
                if known["source"] == self.text:
                    return known
        answers = Answers(self._answers.translator)
        return answers.record(self.text, beam=self.beam, forced=self.forced, silenced=self.silenced)

    @property
    def translation(self) -> str:
        """What the translator writes now."""
        return self.record["text"]

    def _asked(self, _, content: Any, __) -> None:
        """Answer a question of the front end: {"ask", "number", "given"}."""
        if not isinstance(content, dict) or content.get("ask") not in _QUESTIONS:
            return
        answer: dict[str, Any] = {"number": content.get("number")}
        try:
            answer["answer"] = getattr(self._answers, content["ask"])(**content.get("given", {}))
        except (TypeError, ValueError) as error:
            answer["error"] = str(error)
        self.send(answer)

    def state(self) -> dict[str, Any]:
        """The traits of a page without a kernel, which runs the book's own translator."""
        kept = {"weights": {} if self._own else weights_of(self._name), "engine": engine_source(), "kernel": False}
        return {**super().state(), **kept, "records": [packed(one) for one in self.records]}

    def in_words(self) -> str:
        """The sentence, its translation, and at a step what may come next and where it looks; as record.js says it."""
        record = self.record
        keys = [_shown(piece["text"]) for piece in record["pieces"]]
        asked = [_chosen(record, t) for t in range(len(record["ids"]))]
        quoted = [f"“{key}”" for key in keys]
        told = (
            f"“{record['source']}” is cut into {len(keys) - 1} pieces and an end mark: {listed(quoted)}. "
            f"The translator writes “{record['text']}” in {len(asked)} steps."
        )
        step = self.at - 1 - len(record["encoder"])
        if self.at < 0 or not 0 <= step < len(asked):
            return told
        now = record["steps"][step]
        before = "".join(piece.replace("▁", " ") for piece in asked[:step]).strip()
        likely = [f"“{_shown(one['text'])}” {fixed(one['probability'])}" for one in now["candidates"][:TOLD]]
        told += (
            f" Step {step + 1}: it has written {f'“{before}”' if before else 'nothing'}, and takes "
            f"“{_shown(asked[step])}”. The most probable next pieces are {listed(likely)}."
        )
        if self.use == "encoder":
            return told
        names = keys if self.use == "cross" else ["start", *(_shown(piece) for piece in asked[:-1])]
        row = _row(now[self.use], self.layer, self.head)
        most = sorted(range(len(row)), key=lambda j: -row[j])[:3]
        looks = listed([f"{fixed(row[j])} on “{names[j]}”" for j in most])
        return f"{told} {NAMES[self.use]}, {_place(self.layer, self.head)}: {looks}."


def _shown(piece: str) -> str:
    """A piece without the space before it, as chips show it; a space alone is "␣"."""
    named = {"<s>": "start", "</s>": "end", "▁": "␣"}
    return named.get(piece) or piece.removeprefix("▁").replace("▁", "␣")


def _chosen(record: dict[str, Any], step: int) -> str:
    """The text of the piece that a step chose."""
    known = {one["id"]: one["text"] for one in [*record["steps"][step]["candidates"], *record["tree"]["nodes"]]}
    return known[record["ids"][step]]


def _place(layer: int, head: int) -> str:
    if layer < 0:
        return "the mean of all heads" if head < 0 else f"head {head}, the mean of the layers"
    return f"layer {layer}, {'the mean of its heads' if head < 0 else f'head {head}'}"


def _row(table: list[list[list[float]]], layer: int, head: int) -> list[float]:
    """A row of weights: of one head, or the mean over heads, over layers, or over both."""

    def mean(rows: list[list[float]]) -> list[float]:
        return [sum(column) / len(rows) for column in zip(*rows, strict=True)]

    return mean([mean(heads) if head < 0 else heads[head] for heads in (table if layer < 0 else [table[layer]])])
