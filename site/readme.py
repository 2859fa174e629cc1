"""Writes what was measured into the README, between its two markers: `make readme`. A test compares the two."""

import json
from pathlib import Path

BOOK = Path(__file__).parents[1]
RECORD = BOOK / "src" / "attention_book" / "pretrained" / "en-es" / "results.json"
BEGIN, END = "<!-- results: written by `make readme` -->", "<!-- end of results -->"


def machine_in_words(machine):
    """Such as "2 cores of AMD EPYC", with the threads that were used if they were fewer."""
    where = machine.get("accelerator") or f"{machine['cores']} cores of {machine['processor']}"
    return where if machine["threads"] == machine["cores"] else f"{where}, {machine['threads']} thread(s)"


def results_table(record):
    """The translator's record as Markdown."""
    rows = []
    names = {"test": "test", "test_greedy": "test, greedy", "validation": "validation"}
    for key, name in names.items():
        if key in record:
            scores, one = record[key]["all_references"], record[key]["first_reference"]
            rows.append(
                f"| {name} | {record[key]['sentences']:,} | {scores['bleu']:.1f} | {scores['chrf']:.1f} "
                f"| {one['bleu']:.1f} | {one['chrf']:.1f} |"
            )
    settings, test = record["settings"], record["test"]
    signature, decoding = test["all_references"], test["decoding"]
    hours = record["training_seconds"] / 3600
    heads = ["split", "sentences", "BLEU, all references", "chrF, all", "BLEU, one reference", "chrF, one"]
    return "\n".join(
        [
            f"The translator that comes with the book: {record['parameters']:,} parameters, {record['tokens']:,} "
            f"target tokens ({record['epochs']:.1f} epochs of {record['pairs']['train']:,} pairs), seed "
            f"{settings['seed']}, {settings['precision']}, {hours:.1f} hours on {machine_in_words(record['machine'])}, "
            f"{record['date']}. Command: `{record['command']}`. "
            f"BLEU {'had' if record['plateau'] else 'had not'} reached a plateau.",
            "",
            f"| {' | '.join(heads)} |",
            "|---|---:|---:|---:|---:|---:|",
            *rows,
            "",
            f"Signatures: `{signature['bleu_signature']}`, `{signature['chrf_signature']}`. Beam of "
            f"{decoding['beam_size']}, length penalty {decoding['length_penalty']}, unless it says greedy. "
            "One seed: no spread is known.",
        ]
    )


def with_results(readme, record):
    """The README's text with the table in its place."""
    before, rest = readme.split(BEGIN)
    after = rest.split(END)[1]
    return f"{before}{BEGIN}\n{results_table(record)}\n{END}{after}"


if __name__ == "__main__":
    path = BOOK / "README.md"
    text = with_results(path.read_text(encoding="utf-8"), json.loads(RECORD.read_text(encoding="utf-8")))
    path.write_text(text, encoding="utf-8")
