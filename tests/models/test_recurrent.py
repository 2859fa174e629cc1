"""Recurrent encoder–decoders: against the equations, padding, causality, search, and what they can learn."""

import copy

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import close, normal, seeded, unchecked

from attention_book.models.recurrent import RecurrentConfig, RecurrentEncoderDecoder, reversed_places, run_layers
from attention_book.models.search_interface import SearchModel
from attention_book.translation.decoding import beam_search, exhaustive_search, greedy_decode

VOCAB, PAD, BOS, EOS = 13, 0, 1, 2
SHAPES = {
    "last-state": {"score": None},
    "reversed": {"score": None, "bidirectional": False, "reverse_source": True},
    "reminded": {"score": None, "reminds": "always", "cell": "lstm"},
    "additive": {"score": "additive"},
    "concat-reversed": {"score": "concat", "reverse_source": True},
    "general-lstm": {"score": "general", "cell": "lstm"},
    "dot-rnn": {"score": "dot", "cell": "rnn", "decoder_width": 10},
    "luong": {"score": "general", "asks": "after"},
    "two-layers": {"score": "additive", "cell": "lstm", "n_layers": 2},
}
every_shape = pytest.mark.parametrize("shape", SHAPES)
with_attention = pytest.mark.parametrize("shape", [name for name in SHAPES if SHAPES[name]["score"]])


def recurrent(shape, seed=0, **changes):
    sizes = {"d_embedding": 6, "encoder_width": 5, "decoder_width": 7, "d_attention": 4, "max_len": 30, "dropout": 0.0}
    config = RecurrentConfig(VOCAB, **{**sizes, **SHAPES[shape], **changes})
    return seeded(lambda: RecurrentEncoderDecoder(config), seed).double().eval()


def tokens(*lengths, seed=0, end=False, start=False):
    """Random sentences, padded; the last real token is `</s>`, or the first one `<s>`, where asked."""
    generator = torch.Generator().manual_seed(seed)
    batch = torch.full((len(lengths), max(lengths)), PAD)
    for row, length in enumerate(lengths):
        batch[row, :length] = torch.randint(3, VOCAB, (length,), generator=generator)
        if end:
            batch[row, length - 1] = EOS
        if start:
            batch[row, 0] = BOS
    return batch


SRC, TGT = tokens(6, 3, seed=1, end=True), tokens(5, 4, seed=2, start=True)


def by_hand(model, src, tgt):
    """One sentence by the equations of the class, token by token, with nothing of ours but the weights."""
    config = model.config
    embedded = model.embedding.weight * config.d_embedding**0.5
    words = list(src[:-1])
    read = [*words[::-1], src[-1]] if config.reverse_source else list(src)
    states, last = model.encoder(embedded[torch.stack(read)][None])
    if config.reverse_source:
        states = torch.cat([states[:, :-1].flip(1), states[:, -1:]], dim=1)
    last = last if isinstance(last, tuple) else (last,)
    hidden = []
    for bridge, state in zip(model.bridges, last, strict=True):
        directions = 2 if config.bidirectional else 1
        rows = [state[layer * directions : (layer + 1) * directions, 0].flatten() for layer in range(config.n_layers)]
        hidden.append(torch.stack([bridge(row) for row in rows])[:, None])
    hidden[0] = hidden[0].tanh()
    summary = hidden[0][-1, 0]

    def look(query):
        score, keys = model.score, states[0]
        if config.score == "dot":
            scores = keys @ query
        elif config.score == "general":
            scores = keys @ (score.w.T @ query)
        elif config.score == "additive":
            scores = torch.tanh(query @ score.w_q + keys @ score.w_k) @ score.v
        else:
            scores = torch.stack([torch.tanh(torch.cat([query, key]) @ score.w) @ score.v for key in keys])
        weights = scores.softmax(0)
        return weights @ keys, weights

    logits, rows = [], []
    for token in tgt:
        y = embedded[token]
        parts = [y, summary] if config.reminds == "always" else [y]
        if config.score and config.asks == "before":
            context, weights = look(hidden[0][-1, 0])
            parts.append(context)
        given = hidden[0] if len(hidden) == 1 else tuple(hidden)
        state, hidden = model.decoder(torch.cat(parts)[None, None], given)
        hidden = list(hidden) if isinstance(hidden, tuple) else [hidden]
        if config.score and config.asks == "after":
            context, weights = look(state[0, 0])
        read = [state[0, 0], y, *([context] if config.score else parts[1:])]
        rows.append(weights if config.score else None)
        logits.append(model.embedding.weight @ torch.tanh(model.readout(torch.cat(read))))
    return torch.stack(logits), rows


