"""How fast a Transformer trains, beside other implementations of equal size: target tokens per second, one thread each.

Each contender has a process of its own, the same batches, and the same update: smoothed loss, backward pass, clipping,
AdamW. In every round each trains on the same batches once, one contender at a time; one round more is thrown away. What
is printed is the median over the rounds, by processor time (which other programs disturb less) and by the clock, its
range, how many times as fast as `MARK` that is, and the loss of the first step of all and of the last.
"""

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

from benchmarks.rounds import in_rounds, measured_together, write

ROOT = Path(__file__).resolve().parents[1]
RESULT = ROOT / "results" / "benchmarks" / "training.json"
MARK = "ours:float32"
NAMES = (MARK, "fast:float32", "ours:bfloat16", "fast:bfloat16", "torch", "marian", "joeynmt", "annotated")
TOKENS_PER_BATCH, LONGEST = 1000, 256


def encoded_pairs(pairs=20_000):
    """Tatoeba's training pairs as ids, or pairs of the little language where those are missing; and the name."""
    from attention_book.data.batching import encode_pairs
    from attention_book.data.corpora import CorpusError, load
    from attention_book.little_language.language import sample, word_vocabulary
    from attention_book.translation.translator import Translator

    try:
        chosen = load("tatoeba-en-es").train
    except CorpusError:
        words = word_vocabulary("es")
        return [(words.encode(one.source), words.encode(one.target)) for one in sample(pairs, 1)], "the little language"
    return encode_pairs(chosen, Translator.from_pretrained("en-es").subwords, LONGEST), "tatoeba-en-es"


def batches(encoded, count):
    """The first batches of an epoch, as lists of ids."""
    from attention_book.data.batching import token_batches

    chosen = token_batches(encoded, TOKENS_PER_BATCH, seed=1, epoch=0)[:count]
    return [[one.src.tolist(), one.tgt_in.tolist(), one.tgt_out.tolist()] for one in chosen]


def rate(answers, clock):
    """Target tokens per second by `seconds` (processor time) or `wall`: median, least, most."""
    rates = [one["tokens"] / one[clock] for one in answers]
    return {"median": statistics.median(rates), "least": min(rates), "most": max(rates)}


def measured(contenders, rounds, steps):
    """For each contender its rates, how many times as fast as `MARK` it is, and its first and last loss."""
    answers = in_rounds(contenders, {"steps": steps}, rounds)
    rows = {}
    for name, given in answers.items():
        rows[name] = {"processor": rate(given, "seconds"), "wall": rate(given, "wall")}
        rows[name]["loss"] = {"first": given[0]["first"], "last": given[-1]["last"]}
        if MARK in answers:
            rows[name]["ratio"] = rows[name]["processor"]["median"] / rate(answers[MARK], "seconds")["median"]
    return rows


def told(rows):
    """The table in lines."""
    lines = ["\ntarget tokens per second of processor time, range, by the clock; ratio; loss, first and last"]
    for name, row in rows.items():
        mine = row["processor"]
        ratio = f"  ratio {row['ratio']:.2f}" if "ratio" in row else ""
        span = f"({mine['least']:,.0f} to {mine['most']:,.0f})"
        losses = f"  {row['loss']['first']:.2f} to {row['loss']['last']:.2f}"
        lines.append(f"  {name:16}{mine['median']:>8,.0f} {span:20}{row['wall']['median']:>8,.0f}{ratio}{losses}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=8, help="batches in a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, help="contenders (default: all)")
    parser.add_argument("--annotated", type=Path, help="a folder with The Annotated Transformer's code")
    parser.add_argument("--write", type=Path, default=RESULT, help="where the record goes")
    arguments = parser.parse_args()
    if arguments.steps < 1 or arguments.rounds < 1:
        parser.error("--steps and --rounds must be at least 1")
    encoded, corpus = encoded_pairs()
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "batches.json"
        path.write_text(json.dumps(batches(encoded, arguments.steps)), encoding="utf-8")
        program = [sys.executable, "-m", "benchmarks.trained_models"]
        more = [str(arguments.annotated)] if arguments.annotated else []
        rows, circumstances = measured_together(
            {name: [*program, name, str(path), *more] for name in arguments.only},
            lambda there: measured(there, arguments.rounds, arguments.steps),
        )
    print(told(rows))
    record = {
        "command": f"python -m benchmarks training --steps {arguments.steps} --rounds {arguments.rounds}"
        + (" --annotated FOLDER" if arguments.annotated else ""),
        "corpus": corpus,
        "tokens_per_batch": TOKENS_PER_BATCH,
        "steps": arguments.steps,
        "rounds": arguments.rounds,
        **circumstances,
        "contenders": rows,
    }
    write(arguments.write, record)


if __name__ == "__main__":
    main()
