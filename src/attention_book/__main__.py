"""The commands: `python -m attention_book fetch`, `translate`, `train`, `evaluate`, `export`, `experiment`, `claims`.

Each command imports what it needs when it runs, so that help comes at once and one command never breaks another.
"""

import json
import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="Attention, Worked Out: the commands behind the book.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

Model = Annotated[str, typer.Option(help="A translator that comes with the book, or the folder of another.")]
BeamSize = Annotated[int, typer.Option(min=1, max=256, help="Prefixes that the search keeps; 1 is greedy.")]
Fast = Annotated[bool, typer.Option("--fast", help="With the faster search, which finds the same translations.")]
LengthPenalty = Annotated[float, typer.Option(min=0, max=100, help="The search's alpha; 0 ranks by probability alone.")]

_READ_BYTES = 8192


class Split(StrEnum):
    """The splits that a translator may be scored on."""

    validation = "validation"
    test = "test"


@contextmanager
def _without_traceback() -> Iterator[None]:
    """Turn what may be expected to go wrong (files, values, the errors of this package) into a line and exit code 2."""
    try:
        yield
    except Exception as error:
        expected = isinstance(error, OSError | ValueError | FloatingPointError)
        expected = expected or type(error).__module__.startswith("attention_book.")
        if isinstance(error, RuntimeError) and "home directory" in str(error):  # pathlib's answer to ~nobody/folder
            error, expected = ValueError("a path begins with ~ and a name that no user of this machine has"), True
        if not expected or isinstance(error, BrokenPipeError):
            raise
        typer.echo(f"error: {_printable(error)}", err=True)
        raise typer.Exit(2) from error


def _printable(error: object) -> str:
    """What an error says, without the control characters that a server or a file may have put into it."""
    return "".join(char if char.isprintable() or char == "\n" else "\N{REPLACEMENT CHARACTER}" for char in str(error))


@app.command()
def fetch(
    names: Annotated[list[str] | None, typer.Argument(help="Corpora, such as tatoeba-en-es; all by default.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Fetch again what is there already.")] = False,
) -> None:
    """Bring the corpora to this machine, checked."""
    with _without_traceback():
        from .data import corpora

        for path in corpora.fetch(names or None, force):
            typer.echo(path)


@app.command()
def translate(
    text: Annotated[str | None, typer.Argument(help="What to translate; without it, lines of standard input.")] = None,
    model: Model = "en-es",
    beam_size: BeamSize = 4,
    length_penalty: LengthPenalty = 0.6,
    fast: Fast = False,
) -> None:
    """Translate a text, or standard input line by line.

    Every line of input gives one line of output. A line that cannot be translated gives an empty one, its number and
    the reason go to standard error, and the exit code is 1 at the end.
    """
    with _without_traceback():
        translator = _translator(model, fast)
        settings = {"beam_size": beam_size, "length_penalty": length_penalty}
        if text is None:
            if sys.stdin is None:
                raise ValueError("standard input is closed: give a text, or lines to translate on standard input")
            failed = _translate_input(translator, settings)
        else:
            (outcome,) = translator.translate_each([text], **settings)
            failed = outcome.error is not None
            _report(outcome)
            if not failed:
                typer.echo(outcome.text.encode("utf-8"))
    if failed:
        raise typer.Exit(1)


def _translator(name: str, fast: bool):
    from .models.transformer import Transformer
    from .translation.fast.fast_translator import FastTranslator
    from .translation.translator import Translator

    read = Translator.from_pretrained(name)
    if not fast:
        return read
    if not isinstance(read.model, Transformer):
        raise ValueError(f"--fast is for Transformers, and {name} is a {type(read.model).__name__}: leave it out")
    return FastTranslator(read.model, read.subwords, read.results)


