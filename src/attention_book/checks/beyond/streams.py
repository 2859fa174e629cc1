"""Checks for *Decoder only* and *One stack or two?*: masks of a stream, one softmax for two sides, labels, sizes."""

import math

import numpy as np
import torch

from ...models.one_stack.decoder_only import stream_labels, stream_mask
from ..known_mistakes import diagnose, predictions_check, recognise
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, expect_number

SOURCE_LEN, TARGET_LEN = 5, 4


def _blocks() -> dict[str, int]:
    """The allowed cells of the blocks for the stream of the exercise."""
    causal, prefix = (stream_mask(SOURCE_LEN, TARGET_LEN, kind) for kind in (False, True))
    source, target = slice(0, SOURCE_LEN), slice(SOURCE_LEN, None)
    return {
        "causal_1": int(causal[source, source].sum()),
        "prefix_1": int(prefix[source, source].sum()),
        "block_2": int(causal[target, source].sum()),
        "block_3": int(causal[target, target].sum()),
    }


_RIGHT = _blocks()
check_blocks = predictions_check(
    {
        "causal_1": (
            _RIGHT["causal_1"],
            {
                25: "that is the whole square; under the causal mask a source token does not see the later ones",
                10: "each token sees itself too: the diagonal is allowed",
                21: "the source has 5 tokens, its `</s>` included",
            },
        ),
        "prefix_1": (
            _RIGHT["prefix_1"],
            {
                15: "that is the triangle; with a prefix mask each source token sees the whole source",
                20: "each token sees itself too: the diagonal is allowed",
                45: "a source token never sees the target",
            },
        ),
        "block_2": (
            _RIGHT["block_2"],
            {
                25: "the rows of this block are those of the 4 target tokens",
                16: "the columns of this block are those of the 5 source tokens",
                10: "no cell of this block is hidden: the whole source comes before the target",
                9: "that is one row or column of the whole table",
            },
        ),
        "block_3": (
            _RIGHT["block_3"],
            {
                16: "that is the whole square; a target token does not see the later ones",
                6: "each token sees itself too: the diagonal is allowed",
                15: "the target has 4 tokens",
            },
        ),
    },
    0.5,
    "Are these the allowed cells of each block, for a source of 5 tokens and a target of 4?",
    "Counted in the masks themselves.",
)

SCORES = ((3, 8, "source"), (1, 0, "source"), (4, 2, "target"))
"""For each key the number whose logarithm is its score, its value, and its side."""


def three_keys() -> str:
    """:data:`SCORES`, one per line, ready to print."""
    return "\n".join(f"key {n}, {side}: score ln {e}, value {value}" for n, (e, value, side) in enumerate(SCORES))


check_share = predictions_check(
    {
        "share": (
            1 / 2,
            {
                2 / 3: "that is the share of the keys; take the share of the exponentials",
                3 / 8: "that is the weight of key 0 alone; the source has two keys",
                1.0: "there is one softmax over all three keys, so the target takes its part",
                1 / 3: "that is the share of the target among the keys; take the exponentials of the source",
            },
        ),
        "source_only": (
            6.0,
            {
                4.0: "the weights of the source are 3/4 and 1/4, not equal",
                3.0: "divide by the exponentials of the source alone; the weights of a softmax add up to 1",
                2.0: "the larger score belongs to the value 8",
            },
        ),
        "output": (
            4.0,
            {
                8.0: "that adds the two outputs, as two sublayers would; one softmax takes a mean of them",
                3.0: "that leaves out the target's part",
                6.0: "that is the output of the source alone",
                10 / 3: "that is the plain mean of the values",
            },
        ),
        "doubled": (
            1 / 3,
            {
                1 / 2: "a second target key takes its part of the same softmax",
                1 / 4: "the source still has the exponentials 3 and 1 of 12",
                2 / 3: "that is the share of the target",
            },
        ),
    },
    1e-3,
    "Are these the share of the source, the output of the source alone, the output, and the share with one more key?",
    "The softmax of all keys at once gives the same.",
)


check_even = predictions_check(
    {
        "one": (
            1 / 2,
            {
                1.0: "the target row sees itself too: two keys, one of the source",
                2 / 3: "that is for the first row with n = 2",
            },
        ),
        "two": (
            7 / 12,
            {
                1 / 2: "that is the second row alone; the first one sees only three keys",
                2 / 3: "that is the first row alone; the second one sees four keys",
                5 / 6: "each row sees itself too: row k sees k keys of the target",
                7 / 6: "take the mean of the two rows, not their sum",
                4 / 7: "take the mean of the two shares, not the share of all cells together",
                5 / 12: "that is the share of the target",
            },
        ),
        "limit": (
            math.log(2),
            {
                1 / 2: "only the last row gives both sides the same; all earlier ones give more to the source",
                2 / 3: "that is the share of the allowed cells; the rows count alike, whatever they see",
                1.0: "most rows see many target keys, too",
                math.log10(2): "take the natural logarithm",
                1 - math.log(2): "that is the share of the target",
            },
        ),
    },
    2e-3,
    "Are these the mean shares of the source, if every row weighs the keys that it sees alike?",
    "Not two thirds: the early rows see few keys of the target.",
)


