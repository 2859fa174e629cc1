"""The little language: every word of it, its agreement, its alignments, and its exact probabilities."""

import hashlib
import math
import os
import random
import subprocess
import sys
import unicodedata
from collections import Counter
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_book.little_language import language as ll
from attention_book.little_language.choices import CONNECTIVES, fill
from attention_book.little_language.clauses import GRAMMAR
from attention_book.little_language.grammar import Grammar, Rule, outcomes, path_count, place, realise
from attention_book.little_language.lexicon import LEXICON
from attention_book.little_language.sentences import chooser
from attention_book.little_language.words import WordVocabulary, detokenize, tokenize

LANGUAGES = ("es", "hi")
SMALL = GRAMMAR.cut_down(1)

# Written by hand, not by the grammar: the translations that a speaker would accept.
SPANISH = """
I like cats. | Me gustan los gatos.
I like cats. | A mí me gustan los gatos.
I like cats. | Los gatos me gustan.
I do not like cats. | No me gustan los gatos.
Do you like cats? | ¿Te gustan los gatos?
Do you like cats? | ¿A ti te gustan los gatos?
The girl does not like the red house. | A la niña no le gusta la casa roja.
The girl does not like the red house. | No le gusta la casa roja a la chica.
The boys like the red cars. | A los niños les gustan los coches rojos.
We like water. | Nos gusta el agua.
He likes cold water. | A él le gusta el agua fría.
They like coffee. | A ellos les gusta el café.
Does Maria like old books? | ¿A María le gustan los libros viejos?
My sister likes white flowers. | A mi hermana le gustan las flores blancas.
Tom likes poems. | A Tom le agradan las poesías.
Tom likes poems. | A Tom le agradan los poemas.
I read a book. | Leo un libro.
You read a book. | Tú lees un libro.
We read two interesting books. | Leemos dos libros interesantes.
The woman reads the newspaper every day. | La mujer lee el periódico todos los días.
The woman reads the newspaper every day. | Todos los días la señora lee el diario.
The woman reads the newspaper every day. | La mujer lee a diario el periódico.
She always drinks tea. | Ella siempre bebe té.
She always drinks tea. | Ella toma siempre té.
Does the boy eat an apple? | ¿Come el niño una manzana?
Does the boy eat an apple? | ¿El chico come una manzana?
Do you eat eggs? | ¿Comes huevos?
The students do not write letters. | Los estudiantes no escriben cartas.
My brothers look for the white dog. | Mis hermanos buscan al perro blanco.
I look for the doctor. | Busco al médico.
She watches the birds in the garden. | Ella mira a las aves en el jardín.
She watches the bird. | Ella observa al ave.
I see a black bird. | Veo un ave negra.
I see a black bird. | Veo un pájaro negro.
I know the neighbor. | Conozco al vecino.
Irene wants an expensive computer. | Irene quiere un ordenador caro.
Irene wants an expensive computer. | Irene quiere una computadora cara.
Anita needs three chairs. | Anita necesita tres sillas.
I want pretty pictures. | Quiero imágenes bonitas.
Do you want juice? | ¿Quieres zumo?
Do they sell potatoes? | ¿Venden ellos papas?
The man wears a black hat. | El hombre lleva un sombrero negro.
The women are young. | Las mujeres son jóvenes.
The women are clever. | Las señoras son inteligentes.
The house is not old. | La casa no es antigua.
Are the flowers yellow? | ¿Son amarillas las flores?
I am not tall. | No soy alto.
The book is on the table. | El libro está en la mesa.
The books are on the chair. | Los libros están sobre la silla.
Is the cat in the kitchen? | ¿Está el gato en la cocina?
We are in the park. | Estamos en el parque.
Ravi goes to the market in the morning. | Ravi va al mercado por la mañana.
Ravi goes to the library at night. | De noche Ravi va a la biblioteca.
You live in the city. | Vives en la ciudad.
I like cats, and Irene reads books. | Me gustan los gatos e Irene lee libros.
I like cats, and Irene reads books. | Me gustan los gatos, e Irene lee libros.
I like cats, and you eat bread. | Me gustan los gatos y comes pan.
I like cats, but he does not like dogs. | Me gustan los gatos, pero a él no le gustan los perros.
Do you live in the village, and are you tall? | ¿Vives en el pueblo y eres alto?
I like cats. | Me gusta los gatos. | !
I like cats. | Me gustan gatos. | !
I like cats. | Gustan los gatos. | !
I like cats. | Me gustan los gatas. | !
The girl does not like the red house. | A la niña no gusta la casa roja. | !
The girl does not like the red house. | A la niña no le gusta la roja casa. | !
We like water. | Nos gusta la agua. | !
He likes cold water. | A él le gusta el agua frío. | !
I look for the doctor. | Busco el médico. | !
Ravi goes to the market in the morning. | Ravi va a el mercado por la mañana. | !
I like cats, and Irene reads books. | Me gustan los gatos y Irene lee libros. | !
I like cats, and you eat bread. | Me gustan los gatos e comes pan. | !
Do you like cats? | Te gustan los gatos? | !
"""

