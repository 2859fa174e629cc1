"""The timing of one row and of sixteen: it does the steps that it says, in both families, and changes nothing."""

from global_state import unchanged_state

from attention_book.experiments.before import sixteen_rows
from attention_book.models.registry import PRESETS, build

FAMILIES = sixteen_rows.CONFIGURATION["families"]
SMALL = {"families": FAMILIES, "rows": 3, "steps": 2, "src_len": 5, "max_len": 12, "repeats": 1, "threads": 1}


class Counted:
    """Notes how many rows each call has, on their way to the model."""

    def __init__(self, model):
        self.model, self.config, self.encoded, self.steps = model, model.config, [], []

    def encode(self, src):
        self.encoded.append(tuple(src.shape))
        return self.model.encode(src)

    def start(self, memory):
        return self.model.start(memory)

    def step(self, tokens, state):
        self.steps.append(len(tokens))
        return self.model.step(tokens, state)


def test_every_step_takes_all_rows():
    for preset in FAMILIES.values():
        counted = Counted(build(PRESETS[preset](300, max_len=12)).eval())
        assert sixteen_rows.seconds(counted, 3, 4, 5) > 0
        assert counted.encoded == [(3, 5)] and counted.steps == [3] * 4


def test_a_seed_gives_the_times_and_their_ratio():
    with unchanged_state():
        metrics = sixteen_rows.run_seed(0, SMALL)
    for family in ("transformer", "recurrent"):
        one, many = metrics[f"{family}_one"], metrics[f"{family}_many"]
        assert one > 0 and many > 0 and metrics[f"{family}_ratio"] > 0
    assert metrics["tokens"] == 0