def _tensor(got: object) -> object:
    """A NumPy array, or a list of lists of equal length, as a tensor; anything else as it is."""
    if isinstance(got, list) and len({len(row) if isinstance(row, list) else -1 for row in got}) == 1:
        got = np.array(got)
    return torch.as_tensor(got) if isinstance(got, np.ndarray) and got.dtype.kind in "biuf" else got


@checking
def check_mask(candidate: object) -> Report:
    """Is ``candidate(src_len, tgt_len)`` the prefix mask of a stream, True where a token may attend?"""
    for src_len, tgt_len in ((3, 2), (1, 4), (4, 1), (2, 5), (3, 0)):
        length = src_len + tgt_len
        got = _tensor(attempt(candidate, src_len, tgt_len))
        inputs = f"For src_len={src_len} and tgt_len={tgt_len}"
        expect_array(got, (length, length), "one row and one column per token of the stream", boolean=True)
        wanted = stream_mask(src_len, tgt_len, prefix=True)
        if torch.equal(got, wanted):
            continue
        causal, late = stream_mask(src_len, tgt_len), wanted.clone()
        late[:, :src_len] = True
        late[:src_len, src_len:] = True
        own = wanted.clone()
        own[src_len:, src_len:] = True
        apart = causal.clone()
        apart[src_len:, :src_len] = False
        known = {
            "it is turned round: True means that a token may attend.": ~wanted,
            "it is causal throughout; the source may see all of the source.": causal,
            "nothing is hidden.": torch.ones_like(wanted),
            "queries are down and keys across: it is transposed.": wanted.T,
            "the source sees the target: its later columns have to stay hidden.": late,
            "a target token sees the later ones: block 3 is a triangle.": own,
            "the source is causal, and the target does not see it.": apart,
            "the target does not see the source.": torch.where(causal == apart, wanted, False),
        }
        if src_len > 1:
            short = stream_mask(src_len - 1, tgt_len + 1, prefix=True)
            known["the source ends one token too early: its last token belongs to the prefix."] = short
        if tgt_len > 1:
            long = stream_mask(src_len + 1, tgt_len - 1, prefix=True)
            known["the source ends one token too late: `<s>` belongs to the target."] = long
        try:
            diagnose(got, wanted, known)
        except NotYet as fault:
            raise NotYet(f"{inputs}: {fault}") from fault
    return Report(True, "The source is a full square, and the target's rows end on the diagonal.")


PAD, BOS, EOS = 0, 1, 2


def _listed(got: object, name: str) -> list[int]:
    """A list, tuple, range, set, array or tensor of whole numbers as a list."""
    if isinstance(got, (torch.Tensor, np.ndarray)):
        got = got.tolist()
    if isinstance(got, (range, set, frozenset)):
        got = list(got)
    if not isinstance(got, (list, tuple)) or not all(
        isinstance(x, (int, float, np.integer)) and not isinstance(x, bool) and float(x).is_integer() for x in got
    ):
        raise NotYet(f"Expected {name} to be a list of whole numbers.")
    return [int(x) for x in got]


@checking
def check_labels(candidate: object) -> Report:
    """Does ``candidate(source, target)`` give what each token of the stream is asked for, 0 where nothing is asked?

    It is given two lists of ids without special tokens; the stream is source, 2, 1, target, and only the target counts.
    """
    for source, target in (([5, 6, 7], [8, 9]), ([4], [3, 4, 5]), ([9, 9], [9]), ([6, 7], [])):
        got = _listed(attempt(candidate, list(source), list(target)), "the labels")
        wanted = [PAD] * (len(source) + 1) + [*target, EOS]
        stream = [*source, EOS, BOS, *target]
        if got == wanted:
            continue
        both = stream_labels(torch.tensor([[*source, EOS]]), torch.tensor([[*target, EOS]]), PAD, BOS, EOS)[0].tolist()
        known = [
            (both, "the source is asked for its words too; only the target counts"),
            ([PAD] * (len(source) + 2) + [*target], "each row is asked for its own token, not for the next one"),
            ([PAD] * (len(source) + 2) + [*target, EOS], "there is one label too many: one per token of the stream"),
            ([*target, EOS], "there is one label per token of the stream, and 0 for those of the source"),
            ([PAD] * (len(source) + 2) + [*target[1:], EOS], "the row of `<s>` is asked for the first word"),
            ([PAD] * (len(source) + 1) + [*target, PAD], "the last word is asked for `</s>`, which is 2"),
            ([PAD] * len(source) + [BOS, *target, EOS], "`<s>` is given and never asked for: its label is 0"),
            ([*source, EOS, BOS, *target], "those are the tokens themselves"),
        ]
        for wrong, reason in known:
            if got == wrong:
                raise NotYet(f"For source {source} and target {target}, {reason}.")
        if len(got) != len(stream):
            raise NotYet(f"For source {source} and target {target}: {len(got)} labels for {len(stream)} tokens.")
        place = next(n for n, (one, other) in enumerate(zip(got, wanted, strict=True)) if one != other)
        raise NotYet(f"For source {source} and target {target}, row {place} has the label {got[place]}.")
    return Report(True, "One label per token, and only the target counts.")


