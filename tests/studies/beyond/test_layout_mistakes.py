"""GPT-2's formulas give our logits from our layout, and each mistake is told as what it is."""

import pytest
import torch
from safetensors.torch import save_file

from attention_book.models.one_stack.decoder_only import DecoderOnly
from attention_book.studies.beyond import layout_mistakes as study
from attention_book.translation.export.gpt2_layout import SETTINGS, to_gpt2_layout


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
    moved = {row[0]: study.moved(study.MISTAKES[row[0]](own)) for row in rows[3:]}
    assert min(moved.values()) > 0.005 and min(moved, key=moved.get) == "queries and keys exchanged"


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


def test_a_prefix_mask_moves_much_in_the_source_and_less_in_the_target():
    found = study.prefix_numbers()
    assert 10 < found["prefix_source"] < 30 and 1 < found["prefix_target"] < found["prefix_source"] / 3
    causal, layout, tokens = study.right()
    model = DecoderOnly(causal.config, prefix=True).double().eval()
    model.load_state_dict(causal.state_dict())
    with torch.no_grad():
        ours = model.stream(tokens[:, : study.SOURCE], tokens[:, study.SOURCE :])
    theirs = study.gpt2_logits(layout, tokens, study.HEADS)
    # the last token of the source sees the same under both masks, in its first layer only
    assert (ours - theirs).abs().amax((0, 2)).argmax() < study.SOURCE - 1
    first, second = (one[:, : study.SOURCE].softmax(-1) for one in (ours, theirs))
    assert found["prefix_source"] == pytest.approx(100 * float((first - second).clamp(min=0).sum(-1).mean()))
    with pytest.raises(ValueError, match="causal"):
        to_gpt2_layout(model)


def test_random_weights_repeat_what_they_read_until_the_factor_is_forgotten():
    _, own, tokens = study.right()
    for name, mistake in list(study.MISTAKES.items())[3:]:
        likeliest = study.gpt2_logits(mistake(own), tokens, study.HEADS).argmax(-1)
        forgotten = name.startswith("wte")
        assert ((likeliest == tokens).double().mean() < 0.1) == forgotten
        assert (study.repeated(mistake(own)) < 0.03) == forgotten
    assert 0.4 < study.repeated(own) < 0.46
    likeliest = study.gpt2_logits(own, tokens, study.HEADS).argmax(-1)
    assert (likeliest == tokens).all()
    shares = {name: study.moved(mistake(own)) for name, mistake in list(study.MISTAKES.items())[3:]}
    assert max(shares, key=shares.get) == "wte without the factor √d"


class TestTheLibraryItself:
    """GPT-2 of Hugging Face *transformers*, where that is installed: ``pip install -r benchmarks/requirements.txt``."""

    @pytest.fixture
    def gpt2(self):
        transformers = pytest.importorskip("transformers", reason="transformers is not installed")
        model, layout, _ = study.right()
        config = transformers.GPT2Config(
            vocab_size=model.config.vocab_size,
            n_positions=len(layout["transformer.wpe.weight"]),
            n_embd=model.config.d_model,
            n_layer=model.config.n_layers,
            n_head=study.HEADS,
            n_inner=model.config.d_ff,
            **SETTINGS,
        )
        return transformers.GPT2LMHeadModel(config).double().eval()

    def test_it_computes_our_logits(self, gpt2):
        model, layout, tokens = study.right()
        gpt2.load_state_dict(layout)
        with torch.no_grad():
            torch.testing.assert_close(gpt2(tokens).logits, model.stream(tokens[:, :5], tokens[:, 5:]))

    @pytest.mark.parametrize("name", study.MISTAKES)
    def test_it_accepts_what_names_and_shapes_do_not_show(self, gpt2, name):
        _, own, _ = study.right()
        layout = study.MISTAKES[name](own)
        if study.refused(layout, own):
            with pytest.raises(RuntimeError, match=r"Missing key\(s\)|size mismatch"):
                gpt2.load_state_dict(layout)
        else:
            gpt2.load_state_dict(layout)

    def test_a_missing_table_of_positions_is_filled_at_random_and_reported(self, gpt2, tmp_path):
        _, own, _ = study.right()
        layout = {name: array.contiguous() for name, array in study.MISTAKES["wpe left out"](own).items()}
        gpt2.config.save_pretrained(tmp_path)
        save_file(layout, tmp_path / "model.safetensors", metadata={"format": "pt"})
        loaded, told = type(gpt2).from_pretrained(tmp_path, output_loading_info=True)
        assert list(told["missing_keys"]) == ["transformer.wpe.weight"]
        assert loaded.transformer.wpe.weight.detach().std() > 0
