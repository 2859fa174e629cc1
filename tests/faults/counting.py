"""Faults to plant in the room `counting`."""

from .fault import Fault

FAULTS = {
    "a context shortened at the near end": Fault(
        "NGramModel.probs",
        "context[len(context) - length :]",
        "context[:length]",
        ("counting/test_ngrams.py::test_probabilities_are_the_definition_and_sum_to_one",),
    ),
    "tokens counted where kinds are meant": Fault(
        "NGramModel.probs",
        "len(following)",
        "self._totals[shorter]",
        (
            "counting/test_ngrams.py::test_a_bigram_by_hand",
            "counting/test_ngrams.py::test_the_three_sentences_of_the_page_by_hand",
        ),
    ),
    "a discount that is taken and not given on": Fault(
        "KneserNeyModel.probs",
        "taken * lower",
        "lower * 0",
        ("counting/test_kneser_ney.py::test_probabilities_are_the_definition_and_sum_to_one",),
    ),
    "shorter contexts counted in occurrences": Fault(
        "kneser_ney._kept",
        "len(h) == order - 1 or h[:1] == (START,)",
        "True",
        ("counting/test_kneser_ney.py::test_a_bigram_by_hand",),
    ),
    "beginnings forgotten in shorter contexts": Fault(
        "kneser_ney._kept",
        "len(h) == order - 1 or h[:1] == (START,)",
        "len(h) == order - 1",
        ("counting/test_kneser_ney.py::test_probabilities_are_the_definition_and_sum_to_one",),
    ),
    "an end that is no token": Fault(
        "NGramModel.cross_entropy",
        "tokens += len(sentence) + 1",
        "tokens += len(sentence)",
        ("counting/test_ngrams.py::test_the_sentence_is_the_product_of_its_words_and_of_its_end",),
    ),
    "an empty word that is not counted": Fault(
        "IBMModel1.log_prob",
        "math.log(len(x) + 1)",
        "math.log(len(x) or 1)",
        (
            "counting/test_ibm1.py::test_the_probability_of_a_sentence_is_the_sum_over_its_alignments",
            "counting/test_ibm1.py::test_the_likelihood_never_falls_and_columns_sum_to_one",
        ),
    ),
    "words counted in full for each that may have made them": Fault(
        "IBMModel1._expected_counts",
        "occurring / sums[self._slot]",
        "occurring",
        ("counting/test_ibm1.py::test_rounds_are_those_over_all_alignments",),
    ),
    "links turned round": Fault(
        "IBMModel1.align",
        "links.add((best, j))",
        "links.add((j, best))",
        ("counting/test_ibm1.py::test_a_link_has_the_place_in_the_given_sentence_first",),
    ),
    "words of the empty word linked all the same": Fault(
        "IBMModel1.align",
        "best is not None and self.t(word, x[best]) > self.t(word)",
        "best is not None",
        ("counting/test_ibm1.py::test_what_the_empty_word_generates_is_aligned_to_nothing",),
    ),
    "a channel without a language model": Fault(
        "NoisyChannel.log_score",
        "self.language_model.log_prob(target) + sum(map(math.log, explained)) - spread",
        "sum(map(math.log, explained)) - spread",
        ("counting/test_noisy_channel.py::test_the_score_is_the_sum_of_the_two_models",),
    ),
    "candidates without their frequency": Fault(
        "NoisyChannel.__init__",
        "t * frequency",
        "t",
        ("counting/test_noisy_channel.py::test_candidates_are_ranked_by_both_tables",),
    ),
    "source words that earn nothing before they are translated": Fault(
        "NoisyChannel.translate",
        "np.maximum(np.log(partial.explained + t), credit)",
        "np.log(partial.explained + t)",
        ("counting/test_noisy_channel.py::test_a_beam_of_two_finds_what_a_wide_one_finds",),
    ),
    "a bias counted for every place left empty": Fault(
        "LogLinearModel.scores",
        "self.weights[rows] * (rows > 0)[..., None]",
        "self.weights[rows]",
        ("counting/test_log_linear.py::test_features_never_seen_add_nothing",),
    ),
    "events that overwrite each other's gradients": Fault(
        "LogLinearModel.loss_and_gradient",
        "np.add.at(gradient, column[real], error[real])",
        "gradient[column[real]] += error[real]",
        (
            "counting/test_log_linear.py::test_the_gradient_is_that_of_finite_differences",
            "counting/test_log_linear.py::test_loss_and_gradient_are_torchs",
        ),
    ),
    "capitals taken off wherever a sentence begins": Fault(
        "Capitals.off",
        "begins and self._inside[small := word[0].lower() + word[1:]] > self._inside[word]",
        "begins and (small := word[0].lower() + word[1:])",
        ("counting/test_text.py::test_a_capital_is_taken_off_only_where_the_small_word_is_the_usual_one",),
    ),
    "a second sentence without its capital": Fault(
        "_beginnings",
        "word in _ENDING or (begins and word in _OPENING)",
        "begins and word in _OPENING",
        ("counting/test_text.py::test_capitals_come_back_where_sentences_begin",),
    ),
}