def _translate_input(translator, settings: dict) -> bool:
    """Translate standard input and say whether a line failed. Lines that arrive together are translated together."""
    failed, number = False, 0
    for lines in _arriving_lines(sys.stdin.buffer):
        texts = [_decoded(line) for line in lines]
        outcomes = iter(translator.translate_each([text for text in texts if isinstance(text, str)], **settings))
        for text in texts:
            number += 1
            if isinstance(text, str):
                outcome = next(outcomes)
                _report(outcome, f"line {number}: ")
                # A line stays one line, whatever it takes for line ends inside.
                written = " ".join((outcome.text or "").splitlines())
                failed = failed or outcome.error is not None
            else:
                fault = f"byte 0x{text.object[text.start]:02X} at position {text.start + 1} is not UTF-8"
                typer.echo(f"line {number}: error: {fault} ({text.reason})", err=True)
                written, failed = "", True
            typer.echo(written.encode("utf-8"))
    return failed


def _arriving_lines(stream) -> Iterator[list[bytes]]:
    """The lines of a stream, without their ends, as soon as they have come, those that came together as one list."""
    rest: list[bytes] = []
    while chunk := stream.read1(_READ_BYTES):
        *lines, last = chunk.split(b"\n")
        if lines:
            lines[0] = b"".join([*rest, lines[0]])
            rest = []
            yield lines
        rest.append(last)
    if last := b"".join(rest):
        yield [last]


def _decoded(line: bytes) -> str | UnicodeDecodeError:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        return error


def _report(outcome, where: str = "") -> None:
    for note in outcome.notes:
        typer.echo(f"{where}warning: {note}", err=True)
    if outcome.error is not None:
        typer.echo(f"{where}error: {outcome.error}", err=True)


@app.command()
def train(
    name: Annotated[str, typer.Argument(help="The languages: en-es or en-hi.")] = "en-es",
    preset: Annotated[str, typer.Option(help="Kind and size: tiny, small or base; rnn or rnn-attention.")] = "small",
    positions: Annotated[str, typer.Option(help="sinusoidal, learned, rotary or none.")] = "sinusoidal",
    tokens: Annotated[int, typer.Option(min=1, help="The budget, in target tokens.")] = 20_000_000,
    tokens_per_batch: Annotated[
        int, typer.Option(min=1, max=10_000_000, help="The largest padded size of a batch.")
    ] = 1000,
    seed: Annotated[int, typer.Option(help="Fixes the start and the order of the pairs.")] = 1,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was stopped.")] = False,
    threads: Annotated[int | None, typer.Option(min=1, help="Processor threads; torch's choice by default.")] = None,
    output: Annotated[Path | None, typer.Option(help="The folder for the finished translator.")] = None,
    fast: Annotated[bool, typer.Option("--fast", help="Faster updates, equal up to rounding and dropout.")] = False,
) -> None:
    """Train a translator; Ctrl-C stops it safely, and --resume goes on.

    To train on several processes at once, start it with torchrun --nproc_per_node=N -m attention_book train …
    """
    with _without_traceback():
        from .training import runs

        folder = runs.train(
            name,
            preset=preset,
            positions=positions,
            tokens=tokens,
            tokens_per_batch=tokens_per_batch,
            seed=seed,
            resume=resume,
            threads=threads,
            output=output,
            fast=fast,
        )
    if folder is None:
        raise typer.Exit(130)
    if os.environ.get("RANK", "0") == "0":  # of several processes under torchrun, one tells
        typer.echo(folder)


@app.command()
def distil(
    name: Annotated[str, typer.Argument(help="The languages: en-es or en-hi.")] = "en-es",
    teachers: Annotated[int, typer.Option(min=1, max=64, help="How many models teach.")] = 4,
    teacher_tokens: Annotated[int, typer.Option(min=1, help="Target tokens that each of them reads.")] = 40_000_000,
    tokens: Annotated[int, typer.Option(min=1, help="Target tokens that the pupil reads.")] = 36_000_000,
    seed: Annotated[int, typer.Option(help="Fixes the first weights and the order of the pairs.")] = 1,
    output: Annotated[Path | None, typer.Option(help="The folder for the finished translator.")] = None,
) -> None:
    """Train several translators and let them teach one; wants a GPU. Called again, it goes on where it was stopped."""
    with _without_traceback():
        from .training.together import distilling

        typer.echo(distilling.distil(name, teachers, teacher_tokens, tokens, seed, output))


