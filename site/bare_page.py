"""A page of the built book that stands outside its theme: where an address leads on, or leads nowhere."""

import html

PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
{head}<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 1.1rem/1.6 system-ui, sans-serif; margin: 15vh auto; max-width: 34rem; padding: 0 1.5rem; }}
</style>
</head>
<body>
<main><h1>{heading}</h1><p>{text}</p></main>
</body>
</html>
"""


def bare_page(title, text, head=(), heading=None):
    """A whole page.

    Args:
        title: as plain text.
        text: its only paragraph, as HTML.
        head: further elements of its head, as HTML.
        heading: as plain text, if it is not the title.
    """
    lines = "".join(f"{one}\n" for one in head)
    return PAGE.format(title=html.escape(title), heading=html.escape(heading or title), text=text, head=lines)


def leads_on(address):
    """The element of a head that leads on to an address, which is escaped."""
    return f'<meta http-equiv="refresh" content="0; url={address}">'