def _cheating_rows(src_len: int, tgt_len: int, believed: int) -> list[int]:
    """The target rows that can attend to their next token, if the prefix mask takes the source to be too long."""
    length = src_len + tgt_len
    mask = stream_mask(believed, length - believed, prefix=True)
    return [row for row in range(src_len, length - 1) if mask[row, row + 1]]


@checking
def check_cheats(rows: object) -> Report:
    """Which target rows see their own answer, if the mask of 4 + 4 tokens was made for a source of 7?

    Args:
        rows: the target rows, counted from 0 in the stream, whose next token the mask lets them see.
    """
    got, wanted = sorted(set(_listed(rows, "the rows"))), _cheating_rows(4, 4, 7)
    if got == wanted:
        return Report(True, "These rows can copy their answer, so their loss teaches nothing.")
    if got == [4, 5, 6]:
        raise NotYet("Row 6 is asked for token 7, and the prefix ends with token 6.")
    if got in ([5, 6], [0, 1]):
        raise NotYet("Rows are counted from 0, along the whole stream: `<s>` is row 4.")
    if got == [4]:
        raise NotYet("The prefix reaches to token 6, so row 4 is not alone.")
    if not got:
        raise NotYet("Tokens 4, 5 and 6 are in the prefix of this mask, so every row may look at them.")
    if any(row < 4 for row in got):
        raise NotYet("The rows of the source make no prediction that counts.")
    raise NotYet("Look at each row's next token, and whether the mask has True there.")


check_fair = predictions_check(
    {
        "fair": (
            14,
            {
                12: "a decoder layer has two attentions, so it is larger than a layer of one stack",
                16: "only the decoder's layers have two attentions",
                7: "that is for 3 + 3 layers",
            },
        ),
        "same_work": (
            7,
            {
                14: "those have as many parameters; a token passes through all of them, not through half",
                6: "the decoder's cross-attention is work too, for the tokens of both sides",
                12: "in the encoder–decoder a token passes through its own side only",
                28: "a token of one stack passes through all of its matrices, so fewer layers do the same work",
            },
        ),
        "narrow": (
            15,
            {
                14: "that is for feed-forward networks that are 4 d wide inside",
                10: "a layer of one stack has the narrow network too: 8 d²",
                12: "a decoder layer has two attentions, so it is larger than a layer of one stack",
                18: "the attentions keep their size; only the feed-forward networks shrink to half",
            },
        ),
        "million": (
            12 * 24 * 1024**2 / 1e6,
            {
                16 * 24 * 1024**2 / 1e6: "a layer of one stack has one attention: 12 d²",
                12 * 24 * 1024 / 1e6: "the width stands squared",
                12 * 1024**2 / 1e6: "that is one layer",
                8 * 24 * 1024**2 / 1e6: "with the usual feed-forward networks a layer has 12 d²",
                12 * 24 * 1024**2: "give it in millions",
            },
        ),
    },
    0.5,
    "Are these the layers of one stack that are fair, and the size of a large stack?",
    "What is fair in parameters is not fair in work.",
)


@checking
def check_size(candidate: object) -> Report:
    """Does ``candidate(layers, width, vocabulary, positions)`` give the numbers in all matrices of a GPT?"""
    for layers, width, vocabulary, positions in ((2, 10, 70, 30), (1, 2, 5, 3), (12, 768, 40_478, 512)):
        given = (layers, width, vocabulary, positions)
        got, stack = expect_number(attempt(candidate, *given), "the number of parameters"), 12 * layers * width**2
        known = {
            "the tables of embeddings are missing": stack,
            "the layers are missing": (vocabulary + positions) * width,
            "the positions have a table of embeddings too": stack + vocabulary * width,
            "the tokens have a table of embeddings too": stack + positions * width,
            "the output layer is the table of the tokens; count it once": stack + (2 * vocabulary + positions) * width,
            "a layer of one stack has one attention: 12 d²": 16 * layers * width**2 + (vocabulary + positions) * width,
            "each row of a table has d numbers, not d²": stack + (vocabulary + positions) * width**2,
            "each row of a table has d numbers": stack + vocabulary + positions,
            "the width of a layer stands squared": 12 * layers * width + (vocabulary + positions) * width,
            "count every layer": 12 * width**2 + (vocabulary + positions) * width,
        }
        right = stack + (vocabulary + positions) * width
        if not agrees(got, right):
            reason = recognise(got, known) or f"expected {right:,}, and you have {got:,.0f}"
            raise NotYet(
                f"For layers={layers}, width={width}, {vocabulary} tokens and {positions} positions: {reason}."
            )
    return Report(True, "The sizes of all three GPTs follow from these four numbers.")
