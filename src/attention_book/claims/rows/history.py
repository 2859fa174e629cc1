"""M rows about history: sizes, dates and what came before. The inputs are what the sources named say."""

from typing import Any

import torch

from ...models.config import TransformerConfig
from ...models.transformer import Transformer
from ...studies.heads.earlier_models import predecessors
from ..claim import Claim, Verdict

PAPER = "Vaswani et al. 2017"
VOCABULARIES = {"English–German": 37_000, "English–French": 32_000}  # §5.1: "about 37000 tokens", "32000 word-piece"
BERT_BASE_WIDTH = 768  # Devlin et al. 2019, §3

BIDIRECTIONAL = (
    (1997, "Schuster and Paliwal", "Bidirectional Recurrent Neural Networks, IEEE Trans. on Signal Processing 45(11)"),
    (2014, "Bahdanau et al.", "arXiv 1409.0473 of September 2014, ICLR 2015, §3.2: the encoder of their translator"),
)
ENCODER_DECODERS = (
    (1997, "Forcada and Ñeco", "Recursive Hetero-associative Memories for Translation, LNCS 1240"),
    (2013, "Kalchbrenner and Blunsom", "Recurrent Continuous Translation Models, EMNLP"),
    (2014, "Cho et al.", "arXiv 1406.1078, EMNLP"),
    (2014, "Sutskever et al.", "arXiv 1409.3215, NeurIPS"),
)
IN_THE_PAPER = ("Wu et al.", "Bahdanau et al.", "Gehring et al.")  # its [38, 2, 9]


def sizes() -> dict[str, Any]:
    """M08: the paper's vocabularies and width, and what a longer limit on the length adds to such a model."""
    counts = []
    for max_len in (BERT_BASE_WIDTH, 2 * BERT_BASE_WIDTH):
        with torch.random.fork_rng():
            small = Transformer(TransformerConfig.tiny(norm="post", max_len=max_len))
        counts.append(sum(parameter.numel() for parameter in small.parameters()))
    return {
        "vocabularies": VOCABULARIES,
        "width": TransformerConfig.base().d_model,
        "width_of_bert_base": BERT_BASE_WIDTH,
        "parameters_that_a_longer_limit_adds": counts[1] - counts[0],
    }


def decide_sizes(value: dict[str, Any]) -> tuple[Verdict, str]:
    """M08: neither number is the paper's."""
    german, french = value["vocabularies"].values()
    if max(german, french) == 50_000 and value["parameters_that_a_longer_limit_adds"]:
        return "right", "The vocabulary has 50,000 words, and the length is limited."
    why = (
        f"About {german:,} subwords shared by English and German, and {french:,} word pieces for English and French "
        f"({PAPER}, §5.1). No largest length is in the paper: its positions are computed, and a higher limit adds "
        f"{value['parameters_that_a_longer_limit_adds']} parameters. {value['width_of_bert_base']} is a width, that of "
        f"BERT-base (Devlin et al. 2019, §3); the paper's base model is {value['width']} wide."
    )
    return "wrong", why


def dates() -> dict[str, Any]:
    """M09: what the sources name, earliest first."""
    named = {"bidirectional": sorted(BIDIRECTIONAL), "encoder_decoder": sorted(ENCODER_DECODERS)}
    return {
        **{f"{kind}_first": found[0][0] for kind, found in named.items()},
        **{kind: [f"{authors} {year}: {work}" for year, authors, work in found] for kind, found in named.items()},
        "bidirectional_encoder_of_a_translator": BIDIRECTIONAL[1][0],
        "encoder_decoders_before_2014": [f"{authors} {year}" for year, authors, _ in ENCODER_DECODERS if year < 2014],
    }


def decide_dates(value: dict[str, Any]) -> tuple[Verdict, str]:
    """M09: both dates are too late."""
    bidirectional, encoder = value["bidirectional_first"], value["bidirectional_encoder_of_a_translator"]
    if encoder == 2016 and value["encoder_decoder_first"] == 2014:
        return "right", "The earliest that the sources name are of 2016 and of 2014."
    why = (
        f"Bidirectional recurrent networks are of {bidirectional} (Schuster and Paliwal, IEEE Transactions on Signal "
        f"Processing), and Bahdanau et al. had one as an encoder in {encoder} (arXiv 1409.0473, §3.2; ICLR 2015). "
        f"Neural encoder–decoders before 2014: {', '.join(value['encoder_decoders_before_2014'])}. In 2014 they became "
        "known (Cho et al.; Sutskever et al.)."
    )
    return "wrong", why


def decide_predecessors(value: dict[str, Any]) -> tuple[Verdict, str]:
    """M15: those that attend."""
    listed, without = sum(map(len, value.values())), value["without_attention"]
    if not without:
        return "right", f"All attend to the source: {', '.join(value['with_attention'])}."
    quoted = '"the typical encoder-decoder attention mechanisms in sequence-to-sequence models such as"'
    why = (
        f"The paper says {quoted} those of {', '.join(IN_THE_PAPER)} ({PAPER}, §3.2.3). {len(without)} of the {listed} "
        f"models listed here have none to imitate: in those of {', '.join(without)} no decoder weighs source positions."
    )
    return "wrong", why


CLAIMS = (
    Claim(
        "M08",
        "The original Transformer had a vocabulary of 50,000 words and read 768 tokens at a time.",
        sizes,
        decide_sizes,
        "attention/positions-compared#positions-width-and-length",
    ),
    Claim(
        "M09",
        "Bidirectional encoders date from 2016, and the first neural encoder–decoders from 2014.",
        dates,
        decide_dates,
        "before/attention-over-hidden-states#hidden-states-dates",
    ),
    Claim(
        "M15",
        "The Transformer's attention to the source imitates all sequence-to-sequence models that came before.",
        predecessors,
        decide_predecessors,
        "before/attention-over-hidden-states#hidden-states-dates",
    ),
)
