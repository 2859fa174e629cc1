import math

import pytest

from attention_book.studies.before.loss_curves import LossCurves


def test_made_up_losses_are_told_by_hand():
    losses = LossCurves([0.7, 0.5, 0.3, 0.2], [0.7, 0.6, 0.5, 0.55])
    assert losses.told() == (
        "Loss over 4 steps. On the words it learns from it falls from 0.70 to 0.20 nats, on the words held out "
        "from 0.70 to 0.50 at step 3, and it ends at 0.55."
    )
    assert losses.numbers() == {"best_step": 3, "best_loss": 0.5, "best_perplexity": math.exp(0.5)}
    learned, held_out = losses.figure().axes[0].lines
    assert learned.get_xdata().tolist() == [1, 2, 3, 4] and held_out.get_ydata().tolist() == [0.7, 0.6, 0.5, 0.55]


def test_losses_that_do_not_fit_are_named():
    with pytest.raises(ValueError, match="got 1 and 2"):
        LossCurves([1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="got 0 and 0"):
        LossCurves([], [])
