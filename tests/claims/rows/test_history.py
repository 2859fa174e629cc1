"""The rows on history, against the bibliography, the dates in arXiv numbers, and a model that does have a limit."""

import re
from pathlib import Path

import pytest

from attention_book.claims.rows import history
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer
from attention_book.studies.heads.earlier_models import BEFORE

from ..verdicts import changed

BIBLIOGRAPHY = (Path(__file__).parents[3] / "references.bib").read_text("utf-8")


def entry(key):
    """Field → text of an entry of the bibliography."""
    body = re.search(rf"@\w+{{{key},(.*?)\n}}", BIBLIOGRAPHY, re.S)[1]
    return dict(re.findall(r"^\s*(\w+)\s*=\s*{(.*)},$", body, re.M))


def test_m08_positions_that_are_learned_would_have_a_limit(answers):
    value = answers["M08"]["value"]
    assert value["parameters_that_a_longer_limit_adds"] == 0
    learned = [
        sum(p.numel() for p in Transformer(TransformerConfig.tiny(positions="learned", max_len=n)).parameters())
        for n in (768, 2 * 768)
    ]
    assert learned[1] - learned[0] == 768 * 64
    assert value["width"] == 512 != value["width_of_bert_base"] == 768
    assert set(value["vocabularies"].values()) == {37_000, 32_000}
    assert TransformerConfig.base().vocab_size in value["vocabularies"].values()
    assert answers["M08"]["verdict"] == "wrong"
    limited = {"vocabularies": {"a": 50_000, "b": 50_000}, "parameters_that_a_longer_limit_adds": 768}
    assert changed(answers, "M08", **limited) == "right"


@pytest.mark.parametrize(
    ("authors", "key"),
    [
        ("Schuster and Paliwal", "schuster1997bidirectional"),
        ("Forcada and Ñeco", "forcada1997recursive"),
        ("Kalchbrenner and Blunsom", "kalchbrenner2013recurrent"),
        ("Cho et al.", "cho2014learning"),
        ("Sutskever et al.", "sutskever2014sequence"),
        ("Luong et al.", "luong2015effective"),
        ("Wu et al.", "wu2016google"),
        ("Gehring et al.", "gehring2017convolutional"),
    ],
)
def test_years_are_those_of_the_bibliography(authors, key):
    named = {who: year for year, who, _ in (*history.BIDIRECTIONAL, *history.ENCODER_DECODERS)}
    named |= {who: year for who, year, _ in BEFORE}
    assert named[authors] == int(entry(key)["year"])
    assert re.split(r"\W", authors)[0] in entry(key)["author"]


def test_an_arxiv_number_tells_the_month():
    assert entry("bahdanau2015neural")["eprint"] == "1409.0473" and entry("bahdanau2015neural")["year"] == "2015"
    sources = [*history.BIDIRECTIONAL, *history.ENCODER_DECODERS]
    dated = [(year, re.search(r"arXiv (\d\d)\d\d\.", work)) for year, _, work in sources]
    assert [2000 + int(found[1]) for _, found in dated if found] == [year for year, found in dated if found]
    assert sum(bool(found) for _, found in dated) == 3


def test_m09_the_earliest(answers):
    value = answers["M09"]["value"]
    assert value["bidirectional_first"] == value["encoder_decoder_first"] == 1997
    assert value["encoder_decoders_before_2014"] == ["Forcada and Ñeco 1997", "Kalchbrenner and Blunsom 2013"]
    assert answers["M09"]["verdict"] == "wrong"
    assert changed(answers, "M09", bidirectional_encoder_of_a_translator=2016, encoder_decoder_first=2014) == "right"


def test_m15_three_without_attention(answers):
    value = answers["M15"]["value"]
    assert len(value["without_attention"]) == 3 and not set(value["without_attention"]) & set(value["with_attention"])
    for authors in history.IN_THE_PAPER:  # those that the paper names do attend
        assert any(found.startswith(authors) for found in value["with_attention"])
    assert answers["M15"]["verdict"] == "wrong"
    assert changed(answers, "M15", without_attention=[]) == "right"
