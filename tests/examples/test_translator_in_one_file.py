"""The translator in one file is the package's, shorter: the same numbers from the same weights, and it learns."""

import ast
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest
import torch
from global_state import unchanged_state
from oracles import close, seeded

from attention_book.examples import translator_in_one_file as one
from attention_book.little_language.language import sample
from attention_book.little_language.words import tokenize
from attention_book.models.transformer import Transformer, TransformerConfig
from attention_book.studies.translator.one_file import copied, share_right
from attention_book.training.losses import label_smoothed_cross_entropy
from attention_book.training.schedules import warmup_then_decay
from attention_book.translation.decoding import greedy_decode
from attention_book.translation.shipped_translator import SENTENCES, ids, model, shipped

FILE = Path(one.__file__)
MORE = (
    "Where is the station?",
    "My sister bought a new car last week.",
    "Don't open the window!",
    "The children are playing in the garden.",
    "I think that he is right.",
    "Can you help me?",
    "We have been waiting for two hours.",
    "This is the best soup I have ever eaten.",
    "They don't want to go to school.",
    "What time does the film start?",
    "His father works in a hospital.",
    "I had never seen so many birds before.",
)


def small(vocab_size=30, seed=0, **changes):
    return seeded(lambda: one.Transformer(vocab_size, **changes), seed).eval()


def test_it_is_short_and_needs_torch_alone():
    source = FILE.read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 250
    imported = {
        (node.module or "." if isinstance(node, ast.ImportFrom) else alias.name).partition(".")[0]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert imported - set(sys.stdlib_module_names) == {"torch"}


def test_with_the_shipped_weights_it_gives_the_logits_of_the_package():
    single = copied(model())
    source, target = ids("If it rains tomorrow, we will stay at home."), ids("Si llueve mañana", start=True)
    with torch.inference_mode():
        wanted = model()(source, target)
        close(single(source, target), wanted, atol=1e-10)
        assert wanted.abs().max() > 1
        padded = torch.cat([source, torch.zeros_like(source)], dim=1)
        close(single(padded, target), wanted, atol=1e-10)  # what the padding holds reaches nothing


@pytest.mark.slow
def test_with_the_shipped_weights_it_writes_what_the_package_writes():
    single, told = copied(model()), []
    for text in (*SENTENCES, *MORE):
        (wanted,) = greedy_decode(model(), ids(text), max_len=60)
        assert tuple(one.greedy(single, ids(text))) == wanted.tokens, text
        told.append(shipped().subwords.decode(wanted.tokens))
    assert len(set(told)) == 20


def test_a_target_word_sees_none_that_come_later_and_the_source_is_seen():
    single = small()
    src, tgt = torch.tensor([[7, 8, 9, 2]]), torch.tensor([[1, 10, 11, 12]])
    with torch.inference_mode():
        before = single(src, tgt)
        later = single(src, torch.tensor([[1, 10, 11, 29]]))
        other = single(torch.tensor([[7, 8, 20, 2]]), tgt)
    close(later[:, :3], before[:, :3], atol=1e-6)
    assert (later[:, 3] - before[:, 3]).abs().max() > 1e-3
    assert ((other - before).abs().amax(-1) > 1e-4).all()


def test_words_and_marks_are_those_of_the_little_language_and_come_back():
    for pair in sample(60, 1) + sample(60, 2, "hi"):
        for text in (pair.source, pair.target):
            assert one.split(text) == tokenize(text)
            assert one.join(one.split(text)) == text


def test_ids_go_there_and_back_and_unknown_words_have_one():
    words = one.Vocabulary([("I run.", "Corro."), ("You run.", "Corres.")])
    assert words.words[:4] == ["<pad>", "<s>", "</s>", "<unk>"] and len(words.words) == 4 + 6
    found = words.encode("You run.")
    assert found[-1] == one.END and len(found) == 4 and words.decode(found) == "You run."
    assert words.encode("We run.")[0] == one.UNKNOWN
    assert one.rectangle([[5, 2], [6, 7, 2]]).tolist() == [[5, 2, 0], [6, 7, 2]]


def test_batches_bring_each_pair_once_in_each_round_and_in_a_new_order():
    pairs = [(f"a{n} .", f"b{n} c .") for n in range(10)]
    words = one.Vocabulary(pairs)
    rounds = list(islice(one.batches(pairs, words, 4, seed=0), 6))
    assert [len(src) for src, _ in rounds] == [4, 4, 2] * 2
    orders = []
    for three in (rounds[:3], rounds[3:]):
        orders.append([words.decode(row.tolist()) for src, _ in three for row in src])
        both = [
            (words.decode(s.tolist()), words.decode(t.tolist())) for a, b in three for s, t in zip(a, b, strict=True)
        ]
        assert sorted(both) == sorted((one.join(one.split(a)), one.join(one.split(b))) for a, b in pairs)
    assert orders[0] != orders[1]
    assert all((tgt[:, 0] == one.START).all() and (tgt[:, -1] == one.END).all() for _, tgt in rounds)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_loss_is_the_packages(smoothing):
    single = small()
    src = one.rectangle([[7, 8, 2], [9, 2]])
    tgt = one.rectangle([[1, 10, 11, 12, 2], [1, 13, 2]])
    wanted = label_smoothed_cross_entropy(single(src, tgt[:, :-1]), tgt[:, 1:], smoothing)
    close(one.loss_of(single, src, tgt, smoothing), wanted, atol=1e-6)


def test_the_schedule_is_the_packages():
    for step in (1, 3, 5, 6, 40, 99, 100):
        assert one.rate_at(step, 100, 4e-3) == pytest.approx(warmup_then_decay(step, 100, 5, 4e-3))


def test_greedy_writes_the_most_probable_word_and_neither_padding_nor_start():
    class Stub(torch.nn.Module):
        def encode(self, src):
            return src, None

        def decode(self, tgt, memory, mask):
            scores = torch.zeros(1, tgt.shape[1], 9)
            scores[..., [0, 1]] = 9.0
            scores[0, -1, {1: 6, 2: 4, 3: 2}.get(tgt.shape[1], 5)] = 1.0
            return scores

    assert one.greedy(Stub(), torch.tensor([[5, 2]])) == [6, 4, 2]
    never = Stub()
    never.decode = lambda tgt, memory, mask: torch.eye(9)[[5]][None]
    assert one.greedy(never, torch.tensor([[5, 2]]), longest=7) == [5] * 7


def test_its_start_is_that_of_the_package():
    single, package = small(500), seeded(lambda: Transformer(TransformerConfig.tiny(500)))
    for ours, theirs in (
        (single.embedding.weight, package.src_embedding.weight),
        (single.decoder[1].cross_attention.w_k.weight, package.decoder.layers[1].cross_attention.w_k.weight),
        (single.encoder[0].w_2.weight, package.encoder.layers[0].feed_forward.w_2.weight),
    ):
        assert ours.shape == theirs.shape
        assert ours.std().item() == pytest.approx(theirs.std().item(), rel=0.05)


def test_it_makes_up_pairs_that_differ():
    pairs = one.made_up()
    assert len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs) == 320
    assert ("She painted the red house.", "Ella pintó la casa roja.") in pairs


