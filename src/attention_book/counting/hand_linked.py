"""Thirty English sentences of our own with Spanish translations, and which word stands for which, marked by hand.

A *sure* link joins words that translate each other in any reading. A *possible* link joins a word that is there for
the sake of another one: a pronoun that Spanish leaves to the verb's ending, an article without counterpart and its
noun, *do* and its verb, the parts of an expression that is only translated as a whole. The distinction is that of Och
and Ney 2003, §5.1. The links were marked once, before any model was asked.
"""

import re
from dataclasses import dataclass
from functools import cache

from ..little_language.words import tokenize

Links = frozenset[tuple[int, int]]

# English | Spanish | links: "=" is sure, "~" is possible; "the#2" is the second *the* of its side.
TABLE = """
My neighbour paints old doors in the winter. | Mi vecina pinta puertas viejas en invierno. \
| My=Mi neighbour=vecina paints=pinta old=viejas doors=puertas in=en the~invierno winter=invierno .=.
Do you need another blanket? | ¿Necesitas otra manta? \
| Do~Necesitas you~Necesitas need=Necesitas another=otra blanket=manta ?=? ?~¿
The blue lamp fell off the table. | La lámpara azul se cayó de la mesa. \
| The=La blue=azul lamp=lámpara fell=cayó fell~se off=de the=la table=mesa .=.
We like quiet streets. | Nos gustan las calles tranquilas. \
| We=Nos like=gustan quiet=tranquilas streets=calles streets~las .=.
My uncle does not eat meat. | Mi tío no come carne. \
| My=Mi uncle=tío does~come does~no not=no eat=come meat=carne .=.
She lent me her umbrella yesterday. | Ayer me prestó su paraguas. \
| She~prestó lent=prestó me=me her=su umbrella=paraguas yesterday=Ayer .=.
The children are looking for the black cat. | Los niños buscan al gato negro. \
| The=Los children=niños are~buscan looking=buscan for~buscan the=al cat~al black=negro cat=gato .=.
It has been snowing since Tuesday. | Nieva desde el martes. \
| It~Nieva has~Nieva been~Nieva snowing=Nieva since=desde Tuesday=martes Tuesday~el .=.
I wash my hands before dinner. | Me lavo las manos antes de cenar. \
| I~lavo I~Me wash=lavo wash~Me my~las my~Me hands=manos hands~las before=antes before~de dinner=cenar .=.
Where did your parents buy this house? | ¿Dónde compraron tus padres esta casa? \
| Where=Dónde did~compraron your=tus parents=padres buy=compraron this=esta house=casa ?=? ?~¿
Nobody knows the name of the new teacher. | Nadie sabe el nombre de la nueva profesora. \
| Nobody=Nadie knows=sabe the=el name=nombre of=de the#2=la new=nueva teacher=profesora .=.
There are three empty bottles on the shelf. | Hay tres botellas vacías en el estante. \
| There=Hay are=Hay three=tres empty=vacías bottles=botellas on=en the=el shelf=estante .=.
His sister is afraid of spiders. | Su hermana tiene miedo a las arañas. \
| His=Su sister=hermana is~tiene is~miedo afraid=miedo afraid~tiene of~a spiders=arañas spiders~las .=.
Open the small window, please. | Abre la ventana pequeña, por favor. \
| Open=Abre the=la small=pequeña window=ventana ,=, please=por please=favor .=.
The train arrived ten minutes late. | El tren llegó diez minutos tarde. \
| The=El train=tren arrived=llegó ten=diez minutes=minutos late=tarde .=.
I would like a cup of coffee. | Quisiera una taza de café. \
| I~Quisiera would~Quisiera like=Quisiera a=una cup=taza of=de coffee=café .=.
They sell fresh bread every morning. | Cada mañana venden pan fresco. \
| They~venden sell=venden fresh=fresco bread=pan every=Cada morning=mañana .=.
Is your brother taller than you? | ¿Es tu hermano más alto que tú? \
| Is=Es your=tu brother=hermano taller=más taller=alto than=que you=tú ?=? ?~¿
She opened the door with an old key. | Abrió la puerta con una llave vieja. \
| She~Abrió opened=Abrió the=la door=puerta with=con an=una old=vieja key=llave .=.
Our dog sleeps under the kitchen table. | Nuestro perro duerme debajo de la mesa de la cocina. \
| Our=Nuestro dog=perro sleeps=duerme under=debajo under=de the=la table=mesa kitchen=cocina kitchen~de#2 \
kitchen~la#2 .=.
Don't forget your keys. | No olvides tus llaves. \
| Don't=No Don't~olvides forget=olvides your=tus keys=llaves .=.
The soup in this pot is too hot. | La sopa de esta olla está demasiado caliente. \
| The=La soup=sopa in=de this=esta pot=olla is=está too=demasiado hot=caliente .=.
My grandmother told us a long story. | Mi abuela nos contó una historia larga. \
| My=Mi grandmother=abuela told=contó us=nos a=una long=larga story=historia .=.
If it rains, we will stay at home. | Si llueve, nos quedaremos en casa. \
| If=Si it~llueve rains=llueve ,=, we~nos we~quedaremos will~quedaremos stay=quedaremos stay~nos at=en home=casa .=.
He never drinks milk at night. | Nunca bebe leche por la noche. \
| He~bebe never=Nunca drinks=bebe milk=leche at=por at~la night=noche night~la .=.
Whose is the red bicycle? | ¿De quién es la bicicleta roja? \
| Whose=De Whose=quién is=es the=la red=roja bicycle=bicicleta ?=? ?~¿
I have just read your letter. | Acabo de leer tu carta. \
| I~Acabo have~Acabo just=Acabo just~de read=leer your=tu letter=carta .=.
The girls wrote a poem for their mother. | Las niñas escribieron un poema para su madre. \
| The=Las girls=niñas wrote=escribieron a=un poem=poema for=para their=su mother=madre .=.
Her knees hurt. | Le duelen las rodillas. \
| Her~Le Her~las knees=rodillas knees~las hurt=duelen .=.
Anna asked her brother to close the gate. | Ana le pidió a su hermano que cerrara la puerta. \
| Anna=Ana asked=pidió her=su brother=hermano brother~le brother~a to~que close=cerrara the=la gate=puerta .=.
"""


