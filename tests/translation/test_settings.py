"""Every setting of a translation or a search: a wrong value is refused before any work, and by the setting's name."""

import inspect
import io
import math
from fractions import Fraction
from typing import get_args

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_translator import KNOWN, tiny_translator
from typer.testing import CliRunner

from attention_book import __main__ as commands
from attention_book.translation import decoding
from attention_book.translation.beam_tree import grow
from attention_book.translation.best_first_search import MOST_EXPANSIONS, best_first_search
from attention_book.translation.sampling import COLDEST, MOST_DRAWN, sample_sentences
from attention_book.translation.token_probabilities import factors
from attention_book.translation.translator import WIDEST_BEAM, Translator

pytestmark = pytest.mark.usefixtures("unchecked")

OTHER_THINGS = st.one_of(st.text(), st.binary(), st.complex_numbers(), st.lists(st.integers(1, 4)), st.just(object()))
NO_NUMBERS = OTHER_THINGS | st.booleans() | st.none()
NOT_WHOLE = NO_NUMBERS | st.floats() | st.fractions()


def counts(most, least=1, may_be_none=False):
    """What is no whole number between these."""
    wrong = NOT_WHOLE.filter(lambda value: value is not None) if may_be_none else NOT_WHOLE
    return wrong | st.integers(max_value=least - 1) | st.integers(min_value=most + 1)


PENALTIES = NO_NUMBERS | st.one_of(
    st.floats(max_value=-1e-300),
    st.floats(min_value=math.nextafter(decoding.MOST_PENALTY, math.inf)),
    st.just(math.nan),
    st.integers(max_value=-1),
    st.integers(min_value=101),
)
TEMPERATURES = NO_NUMBERS | st.floats(max_value=COLDEST / 2) | st.sampled_from([math.nan, math.inf])
FLAGS = OTHER_THINGS | st.integers() | st.floats() | st.none()


@pytest.fixture(scope="module")
def parts():
    """A translator, and what searches are given besides their settings."""
    translator = tiny_translator()
    src = torch.tensor([[*translator.subwords.encode("Come in!"), translator.subwords.eos_id]])
    return translator, translator.model, src, torch.Generator().manual_seed(0)


VOCABULARY = 300  # of the tiny translator
WIDEST = decoding.MOST_CONTINUATIONS // VOCABULARY
POSITIONS = 64
LENGTHS = counts(POSITIONS, may_be_none=True)
CALLS = {
    "translate": (
        lambda p, **s: p[0].translate("Come in!", **s),
        {"beam_size": counts(WIDEST_BEAM), "length_penalty": PENALTIES, "return_attention": FLAGS, "split": FLAGS},
    ),
    "translate, nothing": (
        lambda p, **s: p[0].translate(" ", **s),
        {"beam_size": counts(WIDEST_BEAM), "length_penalty": PENALTIES, "return_attention": FLAGS, "split": FLAGS},
    ),
    "translate, greedily": (lambda p, **s: p[0].translate("Come in!", 1, **s), {"length_penalty": PENALTIES}),
    "translate_each, of none": (
        lambda p, **s: p[0].translate_each([], **s),
        {"beam_size": counts(WIDEST_BEAM), "length_penalty": PENALTIES, "split": FLAGS},
    ),
    "greedy_decode": (lambda p, **s: decoding.greedy_decode(*p[1:3], **s), {"max_len": LENGTHS}),
    "beam_search": (
        lambda p, **s: decoding.beam_search(*p[1:3], **s),
        {"beam_size": counts(WIDEST), "length_penalty": PENALTIES, "max_len": LENGTHS},
    ),
    "beam_search_n_best": (
        lambda p, **s: decoding.beam_search_n_best(*p[1:3], **{"n_best": 1, **s}),
        {"n_best": NOT_WHOLE | st.integers(max_value=0), "beam_size": counts(WIDEST), "length_penalty": PENALTIES},
    ),
    "exhaustive_search": (
        lambda p, **s: decoding.exhaustive_search(*p[1:3], **{"max_len": 1, **s}),
        {"max_len": counts(2), "length_penalty": PENALTIES},
    ),
    "best_first_search": (
        lambda p, **s: best_first_search(*p[1:3], **s),
        {"max_len": LENGTHS, "max_expansions": counts(MOST_EXPANSIONS)},
    ),
    "grow": (
        lambda p, **s: grow(*p[1:3], **{"beam_size": 2, "alphas": (s.pop("length_penalty", 0.6),), **s}),
        {"beam_size": counts(WIDEST), "length_penalty": PENALTIES, "max_len": LENGTHS, "dropped": counts(WIDEST, 0)},
    ),
    "sample_sentences": (
        lambda p, **s: sample_sentences(*p[1:3], **{"count": 1, "generator": p[3], **s}),
        {"count": counts(MOST_DRAWN), "temperature": TEMPERATURES, "max_len": LENGTHS},
    ),
    "factors": (
        lambda p, **s: factors(p[0], "Come in!", "¡Pasa!", **s),
        {"count": NOT_WHOLE | st.integers(max_value=0)},
    ),
}


