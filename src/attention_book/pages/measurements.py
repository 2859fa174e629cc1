"""The runs on record as a page tells them: a block each, the pages that read it, and what the record lacks."""

import ast
import html
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from .. import experiments
from ..experiments.records import KINDS, Run
from ..paths import PACKAGE
from ..provenance.source_graph import imported_names
from .book_page import BookPage

_READ = re.compile(r"\b(?:read|recorded|from_pretrained)\(\s*[\"']([\w-]+)[\"']")
_IMPORTED = re.compile(r"^from (attention_book[\w.]*) import ([\w, ]*)", re.M)
_ASKING = {"explorers", "readers"}
"""Folders whose modules ask for runs on behalf of the pages that import them."""
_CLAIMS = re.compile(r"^from attention_book\.claims import .*\ball_claims\b", re.M)


def readers(pages: Iterable[Path]) -> dict[str, list[str]]:
    """Which pages read which run: those whose code cells ask for it by name, in ``read("NAME")`` and the like.

    Args:
        pages: sources of pages, as files under ``chapters/``.

    Returns:
        For each name asked for, the pages, such as ``"attention/masks"``, in the order given. A page reads what the
        result readers and explorers that it imports ask for, and the page of circulating claims what the modules of
        the claims do.
    """
    claims = "\n".join(path.read_text(encoding="utf-8") for path in sorted((PACKAGE / "claims").rglob("*.py")))
    found: dict[str, list[str]] = {}
    for path in pages:
        code = "\n".join(cell.body for cell in BookPage.read(path).cells)
        imports = [(home, re.findall(r"\w+", names)) for home, names in _IMPORTED.findall(code)]
        code += "\n".join(_asking(one for home, names in imports for one in (home, *(f"{home}.{n}" for n in names))))
        code += claims if _CLAIMS.search(code) else ""
        for name in dict.fromkeys(_READ.findall(code)):
            found.setdefault(name, []).append(_page(path))
    return found


def _asking(modules: Iterable[str]) -> list[str]:
    """The sources of those modules that ask for runs, and of those that they import in turn."""
    waiting, sources = set(modules), {}
    while waiting:
        name = waiting.pop()
        file = PACKAGE.parent.joinpath(*name.split(".")).with_suffix(".py")
        if name not in sources and _ASKING & set(name.split(".")) and file.is_file():
            sources[name] = file.read_text(encoding="utf-8")
            waiting |= imported_names(ast.parse(sources[name]), name.rpartition(".")[0])
    return list(sources.values())


def titles(pages: Iterable[Path]) -> dict[str, str]:
    """What each page is called: its first heading, by the name that `readers` gives it."""
    return {(page := _page(path)): BookPage.read(path).title or page for path in pages}


def _page(path: Path) -> str:
    parts = path.resolve().with_suffix("").parts
    return "/".join(parts[len(parts) - parts[::-1].index("chapters") :] if "chapters" in parts else parts[-1:])


def faults(runs: Iterable[Run], read_by: Mapping[str, Sequence[str]]) -> list[str]:
    """What is wrong with the record, a line each: a run without a command, without a seed, of no kind, or read nowhere.

    Args:
        runs: as `on_record` gives them.
        read_by: as `readers` gives them.
    """
    found = []
    for run in runs:
        needed = ("question", "command", "seeds", "seconds", "machine", "versions", "date")
        lacking = [name for name in needed if not getattr(run, name)] + ["code_digest"] * (run.digest == "")
        if lacking:
            found.append(f"{run.file} has no {', no '.join(lacking)}")
        if missing := experiments.missing_seeds(run.name, run.seeds) if run.name in experiments.names() else []:
            found.append(f"{run.file} lacks seed {', '.join(missing)}: run `{run.command} --resume`")
        if run.kind not in KINDS:
            found.append(f"{run.file} is of no kind: add {run.name!r} to KIND_OF, which knows {', '.join(KINDS)}")
        if not read_by.get(run.name):
            found.append(f"{run.file} is read by no page")
    return found


def core_hours(runs: Iterable[Run]) -> float:
    """Hours of one processor core: the wall-clock time of each run times the threads that it used."""
    return sum(run.seconds * run.machine.get("threads", 1) for run in runs) / 3600


def as_html(runs: Iterable[Run], read_by: Mapping[str, Sequence[str]], titles: Mapping[str, str]) -> str:
    """One block a run: its name, which is an anchor, its question, and a list of what is known about it.

    Args:
        runs: as `on_record` gives them.
        read_by: as `readers` gives them.
        titles: what to call each page in a link.
    """
    return "".join(_block(run, [(page, titles[page]) for page in read_by.get(run.name, ())]) for run in runs)


def _block(run: Run, pages: list[tuple[str, str]]) -> str:
    links = [f'<a href="../{html.escape(page)}.html">{html.escape(title)}</a>' for page, title in pages]
    rows = {
        "command": f"<code>{html.escape(run.command)}</code>",
        "seeds": html.escape(", ".join(run.seeds)) + ("" if len(run.seeds) > 1 else " (one: no spread is known)"),
        "tokens": f"{run.tokens:,} learned from" if run.tokens else "none: nothing was trained",
        "time": duration(run.seconds),
        "machine": html.escape(machine(run)),
        "versions": html.escape(", ".join(f"{name} {version}" for name, version in run.versions.items())),
        "date": html.escape(run.date),
        "code": f"<code>{html.escape(run.digest)}</code>" if run.digest else "no digest: the weights are on record",
        "file": f"<code>{html.escape(run.file)}</code>",
        "read on": "; ".join(links) or "no page found here",
    }
    if run.digest is None and not run.file.startswith("src/"):
        rows["code"] = "no digest, and the weights are not kept"
    entries = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in rows.items())
    return (
        f'<div class="run" id="run-{html.escape(run.name)}"><h3>{html.escape(run.name)}</h3>'
        f"<p>{html.escape(run.question)}</p><dl>{entries}</dl></div>"
    )


def machine(run: Run) -> str:
    """Such as "2 cores of AMD EPYC, 1 thread, Linux", with the accelerator before it if there was one."""
    known = {"processor": "an unknown processor", "cores": "?", "threads": "?", "system": "?", **run.machine}
    threads = f"{known['threads']} thread{'' if known['threads'] == 1 else 's'}"
    told = f"{known['cores']} cores of {known['processor']}, {threads}, {known['system']}"
    return f"{known['accelerator']}, {told}" if "accelerator" in known else told


def duration(seconds: int | float) -> str:
    """Such as "8 s", "12 min" or "1 h 42 min"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
