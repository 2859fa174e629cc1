"""nbclient as the tests run notebooks with it: it looks for a kernel's answer every second, as in a build of the book.

Without that a sign that is lost under load costs as long as a cell may take: one test then waited ten minutes.
"""

import kernel_messages
from nbclient import NotebookClient

kernel_messages.setup(None)

__all__ = ["NotebookClient"]