HINDI = """
I like cats. | मुझे बिल्लियाँ पसंद हैं।
I like cats. | मुझे बिल्लियाँ अच्छी लगती हैं।
I like cats. | बिल्लियाँ मुझे पसंद हैं।
I do not like cats. | मुझे बिल्लियाँ पसंद नहीं हैं।
I do not like cats. | मुझे बिल्लियाँ अच्छी नहीं लगतीं।
I do not like cats. | मुझको बिल्लियाँ अच्छी नहीं लगती हैं।
Do you like cats? | क्या आपको बिल्लियाँ पसंद हैं?
Do you like cats? | आपको बिल्लियाँ पसंद हैं क्या?
The girl does not like the red house. | लड़की को लाल घर पसंद नहीं है।
The boys like the red cars. | लड़कों को लाल गाड़ियाँ पसंद हैं।
The boys like the red cars. | लड़कों को लाल कारें अच्छी लगती हैं।
We like water. | हमें पानी पसंद है।
Ravi likes horses. | रवि को घोड़े अच्छे लगते हैं।
My friend likes small dogs. | मेरे दोस्त को छोटे कुत्ते पसंद हैं।
My sisters like tea. | मेरी बहनों को चाय पसंद है।
They like the big horse. | उन्हें बड़ा घोड़ा अच्छा लगता है।
I read a book. | मैं एक किताब पढ़ता हूँ।
I read a book. | मैं किताब पढ़ता हूँ।
You read a book. | आप एक पुस्तक पढ़ते हैं।
She reads two interesting books. | वह दो दिलचस्प किताबें पढ़ती है।
The woman reads the newspaper every day. | औरत रोज़ अख़बार पढ़ती है।
The women read the newspaper every day. | हर दिन महिलाएँ अख़बार पढ़ती हैं।
The girls do not read the newspaper. | लड़कियाँ अख़बार नहीं पढ़तीं।
The girls do not read the newspaper. | लड़कियाँ अख़बार नहीं पढ़ती हैं।
The boy does not eat apples. | लड़का सेब नहीं खाता।
Does the boy eat an apple? | क्या लड़का एक सेब खाता है?
She always drinks cold milk. | वह हमेशा ठंडा दूध पीती है।
Maria often writes letters. | मारिया अक्सर चिट्ठियाँ लिखती है।
Maria often writes letters. | मारिया अक्सर पत्र लिखती है।
My brothers look for the white dog. | मेरे भाई सफ़ेद कुत्ते को ढूँढ़ते हैं।
My brothers look for the small dogs. | मेरे भाई छोटे कुत्तों को खोजते हैं।
I know the neighbor. | मैं पड़ोसी को जानता हूँ।
She watches the birds in the garden. | वह बगीचे में चिड़ियों को देखती है।
I see a black bird. | मुझे एक काली चिड़िया दिखती है।
I see a black bird. | मुझे एक काला पक्षी दिखाई देता है।
We do not see the cows. | हमें गायें दिखाई नहीं देतीं।
Irene wants a new computer. | आइरीन को एक नया कंप्यूटर चाहिए।
I need cold water. | मुझे ठंडे पानी की ज़रूरत है।
I do not need the new chair. | मुझे नई कुर्सी की ज़रूरत नहीं है।
Anita needs three chairs. | अनीता को तीन कुर्सियाँ चाहिए।
Anita needs three new chairs. | अनीता को तीन नई कुर्सियों की ज़रूरत है।
They need two tables. | उन्हें दो मेज़ों की ज़रूरत है।
The man wears a black hat. | आदमी एक काली टोपी पहनता है।
Do you sell potatoes? | क्या आप आलू बेचते हैं?
The house is big. | घर बड़ा है।
The cats are black. | बिल्लियाँ काली हैं।
The house is not old. | मकान पुराना नहीं है।
Is the bicycle new? | क्या साइकिल नई है?
The newspapers are new. | अख़बार नए हैं।
We are tall. | हम लंबे हैं।
The book is on the table. | किताब मेज़ पर है।
The cats are not in the garden. | बिल्लियाँ बाग़ में नहीं हैं।
Ravi goes to the market in the morning. | रवि सुबह बाज़ार जाता है।
My sister lives in the village. | मेरी बहन गाँव में रहती है।
I live in the city. | मैं शहर में रहता हूँ।
The students write stories. | विद्यार्थी कहानियाँ लिखते हैं।
The girl eats a banana, and the boy drinks juice. | लड़की एक केला खाती है और लड़का जूस पीता है।
I like cats, but he does not like dogs. | मुझे बिल्लियाँ पसंद हैं, लेकिन उसे कुत्ते पसंद नहीं हैं।
I like cats. | मुझे बिल्लियाँ पसंद है। | !
I like cats. | मैं बिल्लियाँ पसंद हैं। | !
I like cats. | मुझे बिल्लियाँ अच्छे लगते हैं। | !
I like cats. | मुझे पसंद हैं बिल्लियाँ। | !
The boys like the red cars. | लड़के को लाल गाड़ियाँ पसंद हैं। | !
She reads two interesting books. | वह दो दिलचस्प किताबें पढ़ता है। | !
The girls do not read the newspaper. | लड़कियाँ अख़बार नहीं पढ़ती। | !
My brothers look for the white dog. | मेरे भाई सफ़ेद कुत्ता को ढूँढ़ते हैं। | !
I need cold water. | मुझे ठंडा पानी की ज़रूरत है। | !
The book is on the table. | किताब पर मेज़ है। | !
You read a book. | आप एक पुस्तक पढ़ता है। | !
"""

