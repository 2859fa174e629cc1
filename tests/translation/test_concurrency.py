"""One translator in many threads and in other processes: the same answers, or an error that says why not."""

import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest
import torch
from tiny_translator import KNOWN, tiny_translator

from attention_book.models.concurrency import evaluating
from attention_book.models.search_interface import inference
from attention_book.models.transformer import Transformer, TransformerConfig
from attention_book.translation.decoding import beam_search, greedy_decode
from attention_book.translation.token_probabilities import chance_of, factors
from attention_book.translation.translator import Translator

SOURCE = Path(__file__).parents[2] / "src"
THREADS = 8


def forgetful():
    """The tiny translator with so much dropout that a sentence translated with it is another one."""
    parts = tiny_translator()
    config = TransformerConfig.from_dict({**parts.model.config.to_dict(), "dropout": 0.9, "attention_dropout": 0.5})
    model = Transformer(config)
    model.load_state_dict(parts.model.state_dict())
    return Translator(model.train(), parts.subwords)


def modes(model):
    return {name: module.training for name, module in model.named_modules()}


def in_threads(work, times=2):
    """What `work(number of the thread)` returned, as often as asked, in threads that start together."""
    start = Barrier(THREADS)

    def repeated(number):
        start.wait(timeout=60)
        return [work(number) for _ in range(times)]

    with ThreadPoolExecutor(THREADS) as pool:
        return [found for several in pool.map(repeated, range(THREADS)) for found in several]


