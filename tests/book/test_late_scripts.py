"""Scripts that stopped a page from being drawn stand at its end, in their order."""

import late_scripts
import pytest

FIRST = '<script data-cfasync="false">document.documentElement.dataset.mode = "auto";</script>'
DOCTOOLS, INLINE = '<script src="_static/doctools.js?v=1"></script>', "<script>let x = '</p>';</script>"
DEFER = '<script defer="defer" src="explorers.js"></script>'


def test_scripts_of_the_head_move_behind_the_body_in_their_order():
    late = late_scripts.finish(
        f"<head>{FIRST}\n{DOCTOOLS}<title>x</title>{INLINE}{DEFER}</head><p>text</p>\n</body>", "page"
    )
    assert late == f"<head>{FIRST}<title>x</title>{DEFER}</head><p>text</p>\n{DOCTOOLS}{INLINE}\n</body>"


@pytest.mark.parametrize(
    "script",
    [
        FIRST,
        DEFER,
        "<script async src='a.js'></script>",
        '<script type="application/ld+json">{}</script>',
        '<script type="module">import "a";</script>',
    ],
)
def test_what_does_not_stop_the_page_stays(script):
    page = f"<head>{script}</head></body>"
    assert late_scripts.finish(page, "page") == page


def test_a_script_with_a_type_of_old_moves():
    script = '<script type="text/javascript">x();</script>'
    assert late_scripts.finish(f"<head>{script}</head></body>", "page") == f"<head></head>{script}\n</body>"


def test_what_a_script_at_the_end_would_have_been_fetched_for_goes():
    loads = '<link rel="preload" as="script" href="_static/scripts/bootstrap.js?digest=8" />'
    font = '<link rel="preload" as="font" href="a.woff2" />'
    page = f"<head>\n<!-- Pre-loaded scripts that we'll load fully later -->\n{loads}\n{loads}{font}</head></body>"
    assert late_scripts.finish(page, "page") == f"<head>{font}</head></body>"


def test_a_page_without_an_end_is_an_error():
    with pytest.raises(ValueError, match="chapters/masks"):
        late_scripts.finish(f"<head>{DOCTOOLS}</head><p>", "chapters/masks")
