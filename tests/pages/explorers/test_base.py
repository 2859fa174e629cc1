"""The static form of explorers, and the joining of their JavaScript files."""

import json
import re
import subprocess
import sys

import pytest
import traitlets

from attention_book.pages.explorers import base
from attention_book.pages.figures.plotting import ROLES


class Tilt(base.Explorer):
    """The smallest explorer."""

    title = "Tilt & turn"
    _esm = "export default { render() {} } // <script> </script> <!--"
    angle = traitlets.Float(0.5).tag(sync=True)
    note = traitlets.Unicode("</script><b>").tag(sync=True)
    private = traitlets.Int(3)

    def in_words(self):
        return f"The angle is {self.angle} < 1."


def data_in(page):
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)[1])


def test_static_form_holds_the_words_the_module_the_style_and_the_synced_traits_only():
    page = Tilt(angle=0.25).static_html()
    data = data_in(page)
    assert "Tilt &amp; turn.</strong> The angle is 0.25 &lt; 1." in page
    assert data["esm"] == Tilt._esm
    assert data["state"] == {"angle": 0.25, "note": "</script><b>"}
    assert "explorer-body" in data["css"]


def test_nothing_in_module_or_traits_can_end_the_script_element():
    page = Tilt().static_html()
    assert page.count("<script") == page.count("</script>") == 1
    assert "<!--" not in page


def test_bundle_keeps_the_live_widget_and_adds_the_static_form():
    widget = Tilt()
    data, _ = widget._repr_mimebundle_()
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == widget.model_id
    assert data["text/html"] == widget.static_html()
    assert data["text/plain"] == "Tilt & turn. The angle is 0.5 < 1."


def test_numbers_that_json_does_not_know_are_refused():
    with pytest.raises(ValueError, match="JSON"):
        Tilt(angle=float("nan")).static_html()


def test_an_explorer_must_say_what_it_shows():
    class Mute(base.Explorer):
        _esm = "export default {}"

    with pytest.raises(NotImplementedError, match="Mute must say"):
        Mute().static_html()


def test_joined_files_lose_their_local_imports_and_keep_everything_else(tmp_path, monkeypatch):
    monkeypatch.setattr(base, "_HERE", tmp_path)
    (tmp_path / "one.js").write_text('export const one = "import x from ./y.js";\n')
    (tmp_path / "two.js").write_text('import {\n  one,\n} from "./one.js";\nexport const two = one;\n')
    assert base.joined("one.js", "two.js") == 'export const one = "import x from ./y.js";\n\nexport const two = one;\n'
    with pytest.raises(ValueError, match=r"two.js imports one.js, which must be listed before it"):
        base.joined("two.js", "one.js")


def test_style_sheet_has_every_role_in_both_lights():
    style = base.style_sheet()
    for name, role in ROLES.items():
        assert f"--explorer-{name}: {role.light};" in style
        assert f"--explorer-{name}: {role.dark};" in style
        assert f"var(--role-{name}, var(--explorer-{name}))" in style


@pytest.mark.slow
def test_the_package_core_needs_no_widgets():
    """What training and translating import must not import anywidget, which a bare machine lacks."""
    code = "import sys; from attention_book import Translator, softmax; print('anywidget' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"
