"""Hands that are said once for several verbs, and hands that only have something."""

from __future__ import annotations

from assets.labels.open.reader import read_narrations

# Narrations with the hand of each verb, as a person reads them (`gold/GUIDELINES.md`, Body part).
HANDS = {
    "With your left hand, lift a bowl of water and pour some water into the basin.": "left left",
    "With both hands, C lifts the lid, puts it on the table and opens the box.": "both both both",
    "With his right hand, he picks the cup and walks away.": "right none",
    "With my right hand, I take the knife to cut the bread.": "right right",
    "With the left hand he holds the pan while stirring the soup.": "left none",
    "With her left hand, the woman opens the door and the man closes it.": "left none",
    "With your right hand, take the spoon and add salt, then close the lid with the left hand.": "right right left",
    "With the left hand, hold the pot, and with the right hand, stir and scoop.": "left right right",
    "With the right hand, stir the soup, and when it boils, turn off the stove.": "right none none",
    "With the right hand holding a ladle, stir the soup and pour it into the bowl.": "right right right",
    "With the left hand holding the flask, unscrew the stopper.": "left none",
    "The left hand takes the onion, and the right hand takes the knife to cut the onion.": "left right right",
    "The right hand picks up the spatula and continues stirring in the pot.": "right right",
    "Both hands lift the lid, and steam rises from the pot.": "both none",
    "Use your right hand to pick up the onion that fell on the floor and place it on the plate.": "right none right",
    "Use your left hand to put the tofu into the pot to blanch.": "left none",
    "A person walks through the door with a box in their hand.": "none",
    "A man is standing with his hand on the back of a chair.": "none",
    "A person runs up the stairs with a broom in their left hand.": "left",
    "Then, with the coordination of both hands, pour the onions into a bowl.": "both",
    "Use your left hand to hold the jar, and in your right hand hold a spoon to take the jam.": "left right right",
    "He bounces the ball on the racket held in his right hand.": "right right",
}


def test_a_hand_does_what_its_clause_lists_and_no_more() -> None:
    found = read_narrations(list(HANDS))
    read = {
        text: " ".join(
            label.body_part.partition("_")[0] for label in labels if label.kind == "verb"
        )
        for text, labels in zip(HANDS, found, strict=True)
    }
    assert read == HANDS