# Gender shows in the article: singular, plural ("-": no plural in the language).
SPANISH_NOUNS = """
el niño, los niños; el chico, los chicos; la niña, las niñas; la chica, las chicas; el hombre, los hombres;
el señor, los señores; la mujer, las mujeres; la señora, las señoras; el estudiante, los estudiantes;
el alumno, los alumnos; el hermano, los hermanos; la hermana, las hermanas; el amigo, los amigos;
el médico, los médicos; el doctor, los doctores; el profesor, los profesores; el maestro, los maestros;
el vecino, los vecinos; el gato, los gatos; el perro, los perros; el pájaro, los pájaros; el ave, las aves;
el caballo, los caballos; la vaca, las vacas; el libro, los libros; el periódico, los periódicos;
el diario, los diarios; la carta, las cartas; el cuento, los cuentos; la historia, las historias;
el poema, los poemas; la poesía, las poesías; la manzana, las manzanas; la naranja, las naranjas;
el plátano, los plátanos; la banana, las bananas; la patata, las patatas; la papa, las papas;
el huevo, los huevos; el pastel, los pasteles; la tarta, las tartas; el pan, -; el queso, -; la sopa, -;
la leche, -; el agua, -; el té, -; el café, -; el zumo, -; el jugo, -; la camisa, las camisas;
el sombrero, los sombreros; el vestido, los vestidos; el abrigo, los abrigos; la casa, las casas;
el coche, los coches; el carro, los carros; el auto, los autos; la mesa, las mesas; la silla, las sillas;
la bicicleta, las bicicletas; la bici, las bicis; la flor, las flores; el cuadro, los cuadros;
la imagen, las imágenes; el ordenador, los ordenadores; la computadora, las computadoras;
el teléfono, los teléfonos; el móvil, los móviles; el celular, los celulares; el jardín, -; la cocina, -;
el parque, -; la biblioteca, -; el mercado, -; la ciudad, -; el pueblo, -; la aldea, -
"""

# Gender, singular, plural, and the plural before a postposition; an oblique singular only where it differs.
HINDI_NOUNS = """
m लड़का लड़के लड़कों लड़के; m बालक बालक बालकों; f लड़की लड़कियाँ लड़कियों; f बालिका बालिकाएँ बालिकाओं;
m आदमी आदमी आदमियों; m पुरुष पुरुष पुरुषों; f औरत औरतें औरतों; f महिला महिलाएँ महिलाओं; m छात्र छात्र छात्रों;
m विद्यार्थी विद्यार्थी विद्यार्थियों; m भाई भाई भाइयों; f बहन बहनें बहनों; m दोस्त दोस्त दोस्तों;
m मित्र मित्र मित्रों; m डॉक्टर डॉक्टर डॉक्टरों; m चिकित्सक चिकित्सक चिकित्सकों; m अध्यापक अध्यापक अध्यापकों;
m शिक्षक शिक्षक शिक्षकों; m पड़ोसी पड़ोसी पड़ोसियों; f बिल्ली बिल्लियाँ बिल्लियों;
m कुत्ता कुत्ते कुत्तों कुत्ते; m पक्षी पक्षी पक्षियों; f चिड़िया चिड़ियाँ चिड़ियों; m घोड़ा घोड़े घोड़ों घोड़े;
f गाय गायें गायों; f किताब किताबें किताबों; f पुस्तक पुस्तकें पुस्तकों; m अख़बार अख़बार अख़बारों;
m समाचारपत्र समाचारपत्र समाचारपत्रों; f चिट्ठी चिट्ठियाँ चिट्ठियों; m पत्र पत्र पत्रों;
f कहानी कहानियाँ कहानियों; f कथा कथाएँ कथाओं; f कविता कविताएँ कविताओं; m सेब सेब सेबों;
m संतरा संतरे संतरों संतरे; f नारंगी नारंगियाँ नारंगियों; m केला केले केलों केले; m आलू आलू आलुओं;
m अंडा अंडे अंडों अंडे; m केक केक केकों; f रोटी - -; f ब्रेड - -; m पनीर - -; m सूप - -; m दूध - -; m पानी - -;
m जल - -; f चाय - -; f कॉफ़ी - -; m रस - -; m जूस - -; f कमीज़ कमीज़ें कमीज़ों; f शर्ट शर्टें शर्टों;
f टोपी टोपियाँ टोपियों; f पोशाक पोशाकें पोशाकों; f ड्रेस ड्रेसें ड्रेसों; m कोट कोट कोटों; m घर घर घरों;
m मकान मकान मकानों; f गाड़ी गाड़ियाँ गाड़ियों; f कार कारें कारों; f मेज़ मेज़ें मेज़ों;
f कुर्सी कुर्सियाँ कुर्सियों; f साइकिल साइकिलें साइकिलों; m फूल फूल फूलों; m पुष्प पुष्प पुष्पों;
f तस्वीर तस्वीरें तस्वीरों; m चित्र चित्र चित्रों; m कंप्यूटर कंप्यूटर कंप्यूटरों; m फ़ोन फ़ोन फ़ोनों;
m बगीचा - - बगीचे; m बाग़ - -; f रसोई - -; m पार्क - -; m उद्यान - -; m पुस्तकालय - -; m बाज़ार - -; m शहर - -;
m नगर - -; m गाँव - -
"""

