"""Fonts with the glyphs that the built book uses, and no others, as WOFF2."""

import re
from io import BytesIO
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer
from kept_files import kept

ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


def characters(texts, first, last):
    r"""What of a range of characters these texts hold, written as they are or as scripts write them (`\u0928`)."""
    found = set()
    for text in texts:
        found.update(one for one in set(text) if first <= ord(one) <= last)
        found.update(one for one in (chr(int(code, 16)) for code in ESCAPED.findall(text)) if first <= ord(one) <= last)
    return found


def subset_font(file, wanted, limits=None, place=None):
    """A font with the glyphs of some characters alone, and what these characters are joined to.

    Args:
        file: the font's file.
        wanted: the characters; those that the font does not have are left out. None for all that it has.
        limits: what to keep of a variable font's axes, as `fontTools.varLib.instancer` takes it.
        place: the folder where fonts that were made before are kept, if they are.

    Returns: the bytes of the WOFF2 file, and the set of those characters that it has.
    """
    has = set(map(chr, TTFont(file).getBestCmap()))
    has = has if wanted is None else has & set(wanted)
    return kept(place, narrowed, Path(file), has, limits), has


def narrowed(file, has, limits):
    """The bytes of the WOFF2 file with the glyphs of characters that the font has."""
    font = TTFont(file)
    if limits:
        narrower = BytesIO()
        instancer.instantiateVariableFont(font, limits).save(narrower)
        font = TTFont(narrower)
    options = subset.Options(layout_features=["*"], notdef_outline=True, hinting=False)
    options.drop_tables += ["FFTM"]
    subsetter = subset.Subsetter(options)
    subsetter.populate(text="".join(sorted(has)))
    subsetter.subset(font)
    font.flavor = "woff2"
    font.recalcTimestamp = False  # the same file from the same pages
    stream = BytesIO()
    font.save(stream)
    return stream.getvalue()
