"""How fast the translator decodes, beside other engines with the same weights: tokens per second, one thread each.

Each contender has a process of its own and one thread. In every round each translates the same sentences once, one
contender at a time; one round more is thrown away. What is printed is the median over the rounds, by processor time
(which other programs disturb less) and by the clock, its range, the ratio to CTranslate2 in float32, and the share of
sentences for which the outputs are those of our readable search.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from benchmarks.rounds import in_rounds, measured_together, rate, share_of_equal, write

ROOT = Path(__file__).resolve().parents[1]
RESULT = ROOT / "results" / "benchmarks" / "decoding.json"
READABLE, MARK = "ours:readable", "ctranslate2:float32"
NAMES = (READABLE, "ours:float32", "ours:int8", MARK, "ctranslate2:int8", "hugging-face", "joeynmt", "annotated")
TASKS = ({"batch": 1, "beam": 1}, {"batch": 64, "beam": 1}, {"batch": 1, "beam": 4}, {"batch": 64, "beam": 4})


def measured(contenders, rounds, tell=print):
    """A table per task: for each contender its rates, its ratio to `MARK`, and the share of equal outputs."""
    tables = []
    for task in TASKS:
        answers = in_rounds(contenders, task, rounds)
        rows = {}
        for name, given in answers.items():
            rows[name] = {"processor": rate(given, "seconds"), "wall": rate(given, "wall")}
            if MARK in answers:
                rows[name]["ratio"] = rows[name]["processor"]["median"] / rate(answers[MARK], "seconds")["median"]
            if READABLE in answers:
                rows[name]["equal"] = share_of_equal(given[0]["outputs"], answers[READABLE][0]["outputs"])
        tables.append({**task, "contenders": rows})
        tell(told(tables[-1]))
    return tables


def told(table):
    """One table in lines."""
    lines = [
        f"\nbatch {table['batch']}, beam {table['beam']}: tokens per second of processor time, range, by the clock"
    ]
    for name, row in table["contenders"].items():
        mine = row["processor"]
        ratio = f"  ratio {row['ratio']:.2f}" if "ratio" in row else ""
        equal = f"  equal {row['equal']:.1%}" if "equal" in row else ""
        span = f"({mine['least']:,.0f} to {mine['most']:,.0f})"
        lines.append(f"  {name:22}{mine['median']:>8,.0f} {span:20}{row['wall']['median']:>8,.0f}{ratio}{equal}")
    return "\n".join(lines)


def sources(count):
    """The first test sentences, as ids."""
    from attention_book.data.corpora import load
    from attention_book.translation.translator import Translator

    subwords = Translator.from_pretrained("en-es").subwords
    return [[*subwords.encode(pair.source), subwords.eos_id] for pair in load("tatoeba-en-es").test[:count]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sentences", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, help="contenders (default: all)")
    parser.add_argument("--annotated", type=Path, help="the_annotated_transformer.py, or its folder")
    parser.add_argument("--write", type=Path, default=RESULT, help="where the record goes")
    arguments = parser.parse_args()
    if arguments.sentences < 1 or arguments.rounds < 1:
        parser.error("--sentences and --rounds must be at least 1")
    if arguments.annotated and not arguments.annotated.exists():
        parser.error(f"--annotated: there is no {arguments.annotated}")
    path = [str(arguments.annotated.resolve())] if arguments.annotated else []
    from attention_book.translation.export.ctranslate2_folder import write_ctranslate2
    from attention_book.translation.translator import Translator

    with tempfile.TemporaryDirectory() as place:
        folder, sentences = Path(place) / "ctranslate2", Path(place) / "sentences.json"
        if any(name.startswith("ctranslate2") for name in arguments.only):
            write_ctranslate2(Translator.from_pretrained("en-es"), folder)
        sentences.write_text(json.dumps(sources(arguments.sentences)), encoding="utf-8")
        program = [sys.executable, "-m", "benchmarks.contenders"]
        tables, circumstances = measured_together(
            {name: [*program, name, str(folder), str(sentences), *path] for name in arguments.only},
            lambda there: measured(there, arguments.rounds),
        )
    command = f"python -m benchmarks decoding --sentences {arguments.sentences} --rounds {arguments.rounds}"
    record = {
        "command": command + (f" --annotated {arguments.annotated.name}" if arguments.annotated else ""),
        "sentences": arguments.sentences,
        "rounds": arguments.rounds,
        **circumstances,
        "tables": tables,
    }
    write(arguments.write, record)


if __name__ == "__main__":
    main()