@app.command()
def remember(
    name: Annotated[str, typer.Argument(help="The languages: en-es or en-hi.")] = "en-es",
    start: Annotated[str, typer.Option(help="The translator that is trained further, or its folder.")] = "en-es-taught",
    learners: Annotated[int, typer.Option(min=1, max=64, help="How many models learn, to be averaged.")] = 2,
    tokens: Annotated[int, typer.Option(min=1, help="Target tokens that each of them reads.")] = 8_000_000,
    share: Annotated[float, typer.Option(min=0, max=1, help="What the memory has of a lesson.")] = 0.5,
    agreement: Annotated[float, typer.Option(min=0, help="The weight of R-Drop, which doubles the work.")] = 0.0,
    seed: Annotated[int, typer.Option(help="Fixes the order of the pairs, and dropout.")] = 1,
    output: Annotated[Path | None, typer.Option(help="The folder for the finished translator.")] = None,
) -> None:
    """Train a translator further, with a memory of its training pairs as teacher. It goes on where it was stopped."""
    with _without_traceback():
        from .training.remembering import remembering

        typer.echo(remembering.remember(name, start, learners, tokens, share, agreement, seed, output))


@app.command()
def evaluate(
    model: Model = "en-es",
    split: Annotated[Split, typer.Option(help="What to translate; the test split is for one report at the end.")] = (
        Split.validation
    ),
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first sentences, which are a fair sample.")] = None,
    beam_size: BeamSize = 4,
    length_penalty: LengthPenalty = 0.6,
    output: Annotated[Path | None, typer.Option(help="The JSON file; evaluation-SPLIT.json by default.")] = None,
    record: Annotated[bool, typer.Option("--record", help="Write into the translator's results.json instead.")] = False,
    int8: Annotated[bool, typer.Option("--int8", help="With its weights in eight bits, as the page has them.")] = False,
    fast: Fast = False,
) -> None:
    """Score a translator by BLEU and chrF on its corpus, and write the numbers with all that they depend on.

    With --record they go into the translator's own results, as "test" or "validation", or "test_greedy" and so on.
    """
    with _without_traceback():
        from .data import corpora
        from .models.checkpoints import write_json
        from .models.quantisation import quantised
        from .provenance import environment
        from .translation.evaluation import evaluate as scored
        from .translation.model_folder import save_results
        from .translation.translator import translator_folder

        translator = _translator(model, fast)
        if int8 and record:
            raise ValueError("the translator's own record is of its own weights: leave out --int8 or --record")
        if fast and record:
            raise ValueError("the translator's own record is of the search that the book shows: leave out --fast")
        if int8:
            translator = type(translator)(quantised(translator.model), translator.subwords, translator.results)
        name = translator.results.get("corpus", "tatoeba-en-es")
        if not isinstance(name, str):
            raise ValueError(f'"corpus" in the results of {model} is {name!r}, not the name of a corpus')
        corpus = corpora.load(name)
        pairs = getattr(corpus, split)[:limit]
        typer.echo(f"translating {len(pairs)} sentences of {corpus.name}, {split}", err=True)
        found = scored(translator, pairs, beam_size, length_penalty)
        scores = {
            "model": model,
            **({"weights": "int8"} if int8 else {}),
            **({"fast": True} if fast else {}),
            "tokenizer_sha256": translator.subwords.digest,
            "corpus": corpus.name,
            "data_sha256": corpus.sha256,
            "split": split.value,
            **found,
            "machine": environment.machine(),
            "versions": environment.versions(),
            "date": environment.today(),
        }
        if record:
            output = translator_folder(model) / "results.json"
            name = f"{split}_greedy" if beam_size == 1 else split.value
            save_results(output.parent, {**translator.results, name: scores})
        else:
            output = output or Path(f"evaluation-{split}.json")
            write_json(output, scores)
    for which in ("all_references", "first_reference"):
        counted = found[which]
        typer.echo(which.replace("_", " "))
        typer.echo(f"  BLEU {counted['bleu']:.2f}  {counted['bleu_signature']}")
        typer.echo(f"  chrF {counted['chrf']:.2f}  {counted['chrf_signature']}")
    typer.echo(f"written to {output}")