# masculine and feminine singular, masculine and feminine plural
SPANISH_ADJECTIVES = """
negro negra negros negras; blanco blanca blancos blancas; rojo roja rojos rojas; azul azul azules azules;
verde verde verdes verdes; amarillo amarilla amarillos amarillas; grande grande grandes grandes;
pequeño pequeña pequeños pequeñas; bonito bonita bonitos bonitas; lindo linda lindos lindas;
viejo vieja viejos viejas; antiguo antigua antiguos antiguas; nuevo nueva nuevos nuevas;
barato barata baratos baratas; económico económica económicos económicas; caro cara caros caras;
costoso costosa costosos costosas; interesante interesante interesantes interesantes; largo larga largos largas;
alto alta altos altas; joven joven jóvenes jóvenes; inteligente inteligente inteligentes inteligentes;
listo lista listos listas; frío fría fríos frías
"""

# masculine direct, masculine oblique or plural, feminine (one word: it does not inflect)
HINDI_ADJECTIVES = """
काला काले काली; सफ़ेद; लाल; नीला नीले नीली; हरा हरे हरी; पीला पीले पीली; बड़ा बड़े बड़ी; छोटा छोटे छोटी; सुंदर;
ख़ूबसूरत; पुराना पुराने पुरानी; नया नए नई; सस्ता सस्ते सस्ती; महँगा महँगे महँगी; दिलचस्प; रोचक; लंबा लंबे लंबी;
जवान; युवा; होशियार; बुद्धिमान; ठंडा ठंडे ठंडी
"""

# yo, tú, él, nosotros, ellos
SPANISH_VERBS = """
leo lees lee leemos leen; escribo escribes escribe escribimos escriben; como comes come comemos comen;
bebo bebes bebe bebemos beben; tomo tomas toma tomamos toman; llevo llevas lleva llevamos llevan;
uso usas usa usamos usan; compro compras compra compramos compran; vendo vendes vende vendemos venden;
busco buscas busca buscamos buscan; miro miras mira miramos miran; observo observas observa observamos observan;
conozco conoces conoce conocemos conocen; vivo vives vive vivimos viven;
resido resides reside residimos residen; voy vas va vamos van; veo ves ve vemos ven;
quiero quieres quiere queremos quieren; deseo deseas desea deseamos desean;
necesito necesitas necesita necesitamos necesitan
"""


def rows(table: str, separator: str) -> list[list[str]]:
    """The non-empty rows of a table, each split into its cells, in NFC."""
    table = unicodedata.normalize("NFC", " ".join(table.split("\n")) if separator == " " else table)
    lines = table.split(";") if separator == " " else table.strip().splitlines()
    return [[cell.strip() for cell in line.strip().split(separator) if cell.strip()] for line in lines if line.strip()]


def lexemes(language: str, kind: str, verbs: bool = False):
    """Every target lexeme of a kind, once."""
    verb_classes = {name for name, entries in LEXICON.items() if entries[0].source.kind == "verb"}
    return {
        lexeme.lemma: lexeme
        for name, entries in LEXICON.items()
        if (name in verb_classes) == verbs
        for entry in entries
        for _, lexeme in entry.targets[language]
        if lexeme.kind == kind
    }


# Words ----------------------------------------------------------------------------------------------------------------
def test_spanish_nouns_have_their_gender_and_plural():
    article = {"m": "el", "f": "la"}
    expected = {}
    for cell in " ".join(SPANISH_NOUNS.split()).split(";"):
        singular, plural = (part.strip() for part in cell.split(","))
        expected[singular.split()[1]] = (singular, plural)
    found = {}
    for lemma, noun in lexemes("es", "noun").items():
        plural = f"{'los' if noun.gender == 'm' else 'las'} {noun.forms['pl']}" if "pl" in noun.forms else "-"
        found[lemma] = (f"{article[noun.article]} {lemma}", plural)
    assert found == expected
    assert {lemma for lemma, noun in lexemes("es", "noun").items() if noun.article != noun.gender} == {"agua", "ave"}


