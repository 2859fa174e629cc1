"""Make an edition of the built book to take along: `python site/take_along.py pdf`, `epub`, `wheel` or `zip`.

What each is and where it is written is said in `editions/`.
"""

import argparse
import sys
from pathlib import Path

from editions.built_pages import EditionError

BOOK = Path(__file__).resolve().parent.parent


def make(kind, book=BOOK):
    """Make one edition; returns the files that were written.

    Raises:
        EditionError: if it cannot be made; the message says what to do.
    """
    if kind == "pdf":
        from editions.pdf import make_pdf

        return [make_pdf(book)[0]]
    if kind == "epub":
        from editions.epub import make_epub

        return [make_epub(book)]
    if kind == "wheel":
        from editions.served_wheel import make_wheel

        return make_wheel(book)
    from editions.zipped import make_zip

    return [make_zip(book)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=("pdf", "epub", "wheel", "zip"))
    try:
        for file in make(parser.parse_args().kind):
            print(f"{file} ({file.stat().st_size / 1e6:.1f} MB)")
    except EditionError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
