"""The words of the little language: English entries with their Spanish and Hindi translations.

One line an entry: `classes | English forms | Spanish | Hindi`. Translations that are free choices are separated by
`;` and carry their probability. Nouns give their gender, `f*` for Spanish *el agua*, and an irregular plural where
there is one. Class names are the grammar's categories; they keep meanings apart, so that nobody eats a house.
"""

from dataclasses import dataclass

from .morphology import (
    Lexeme,
    english_noun,
    english_verb,
    hindi_adjective,
    hindi_noun,
    hindi_participle,
    spanish_adjective,
    spanish_noun,
    spanish_verb,
)

NOUNS = """
Human             | boy boys             | niño m 0.6; chico m 0.4                    | लड़का m 0.8; बालक m 0.2
Human             | girl girls           | niña f 0.6; chica f 0.4                    | लड़की f 0.8; बालिका f 0.2
Human             | man men              | hombre m 0.7; señor m 0.3                  | आदमी m 0.7; पुरुष m 0.3
Human             | woman women          | mujer f 0.7; señora f 0.3                  | औरत f 0.5; महिला f 0.5
Human             | student students     | estudiante m 0.5; alumno m 0.5             | छात्र m 0.6; विद्यार्थी m 0.4
Kin               | brother brothers     | hermano m                                  | भाई m
Kin               | sister sisters       | hermana f                                  | बहन f
Kin               | friend friends       | amigo m                                    | दोस्त m 0.6; मित्र m 0.4
Known             | doctor doctors       | médico m 0.6; doctor m 0.4                 | डॉक्टर m 0.6; चिकित्सक m 0.4
Known             | teacher teachers     | profesor m 0.6; maestro m 0.4              | अध्यापक m 0.5; शिक्षक m 0.5
Known             | neighbor neighbors   | vecino m                                   | पड़ोसी m
Animal Pet        | cat cats             | gato m                                     | बिल्ली f
Animal Pet        | dog dogs             | perro m                                    | कुत्ता m
Animal            | bird birds           | pájaro m 0.7; ave f* 0.3                   | पक्षी m 0.5; चिड़िया f 0.5
Animal            | horse horses         | caballo m                                  | घोड़ा m
Animal            | cow cows             | vaca f                                     | गाय f
Paper             | book books           | libro m                                    | किताब f 0.6; पुस्तक f 0.4
Paper             | newspaper newspapers | periódico m 0.5; diario m 0.5              | अख़बार m 0.7; समाचारपत्र m 0.3
Text              | letter letters       | carta f                                    | चिट्ठी f 0.5; पत्र m 0.5
Text              | story stories        | cuento m 0.5; historia f 0.5               | कहानी f 0.7; कथा f 0.3
Text              | poem poems           | poema m 0.7; poesía f 0.3                  | कविता f
Food              | apple apples         | manzana f                                  | सेब m
Food              | orange oranges       | naranja f                                  | संतरा m 0.7; नारंगी f 0.3
Food              | banana bananas       | plátano m 0.6; banana f 0.4                | केला m
Food              | potato potatoes      | patata f 0.5; papa f 0.5                   | आलू m
Food              | egg eggs             | huevo m                                    | अंडा m
Food              | cake cakes           | pastel m 0.6; tarta f 0.4                  | केक m
Dish              | bread -              | pan m                                      | रोटी f 0.7; ब्रेड f 0.3
Dish              | cheese -             | queso m                                    | पनीर m
Dish              | soup -               | sopa f                                     | सूप m
Drink             | milk -               | leche f                                    | दूध m
Drink             | water -              | agua f*                                    | पानी m 0.8; जल m 0.2
Drink             | tea -                | té m                                       | चाय f
Drink             | coffee -             | café m                                     | कॉफ़ी f
Drink             | juice -              | zumo m 0.5; jugo m 0.5                     | रस m 0.5; जूस m 0.5
Clothing          | shirt shirts         | camisa f                                   | कमीज़ f 0.6; शर्ट f 0.4
Clothing          | hat hats             | sombrero m                                 | टोपी f
Clothing          | dress dresses        | vestido m                                  | पोशाक f 0.6; ड्रेस f 0.4
Clothing          | coat coats           | abrigo m                                   | कोट m
Thing Home        | house houses         | casa f                                     | घर m 0.6; मकान m 0.4
Thing             | car cars             | coche m 0.5; carro m 0.3; auto m 0.2       | गाड़ी f 0.6; कार f 0.4
Thing Surface     | table tables         | mesa f                                     | मेज़ f
Thing Surface     | chair chairs         | silla f                                    | कुर्सी f
Thing             | bicycle bicycles     | bicicleta f 0.6; bici f 0.4                | साइकिल f
Thing             | flower flowers       | flor f                                     | फूल m 0.8; पुष्प m 0.2
Thing             | picture pictures     | cuadro m 0.6; imagen f imágenes 0.4        | तस्वीर f 0.6; चित्र m 0.4
Thing             | computer computers   | ordenador m 0.5; computadora f 0.5         | कंप्यूटर m
Thing             | phone phones         | teléfono m 0.5; móvil m 0.3; celular m 0.2 | फ़ोन m
Room Outdoor      | garden -             | jardín m                                   | बगीचा m 0.6; बाग़ m 0.4
Room              | kitchen -            | cocina f                                   | रसोई f
Room Goal Outdoor | park -               | parque m                                   | पार्क m 0.8; उद्यान m 0.2
Room Goal         | library -            | biblioteca f                               | पुस्तकालय m
Room Goal Outdoor | market -             | mercado m                                  | बाज़ार m
Home Goal Outdoor | city -               | ciudad f                                   | शहर m 0.7; नगर m 0.3
Home Goal Outdoor | village -            | pueblo m 0.7; aldea f 0.3                  | गाँव m
"""

