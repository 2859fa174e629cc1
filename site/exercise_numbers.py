"""Sphinx extension: count the exercises within their page, and name the page wherever another page speaks of one.

Sphinx numbers exercises through the whole book, so every number after a new exercise would change, and with it what a
course sheet or a forum post meant. Here the third exercise of a page is Exercise 3, whatever stands on other pages. A
reference from another page, and the title of its solution there, says Exercise 3 of “Masks”.
"""

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform

KIND = "exercise"


def restore_book_wide(app, env):
    """Give Sphinx back its own numbers before it counts again: it compares the two to know which pages changed."""
    for docname, numbers in getattr(env, "book_wide_exercises", {}).items():
        if KIND in env.toc_fignumbers.get(docname, {}):
            env.toc_fignumbers[docname][KIND] = numbers
    return []


def count_within_pages(app, env):
    """Number the exercises of each page from 1; Sphinx's numbers are kept for its next count."""
    env.book_wide_exercises = {name: kinds[KIND] for name, kinds in env.toc_fignumbers.items() if KIND in kinds}
    for docname, numbers in env.book_wide_exercises.items():
        env.toc_fignumbers[docname][KIND] = {label: (count,) for count, label in enumerate(numbers, 1)}
    return []


class NamePageOfExercise(SphinxPostTransform):
    """Add the page to a numbered reference, or to a solution's title, that speaks of another page's exercise."""

    default_priority = 23  # after sphinx-exercise has written the titles of solutions

    def run(self, **kwargs):
        for reference in list(self.document.findall(nodes.reference)):
            is_title = isinstance(reference.parent, nodes.title)
            if is_title or isinstance(reference, addnodes.number_reference):
                self.name_page(reference)

    def name_page(self, reference):
        known = getattr(self.env, "sphinx_exercise_registry", {}).get(reference.get("refuri", "").partition("#")[2])
        if known is None or not known["type"].startswith(KIND) or known["docname"] == self.env.docname:
            return
        said = next(reference.findall(nodes.Text))  # "Exercise 3": in a title, what the exercise is called follows
        page = self.env.titles[known["docname"]].astext()
        said.parent.replace(said, nodes.Text(f"{said} of “{page}”"))


def setup(app):
    app.connect("env-get-updated", restore_book_wide, priority=400)  # Sphinx counts at 500
    app.connect("env-get-updated", count_within_pages, priority=600)
    app.add_post_transform(NamePageOfExercise)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