def test_training_repeats_itself_and_leaves_chance_as_it_was():
    pairs = one.made_up()
    words = one.Vocabulary(pairs)
    with unchanged_state():
        runs = [one.train(small(len(words.words), dropout=0.0), pairs, words, 3) for _ in range(2)]
    assert runs[0] == runs[1] and len(runs[0]) == 3


@pytest.mark.slow
def test_it_learns_the_little_language():
    drawn = sample(4_000, 0, clauses=1)
    pairs = [(pair.source, pair.target) for pair in drawn]
    words = one.Vocabulary(pairs)
    single = small(len(words.words), dropout=0.0)
    new = sample(30, 1, clauses=1, exclude={pair.source for pair in drawn})
    assert share_right(single, words, new) == 0
    losses = seeded(lambda: one.train(single, pairs, words, 250, peak=4e-3))
    assert sum(losses[:10]) / 10 > 4 and sum(losses[-50:]) / 50 < 0.9
    assert share_right(single, words, new) > 0.3  # 0.43 with two seeds; after 400 steps 0.70 and 0.53


@pytest.mark.slow
def test_a_copy_of_the_file_trains_on_a_file_of_pairs_and_translates(tmp_path):
    copy = tmp_path / "translator_in_one_file.py"
    copy.write_text(FILE.read_text(encoding="utf-8"), encoding="utf-8")
    lines = [f"{a}\t{b}\tlicence" for a, b in one.made_up()[:60]]
    (tmp_path / "pairs.tsv").write_text("\n".join(lines), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-I", str(copy), str(tmp_path / "pairs.tsv"), "100"],
        capture_output=True, text=True, timeout=500,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    first, *told = run.stdout.splitlines()
    assert first.startswith("step   100  loss ") and len(told) == 20
    assert all(line.split("  →  ")[0] + "\t" in "\n".join(lines) for line in told)


@pytest.mark.slow
def test_a_file_without_pairs_is_refused(tmp_path):
    (tmp_path / "pairs.tsv").write_text("no tab here\n" * 30, encoding="utf-8")
    run = subprocess.run([sys.executable, str(FILE), str(tmp_path / "pairs.tsv")], capture_output=True, text=True)
    assert run.returncode == 1 and "0 pairs are too few" in run.stderr
