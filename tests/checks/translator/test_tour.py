import pytest
import torch

from attention_book.checks.translator.tour import check_greedy

from ..diagnosis import diagnosis


def greedy(model, src, max_len):
    state, last, found = model.start(model.encode(src)), torch.tensor([1]), []
    while len(found) < max_len and found[-1:] != [2]:
        log_probs, state = model.step(last, state)
        log_probs[:, :2] = -torch.inf
        last = log_probs.argmax(dim=-1)
        found.append(last.item())
    return found


def by_decode(model, src, max_len, row=-1, read=lambda found: [1, *found]):
    """Greedy search with the two calls of the page; it looks at `row` after the decoder has read `read(found)`."""
    memory, found = model.encode(src), []
    while len(found) < max_len and found[-1:] != [2]:
        logits = model.decode(torch.tensor([read(found)]), memory)[0, row]
        logits[:2] = -torch.inf
        found.append(logits.argmax().item())
    return found


def looks_at_the_first_row(*given):
    return by_decode(*given, row=0)


def feeds_the_last_piece_only(*given):
    return by_decode(*given, read=lambda found: found[-1:] or [1])


@pytest.mark.slow
def test_right_answers_pass():
    assert check_greedy(greedy)
    assert check_greedy(by_decode)
    assert check_greedy(lambda *given: tuple(greedy(*given)))
    assert check_greedy(lambda *given: torch.tensor(greedy(*given)))
    assert check_greedy(bans(0, 1))


def never_stops(model, src, max_len):
    state, last, found = model.start(model.encode(src)), torch.tensor([1]), []
    for _ in range(max_len):
        log_probs, state = model.step(last, state)
        log_probs[:, :2] = -torch.inf
        last = log_probs.argmax(dim=-1)
        found.append(last.item())
    return found


def forgets_the_state(model, src, max_len):
    state, last, found = model.start(model.encode(src)), torch.tensor([1]), []
    while len(found) < max_len and found[-1:] != [2]:
        log_probs, _ = model.step(last, state)
        log_probs[:, :2] = -torch.inf
        last = log_probs.argmax(dim=-1)
        found.append(last.item())
    return found


def bans(*never):
    """Greedy search that never chooses these, and nothing else is forbidden."""

    def search(model, src, max_len):
        state, last, found = model.start(model.encode(src)), torch.tensor([1]), []
        while len(found) < max_len and found[-1:] != [2]:
            log_probs, state = model.step(last, state)
            log_probs[:, list(never)] = -torch.inf
            last = log_probs.argmax(dim=-1)
            found.append(last.item())
        return found

    return search


def feeds_the_likeliest_of_all(model, src, max_len):
    state, last, found = model.start(model.encode(src)), torch.tensor([1]), []
    while len(found) < max_len and found[-1:] != [2]:
        log_probs, state = model.step(last, state)
        last = log_probs.argmax(dim=-1)
        found.append(log_probs[:, 2:].argmax().item() + 2)
    return found


def starts_with_the_end(model, src, max_len):
    log_probs, _ = model.step(torch.tensor([2]), model.start(model.encode(src)))
    log_probs[:, :2] = -torch.inf
    return [log_probs.argmax().item(), *greedy(model, src, max_len)[1:]]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda *given: [1, *greedy(*given)], "starts with `<s>`"),
        (lambda *given: [piece for piece in greedy(*given) if piece != 2], "`</s>` is missing"),
        (lambda *given: greedy(*given)[:-1] or [7], "It stops after"),
        (lambda model, src, max_len: greedy(model, src, max_len + 1), "nothing stopped it"),
        (never_stops, "goes on after `</s>`"),
        (bans(), "which is never chosen"),
        (bans(0), "It writes `<s>`"),
        (bans(1), "It writes `<pad>`"),
        (bans(0, 1, 2), "piece"),
        (feeds_the_likeliest_of_all, "all pieces chosen so far"),
        (lambda *given: [float(piece) for piece in greedy(*given)], "list of ids"),
        (lambda *given: ..., "return"),
        (forgets_the_state, "all pieces chosen so far"),
        (looks_at_the_first_row, "look at the last row"),
        (feeds_the_last_piece_only, "all pieces chosen so far"),
        (starts_with_the_end, "The first piece differs"),
        (lambda *given: "los gatos", "list of ids"),
    ],
)
def test_wrong_searches_are_diagnosed(wrong, said):
    assert said in diagnosis(check_greedy(wrong))