ADJECTIVES = """
ThingAdj AnimalAdj         | black       | negro                      | काला
ThingAdj AnimalAdj         | white       | blanco                     | सफ़ेद
ThingAdj                   | red         | rojo                       | लाल
ThingAdj                   | blue        | azul                       | नीला
ThingAdj                   | green       | verde                      | हरा
ThingAdj                   | yellow      | amarillo                   | पीला
ThingAdj AnimalAdj FoodAdj | big         | grande                     | बड़ा
ThingAdj AnimalAdj FoodAdj | small       | pequeño                    | छोटा
ThingAdj AnimalAdj         | pretty      | bonito 0.6; lindo 0.4      | सुंदर 0.6; ख़ूबसूरत 0.4
ThingAdj PaperAdj          | old         | viejo 0.6; antiguo 0.4     | पुराना
ThingAdj PaperAdj          | new         | nuevo                      | नया
ThingAdj FoodAdj           | cheap       | barato 0.6; económico 0.4  | सस्ता
ThingAdj FoodAdj           | expensive   | caro 0.7; costoso 0.3      | महँगा
PaperAdj TextAdj           | interesting | interesante                | दिलचस्प 0.5; रोचक 0.5
TextAdj                    | long        | largo                      | लंबा
HumanAdj                   | tall        | alto                       | लंबा
HumanAdj                   | young       | joven jóvenes              | जवान 0.5; युवा= 0.5
HumanAdj                   | clever      | inteligente 0.6; listo 0.4 | होशियार 0.5; बुद्धिमान 0.5
DrinkAdj                   | cold        | frío                       | ठंडा
"""

VERBS = """
Read   | read reads         | leer                    | पढ़
Write  | write writes       | escribir                | लिख
Eat    | eat eats           | comer                   | खा
Drinks | drink drinks       | beber 0.6; tomar 0.4    | पी
Wear   | wear wears         | llevar 0.6; usar 0.4    | पहन
Buy    | buy buys           | comprar                 | ख़रीद
Buy    | sell sells         | vender                  | बेच
Seek   | look_for looks_for | buscar                  | ढूँढ़ 0.6; खोज 0.4
Seek   | watch watches      | mirar 0.7; observar 0.3 | देख
Know   | know knows         | conocer                 | जान
Live   | live lives         | vivir 0.7; residir 0.3  | रह
Go     | go goes            | ir                      | जा
See    | see sees           | ver                     | -
Want   | want wants         | querer 0.7; desear 0.3  | -
Need   | need needs         | necesitar               | -
"""


