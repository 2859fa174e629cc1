"""Twenty English–Spanish pairs of three words, made by hand: enough for a tiny model to learn by heart."""

from attention_book.data.normalisation import Pair

NOUNS = {"dog": "perro", "cat": "gato", "boy": "chico", "cook": "cocinero", "king": "rey"}
VERBS = {"sleeps": "duerme", "sings": "canta", "runs": "corre", "reads": "lee"}
PAIRS = [
    Pair(f"the {noun} {verb}", f"el {sustantivo} {verbo}", (f"el {sustantivo} {verbo}",))
    for noun, sustantivo in NOUNS.items()
    for verb, verbo in VERBS.items()
]