@every_shape
def test_logits_and_weights_are_the_equations_token_by_token(shape):
    model = recurrent(shape)
    logits = model(SRC, TGT)
    weights = model.attention_weights(SRC, TGT)
    for row, (src_len, tgt_len) in enumerate([(6, 5), (3, 4)]):
        wanted, wanted_weights = by_hand(model, SRC[row, :src_len], TGT[row, :tgt_len])
        close(logits[row, :tgt_len], wanted)
        if model.config.score:
            close(weights["cross"][0, row, 0, :tgt_len, :src_len], torch.stack(wanted_weights))
    if model.config.score is None:
        assert weights == {}


@every_shape
def test_with_the_books_cells_in_place_of_torchs_nothing_changes(shape):
    fused = recurrent(shape)
    ours = recurrent(shape, fused=False)
    ours.load_state_dict(fused.state_dict())
    found = []
    for model in (fused, ours):
        logits = model(SRC, TGT)
        found.append([logits, *torch.autograd.grad((logits * normal(*logits.shape)).sum(), model.parameters())])
    for mine, theirs in zip(*found, strict=True):
        close(mine, theirs, 1e-11)


@every_shape
def test_padding_changes_nothing(shape):
    model = recurrent(shape)
    alone = model(SRC[1:, :3], TGT[1:, :4])
    close(model(SRC, TGT)[1:, :4], alone)


@every_shape
def test_a_logit_depends_on_no_later_target_token(shape):
    model = recurrent(shape)
    changed = TGT.clone()
    changed[:, 3:] = tokens(2, 2, seed=9)
    before, after = model(SRC, TGT), model(SRC, changed)
    assert torch.equal(before[:, :3], after[:, :3])
    assert not torch.allclose(before[:, 3:], after[:, 3:])


@every_shape
def test_steps_give_what_the_whole_target_gives_at_once(shape):
    model = recurrent(shape)
    assert isinstance(model, SearchModel)
    with torch.no_grad():
        whole = model(SRC, TGT).log_softmax(-1)
        state = model.start(model.encode(SRC))
        for place in range(TGT.shape[1]):
            log_probs, following = model.step(TGT[:, place], state)
            close(log_probs, whole[:, place])
            again, _ = model.step(TGT[:, place], state)  # a state is not changed by the step from it
            assert torch.equal(again, log_probs)
            state = following


@every_shape
def test_a_state_can_be_reordered(shape):
    model = recurrent(shape)
    with torch.no_grad():
        _, state = model.step(TGT[:, 0], model.start(model.encode(SRC)))
        rows = torch.tensor([1, 0, 1])
        found, _ = model.step(TGT[rows, 1], state.reorder(rows))
        wanted, _ = model.step(TGT[:, 1], state)
    close(found, wanted[rows])


@with_attention
def test_rows_of_weights_sum_to_one_and_padding_gets_nothing(shape):
    weights = recurrent(shape).attention_weights(SRC, TGT)["cross"]
    close(weights.sum(-1), torch.ones(weights.shape[:-1], dtype=weights.dtype))
    assert not weights[0, 1, 0, :, 3:].any()


@pytest.mark.parametrize("shape", ["additive", "luong"])
def test_a_source_of_padding_alone_gives_finite_numbers_and_no_weights(shape):
    model = recurrent(shape)
    src = torch.stack([SRC[0], torch.full_like(SRC[0], PAD)])
    logits = model(src, TGT)
    assert logits.isfinite().all()
    assert not model.attention_weights(src, TGT)["cross"][0, 1].any()
    assert all(gradient.isfinite().all() for gradient in torch.autograd.grad(logits.sum(), model.parameters()))


def test_without_attention_the_source_is_known_by_the_last_state_alone():
    model = recurrent("last-state")
    memory, other = model.encode(SRC), model.encode(tokens(6, 3, seed=5, end=True))
    mixed = copy.copy(memory)
    object.__setattr__(mixed, "states", other.states)
    assert torch.equal(model.decode(TGT, mixed), model.decode(TGT, memory))
    object.__setattr__(mixed, "first", other.first)
    assert not torch.allclose(model.decode(TGT, mixed), model.decode(TGT, memory))


@given(st.lists(st.integers(0, 8), min_size=1, max_size=5).filter(any))
def test_words_are_reversed_and_the_end_stays(lengths):
    width = max(lengths) + 2
    real = torch.arange(width) < torch.tensor(lengths)[:, None]
    places = reversed_places(real)
    for row, length in enumerate(lengths):
        turned = list(range(length - 1))[::-1] + list(range(max(length - 1, 0), width))
        assert places[row].tolist() == turned
    assert torch.equal(places.gather(1, places), torch.arange(width).expand_as(places))


def test_a_reversed_source_is_the_reversed_sentence_read_forward():
    turned, plain = recurrent("reversed"), recurrent("reversed", reverse_source=False)
    plain.load_state_dict(turned.state_dict())
    backwards = SRC.clone()
    backwards[0, :5], backwards[1, :2] = SRC[0, :5].flip(0), SRC[1, :2].flip(0)
    close(turned(SRC, TGT), plain(backwards, TGT))


