"""Faults to plant in the room `data`."""

from .fault import Fault

FAULTS = {
    "the newest row taken for the longest": Fault(
        "cut_by_tokens",
        "max(longest, lengths[place])",
        "lengths[place]",
        ("data/test_batch_cutting.py::test_a_shorter_sentence_after_a_longer_one_counts_as_long_as_the_row",),
    ),
    "a budget that counts padding": Fault(
        "Batch.target_tokens",
        "int((self.tgt_out != Subwords.pad_id).sum())",
        "self.tgt_out.numel()",
        ("training/test_trainer.py::test_budgets_and_the_curve_count_target_tokens_without_padding",),
    ),
    "look-alike characters made one": Fault(
        "_checked_nfc",
        'unicodedata.normalize("NFC", text)',
        'unicodedata.normalize("NFKC", text)',
        ("data/test_subwords.py::test_every_string_comes_back_in_nfc",),
    ),
    "text encoded as it comes": Fault(
        "Subwords.encode",
        "_checked_nfc(text)",
        "text",
        ("data/test_subwords.py::test_every_string_comes_back_in_nfc",),
    ),
    "half a character dropped in silence": Fault(
        "Subwords.decode",
        'errors="replace"',
        'errors="ignore"',
        ("data/test_subwords.py::test_half_a_character_decodes_to_the_replacement_character",),
    ),
    "special pieces written out": Fault(
        "Subwords.__init__",
        '[b""] * len(SPECIALS)',
        "[name.encode() for name in SPECIALS]",
        ("data/test_subwords.py::test_decoding_skips_special_ids_and_only_those",),
    ),
    "texts cut to a length": Fault(
        "Subwords.encode",
        "self._tokenizer.encode(_checked_nfc(text)).ids",
        "self._tokenizer.encode(_checked_nfc(text)).ids[:512]",
        ("data/test_subwords.py::test_long_texts_are_neither_cut_nor_slow",),
    ),
    "one translation in training and in testing, spelt differently": Fault(
        "_families",
        "root((True, normalise(target)))",
        "root((True, target))",
        ("data/test_splits.py::test_no_side_of_one_split_occurs_in_another",),
    ),
    "families by their sources alone": Fault(
        "_families",
        "root((True, normalise(target)))",
        "root((False, key))",
        (
            "data/test_splits.py::test_no_side_of_one_split_occurs_in_another",
            "data/test_splits.py::test_lines_joined_through_others_stay_together",
        ),
    ),
    "small families held out first": Fault(
        "splits.split",
        "_draw(min(family))",
        "(len(family), _draw(min(family)))",
        ("data/test_splits.py::test_large_families_are_held_out_as_often_as_small_ones",),
    ),
    "the least translated spelling held out": Fault(
        "splits.split",
        "-len(pair.references)",
        "len(pair.references)",
        ("data/test_splits.py::test_the_most_translated_spelling_is_the_one_held_out",),
    ),
    "splits in the order of the alphabet": Fault(
        "splits.split",
        'tuple(sorted(pairs, key=lambda pair: _draw(f"{pair.source}\\t{pair.target}")))',
        "tuple(sorted(pairs, key=lambda pair: pair.source))",
        ("data/test_splits.py::test_the_first_pairs_are_a_fair_sample",),
    ),
    "words cut at their marks": Fault(
        "_keeping_marks",
        "use_regex=False",
        "use_regex=True",
        (
            "data/test_marked_words.py::"
            "test_a_word_with_marks_becomes_one_piece_and_with_the_usual_pattern_it_never_does",
        ),
    ),
}