@dataclass(frozen=True)
class LinkedPair:
    """A sentence and a translation with links marked by hand.

    Attributes:
        source, target: the two sentences.
        source_words, target_words: their words and marks, as `tokenize` returns them.
        sure: (source place, target place) of the links that an alignment must have.
        possible: those that it may have besides; none of them is sure.
    """

    source: str
    target: str
    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    sure: Links
    possible: Links


def read_line(line: str) -> LinkedPair:
    """A line of `TABLE` as a pair.

    Raises:
        ValueError: if a link names a word that its sentence does not have, or a link is there twice.
    """
    source, target, links = (part.strip() for part in line.split("|"))
    words = tuple(tokenize(source)), tuple(tokenize(target))
    found: dict[str, set[tuple[int, int]]] = {"=": set(), "~": set()}
    for link in links.split():
        parts = re.fullmatch(r"(.+?)([=~])(.+)", link)
        if parts is None:
            raise ValueError(f"{link!r} is no link: write word=word or word~word")
        place = _place(parts[1], words[0]), _place(parts[3], words[1])
        if any(place in known for known in found.values()):
            raise ValueError(f"the link {link!r} of {source!r} is marked twice")
        found[parts[2]].add(place)
    return LinkedPair(source, target, *words, frozenset(found["="]), frozenset(found["~"]))


def _place(name: str, words: tuple[str, ...]) -> int:
    word, _, number = name.partition("#")
    places = [i for i, one in enumerate(words) if one == word]
    if len(places) < int(number or 1):
        raise ValueError(f"{name!r} is no word of {' '.join(words)!r}")
    return places[int(number or 1) - 1]


@cache
def linked_pairs() -> tuple[LinkedPair, ...]:
    """The thirty pairs, in the order of `TABLE`."""
    return tuple(map(read_line, TABLE.strip().splitlines()))