def test_hindi_nouns_have_their_gender_and_cases():
    expected = {}
    for gender, word, plural, oblique_plural, *oblique in rows(HINDI_NOUNS, " "):
        expected[word] = (gender, oblique[0] if oblique else word, plural, oblique_plural)
    found = {
        lemma: (noun.gender, noun.forms["sg.obl"], noun.forms.get("pl", "-"), noun.forms.get("pl.obl", "-"))
        for lemma, noun in lexemes("hi", "noun").items()
    }
    assert found == expected


def test_adjectives_and_verbs_inflect():
    spanish = {row[0]: row for row in rows(SPANISH_ADJECTIVES, " ")}
    assert {
        lemma: [word.forms[key] for key in ("m.sg", "f.sg", "m.pl", "f.pl")]
        for lemma, word in lexemes("es", "adjective").items()
    } == spanish
    hindi = {row[0]: row if len(row) == 3 else row * 3 for row in rows(HINDI_ADJECTIVES, " ")}
    found = lexemes("hi", "adjective")
    assert {lemma: [w.forms["m.sg"], w.forms["m.pl"], w.forms["f.sg"]] for lemma, w in found.items()} == hindi
    assert all(word.forms.get("m.sg.obl", word.lemma) == word.forms["m.pl"] for word in found.values())
    assert all(word.forms["f.pl"] == word.forms["f.sg"] for word in found.values())
    verbs = [list(verb.forms.values()) for verb in lexemes("es", "verb", verbs=True).values()]
    assert sorted(verbs) == sorted(rows(SPANISH_VERBS, " "))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_is_nfc_and_in_the_script_of_its_language(language):
    vocabulary = ll.word_vocabulary(language)
    words = vocabulary.tokens(range(4, len(vocabulary)))
    assert all(unicodedata.is_normalized("NFC", word) for word in words)
    scripts = Counter(unicodedata.name(letter).split()[0] for word in words for letter in word if letter.isalpha())
    assert set(scripts) == ({"LATIN", "DEVANAGARI"} if language == "hi" else {"LATIN"})
    assert not any(len({unicodedata.name(c).split()[0] for c in word if c.isalpha()}) > 1 for word in words)


@pytest.mark.parametrize("language", LANGUAGES)
def test_at_least_sixty_words_a_side_and_none_outside_the_vocabulary(language):
    pairs = ll.sample(1500, seed=3, target=language)
    vocabulary = ll.word_vocabulary(language)
    sides = [{word for pair in pairs for word in pair.source_words}, {w for pair in pairs for w in pair.target_words}]
    assert min(map(len, sides)) >= 60
    for pair in pairs:
        for text in (pair.source, pair.target):
            ids = vocabulary.encode(text)
            assert vocabulary.unk_id not in ids and vocabulary.decode(ids) == text
    seen = {token for pair in pairs for text in (pair.source, pair.target) for token in vocabulary.encode(text)}
    assert len(seen) > 0.9 * (len(vocabulary) - 4)  # few forms that the sample never needs


# Sentences ------------------------------------------------------------------------------------------------------------
SENTENCES = [("es", *row) for row in rows(SPANISH, "|")] + [("hi", *row) for row in rows(HINDI, "|")]


@pytest.mark.parametrize("row", SENTENCES, ids=lambda row: row[2])
def test_hand_written_translations(row):
    language, source, target, *wrong = row
    assert math.isinf(ll.log_prob(source, target, language)) == bool(wrong)
    if not wrong:
        pair = ll.pair_for(source, language, target)
        assert (pair.source, pair.target) == (source, target)
        assert (target, pytest.approx(math.exp(ll.log_prob(pair)))) in ll.translations(source, language)


@pytest.mark.parametrize(
    "source",
    ["I eat a house.", "Tom reads an apple.", "The horse drinks tea.", "She wears a chair.", "We live in the hat."],
)
def test_meanings_keep_apart(source):
    with pytest.raises(ValueError, match="not a statement of the little language"):
        ll.pair_for(source)


ALIGNMENTS = """
es | I like cats. | Me gustan los gatos. | I-Me like-gustan cats-los cats-gatos .-.
es | I like cats. | A mí me gustan los gatos. | I-A I-mí I-me like-gustan cats-los cats-gatos .-.
es | Do you like cats? | ¿Te gustan los gatos? | ?-¿ you-Te Do-gustan like-gustan cats-los cats-gatos ?-?
es | You eat small apples. | Comes manzanas pequeñas. | You-Comes eat-Comes small-pequeñas apples-manzanas .-.
es | I look for the doctor. | Busco al médico. | I-Busco look-Busco for-Busco the-al doctor-al doctor-médico .-.
es | I like tea, but you go to the park. | Me gusta el té, pero vas al parque. | I-Me like-gusta tea-el tea-té ,-, \
but-pero you-vas go-vas to-al the-al park-parque .-.
hi | I like cats. | मुझे बिल्लियाँ पसंद हैं। | I-मुझे like-पसंद like-हैं cats-बिल्लियाँ .-।
hi | The girl does not read a book. | लड़की किताब नहीं पढ़ती। | The-लड़की girl-लड़की does-पढ़ती not-नहीं read-पढ़ती \
a-किताब book-किताब .-।
hi | Do you like cats? | क्या आपको बिल्लियाँ पसंद हैं? | Do-क्या you-आपको like-पसंद like-हैं cats-बिल्लियाँ ?-?
hi | The book is on the table. | किताब मेज़ पर है। | The-किताब book-किताब is-है on-पर the-मेज़ table-मेज़ .-।
hi | The girl drinks tea, and I eat bread. | लड़की चाय पीती है और मैं रोटी खाता हूँ। | The-लड़की girl-लड़की drinks-पीती \
drinks-है tea-चाय ,-और and-और I-मैं eat-खाता eat-हूँ bread-रोटी .-।
"""