def test_states_count_inputs():
    model = recurrent("last-state", bidirectional=False)
    states, (last,) = run_layers(model.encoder, model.embedding(SRC), lengths=torch.tensor([6, 3]))
    assert states.shape[1] == 6  # one per token; the zeros before the first token are the seventh
    close(last[0, 0], states[0, 5])
    close(last[0, 1], states[1, 2])
    assert not states[1, 3:].any()


@settings(max_examples=10)
@given(st.sampled_from(sorted(SHAPES)), st.integers(0, 100))
def test_a_beam_of_one_is_greedy_and_a_wide_beam_is_exhaustive(shape, seed):
    model = recurrent(shape, seed)
    with torch.no_grad():
        model.embedding.weight *= 4  # sharper choices
    src = tokens(4, 2, seed=seed, end=True)
    for one, other in zip(greedy_decode(model, src, 6), beam_search(model, src, 1, 0.0, 6), strict=True):
        assert one.tokens == other.tokens
        assert one.log_prob == pytest.approx(other.log_prob, abs=1e-9)
    wide = beam_search(model, src, VOCAB**2, 0.0, 3)
    for one, other in zip(wide, exhaustive_search(model, src, 3, 0.0), strict=True):
        assert one.tokens == other.tokens


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["last-state", "additive", "luong", "general-lstm"])
def test_a_batch_can_be_learnt_by_heart(shape):
    src, tgt = tokens(5, 4, 3, seed=3, end=True), tokens(6, 4, 5, seed=4, start=True)
    model = recurrent(shape, encoder_width=16, decoder_width=32, d_embedding=16).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(150):
        logits = model(src, tgt[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), tgt[:, 1:].flatten(), ignore_index=PAD)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.05
    found = greedy_decode(model.eval(), src, 6)
    for row, hypothesis in enumerate(found):
        wanted = [token for token in tgt[row, 1:].tolist() if token != PAD]
        assert list(hypothesis.tokens[: len(wanted)]) == wanted


def test_dropout_acts_in_training_only():
    model = recurrent("additive", dropout=0.5)
    assert torch.equal(model(SRC, TGT), model(SRC, TGT))
    model.train()
    assert not torch.equal(model(SRC, TGT), model(SRC, TGT))


def test_half_precision_outside_leaves_the_states_whole():
    model = recurrent("additive").float()
    with torch.autocast("cpu", torch.bfloat16), torch.no_grad():
        memory = model.encode(SRC)
        logits = model.decode(TGT, memory)
    assert memory.states.dtype == torch.float32
    assert logits.dtype == torch.bfloat16


def test_a_sequence_longer_than_max_len_is_refused():
    model = recurrent("additive", max_len=4)
    with pytest.raises(ValueError, match="6 tokens are more than the max_len=4"):
        model.encode(SRC)


class TestConfig:
    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"encoder_width": 0}, "encoder_width must be at least 1, got 0"),
            ({"decoder_width": 10**9}, "decoder_width must be at most 65536"),
            ({"n_layers": 101}, "n_layers must be at most 100"),
            ({"dropout": 1.0}, "dropout must be at least 0 and below 1"),
            ({"cell": "gated"}, "cell must be one of rnn, gru, lstm, got 'gated'"),
            ({"score": "cosine"}, "score must be one of additive, dot, general, concat, got 'cosine'"),
            ({"asks": "never"}, "asks must be one of before, after"),
            ({"score": "dot", "decoder_width": 7}, "decoder_width=7, encoder states 512"),
            ({"reminds": "always"}, "attention reminds at every step"),
            ({"eos_id": 99}, "eos_id=99 is not an id of a vocabulary of 13"),
            ({"eos_id": 1}, "must differ"),
        ],
    )
    def test_what_cannot_be_is_refused_by_name(self, changes, message):
        with unchecked(), pytest.raises(ValueError, match=message):
            RecurrentConfig(VOCAB, **changes)

    def test_a_dictionary_keeps_all_and_names_the_family(self):
        config = RecurrentConfig.tiny(VOCAB, score=None)
        assert config.to_dict()["family"] == "recurrent"
        assert RecurrentConfig.from_dict(config.to_dict()) == config
        with pytest.raises(ValueError, match="unknown fields n_heads"):
            RecurrentConfig.from_dict({"vocab_size": 9, "n_heads": 2})
        with pytest.raises(ValueError, match="vocab_size is missing"):
            RecurrentConfig.from_dict({})

    def test_both_small_models_have_four_and_a_half_to_five_million_parameters(self):
        counts = []
        for config in (RecurrentConfig.small(), RecurrentConfig.small_without_attention()):
            with torch.device("meta"):
                counts.append(sum(p.numel() for p in RecurrentEncoderDecoder(config).parameters()))
        assert all(4.5e6 < count < 5e6 for count in counts)
        assert max(counts) / min(counts) < 1.05
