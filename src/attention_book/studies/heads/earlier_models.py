"""Encoder–decoders that came before the Transformer, and which of them had an attention to the source."""

BEFORE = (  # authors, year, whether the decoder weighs source positions
    ("Kalchbrenner and Blunsom", 2013, False),
    ("Cho et al.", 2014, False),
    ("Sutskever et al.", 2014, False),
    ("Bahdanau et al.", 2014, True),
    ("Luong et al.", 2015, True),
    ("Wu et al.", 2016, True),
    ("Gehring et al.", 2017, True),
)


def predecessors() -> dict[str, list[str]]:
    """Authors and years of :data:`BEFORE`, by whether the decoder attends to the source."""
    return {
        name: [f"{authors} {year}" for authors, year, attends in BEFORE if attends is wanted]
        for name, wanted in (("with_attention", True), ("without_attention", False))
    }
