"""Narrations made up to be hard, read with the released vocabularies; expected by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from assets.labels.lexicon import Lexicon
from assets.labels.main_action import main_action
from assets.labels.parse import parse_narration
from bench.agreement import lexicon

# Narration, and the first word of each verb with its hand: left, right, both, unspecified.
HANDS: list[tuple[str, str]] = [
    # Masked hands.
    ("Grab the lid with your left hand.", "grab:L"),
    ("My right hand is holding the spatula.", "holding:R"),
    ("The right one holds the knife while the left one holds the carrot.", "holds:R holds:L"),
    ("Using both hands, lift the pot off the stove.", "using:B lift:B"),
    ("Lift the pot with both of your hands and pour the water out.", "lift:B pour:B"),
    ("With my left hand I steady the bowl; with my right I whisk the eggs.", "whisk:R"),
    ("The left hand, which holds the bowl, tilts it.", "holds:L tilts:L"),
    ("Hold the phone in the right hand.", "hold:R"),
    ("The hands knead the dough.", "knead:B"),
    ("Knead the dough by hand.", "knead:U"),
    ("He washes his hands.", "washes:B"),
    ("Rinse both hands under the tap.", "rinse:B"),
    ("Wash your hands with soap and dry them with a towel.", "wash:B"),
    ("Pass the knife from the left hand to the right hand.", "pass:U"),
    ("Transfer the bowl from your right hand to your left hand.", "transfer:U"),
    ("The left hand hands the spoon to the right hand.", "hands:L"),
    ("Switch the knife to the left hand and cut the onion.", "switch:U cut:U"),
    ("The right hand's index finger presses the button.", "presses:R"),
    ("Press the button with the right index finger.", "press:R"),
    ("Pinch the salt with the thumb and forefinger of the right hand.", "pinch:R"),
    ("Wearing a glove on the left hand, pick up the bottle.", "wearing:U pick:U"),
    ("The gloved right hand picks up the pipette.", "picks:R"),
    ("Both the left and right hands hold the tray.", "hold:B"),
    ("Left hand holds the bowl, right hand stirs.", "holds:L stirs:R"),
    ("Right hand picks up spoon.", "picks:R"),
    ("Holding the bowl in one hand, stir with the other.", "holding:U stir:U"),
    ("She opens the drawer right-handed.", "opens:U"),
    ("Open the right-hand drawer.", "open:U"),
    ("Open the drawer on the left hand side with the right hand.", "open:R"),
    # Left as verb, right as adverb.
    ("He left the spoon in the bowl.", "left:U"),
    ("Leave the meat in the pan.", "leave:U"),
    ("Pour what is left in the pot into the bowl.", "left:U pour:U"),
    ("The rice left over is put into a container.", "left:U put:U"),
    ("Turn right and open the cupboard.", "turn:U open:U"),
    ("Turn the knob to the left with the right hand.", "turn:R"),
    ("Move the plate to the right.", "move:U"),
    ("Put the cup right next to the plate.", "put:U"),
    ("The bowl was left on the table with the lid open.", "left:U"),
    ("Pick up the left shoe.", "pick:U"),
    ("The left drawer is opened with the left hand.", "opened:L"),
    ("Stir left and right with the spoon in the right hand.", "stir:R"),
    # Coordination.
    ("Peel, wash and slice the potatoes.", "peel:U wash:U slice:U"),
    ("Wash and dry the plate, then put it away.", "wash:U put:U"),
    ("Add salt, sugar, and vinegar to the bowl and mix.", "add:U mix:U"),
    (
        "Cut the carrots and onions with the right hand and hold them with the left hand.",
        "cut:R hold:L",
    ),
    (
        "The left hand holds the bowl and the right hand takes a spoon, scoops some salt, and adds it.",
        "holds:L takes:R scoops:R adds:R",
    ),
    (
        "Pick up the knife and, with the left hand holding the onion, chop it.",
        "pick:U holding:L chop:L",
    ),
    ("Either stir or shake the bottle.", "stir:U shake:U"),
    ("Take the pot and the lid.", "take:U"),
    ("Hold and tilt the bowl with both hands.", "hold:B tilt:B"),
    ("The right hand stirs and the left hand pours.", "stirs:R pours:L"),
    ("Put the knife down and pick the cloth up.", "put:U pick:U"),
    ("First the left hand takes the egg, next the right hand cracks it.", "takes:L cracks:R"),
    ("While stirring the soup with the right hand, add salt with the left.", "stirring:R add:L"),
    ("After washing the bowl, dry it.", "washing:U"),
    ("Before cutting the tofu, the right hand rinses the knife.", "cutting:U rinses:R"),
    # Passive.
    ("The knife is held by the right hand.", "held:R"),
    ("The onion is being chopped with the right hand.", "chopped:R"),
    ("The eggs have been beaten and are poured into the pan.", "beaten:U poured:U"),
    (
        "The lid is lifted by the left hand and placed on the table by the right hand.",
        "lifted:L placed:R",
    ),
    ("Water is added to the pot.", "added:U"),
    ("The plate, washed by the left hand, is dried.", "washed:L"),
    # Particles.
    ("Turn the stove on.", "turn:U"),
    ("Turn off the tap with the left hand.", "turn:L"),
    ("Pick the bowl up.", "pick:U"),
    ("Take the gloves off.", "take:U"),
    ("Take off the gloves.", "take:U"),
    ("Throw away the eggshell.", "throw:U"),
    ("Throw the eggshell away.", "throw:U"),
    ("Cut off the end of the carrot.", "cut:U"),
    ("Put on the lid.", "put:U"),
    ("Take out the chopping board.", "take:U"),
    # Compounds.
    ("Put the frying pan on the gas stove.", "put:U"),
    ("Take the rice cooker inner pot.", "take:U"),
    ("Pour the soy sauce into the measuring cup.", "pour:U"),
    ("Take the paper towel.", "take:U"),
    ("Open the salt shaker.", "open:U"),
    ("Use the can opener to open the can.", "use:U open:U"),
    ("Wipe the cutting board with a dish cloth.", "wipe:U"),
    ("Hold the water bottle.", "hold:U"),
    # More of all.
    (
        "Use the left hand to open the cap of the centrifuge tube and the right hand to insert the pipette.",
        "use:L open:L insert:R",
    ),
    (
        "The right hand uses a pipette to draw the liquid from the beaker held in the left hand.",
        "uses:R draw:R held:R",
    ),
    (
        "With the pipette in the right hand, draw the liquid while the left hand holds the tube.",
        "draw:R holds:L",
    ),
    ("Hold the test tube with the left thumb and index finger and shake it.", "hold:L shake:L"),
    ("Using tweezers in the right hand, pick up the filter paper.", "using:R pick:R"),
    (
        "Take the bottle with the right hand, unscrew the cap with the left hand, and pour the solution into the flask.",
        "take:R unscrew:L pour:L",
    ),
    (
        "Both hands hold the bowl and shake it, then the right hand puts it down.",
        "hold:B shake:B puts:R",
    ),
    ("Place both hands on the dough and press it.", "place:B press:B"),
    ("The left hand presses down on the onion as the right hand slices it.", "presses:L slices:R"),
    (
        "The left hand fixes the potato and the right hand holding the peeler peels it.",
        "fixes:L holding:R peels:R",
    ),
    ("The hand holding the knife cuts the meat.", "holding:U cuts:U"),
    ("The person on the left cuts the bread.", "cuts:U"),
    ("The right hand opens the fridge, and takes out the eggs and milk.", "opens:R takes:R"),
    ("The right hand puts the lid in the left hand.", "puts:R"),
    ("Give the cup to the left hand.", "give:U"),
    ("Put the phone in the right hand and open the door with the left hand.", "put:R open:L"),
    ("Pour the water with your left hand onto your right hand.", "pour:L"),
    ("Rub both hands together.", "rub:B"),
    ("Shake hands with the man.", "shake:U"),
    ("He lends a hand to the woman.", ""),
    ("Hand me the knife.", "hand:U"),
    ("Hand the bowl over.", "hand:U"),
    ("The bowl is handed to the woman.", "handed:U"),
    ("A handful of rice is added.", "added:U"),
    ("Take a second-hand pot.", "take:U"),
    ("Use the handheld blender to mix the soup.", "use:U mix:U"),
    ("On the one hand, stir the soup; on the other hand, watch the clock.", "stir:U watch:U"),
    ("Adjust the hands of the clock.", "adjust:U"),
    (
        "Stir-fry with the left hand shaking the pan and the right hand holding the spatula.",
        "stir:L shaking:L holding:R",
    ),
    ("I take the spoon (right hand) and stir.", "take:R stir:R"),
    ("Left: hold bowl. Right: stir.", "hold:U stir:U"),
    (
        "Pick up the egg with your right hand; crack it; and put the shell into the bin.",
        "pick:R crack:R put:R",
    ),
    ("Pick up the egg with your right hand. Crack it into the bowl.", "pick:R crack:U"),
    ("Using the right hand, pick up the spoon. Then stir the soup.", "using:R pick:R stir:R"),
    (
        "The left hand takes the bowl from the right hand and puts it on the table.",
        "takes:L puts:L",
    ),
    ("The right hand takes the onion out of the left hand.", "takes:R"),
    (
        "While the left hand supports the bag, pour rice with the right hand into it.",
        "supports:L pour:R",
    ),
    (
        "Open the cap with the right hand while holding the bottle with the left.",
        "open:R holding:L",
    ),
    (
        "My left hand keeps holding the pot and my right hand keeps stirring.",
        "keeps:L keeps:R holding:L stirring:R",
    ),
    ("With one hand on the lid, shake the bottle.", "shake:U"),
    (
        "Carry the tray with two hands, put it on the table, and wipe your hands.",
        "carry:B put:B wipe:B",
    ),
    ("Cut the tofu, left hand pressing and right hand cutting.", "cut:U pressing:L cutting:R"),
    ("The left and the right hand lift the pot.", "lift:B"),
    ("Lift the pot with the left and right hand.", "lift:B"),
    ("Lift the pot using left hand and right hand.", "lift:B using:B"),
    ("Hold the bowl in the left or right hand.", "hold:U"),
    ("The other hand holds the bowl.", "holds:U"),
    ("The right hand stirs; the other hand holds the bowl.", "stirs:R holds:L"),
    ("The left hand holds the bowl and the right stirs.", "holds:L stirs:R"),
    (
        "The right hand pinches salt between thumb and finger and sprinkles it.",
        "pinches:R sprinkles:R",
    ),
    ("Keep the right hand still and turn the screw with the left hand.", "keep:R turn:L"),
]
# Narration, and the labels of its verb and its noun ("" for none).
ACTIONS: list[tuple[str, str, str]] = [
    ("take the large knife", "take", "knife"),
    ("take out plates from cupboard", "remove", "plate"),
    ("grab another spoon", "take", "spoon"),
    ("pick the spoon up", "take", "spoon"),
    ("put the milk back", "put", "milk"),
    ("put the lid on", "put", "lid"),
    ("place lid on the pot", "put", "lid"),
    ("turn the hob off", "turn-off", "hob"),
    ("switch the kettle on", "turn-on", "kettle"),
    ("pour milk from bottle into glass", "pour", "milk"),
    ("stir soup with wooden spoon", "mix", "soup"),
    ("wipe down the counter", "wash", "top"),
    ("throw rubbish in the bin", "throw", "rubbish"),
    ("open the fridge door", "open", "fridge"),
    ("close the door of the fridge", "close", "cupboard"),
    ("cut the peeled potatoes into cubes", "cut", "potato"),
    ("peeling carrots", "peel", "carrot"),
    ("keep stirring", "mix", ""),
    ("continue to cut the onion", "cut", "onion"),
    ("start cutting tomatoes", "cut", "tomato"),
    ("finish washing dishes", "wash", "plate"),
    ("still holding pan", "hold", "pan"),
    ("move the chopping board away", "move", "board:chopping"),
    ("rinse the plates under the tap", "wash", "plate"),
    ("shake water off lettuce", "shake", "water"),
    ("squeeze lemon over salad", "squeeze", "lemon"),
    ("drain water from pasta", "filter", "water"),
    ("fill kettle with water", "fill", "kettle"),
    ("add salt to the boiling water", "add", "salt"),
    ("check oven", "check", "oven"),
    ("look for spatula", "search", "spatula"),
    ("dry hands with towel", "dry", "hand"),
    ("wash both hands", "wash", "hand"),
    ("take two eggs", "take", "egg"),
    ("crack an egg in the bowl", "break", "egg"),
    ("fold the tea towel", "fold", "towel"),
    ("hang up the cloth", "hang", "cloth"),
    ("set timer", "set", "alarm"),
    ("unwrap cheese slice", "unwrap", "cheese"),
    ("scoop ice cream", "scoop", "cream"),
    ("sprinkle black pepper on the steak", "sprinkle", "pepper"),
    ("spread butter on toast", "apply", "butter"),
    ("roll the dough out", "unroll", "dough"),
    ("put the dirty cutlery into the dishwasher", "insert", "cutlery"),
    ("let go of the spoon", "let-go", "spoon"),
]


@pytest.fixture(scope="module")
def egoexolearn(shared: Path) -> Lexicon:
    return lexicon(shared / "data", "egoexolearn")


@pytest.fixture(scope="module")
def epic_kitchens(shared: Path) -> Lexicon:
    return lexicon(shared / "data", "epic-kitchens")


@pytest.mark.parametrize(("text", "expected"), HANDS, ids=[text for text, _ in HANDS])
def test_hands_of_verbs(egoexolearn: Lexicon, text: str, expected: str) -> None:
    found = {
        f"{label.term.split()[0]}:{label.body_part[0].upper()}"
        for label in parse_narration(text, egoexolearn)
        if label.kind == "verb"
    }
    assert found == set(expected.split())


@pytest.mark.parametrize(("text", "verb", "noun"), ACTIONS, ids=[text for text, _, _ in ACTIONS])
def test_main_actions(epic_kitchens: Lexicon, text: str, verb: str, noun: str) -> None:
    found = main_action(parse_narration(text, epic_kitchens))
    assert [one.class_label if one else "" for one in found] == [verb, noun]
