"""What *What do smaller weights cost?* says of rounded weights holds in the result on record."""

from attention_book.readers.translator.rounded_weights import HEADER, NAMES, RoundedWeights


def made_up():
    """Each kind loses one BLEU more than the kind before it."""
    kept = {}
    for n, kind in enumerate(NAMES):
        kept[kind] = {"bleu": 40.0 - n, "chrf": 60.0 - n, "equal": 1 - n / 10, "error": n / 100,
                      "bleu_half_width": 1.5} | ({"bleu_p": n / 100} if n else {})  # fmt: skip
    setting = {"beam_size": 4, "bootstrap": 9}
    return RoundedWeights({"configuration": setting, "seeds": {"0": {"kept": kept, "sentences": 7}}})


def test_made_up_scores_are_read_by_hand():
    read = made_up()
    assert read.lost("int8") == 3 and read.lost("float32") == 0
    rows = {row[0]: row[1:] for row in read.rows()}
    assert rows["single precision"] == ("100.0\N{NO-BREAK SPACE}%", "40.00 ± 1.50", "")
    assert list(rows)[-1] == "4 bits, a scale per matrix" and rows["bfloat16"][-1] == "0.020"
    assert all(len(row) == len(HEADER) for row in read.rows())
    numbers = read.numbers()
    assert numbers["lost_four"] == "5.00" and numbers["changed_eight"] == "30.0\N{NO-BREAK SPACE}%"


def test_half_precision_is_what_the_file_holds(runs):
    assert runs.kept["float16"]["error"] == 0 and runs.kept["float16"]["equal"] == 1


def test_every_row_but_the_first_has_a_p_and_a_lower_bleu(runs):
    first, *rest = runs.rows()
    assert first[-1] == "" and all(row[-1] for row in rest)
    assert all(float(row[2].split()[0]) < float(first[2].split()[0]) for row in rest)


def test_eight_bits_by_rows_lose_nothing_that_shows_and_four_bits_lose(runs):
    kept = runs.kept
    assert kept["int8"]["bleu_p"] > 0.05 < kept["bfloat16"]["bleu_p"] and kept["int4"]["bleu_p"] < 0.01
    assert 0 < runs.lost("int8") < 0.2 and runs.lost("int4") > 0.5 and runs.lost("int4 whole") > 10
    assert all(runs.lost(kind) > 0 for kind in list(kept)[2:])


def test_a_scale_per_row_and_unrounded_inputs_change_fewer_translations(runs):
    kept = runs.kept
    assert 1 - kept["int8"]["equal"] < 0.5 * (1 - kept["int8 whole"]["equal"])
    assert 1 - kept["int8"]["equal"] < 0.5 * (1 - kept["int8 products"]["equal"])


def test_coarser_weights_move_further(runs):
    errors = [runs.kept[kind]["error"] for kind in ("float16", "bfloat16", "int8", "int8 whole", "int4", "int4 whole")]
    assert errors == sorted(errors) and errors[1] > 0


def test_every_kind_on_the_page_is_on_record(runs):
    assert list(runs.kept) == list(NAMES) and runs.found["sentences"] == 2000
