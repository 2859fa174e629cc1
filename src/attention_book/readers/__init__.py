"""Result readers: what each experiment measured, as the numbers, rows and verdicts that a page prints.

A module here is named like the experiment. Its ``read()`` gives a :class:`reader.ResultReader` over the committed
result; ``numbers()`` is what the page's text is given by name, and every table and figure of the page has a method of
its own. What the page says in words about the numbers is a test of the reader, so that another result would be noticed.
"""