@app.command()
def export(
    page: Annotated[Path | None, typer.Option(help="The file for the translator in the page, in eight bits.")] = None,
    onnx: Annotated[Path | None, typer.Option(help="The folder for ONNX graphs, in float32.")] = None,
    ctranslate2: Annotated[Path | None, typer.Option(help="The folder for CTranslate2, in float32.")] = None,
    model: Model = "en-es",
) -> None:
    """Write a translator in another form.

    --page PATH writes the file that the translator in the page reads. --onnx FOLDER and --ctranslate2 FOLDER write all
    that a program without PyTorch needs, with a README that says how it is used. A folder must be empty, or written by
    this command earlier.
    """
    with _without_traceback():
        if page is None and onnx is None and ctranslate2 is None:
            raise ValueError("say what to write: --page PATH, --onnx FOLDER or --ctranslate2 FOLDER")
        from .translation.export.ctranslate2_folder import write_ctranslate2
        from .translation.export.onnx_folder import write_onnx
        from .translation.export.page_weights import write_page_weights
        from .translation.translator import Translator

        translator = Translator.from_pretrained(model)
        if page is not None:
            written = write_page_weights(translator, page)
            typer.echo(f"written to {written}, {written.stat().st_size:,} bytes")
        for folder, write in ((onnx, write_onnx), (ctranslate2, write_ctranslate2)):
            if folder is not None:
                written = write(translator, folder, tell=lambda line: typer.echo(line, err=True))
                size = sum(file.stat().st_size for file in written.iterdir())
                typer.echo(f"written to {written}, {size:,} bytes")


@app.command()
def experiment(
    name: Annotated[str, typer.Argument(help="The experiment; results go to results/NAME.json.")],
    resume: Annotated[
        bool, typer.Option("--resume", help="Keep the seeds that are on record, if their code is unchanged.")
    ] = False,
) -> None:
    """Run a named experiment over its seeds and write what it measured."""
    with _without_traceback():
        from . import experiments

        typer.echo(experiments.run(name, resume=resume))


@app.command()
def claims(
    ids: Annotated[list[str] | None, typer.Argument(help="Claims, such as N05 F04; all by default.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print {id: {verdict, value, why, chapter}} instead.")
    ] = False,
) -> None:
    """Decide the circulating claims about attention, by computing each now."""
    with _without_traceback():
        from .claims import all_claims, decided

        answers = decided(ids or None)
        if as_json:
            text = json.dumps(answers, ensure_ascii=False, allow_nan=False, indent=2)
        else:
            from .claims.tables import as_text

            text = as_text(all_claims(), answers, shutil.get_terminal_size((100, 24)).columns)
        typer.echo(text.encode("utf-8"))


def main() -> None:
    """Run the command line. Where the output cannot be written (a full device), say so and leave with exit code 2."""
    warnings.showwarning = lambda message, *_, **__: typer.echo(f"warning: {_printable(message)}", err=True)
    try:
        app(prog_name="python -m attention_book")
    except OSError as error:
        typer.echo(f"error: {error}", err=True)
        os._exit(2)  # at a common exit Python would try once more to write what is left in its buffer


if __name__ == "__main__":
    main()