@pytest.mark.usefixtures("unchecked")  # the checks of types take most of the time of so many threads
class TestThreads:
    @pytest.mark.slow
    @pytest.mark.parametrize("training", [True, False])
    def test_translations_are_the_same_in_either_mode(self, training):
        translator = forgetful()
        translator.model.train(training)
        texts = list(KNOWN)

        def work(number):
            text = texts[number % len(texts)]
            (greedy,) = translator.translate_each([text], 1)
            return KNOWN[text], greedy.text, translator.translate(text, 2, return_attention=True).text

        assert all(len(set(found)) == 1 for found in in_threads(work))
        assert set(modes(translator.model).values()) == {training}

    def test_each_module_keeps_its_mode_and_nobody_sees_another(self):
        translator = forgetful()
        translator.model.encoder.eval()  # as of a model that is trained in part
        before, seen = modes(translator.model), []
        translator.model.output.register_forward_hook(lambda *_: seen.append(modes(translator.model) == before))
        assert translator.translate("I like cats.", return_attention=True).text == "Me gustan los gatos."
        assert len(seen) > 1 and all(seen)
        assert modes(translator.model) == before

    def test_probabilities_are_without_dropout_too(self):
        translator, quiet = forgetful(), tiny_translator()
        assert factors(translator, "I like cats.") == factors(quiet, "I like cats.")
        chances = [chance_of(one, "I like cats.", "Me gustan", "los") for one in (translator, quiet)]
        assert chances[0] == chances[1] > 0.1
        assert translator.model.training

    def test_a_search_whose_model_is_switched_by_another_thread_is_refused(self):
        model, src = forgetful().model.eval(), torch.tensor([[5, 6, 2]])
        hook = model.output.register_forward_hook(lambda *_: model.train() and None)
        for search in (greedy_decode, beam_search):
            with pytest.raises(RuntimeError, match=r"training mode while it was being searched.* call model\.eval\(\)"):
                search(model.eval(), src)
        hook.remove()
        with pytest.raises(RuntimeError, match="training mode"), inference(model.eval()):
            model.train()
        with pytest.raises(ZeroDivisionError), inference(model.eval()):  # an error of its own comes before that
            model.train(1 // 0)


class TestTwin:
    def test_a_model_in_evaluation_mode_is_its_own(self):
        model = tiny_translator().model
        assert evaluating(model) is model

    def test_it_has_the_weights_and_hooks_of_the_model_and_no_tensor_of_its_own(self):
        model = forgetful().model
        twin = evaluating(model)
        assert twin is not model and type(twin) is type(model)
        assert set(modes(twin).values()) == {False} and set(modes(model).values()) == {True}
        mine, its = dict(model.named_parameters()), dict(twin.named_parameters())
        assert mine.keys() == its.keys() and all(mine[name] is its[name] for name in mine)
        assert [id(buffer) for buffer in model.buffers()] == [id(buffer) for buffer in twin.buffers()]
        called = []
        hook = model.output.register_forward_hook(lambda *_: called.append(1))  # after the twin was made
        twin(torch.tensor([[5, 2]]), torch.tensor([[1]]))
        assert called
        hook.remove()

    def test_a_module_in_two_places_is_one_in_the_twin(self):
        layer = torch.nn.Dropout()
        twin = evaluating(torch.nn.ModuleDict({"a": layer, "b": layer, "c": torch.nn.Sequential(layer)}))
        assert twin["a"] is twin["b"] is twin["c"][0] is not layer and layer.training

    def test_a_module_that_is_left_out_stays_so(self):
        model = torch.nn.Sequential(torch.nn.Dropout())
        model.register_module("absent", None)
        assert evaluating(model).absent is None


# What each process runs: it has all the threads that it asks for, and says what it translated.
FORK = """
import multiprocessing, sys
import torch
from attention_book.translation.translator import Translator

torch.set_num_threads(2)
translator = Translator.from_pretrained("en-es")
texts = ["I like cats.", "If it rains tomorrow, we will stay at home."]

def work(number):
    assert torch.get_num_threads() == 1
    loaded = Translator.from_pretrained("en-es")
    return [*translator.translate(texts), *loaded.translate(texts, beam_size=1)]

expected = [*translator.translate(texts), *translator.translate(texts, beam_size=1)]
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(work, range(4)) == [expected] * 4
assert torch.get_num_threads() == 2
print(expected[0])
"""

SPAWN = """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from attention_book.translation.translator import Translator

def start(handed_on):
    global translator
    translator = handed_on

def work(text):
    return translator.translate(text)

if __name__ == "__main__":
    own = Translator.from_pretrained("en-es")
    texts = ["I like cats.", "Where is the dog?"]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context, initializer=start, initargs=(own,)) as pool:
        found = list(pool.map(work, texts))
        found.append(pool.submit(own.translate, texts[0]).result())
    assert found == [own.translate(text) for text in (*texts, texts[0])]
    print(found[0])
"""


def said_by(script, folder, seconds=150):
    """What a script prints, run as a program; one that hangs is ended with all its processes, and fails the test."""
    path = folder / "program.py"
    path.write_text(script, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(
        [sys.executable, str(path)], env=environment, text=True, start_new_session=True, **streams
    ) as running:
        try:
            written, errors = running.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, 9)
            pytest.fail(f"no answer within {seconds} seconds")
    assert running.returncode == 0, errors
    return written.strip()


class TestProcesses:
    @pytest.mark.slow
    @pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
    def test_after_a_fork_translations_answer(self, tmp_path):
        assert said_by(FORK, tmp_path) == "Me gustan los gatos."

    @pytest.mark.slow
    def test_a_spawned_process_is_handed_a_translator(self, tmp_path):
        assert said_by(SPAWN, tmp_path) == "Me gustan los gatos."

    def test_a_pickled_translator_translates_as_before(self):
        translator = forgetful()
        copied = pickle.loads(pickle.dumps(translator))
        assert copied.translate(list(KNOWN)) == list(KNOWN.values())
        assert copied.model.training and copied.subwords.digest == translator.subwords.digest
        weights, its = translator.model.state_dict(), copied.model.state_dict()
        assert all(np.array_equal(weights[name], its[name]) for name in weights)
        assert copied.model.output.weight is copied.model.src_embedding.weight  # what is tied stays tied


def test_loading_in_threads_leaves_the_random_state_alone(tmp_path):
    tiny_translator().save(tmp_path)
    before = torch.get_rng_state()
    loaded = in_threads(lambda _: Translator.from_pretrained(tmp_path))
    assert torch.equal(torch.get_rng_state(), before)
    assert {one.translate("Come in!") for one in loaded[:2]} == {"¡Pasa!"}