@dataclass(frozen=True, eq=False, repr=False)
class Entry:
    """A lexical rule of the grammar: an English word and, per target language, its translations with probabilities.

    Where a language has no translations here, the clause rule supplies the words (Hindi says *see* as "appears to me").
    """

    source: Lexeme
    targets: dict[str, tuple[tuple[float, Lexeme], ...]]

    def __repr__(self) -> str:
        return f"Entry({self.source.lemma!r})"


def _alternatives(cell: str, build) -> tuple[tuple[float, Lexeme], ...]:
    """Reads "word … 0.6; word … 0.4"; a lone word has probability 1 and "-" means no translation."""
    if cell.strip() == "-":
        return ()
    found = []
    for item in cell.split(";"):
        *fields, last = item.split()
        probability = float(last) if last[0].isdigit() else 1.0
        found.append((probability, build(*fields) if last[0].isdigit() else build(*fields, last)))
    if abs(sum(p for p, _ in found) - 1) > 1e-9:
        raise ValueError(f"the probabilities of {cell.strip()!r} sum to {sum(p for p, _ in found)}, not 1")
    return tuple(found)


def _singular(noun: Lexeme) -> Lexeme:
    return noun._replace(forms={key: form for key, form in noun.forms.items() if key.startswith("sg")})


def _read(table: str, english, spanish, hindi) -> dict[str, list[Entry]]:
    classes: dict[str, list[Entry]] = {}
    for line in table.strip().splitlines():
        names, source, es, hi = (cell.strip() for cell in line.split("|"))
        targets = {"es": _alternatives(es, spanish), "hi": _alternatives(hi, hindi)}
        if source.endswith(" -"):  # a mass noun: no plural on either side
            targets = {lang: tuple((p, _singular(word)) for p, word in words) for lang, words in targets.items()}
        entry = Entry(english(*source.removesuffix(" -").split()), targets)
        for name in names.split():
            classes.setdefault(name, []).append(entry)
    return classes


def _english_noun(singular: str, plural: str | None = None) -> Lexeme:
    noun = english_noun(singular, plural or singular)
    return noun if plural else _singular(noun)


def _english_adjective(word: str) -> Lexeme:
    return Lexeme(word, "number", {"sg": word, "pl": word})


def _english_verb(base: str, third: str) -> Lexeme:
    return english_verb(base.replace("_", " "), third.replace("_", " "))


LEXICON: dict[str, list[Entry]] = {
    **_read(NOUNS, _english_noun, spanish_noun, hindi_noun),
    **_read(ADJECTIVES, _english_adjective, spanish_adjective, hindi_adjective),
    **_read(VERBS, _english_verb, spanish_verb, hindi_participle),
}

# Function words that agree: named in the templates of the grammar by the key given here.
FUNCTION_WORDS: dict[str, dict[str, Lexeme]] = {
    "en": {
        "be": english_verb("are", "is", p1sg="am"),
        "do": english_verb("do", "does"),
        "like": english_verb("like", "likes"),
    },
    "es": {
        "el": Lexeme("el", "article", {"m.sg": "el", "f.sg": "la", "m.pl": "los", "f.pl": "las"}),
        "un": Lexeme("un", "article", {"m.sg": "un", "f.sg": "una"}),
        "mi": Lexeme("mi", "number", {"sg": "mi", "pl": "mis"}),
        "le": Lexeme("le", "verb", {"1sg": "me", "2sg": "te", "3sg": "le", "1pl": "nos", "3pl": "les"}),
        "gustar": Lexeme("gustar", "number", {"sg": "gusta", "pl": "gustan"}),
        "agradar": Lexeme("agradar", "number", {"sg": "agrada", "pl": "agradan"}),
        **{infinitive: spanish_verb(infinitive) for infinitive in ("ser", "estar")},
    },
    "hi": {
        "मेरा": hindi_adjective("मेरा"),
        "अच्छा": hindi_adjective("अच्छा"),
        "है": Lexeme("होना", "verb", {"1sg": "हूँ", "3sg": "है", "1pl": "हैं", "3pl": "हैं"}),
        **{stem + "ना": hindi_participle(stem) for stem in ("लग", "दिख", "दे")},
    },
}