@pytest.mark.parametrize(("call", "setting"), [(call, one) for call, (_, wrong) in CALLS.items() for one in wrong])
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_a_wrong_value_is_refused_by_name(parts, call, setting, data):
    made, wrong = CALLS[call]
    value = data.draw(wrong[setting])
    with pytest.raises((TypeError, ValueError)) as refused:
        made(parts, **{setting: value})
    assert str(refused.value).startswith((setting, "vocab_size ** max_len"))


def test_no_setting_of_a_translation_is_left_out():
    for method in ("translate", "translate_each"):
        known = {one for call, (_, wrong) in CALLS.items() if call.split(",")[0] == method for one in wrong}
        assert known == set(inspect.signature(getattr(Translator, method)).parameters) - {"self", "text", "texts"}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (1.5, "beam_size must be a whole number, got 1.5"),
        (True, "beam_size must be a whole number, got True"),
        ("4", "beam_size must be a whole number, got '4'"),
        (-5, "beam_size must be at least 1, got -5"),
        (1000, "beam_size must be at most 256, got 1000"),
    ],
)
def test_what_is_said_of_a_beam(value, said):
    with pytest.raises((TypeError, ValueError), match=f"^{said}$"):
        tiny_translator().translate("", beam_size=value)


def test_a_large_vocabulary_narrows_the_beam():
    with pytest.raises(ValueError, match=r"beam_size must be at most 167 for a vocabulary of 50000, got 256"):
        decoding.check_beam_size(256, 50_000)
    decoding.check_beam_size(167, 50_000)


def test_values_at_their_limits_and_numbers_of_numpy_are_taken():
    translator = tiny_translator()
    for beam_size in (1, np.int64(3), WIDEST_BEAM):
        for length_penalty in (0, np.float32(0.6), Fraction(1, 2), decoding.MOST_PENALTY):
            found = translator.translate("Come in!", beam_size, length_penalty=length_penalty, split=np.True_)
            assert isinstance(found, str)


class TestTexts:
    @pytest.mark.parametrize(
        ("texts", "said"),
        [
            ("Come in!", "texts must be several strings, got a single str: put it into a list"),
            (b"Come in!", "got a single bytes"),
            (None, "texts must be a list of strings, or another series with an order, got None"),
            (5, "got 5"),
            ({"Come in!"}, "with an order, got {'Come in!'}"),
            ({"Come in!": 1}, "with an order"),
            ([["Come in!"]], "text 1 of 1 is no string but list"),
            ((text for text in ("Come in!", 7)), "text 2 of 2 is no string but int"),
        ],
    )
    def test_what_is_no_series_of_texts_is_refused(self, texts, said):
        with pytest.raises(TypeError, match=said):
            tiny_translator().translate_each(texts)

    def test_any_series_is_taken(self):
        translator, wanted = tiny_translator(), list(KNOWN.values())
        lines = io.StringIO("\n".join(KNOWN))
        for texts in (list(KNOWN), tuple(KNOWN), (text for text in KNOWN), iter(KNOWN), lines):
            assert [one.text for one in translator.translate_each(texts)] == wanted
        assert translator.translate_each(text for text in ()) == []

    def test_a_generator_is_refused_where_a_list_is_wanted(self):
        with pytest.raises(TypeError, match="texts a list of strings, not generator"):
            tiny_translator().translate(text for text in KNOWN)


class TestLoading:
    @pytest.mark.parametrize("name", [None, 5, b"en-es", ["en-es"], 1.5])
    def test_a_name_that_is_none(self, name):
        with pytest.raises(TypeError, match=r"^name must be that of a translator or the path of a folder"):
            Translator.from_pretrained(name)

    @pytest.mark.parametrize("device", ["", "nonsense", "cpu:x", "meta", 1.5, None, torch.device("meta")])
    def test_a_device_that_is_none(self, device):
        with pytest.raises(ValueError, match=r"^device "):
            Translator.from_pretrained("en-es", device)


def is_number(text):
    try:
        return not math.isnan(float(text))
    except ValueError:
        return False


WORDS = st.text().filter(lambda text: not is_number(text))


class TestCommand:
    @settings(deadline=None, max_examples=80)
    @given(
        setting=st.one_of(
            st.tuples(st.just("--beam-size"), WORDS | st.integers(max_value=0) | st.integers(min_value=257)),
            st.tuples(st.just("--beam-size"), st.sampled_from(["1.5", "nan", "inf", "True"])),
            st.tuples(st.just("--length-penalty"), WORDS | st.floats(max_value=-1e-9) | st.floats(min_value=100.1)),
        ),
        text=st.sampled_from(["Come in!", "", " "]),
    )
    def test_a_wrong_value_is_refused_by_name(self, setting, text):
        option, value = setting
        result = CliRunner().invoke(commands.app, ["translate", text, f"{option}={value}"])
        assert (result.exit_code, result.stdout) == (2, "")
        assert option in result.stderr and "Traceback" not in result.stderr

    def test_its_limits_are_those_of_the_library(self):
        option = get_args(commands.BeamSize)[1]
        assert (option.min, option.max) == (1, WIDEST_BEAM)
        option = get_args(commands.LengthPenalty)[1]
        assert (option.min, option.max) == (0, decoding.MOST_PENALTY)