@pytest.mark.parametrize("row", rows(ALIGNMENTS, "|"), ids=lambda row: row[2])
def test_hand_written_alignments(row):
    language, source, target, links = row
    pair = ll.pair_for(source, language, target)
    words = sorted(f"{pair.source_words[i]}-{pair.target_words[j]}" for i, j in pair.alignment)
    assert words == sorted(links.split())


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**9), language=st.sampled_from(LANGUAGES), clauses=st.integers(1, 6))
def test_alignment_covers_both_sides_and_tokens_match_the_text(seed, language, clauses):
    for pair in ll.sample(3, seed, language, clauses=clauses):
        assert {i for i, _ in pair.alignment} == set(range(len(pair.source_words)))
        assert {j for _, j in pair.alignment} == set(range(len(pair.target_words)))
        assert pair.source_words == tuple(tokenize(pair.source)) and pair.source == detokenize(pair.source_words)
        assert pair.target_words == tuple(tokenize(pair.target)) and pair.target == detokenize(pair.target_words)
        assert sum(word in CONNECTIVES["en"]["Statement"] for word in pair.source_words) == clauses - 1
        assert pair.source[0].isupper() and (language == "hi" or pair.target.lstrip("¿")[0].isupper())
        assert pair == ll.pair_for(pair.source, language, pair.target)


# Derivations and probabilities ----------------------------------------------------------------------------------------
def test_no_source_of_the_cut_down_grammar_has_two_derivations():
    for mood in ("Statement", "Question"):
        sources = Counter(place(node).words for node in SMALL.derivations(mood))
        assert len(sources) == SMALL.count(mood) > 1000
        assert max(sources.values()) == 1
        for words in islice(sources, 0, None, 97):
            assert len(GRAMMAR.parse(words, mood)) == 1


def test_sources_of_the_whole_grammar_parse_in_one_way():
    choose = chooser(random.Random(4))
    for mood in ("Statement", "Question"):
        for _ in range(100):
            node = GRAMMAR.draw(mood, choose)
            assert GRAMMAR.parse(place(node).words, mood) == [node]


def test_parser_finds_every_derivation_of_an_ambiguous_grammar():
    word = Rule("ape", {}, "ape", {"es": {"mono": 1.0}})
    twice = Grammar(
        {"S": [(1.0, Rule("X", {"X": "N"}, "X", {"es": {"X": 1.0}})) for _ in range(2)], "N": [(1.0, word)]}
    )
    assert len(twice.parse(["ape"], "S")) == 2 == twice.count("S")


