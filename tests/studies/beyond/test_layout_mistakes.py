"""GPT-2's formulas give our logits from our layout, and each mistake is told as what it is."""

import torch

from attention_book.studies.beyond import layout_mistakes as study


def test_the_other_program_computes_what_our_model_does():
    model, layout, tokens = study.right()
    ours = model.stream(tokens[:, :5], tokens[:, 5:])
    torch.testing.assert_close(study.gpt2_logits(layout, tokens, study.HEADS), ours)


def test_names_and_shapes_show_two_mistakes_and_the_outputs_the_others():
    rows = study.rows()
    assert [row[0] for row in rows] == list(study.MISTAKES) and len(study.HEADER) == 3
    assert rows[0] == ("none", "accepted", "0 %")
    assert [row[1] for row in rows[1:3]] == ["a wrong shape", "wpe.weight is missing"]
    assert {row[1] for row in rows[3:]} == {"accepted"} and study.silent() == len(rows[3:]) == 4
    _, own, _ = study.right()
    assert all(study.moved(study.MISTAKES[row[0]](own)) > 0.005 for row in rows[3:])


def test_heads_joined_one_by_one_have_their_columns_where_the_name_says():
    numbered = torch.arange(3.0 * study.HEADS * 2)
    joined = study.MISTAKES["c_attn joined head by head"]({"c_attn.weight": numbered})["c_attn.weight"]
    assert joined[:8].tolist() == [0, 1, 8, 9, 16, 17, 2, 3]


def test_what_moves_is_a_share_of_the_probability():
    _, own, tokens = study.right()
    other = study.MISTAKES["queries and keys exchanged"](own)
    first, second = (study.gpt2_logits(one, tokens, study.HEADS).softmax(-1) for one in (own, other))
    by_hand = (first - second).clamp(min=0).sum(-1).mean()
    assert abs(study.moved(other) - float(by_hand)) < 1e-9
