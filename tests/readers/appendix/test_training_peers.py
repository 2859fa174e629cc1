"""What *Measurements* says of training beside other implementations holds in the benchmark on record."""

import pytest

from attention_book.readers.appendix.training_peers import FAST, MARK, NAMES, TrainingPeers, read


def made_up():
    def found(median):
        speed = {"median": median, "least": median - 1, "most": median + 1}
        return {"processor": speed, "wall": speed, "ratio": median / 1000, "loss": {"first": 9.0, "last": 8.0}}

    contenders = {"annotated": found(800), MARK: found(1000), FAST: found(1200), "torch": found(960)}
    record = {"corpus": "c", "steps": 4, "rounds": 3, "tokens_per_batch": 5, "date": "d", "contenders": contenders}
    return TrainingPeers({**record, "machine": {"processor": "p"}, "load": {"before": 0.5, "after": 2.5}})


def test_a_made_up_record_is_read_by_hand():
    read = made_up()
    assert read.contenders == [FAST, MARK, "torch", "annotated"] and read.peers == ["torch", "annotated"]
    assert read.rows()[:2] == [
        (NAMES[FAST], "1,200", "1,199 to 1,201", "1.20"),
        (NAMES[MARK], "1,000", "999 to 1,001", "1.00"),
    ]
    assert read.times(MARK, "annotated") == 1.25
    numbers = read.numbers()
    assert (numbers["training_least"], numbers["training_most"]) == (1.25, 1.5)
    assert (numbers["training_gain"], numbers["training_load"]) == (1.2, 2.5)
    with pytest.raises(KeyError):
        read.times("joeynmt", MARK)


def test_the_faster_step_is_faster_than_ours_and_than_every_peer():
    record = read()
    assert {"torch", "marian", "joeynmt", "annotated"} == set(record.peers)
    assert record.times(FAST, MARK) > 1
    assert min(record.times(FAST, peer) for peer in record.peers) > 1


def test_every_ratio_is_that_of_the_medians_and_everybody_learnt():
    record = read()
    for name in record.contenders:
        found = record.record["contenders"][name]
        assert found["ratio"] == pytest.approx(record.times(name, MARK))
        assert found["processor"]["least"] <= found["processor"]["median"] <= found["processor"]["most"]
        assert found["loss"]["last"] < found["loss"]["first"]
