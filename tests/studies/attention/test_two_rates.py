"""A learning rate of its own for W^Q: who gets which, and that folded with the small rate is divided."""

import torch

from attention_book.studies.attention.two_rates import losses, two_rates


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.ModuleDict({"w_q": torch.nn.Linear(2, 2), "w_k": torch.nn.Linear(2, 3)})


def test_the_queries_have_a_rate_of_their_own():
    model = Model()
    others, queries = two_rates(model, 0.25, 0.5).param_groups
    assert (queries["lr"], others["lr"]) == (0.25, 0.5)
    assert [p is q for p, q in zip(queries["params"], model.layer["w_q"].parameters(), strict=True)] == [True, True]
    assert {p.shape for p in others["params"]} == {(3, 2), (3,)}


def test_a_small_start_and_a_small_rate_are_the_division():
    divided = losses("divided", 1e-3, d_k=16, steps=6)
    same, larger_rate = (abs(losses("folded", rate, d_k=16, steps=6) - divided).max() for rate in (1e-3 / 4, 1e-3))
    assert same < 1e-4 < 1e-3 < larger_rate


def test_runs_see_the_same_batches():
    first, again = (losses("divided", 1e-3, d_k=16, steps=2) for _ in range(2))
    assert first.tolist() == again.tolist() and first.shape == (2,)


def test_at_width_256_the_usual_rate_parts_the_folded_model_from_the_divided_one_in_one_step():
    divided, folded = (losses(arm, 1e-3, steps=2) for arm in ("divided", "folded"))
    assert folded[0] == divided[0] and abs(folded[1] - divided[1]) > 0.1
