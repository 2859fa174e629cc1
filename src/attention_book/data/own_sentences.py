"""Two hundred English sentences of our own, of five kinds that the training pairs hardly have.

The corpus is made of short, plain sentences, many of them about a certain Tom. These sentences leave its style, forty
in each of five ways. No translator of the book has been trained on them, and none is chosen by them: they are there to
count how it fails. A line that begins with a space goes on with the sentence before it. All names that stand inside a
sentence are spelt alike in Spanish.
"""

from typing import NamedTuple

LONG, QUESTION, RARE, NAME, HEADLINE = "long", "question", "rare", "name", "headline"
KINDS = {
    LONG: "25 words and more",
    QUESTION: "questions of several clauses",
    RARE: "rare words",
    NAME: "names and numbers",
    HEADLINE: "headlines and fragments",
}
"""Each kind and what is meant by it."""

_TEXTS = {
    LONG: """
When the last guests had gone home and the dishes were washed, my grandmother sat down by the window and told us
 how she had met my grandfather.
The teacher who lives across the street from the bakery says that her students read more books in the winter than
 they do during the rest of the year.
Because the bridge was closed after the storm, we had to drive around the whole lake and did not arrive at the hotel
 until the kitchen was already closed.
I would have called you earlier if I had known that you were waiting, but my phone was in the car and the car was at
 the garage.
The boy carried the heavy basket up the hill, put it down in front of the old wooden gate, and waited there until his
 uncle came out of the house.
She wanted to study music in another city, but her parents, who had never left their village, asked her to stay for
 one more year and help with the farm.
If the weather stays as dry as it has been for the last three weeks, the farmers in the valley will have to sell some
 of their cows before autumn.
My neighbor, whose dog barks every time somebody walks past the garden, has finally agreed to build a fence between
 our two houses as soon as he finds the time.
We took the early train because it was cheaper, but it stopped in every small town on the way, and in the end we were
 later than everybody else.
The doctor explained that the medicine would make me sleepy, that I should not drive a car, and that I had to come
 back if the pain did not go away.
Although he had read the instructions twice, he could not put the shelf together, so he asked his daughter, who did it
 in less than ten minutes without reading anything.
On the first day of school the children were so quiet that you could hear the clock on the wall, but by the end of the
 week nobody could hear it.
The company that my sister works for has decided to move its office to the other side of the river, where the rent is
 lower and there is a park nearby.
He opened the letter slowly, read it from beginning to end, put it back into the envelope, and then went out for a walk
 without saying a word to anyone.
There was a time when people in this street knew all of their neighbors by name and left their doors open during the
 day, even when they were not at home.
The soup tasted much better than it looked, which surprised all of us, because the cook had told us that he had never
 made it before in his life.
What I like about this small town is that you can walk to the sea in the morning, to the market at noon, and to the
 mountains in the afternoon.
After the meeting the director thanked everybody for their patience, promised to answer the remaining questions by
 email, and left the room before anybody could ask him about the money.
My brother, who is afraid of flying, traveled to the wedding by bus, by boat and by train, and he was the only guest
 who arrived with all of his luggage.
They planted a tree in front of the library the year their son was born, and now the tree is taller than the building
 and the son works inside it.
The woman at the ticket office told us that there were no seats left for the evening show, but that we could stand at
 the back of the theater for half the price.
It rained so hard during the night that the water came in under the door, and in the morning our shoes were floating
 in the hall like little boats.
I have always believed that children learn more from what their parents do than from what they say, and the older I
 get, the more examples of this I see.
Before you paint the wall you should clean it with warm water, wait until it is completely dry, and cover the floor
 with old newspapers so that it does not get dirty.
The museum, which was built with money from a rich family that made its fortune selling shoes, shows paintings by
 artists who never had enough money to buy a pair.
She had promised herself that she would not check her messages during the holiday, but on the second evening she was
 already sitting on the balcony with her phone in her hand.
The old man who repairs bicycles at the corner charges so little that some of his customers secretly leave a few coins
 under the saddle when they come to pick them up.
We could not decide whether to spend the money on a new roof or on a trip around the world, so we fixed the roof
 ourselves and went camping.
The city has put a bench next to every bus stop in our district, so older people no longer have to stand while they
 wait for a bus that is late.
When I asked the clerk why the form had to be signed three times, he looked at me for a while and said that nobody had
 ever asked him that before.
The fire started in the kitchen of a restaurant on the ground floor, but nobody was hurt because a cat woke up the
 whole house before the smoke reached the stairs.
He says that he does not miss the noise of the city at all, but whenever he visits us he opens the window at night and
 listens to the traffic.
Our team lost the first two games because we were not used to the heat, won the third one by luck, and then nobody was
 able to stop us anymore.
The book that you lent me last month is so exciting that I read it on the bus, in the bathroom, and once even under
 the table during a meeting.
It is hard to explain to somebody who has never seen the ocean how it can look blue from far away and have no color at
 all in your hands.
My aunt keeps every letter that she has ever received in a wooden box under her bed, and on rainy Sundays she reads
 them again in the order in which they came.
The bread has to rest for an hour under a wet cloth, and only after it has become twice as big may you put it into the
 hot oven.
As soon as the snow melts, the people of the village take their chairs outside, drink coffee in the sun, and talk about
 everything that happened during the long winter.
The mechanic looked under the hood, shook his head, wiped his hands on his trousers, and told us that it would be
 cheaper to buy another car than to repair this one.
If I were you, I would write down everything that you can still remember about the accident, because in a few weeks
 you will no longer be sure what you saw.
""",
    QUESTION: """
Do you know whether the shop that sells those blue lamps is open on Sundays?
Why did you tell them that I was sick when you knew that I was at the beach?
What would you do if you found a bag full of money and nobody was looking?
Have you ever asked yourself why the people who talk the most listen the least?
Could you tell me where the office is and whether I need an appointment?
Who was the woman that you were talking to when I came out of the theater?
If the train leaves at noon, why are we still sitting here drinking coffee?
Is it true that you sold the house before you had found a new one?
How do you expect me to finish the report if you keep changing the numbers?
When you were a child, what did you want to be when you grew up?
Would you mind closing the window if it gets too cold in here?
Did the doctor say how long you have to stay in bed and what you may eat?
Where did you put the keys that I gave you before we left the hotel?
Which of the two apartments would you take if the rent were the same?
Why is it that the bus is late whenever I am in a hurry?
What makes you think that he will come back after all that has happened?
How can you be so sure that it was my dog that ate your dinner?
Do you remember what the old man said when we asked him for the way?
Shall we wait until the rain stops, or do you want to run to the car?
Can you explain to me why this button is red and that one is green?
Has anybody seen the person who left this umbrella in the waiting room?
If you do not like the soup, why did you ask for more?
Is there anything I should know before I talk to the boss about my holidays?
What time do we have to get up if we want to see the sun rise?
Why would anyone buy a car that uses so much gas when there is a good train?
Did you notice that the picture that used to hang over the piano is gone?
How much would it cost if we stayed one more night and left on Monday?
Who told you that we were getting married, and what else did they say?
Do you think they will let us in if we arrive after the show has started?
Where would you like to live if you could choose any place in the world?
Have you decided what you are going to say when they ask you about your last job?
Why do you always answer a question with another question when I want to know something?
Would it be possible to move the meeting, or is it too late to change it?
What happens to the food that nobody has eaten by the end of the day?
Should I call the police, or do you think that the noise will stop by itself?
If nobody lives in that house, who turns on the light every evening?
How long has it been since we last sat together and talked like this?
Do you want me to tell her the truth, or shall we wait until she asks?
Are you the one who wrote that nobody needs to know how to cook anymore?
What did they do with the letters that they found when they cleaned the attic?
""",
    RARE: """
The blacksmith hammered the horseshoe on his anvil.
A heron stood motionless among the reeds.
The plumber replaced the rusty faucet and the leaking gasket.
She embroidered a peacock on the pillowcase.
The beekeeper put on his veil before opening the hive.
We picked gooseberries and rhubarb behind the barn.
The mason mixed mortar in a wheelbarrow.
His stammer disappeared whenever he recited poetry.
The squirrel buried an acorn under the moss.
They anchored the raft near the estuary.
The tailor pinned the hem and measured the sleeve.
A swarm of locusts devoured the barley.
The surgeon removed a splinter from her thumb with tweezers.
My uncle carves chess pieces out of walnut.
The lighthouse keeper polished the brass lens.
The puppet's strings were tangled in the curtain.
The glacier shrank by a third within a decade.
She sprinkled cinnamon and grated nutmeg over the porridge.
The hikers crossed the gorge on a swaying footbridge.
The notary stamped the deed and blotted the ink.
An otter was cracking mussels on its belly.
The potter glazed the jug and put it into the kiln.
The choir rehearsed the hymn in the crypt.
A badger had dug its burrow beneath the hedge.
The treasurer embezzled the funds of the rowing club.
The baker kneaded the dough until it was elastic.
The drought turned the meadow into stubble.
He fastened the tarpaulin with a frayed rope.
The toddler smeared jam on the upholstery.
The sculptor chiseled a wolf out of granite.
The eclipse lasted only a few minutes at our latitude.
Fireflies flickered above the ditch.
The auctioneer banged his gavel and mumbled a price.
The tide stranded a jellyfish on the pebbles.
The chimney sweep found a stork's nest in the flue.
A ladle, a sieve and a corkscrew hung above the stove.
The shepherd sheared the lambs before the thaw.
The accordion wheezed and the dancers stamped their clogs.
The archivist unrolled a brittle parchment.
The diver untangled the net from the propeller.
""",
    NAME: """
We will meet Anna and Gustav at gate 27.
In 1874 the family of Ines Calloway moved to Oslo.
The bus number 418 goes from Lima to Cusco.
My cousin Henrik weighs 83 kilograms.
The next train to Toledo leaves from platform 14.
They paid 2350 dollars for the piano of Mrs. Okafor.
The village of Corinaldo has 716 inhabitants.
Please send the parcel to Birgit Lindqvist in room 309.
The mountain is 4127 meters high, and Rosa climbed it in 1968.
We flew from Nairobi to Dakar on flight 562.
Dr. Yamamoto has treated 145 patients since Monday.
The painting by Elsa Montag was sold for 98000 euros.
Professor Adeyemi was born in Lagos on 23 May 1951.
His address is 64 Via Garibaldi, and his dog is called Bruno.
In chapter 17, Miriam finds the letter that Oskar wrote.
The recipe needs 250 grams of butter and 36 cherries.
Our neighbor Pavel ran 42 kilometers in Verona.
The bill came to 57 euros, and Leonie left 60 on the table.
The population of Zagora grew from 1300 to 1900 in two years.
The museum in Granada is closed until 15 January.
Nadia and Felix have invited 85 guests.
We drove 640 kilometers from Austin to visit Walter.
On page 93 there is a photograph of Marta Kowalska.
The ferry Aurora carries 220 cars and 1500 passengers.
Their telephone number ends with 7741.
The river Orinoco is more than 2100 kilometers long.
Caroline is 34, and her brother Quentin is 29.
In 2019 only 48 ships passed through the port of Varna.
The engineer Tobias Reyes designed 16 bridges in Chile.
I bought 75 stamps for the collection of Ludmila.
Room 512 has been booked for Mr. and Mrs. Haddad.
The film with Greta Solberg lasts 138 minutes.
We have known Ximena since 2006.
The village school in Kanpur has 390 pupils and 13 teachers.
The lawyer Sandra Whitlock won 31 of her 44 cases.
It was 38 degrees in Sevilla when Ingrid arrived.
The library bought 825 books from the widow of Ernst Vogel.
The team from Montevideo won by 88 to 79.
In 1742 the sailor Jonas Brandt reached Bergen.
Nina needs 19 more signatures before 30 June.
""",
    HEADLINE: """
Mayor promises new hospital by spring
Thousands without power after storm
Bread prices up again
Lost dog found after three years
Two injured in factory fire
Strike ends, trains run again
No rain in sight
Scientists find water under desert
Rents in the capital higher than ever
Old bridge to be torn down
Bank robber caught in church
Teachers demand smaller classes
Heavy snow expected in the north
Local bakery wins national prize
Minister resigns over secret letters
Three days, two cities, one suitcase
School closed until further notice
Fishing boat missing since Friday
Court stops plans for airport
First woman to lead the fire department
Out of order
Not for sale
The best coffee in town
Too little, too late
Fresh eggs, daily
How to keep your plants alive
Ten ways to save money at home
From the garden to the table
A summer without tourists
Better alone than in bad company
Handle with care
Wet paint
More jobs, less money
Back in five minutes
Elections: what now
The last cinema in the village
An afternoon with my father's tools
Free parking for residents
Why we sleep
Children half price
""",
}


class OwnSentence(NamedTuple):
    """One of the two hundred.

    Attributes:
        number: from 1, in the order of :data:`KINDS`; it stays the same.
        kind: one of :data:`KINDS`.
        text: the English sentence.
    """

    number: int
    kind: str
    text: str


def own_sentences() -> tuple[OwnSentence, ...]:
    """All of them, in order."""
    kinds = [(kind, line) for kind in KINDS for line in _TEXTS[kind].replace("\n ", " ").strip().split("\n")]
    return tuple(OwnSentence(number, kind, line) for number, (kind, line) in enumerate(kinds, start=1))
