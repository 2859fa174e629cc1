"""The client of the translator in the page: weights that come when asked for, a worker, calls that can be given up."""

import pytest
import translator_in_chromium as chromium_side
from serving import served

from attention_book.pages.explorers.base import joined
from attention_book.pages.explorers.translator_engine.files import engine_source, weights_of

from .conftest import watch

pytestmark = pytest.mark.browser

_OPEN = """async ([text, source, weights]) => {
    const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    const { TranslatorClient } = await import(address);
    window.makeClient = (changes = {}) => new TranslatorClient({ weights: { ...weights, ...changes }, source });
    window.client = makeClient();
    window.failure = (promise) => promise.then(() => "nothing failed", (error) => `${error.name}: ${error.message}`);
}"""
_ASKED = """async (text) => {
    const read = await client.read(text);
    const begun = await client.begin({ silenced: [] });
    const step = await client.step({ prefix: [], candidates: 4 });
    const found = await client.translate({ beamSize: 2, lengthPenalty: 0.6 });
    return {
        read, n: begun.n, shape: [begun.encoder.length, begun.encoder[0].length, begun.encoder[0][0].length],
        kinds: [begun.encoder[0][0], step.self[2][3], step.cross[2][3]].map((one) => one.constructor.name),
        step: [step.candidates, step.self[0][0].length, step.cross[0][0].length],
        ids: found.ids, text: found.text, steps: found.steps.map((one) => one.self[0][0].length),
    };
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("client")
    chromium_side.prepare(made)
    return made


@pytest.fixture(scope="module")
def pages(chromium, folder):
    """The page opened as a file, and over HTTP, each with a client that has loaded nothing yet; and what went wrong."""
    faults, opened = [], {}
    with served(folder) as address:
        for name, root in (("file", folder.as_uri()), ("http", address)):
            page = opened[name] = watch(chromium.new_page(), faults)
            page.set_default_timeout(60_000)
            page.goto(f"{root}/page.html")
            page.evaluate(_OPEN, [joined("translator_engine/client.js"), engine_source(), weights_of()])
        yield opened
        for page in opened.values():
            page.close()
    assert faults == []


@pytest.fixture(params=["file", "http"])
def page(request, pages):
    """The page with the translator loaded."""
    one = pages[request.param]
    loaded = """async () => {
        window.loading ??= [];
        if (loading.length === 0) window.answer = await client.load((done, total) => loading.push([done, total]));
        return { answer, loading };
    }"""
    one.loaded = one.evaluate(loaded)
    return one


def test_the_weights_come_in_steps_and_are_told(page):
    told, answer = page.loaded["loading"], page.loaded["answer"]
    total = weights_of()["bytes"]
    assert told[0] == [0, total] and told[-1] == [total, total]
    assert len(told) > 3 and told == sorted(told)
    assert answer["vocabularySize"] == answer["config"]["vocab_size"] == 8000


def test_a_sentence_is_read_begun_stepped_through_and_translated(page):
    found = page.evaluate(_ASKED, "I  like cats.")
    n = found["n"]
    assert found["read"]["text"] == "I like cats." and len(found["read"]["ids"]) == n
    assert found["shape"] == [3, 4, n * n] and found["kinds"] == ["Float32Array"] * 3
    assert found["text"] == "Me gustan los gatos." and found["ids"][-1] == 2
    candidates, self_, cross = found["step"]
    assert len(candidates) == 4 and candidates[0]["text"] == "Me" and (self_, cross) == (1, n)
    assert candidates[0]["probability"] > 0.5 > candidates[1]["probability"] > 0
    assert found["steps"] == list(range(1, len(found["ids"]) + 1))


def test_what_is_typed_comes_back_as_text_and_is_nothing_else(page):
    typed = "<img src=x onerror=alert(1)> & </script>"
    found = page.evaluate("async (text) => [await client.read(text), document.images.length]", typed)
    assert found[0]["text"] == typed and found[1] == 0
    assert "".join(piece["text"] for piece in found[0]["pieces"][:-1]) == typed.replace(" ", "▁")


def test_a_call_can_be_given_up_and_the_client_goes_on(page):
    found = page.evaluate(
        """async () => {
            await client.read("The old man who lives next door gave me a book about the sea. ".repeat(4));  // seconds
            await client.begin();
            const given_up = [client.translate({ beamSize: 5 }), client.step({ prefix: [] })].map(failure);
            await new Promise((done) => setTimeout(done, 50));
            client.cancel();
            const names = await Promise.all(given_up);
            return [names, (await client.step({ prefix: [] })).candidates.length, client.waiting.size];
        }"""
    )
    assert found == [["AbortError: This was cancelled."] * 2, 5, 0]


def test_what_goes_wrong_is_told_in_a_sentence_and_the_next_call_works(page):
    found = page.evaluate(
        """async () => {
            const told = [await failure(client.begin({ silenced: [{ use: "cross", layer: 9, head: 0 }] }))];
            await client.read("");
            told.push(await failure(client.begin()), await failure(makeClient().read("I like cats.")));
            return [told, (await client.read("I like cats.")).problem];
        }"""
    )
    assert [one.split(":")[0] for one in found[0]] == ["Error"] * 3
    assert "no head 0 in layer 9" in found[0][0] and "no sentence" in found[0][1] and "not loaded" in found[0][2]
    assert found[1] is None


def test_weights_that_do_not_come_whole_are_told(chromium, folder):
    faults = []
    with served(folder) as address:
        for root in (address, folder.as_uri()):
            page = chromium.new_page()
            page.goto(f"{root}/page.html")
            page.evaluate(_OPEN, [joined("translator_engine/client.js"), engine_source(), weights_of()])
            faults += page.evaluate(
                """async ([bytes, scripts]) => [
                    await failure(makeClient({ bytes: bytes + 1 }).load()),
                    await failure(makeClient({ address: "nowhere.bin", scripts: ["nowhere.js"] }).load()),
                    await failure(makeClient({ address: "page.html", bytes: 10, scripts: scripts.slice(0, 1) }).load()),
                    await failure((() => {
                        const given_up = makeClient();
                        const promise = given_up.load();
                        given_up.cancel();
                        return promise;
                    })()),
                ]""",
                [weights_of()["bytes"], weights_of()["scripts"]],
            )
            page.close()
    for over_http, from_file in zip(faults[:4], faults[4:], strict=True):
        assert over_http.split(":")[0] == from_file.split(":")[0]
    assert "not arrive whole" in faults[0] and "not arrive whole" in faults[4]
    assert "the server answers 404" in faults[1] and "file of the book is missing" in faults[5]
    assert "not arrive whole" in faults[2] and faults[3] == "AbortError: This was cancelled."
