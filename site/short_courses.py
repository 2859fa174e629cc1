"""The courses of a drawing's paths (`M 1.234567 2 \\nL …`) in fewer letters, to a hundredth of a point.

A screen shows two decimals at most. A number is said as a place or as a way from the place before, whichever is
shorter; both are whole hundredths here, so that ways add up to the same places, however many there are.
"""

import re

PIECE = re.compile(r"([MLCQZzHV])|(-?\d*\.?\d+(?:e-?\d+)?)")
NUMBERS = {"M": 2, "L": 2, "C": 6, "Q": 4, "H": 1, "V": 1, "Z": 0}


def said(hundredths):
    """A number of hundredths as a decimal number without zeros that say nothing."""
    whole, part = divmod(abs(hundredths), 100)
    text = f"{whole or ''}.{part:02d}".rstrip("0").rstrip(".") or "0"
    return f"-{text}" if hundredths < 0 else text


def joined(numbers):
    """Numbers one behind the other, with a space where they would run together."""
    text = ""
    for number in numbers:
        text += number if not text or number[0] == "-" else f" {number}"
    return text


def steps(course):
    """A course as (letter, its numbers in hundredths), every letter said and every number a place."""
    found, letter, numbers = [], None, []
    for new, number in PIECE.findall(course):
        if number:
            numbers.append(round(float(number) * 100))
            if len(numbers) == NUMBERS[letter]:
                found.append((letter, numbers))
                numbers = []
        else:
            letter = new.upper()
            if letter == "Z":
                found.append(("Z", []))
    return found


def without_last_sides(course):
    """The steps of a course that is filled and not drawn: a line back to where it began is there without being said."""
    kept, begin = [], None
    for place, (letter, numbers) in enumerate(course):
        last = place + 1 == len(course) or course[place + 1][0] == "M"
        if letter == "M":
            begin = numbers
        elif last and (letter == "Z" or (letter == "L" and numbers == begin)):
            if letter == "Z" and kept[-1] == ("L", begin):
                kept.pop()
            continue
        kept.append((letter, numbers))
    return kept


def shorter(course, filled=False):
    """The course of a path in fewer letters.

    Args:
        course: what stands in the `d` of a path of Matplotlib's, all its numbers places.
        filled: whether the path is filled alone, and no pen goes along it.

    Returns: a course through the same places, each rounded to a hundredth.
    """
    course = steps(course)
    course = without_last_sides(course) if filled else course
    text, previous, here, begin = "", "", (0, 0), (0, 0)
    for letter, numbers in course:
        if letter == "Z":
            text, previous, here = f"{text}z", "z", begin
            continue
        if letter in "HV":
            numbers = [numbers[0], here[1]] if letter == "H" else [here[0], numbers[0]]
            letter = "L"
        places, ways = numbers, [one - here[place % 2] for place, one in enumerate(numbers)]
        end, plain = tuple(numbers[-2:]), letter
        if letter == "L" and ways[1] == 0:
            plain, places, ways = "H", places[:1], ways[:1]
        elif letter == "L" and ways[0] == 0:
            plain, places, ways = "V", places[1:], ways[1:]
        choices = []
        for name, values in ((plain, places), (plain.lower(), ways)):
            numbers_said = joined(map(said, values))
            # After M, further pairs of numbers are lines, and a letter that stays the same is not said again.
            again = name == previous or (previous, name) in {("M", "L"), ("m", "l")}
            again = again and name not in "Mm"
            between = ("" if numbers_said[0] == "-" else " ") if again else name
            choices.append((between + numbers_said, name))
        said_so, previous = min(choices, key=lambda one: len(one[0]))
        text += said_so
        here = end
        begin = end if letter == "M" else begin
    return text