def enumerated(node, language):
    placed = place(node)
    return list(outcomes(lambda choose: tuple(text for text, _ in realise(placed, language, choose).words)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_choices_show_in_the_target_and_its_entropy_is_exact(language):
    choose = chooser(random.Random(5))
    nodes = [node for mood in ("Statement", "Question") for node in islice(SMALL.derivations(mood), 0, None, 61)]
    nodes += [GRAMMAR.draw(mood, choose) for mood in ("Statement", "Question") for _ in range(60)]
    for node in nodes:
        found = enumerated(node, language)
        probabilities: dict[tuple[str, ...], float] = {}
        for probability, _, words in found:
            probabilities[words] = probabilities.get(words, 0.0) + probability
        assert len(probabilities) == len(found) == path_count(node, language)  # no two ways give one string
        assert math.fsum(probabilities.values()) == pytest.approx(1, abs=1e-12)
        entropy = -math.fsum(p * math.log(p) for p in probabilities.values())
        assert ll.grammar.conditional_entropy(node, language) == pytest.approx(entropy, abs=1e-9)


@pytest.mark.parametrize("language", LANGUAGES)
def test_entropy_and_log_probability_of_whole_sentences_match_their_translations(language):
    for source in (
        "I like cats.",
        "Do you want a picture?",
        "We like tea, and the girl eats bread.",
        "I see a cow, but Irene is tall.",
    ):
        found = ll.translations(source, language)
        assert len({text for text, _ in found}) == len(found) > 1
        assert math.fsum(p for _, p in found) == pytest.approx(1)
        assert found == sorted(found, key=lambda pair: (-pair[1], pair[0]))
        entropy = -math.fsum(p * math.log(p) for _, p in found)
        assert ll.conditional_entropy(source, language) == pytest.approx(entropy)
        for text, p in found[:: max(1, len(found) // 20)]:
            assert ll.log_prob(source, text, language) == pytest.approx(math.log(p))
        assert ll.pair_for(source, language).target == found[0][0]


def test_entropy_of_a_conjunction_is_the_sum_of_its_parts():
    clauses = ["I like cats", "the girl reads a book", "they are tall"]
    for language, joint in (
        ("es", {"and": (0.6, 0.4), "but": (1.0,)}),
        ("hi", {"and": (0.75, 0.25), "but": (0.6, 0.2, 0.2)}),
    ):
        whole = ll.conditional_entropy("I like cats, and the girl reads a book, but they are tall.", language)
        parts = sum(ll.conditional_entropy(clause[0].upper() + clause[1:] + ".", language) for clause in clauses)
        joints = -sum(p * math.log(p) for shares in joint.values() for p in shares)
        assert whole == pytest.approx(parts + joints)


@pytest.mark.parametrize("language", LANGUAGES)
def test_sample_follows_the_stated_probabilities(language):
    pairs = ll.sample(300, seed=11, target=language)
    surprise = [-ll.log_prob(pair) - ll.conditional_entropy(pair) for pair in pairs]
    mean = sum(surprise) / len(surprise)
    error = math.sqrt(sum((x - mean) ** 2 for x in surprise) / len(surprise) ** 2)
    assert 0 < error < 0.1
    assert abs(mean) < 4 * error  # E[−ln p(Y|x)] = H(Y|x)


@pytest.mark.parametrize("language", LANGUAGES)
def test_between_a_fifth_and_two_fifths_of_a_nat_a_token(language):
    mean = ll.mean_entropy(ll.sample(1000, seed=12, target=language))
    assert 0.2 < mean.per_token < 0.4
    assert mean.per_token * mean.tokens == pytest.approx(mean.per_sentence * mean.sentences)
    assert 0 < mean.error < 0.15
    choices = ll.free_choices(language)
    assert len(choices) > 10 and all(sum(options.values()) == pytest.approx(1) for options in choices.values())


def test_long_sentences():
    pair = ll.sample(1, seed=1, target="hi", clauses=40)[0]
    assert len(pair.source_words) > 200
    assert ll.log_prob(pair) < -20
    assert ll.conditional_entropy(pair) == pytest.approx(ll.conditional_entropy(pair.source, "hi"))
    with pytest.raises(ValueError, match="more than limit=10000"):
        ll.translations(pair.source, "hi")


def test_number_of_sources_is_the_number_of_derivations():
    assert ll.count_sources() == GRAMMAR.count("Statement") + GRAMMAR.count("Question") > 10**6
    assert ll.count_sources(2) == 2 * GRAMMAR.count("Statement") ** 2 + GRAMMAR.count("Question") ** 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_connectives_stand_only_between_clauses(language):
    joints = {word for options in CONNECTIVES[language].values() for text in options for word in text.split()} | {"e"}
    english = {word for options in CONNECTIVES["en"].values() for word in options} | {","}
    for pair in ll.sample(600, seed=8, target=language, clauses=1):
        assert not english & set(pair.source_words) and not joints & set(pair.target_words)


# Drawing --------------------------------------------------------------------------------------------------------------
def test_seed_decides_everything():
    pairs = ll.sample(20, seed=1)
    assert pairs == ll.sample(20, seed=1) and pairs[:5] == ll.sample(5, seed=1)
    assert pairs != ll.sample(20, seed=2)
    assert [pair.source for pair in pairs] == [pair.source for pair in ll.sample(20, seed=1, target="hi")]


def test_sample_does_not_depend_on_the_hash_seed():
    code = (
        "import hashlib, sys; from attention_book.little_language.language import sample, word_vocabulary; "
        "text = repr([(p.source, p.target, sorted(p.alignment)) for p in sample(200, 7, 'hi')]); "
        "print(hashlib.sha256(text.encode()).hexdigest(), word_vocabulary('es').digest, 'torch' in sys.modules)"
    )
    path = os.pathsep.join([os.path.dirname(os.path.dirname(ll.__file__)), os.environ.get("PYTHONPATH", "")])
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2026")
    }
    text = repr([(p.source, p.target, sorted(p.alignment)) for p in ll.sample(200, 7, "hi")])
    assert outputs == {f"{hashlib.sha256(text.encode()).hexdigest()} {ll.word_vocabulary('es').digest} False\n"}


def test_number_of_clauses_follows_the_distribution():
    def clauses(pair):
        return 1 + sum(word in ("and", "but") for word in pair.source_words)

    assert {clauses(pair) for pair in ll.sample(30, seed=0, clauses=4)} == {4}
    counts = Counter(clauses(pair) for pair in ll.sample(1000, seed=0, clauses={2: 0.75, 5: 0.25}))
    assert set(counts) == {2, 5} and abs(counts[2] - 750) < 60


def test_excluded_sentences_are_not_drawn():
    known = {pair.source for pair in ll.sample(300, seed=1, clauses=1)}
    assert known & {pair.source for pair in ll.sample(300, seed=1, clauses=1)}
    fresh = ll.sample(300, seed=1, clauses=1, exclude=known)
    assert len(fresh) == 300 and not known & {pair.source for pair in fresh}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ll.sample(1, 0, target="fr"), "'es' and 'hi'"),
        (lambda: ll.sample(1, 0, clauses=0), "from 1 on"),
        (lambda: ll.sample(1, 0, clauses={}), "from 1 on"),
        (lambda: ll.sample(-1, 0), "0 pairs or more"),
        (lambda: ll.pair_for("I like fish."), "'I like fish' is not a statement"),
        (lambda: ll.pair_for("I likes cats."), "'I likes cats' is not a statement"),
        (lambda: ll.pair_for("The boy eats a apple."), "is not a statement"),
        (lambda: ll.pair_for("Do you like cats."), "is not a statement"),
        (lambda: ll.pair_for("I like cats"), "does not end with"),
        (lambda: ll.pair_for(""), "does not end with"),
        (lambda: ll.pair_for("."), "'' is not a statement"),
        (lambda: ll.pair_for("I like cats and I like dogs."), "write a comma before 'and'"),
        (lambda: ll.pair_for("I  like cats ."), "is spelled 'I like cats.'"),
        (lambda: ll.pair_for("the cat is black."), "is spelled 'The cat is black.'"),
        (lambda: ll.pair_for("I like cats.", "es", "Me gusta la sopa."), "not a translation"),
        (lambda: ll.conditional_entropy("I like cats."), "needs the target language"),
        (lambda: ll.log_prob("I like cats.", "Me gustan los gatos."), "target language"),
        (lambda: ll.mean_entropy([]), "at least one pair"),
        (lambda: ll.count_sources(0), "at least one clause"),
        (lambda: fill("{x}", x={"a": 0.5, "a ": 0.5}), "two choices"),
        (lambda: Rule("a", {}, "a", {"es": {"b": 0.5}}), "sum to 0.5, not 1"),
    ],
)
def test_wrong_input_is_refused_with_the_reason(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# Words and marks ------------------------------------------------------------------------------------------------------
def test_tokenize_separates_marks():
    assert tokenize("¿Te gustan los gatos?") == ["¿", "Te", "gustan", "los", "gatos", "?"]
    assert tokenize("Sí, pero no.") == ["Sí", ",", "pero", "no", "."]
    assert tokenize("मुझे बिल्लियाँ पसंद हैं।") == ["मुझे", "बिल्लियाँ", "पसंद", "हैं", "।"]
    assert tokenize("  ") == []


def test_word_vocabulary_has_the_interface_of_subwords(tmp_path):
    vocabulary = WordVocabulary(["I", "like", "cats", "the", "Tom", ".", "¿", "?", "té"])
    assert (vocabulary.pad_id, vocabulary.bos_id, vocabulary.eos_id, vocabulary.unk_id) == (0, 1, 2, 3)
    assert len(vocabulary) == 13 and vocabulary.tokens([0, 1, 2, 3]) == ["<pad>", "<s>", "</s>", "<unk>"]
    for text in ("I like cats.", "The cats like Tom.", "¿Té?", ""):
        assert vocabulary.decode(vocabulary.encode(text)) == text
    assert vocabulary.decode([1, *vocabulary.encode("I like té."), 2, 0]) == "I like té."
    assert vocabulary.encode("dogs </s> <pad>") == [3, 3, 3]
    assert "Tom" in vocabulary and "tom" not in vocabulary
    assert vocabulary.encode_batch(["I like cats."]) == [vocabulary.encode("I like cats.")]
    vocabulary.save(tmp_path / "words.json")
    loaded = WordVocabulary.load(tmp_path / "words.json")
    assert loaded.digest == vocabulary.digest and loaded.encode("I like Tom.") == vocabulary.encode("I like Tom.")
    assert WordVocabulary(["a"]).digest != WordVocabulary(["b"]).digest
    with pytest.raises(ValueError, match="outside the vocabulary of 13"):
        vocabulary.decode([13])
    with pytest.raises(ValueError, match="not words"):
        WordVocabulary(["two words"])
    with pytest.raises(ValueError, match="not words"):
        WordVocabulary(["</s>"])


def test_training_a_vocabulary_keeps_the_frequent_words():
    texts = ["The cat likes Tom.", "Tom likes the cat.", "A dog."]
    vocabulary = WordVocabulary.train(texts)
    assert all(word in vocabulary for word in ("the", "Tom", "cat", "likes", "A", "dog", "."))
    assert "The" not in vocabulary
    assert [vocabulary.decode(vocabulary.encode(text)) for text in texts] == texts
    small = WordVocabulary.train(texts, vocab_size=7)
    assert len(small) == 7 and small.encode("dog") == [small.unk_id]
