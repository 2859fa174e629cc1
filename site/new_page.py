"""Write the skeleton of a chapter: `make new-page PART=attention NAME=thing TITLE="The thing"`.

It writes the page with every part that a chapter must have, its page of solutions, the lines of both in `_toc.yml`, and
a row of the README's map. What is left to be written stands there as "TO WRITE: …", and a test fails until it is.
"""

import argparse
import re
import sys
from pathlib import Path

BOOK = Path(__file__).resolve().parent.parent
TEMPLATE = Path(__file__).with_suffix(".md")
MARK = "TO WRITE"
SOLUTIONS = """\
(solutions-{name})=
# Solutions: {lower}

To {{doc}}`../../{part}/{name}`. Each solution is run through the check of its exercise.
"""
SOLUTION = """
````{{solution-start}} {label}
:label: {solution}
````

{mark}: the answer, with its reason. Where the exercise has a check, a code cell that runs the right answer through it.

````{{solution-end}}
````
"""


def page_text(name, title):
    """The page's source."""
    text = TEMPLATE.read_text(encoding="utf-8").replace("@NAME@", name).replace("@TITLE@", title)
    return text.replace("@GLUED@", f"{name.replace('-', '_')}_example")


def solutions_text(part, name, title):
    """The source of the page of solutions, with one for each exercise of the page."""
    page = page_text(name, title)
    front = page[: page.index("\n---\n") + 5]
    labels = re.findall(r"^:label: (ex-\S+)", page, re.M)
    solved = (SOLUTION.format(label=one, solution=one.replace("ex-", "sol-", 1), mark=MARK) for one in labels)
    lower = title[:1].lower() + title[1:]
    return f"{front}\n{SOLUTIONS.format(part=part, name=name, lower=lower)}{''.join(solved)}"


def with_lines(contents, part, name):
    """The text of `_toc.yml` with the page after the last of its part, and its solutions after the last of those.

    Raises:
        ValueError: if the book has no such part.
    """
    lines = contents.splitlines(keepends=True)
    for folder, entry in ((f"chapters/{part}/", name), ("chapters/appendix/solutions/", name)):
        places = [i for i, line in enumerate(lines) if re.match(rf"\s*- file: {re.escape(folder)}[\w-]+\s*$", line)]
        if not places:
            parts = sorted(set(re.findall(r"file: chapters/([\w-]+)/", contents)) - {"appendix"})
            raise ValueError(f"_toc.yml has no part {part!r}; PART is one of: {', '.join(parts)}")
        last = lines[places[-1]]
        lines.insert(places[-1] + 1, re.sub(r"- file: .*", f"- file: {folder}{entry}", last))
    return "".join(lines)


def with_row(readme, part, name, title):
    """The README's text with a row for the page, after the last row of its part."""
    lines = readme.splitlines(keepends=True)
    rows = [i for i, line in enumerate(lines) if line.startswith("| [") and "](chapters/" in line]
    own = [i for i in rows if f"](chapters/{part}/" in lines[i]] or rows
    row = f"| [{title}](chapters/{part}/{name}.md) | `dot_product` | `tests/attention/test_dot_product.py` |\n"
    lines.insert(own[-1] + 1, row)
    return "".join(lines)


def write_page(book, part, name, title):
    """Write everything that a new chapter needs.

    Args:
        book: the folder of the book.
        part: the folder under `chapters/`, such as "attention".
        name: the name of the file, in small letters and hyphens.
        title: the title of the page.

    Returns:
        The files that were written or changed.

    Raises:
        ValueError: if a name is missing, malformed or taken, or the part is not there.
    """
    if not (part and name and title):
        raise ValueError('Give all three: make new-page PART=attention NAME=thing TITLE="The thing"')
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        raise ValueError(f"NAME is {name!r}: use small letters, digits and hyphens, such as 'effective-keys'")
    page = book / "chapters" / part / f"{name}.md"
    solutions = book / "chapters" / "appendix" / "solutions" / f"{name}.md"
    for path in (*(book / "chapters").rglob(f"{name}.md"), page, solutions):
        if path.exists():
            raise ValueError(f"{path.relative_to(book).as_posix()} exists; choose another NAME")
    contents, readme = book / "_toc.yml", book / "README.md"
    texts = {
        contents: with_lines(contents.read_text(encoding="utf-8"), part, name),
        readme: with_row(readme.read_text(encoding="utf-8"), part, name, title),
        page: page_text(name, title),
        solutions: solutions_text(part, name, title),
    }
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    return [path.relative_to(book).as_posix() for path in texts]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for option in ("part", "name", "title"):
        parser.add_argument(f"--{option}", default="")
    arguments = parser.parse_args()
    try:
        print("Written:", *write_page(BOOK, arguments.part, arguments.name, arguments.title), sep="\n  ")
    except ValueError as error:
        sys.exit(str(error))
    print(f"Now replace every '{MARK}', see it with: make page P={arguments.part}/{arguments.name}")
