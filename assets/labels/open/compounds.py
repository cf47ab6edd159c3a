"""Nouns in a row that are one name, joined before the parse: `socket wrench`, `window sill`, `garbage can`.

A parser of newspapers takes the second noun of such a name for a verb, an auxiliary or nothing at all,
and loses the phrase. Joined, the last noun alone is parsed; the nouns before it are kept beside it.
"""

from __future__ import annotations

from collections.abc import Callable

from assets.labels.open.endings import singular
from assets.labels.open.english import CAUSING, DETERMINERS, HOLDERS, LISTS, SENSING
from assets.labels.open.tokens import Token

# Things of kitchens, workshops, gardens, laboratories and homes; each may begin a name or end one.
_THINGS = frozenset(
    "apron armchair aubergine bag baking ball balcony bamboo barrel basil basin basket bathroom battery beaker "
    "bean bed bedroom beef beer bench bike bicycle bin blade blanket blender block board body-wash bolt book "
    "bottle bow bowl box bracelet bracket brake branch brass bread brick bristle broccoli broom brush bucket "
    "bulb bumper burette burner butter button cabbage cabinet cable cage cake camera can candle canvas cap car "
    "carafe card cardboard carpet carrot cart carton case cassette casserole cauldron ceiling cement cereal chain "
    "chair chalk charger cheese chest chicken chili chilli chisel chocolate chopstick cigarette clamp clay "
    "cleaner cleanser cleaver clip clipboard clock closet cloth clothes clove coat coffee coil coin colander "
    "compost computer cone console container cooker cookie cord coriander cork corn cotton couch counter "
    "countertop courgette cover cracker craft crate crayon cream crust cube cucumber cup cupboard curry curtain "
    "cushion cutlery cutter cylinder deck derailleur desk detergent dice dinner dish dishwasher dispenser dog doll "
    "door dough drain drainer drawer dress dresser drill drum dryer dumbbell dumpling dust dustbin dustpan easel "
    "egg eggplant eggshell elastic engine envelope eraser fabric fan faucet feed fence fertilizer file filter "
    "fireplace flannel flask flip floor flour flower foam foil folder food fork frame freezer fridge fruit "
    "fuel funnel furniture fuse garage garbage garden garlic gas gate gauge gear ginger glass glove glue grape grass "
    "grater gravel grill grinder grout guitar gun gutter hammer handle handlebar hanger harness hat hay headset heater "
    "hedge helmet herb hinge hob holder hole honey hood hook horse hose house ice icing inlet instruction "
    "iron ironing jacket jam jar jigsaw jog joint joystick jug juice kettle key keyboard kit kitchen knife knob "
    "label lace ladder ladle lamp laptop laundry lawn leaf leash leather leek lemon lens lettuce lever lid light lighter "
    "lime linen liner lip lipstick liquid lid litter lock locker log loom lotion lumber lunch machine magazine mallet "
    "manual marker marinade mask mat match mattress meal measuring meat medicine mesh metal meter microscope "
    "microwave milk mill mirror mitt mixer mobile model mop mortar motor motorbike motorcycle mould mold mouse mower mud mug "
    "mushroom nail napkin needle net newspaper noodle notebook notice nozzle nut oat oil olive omelette onion orange "
    "oven package packet pad padlock paint paintbrush painting pallet pan pancake panel paper parcel parsley "
    "pasta paste pastry patio peanut pear pedal peeler peg pen pencil pepper petri pewter phone photo piano pie pill pillow pin "
    "pipe pipette piston pizza plank plant plaster plastic plate platter plier plug plywood pocket pole pork "
    "port post pot potato powder power pram printer probe processor pump pumpkin puzzle rack racket radiator "
    "radio rag rail rake rear-wheel receipt reel refrigerator remote resin rib rice rim ring rivet rod roll roller roof room rope rubber "
    "rubbish rug ruler sack saddle safety salad salt sand sander sandpaper sandwich sauce saucepan saucer sausage saw scale "
    "scaffold scale scallion scarf scoop scooter scraper screen screw screwdriver sealant seal seasoning seat secateur seed "
    "sesame sewing shampoo shaver shed sheet shelf shield shirt shoe shop shopping shovel shower sickle sieve sign "
    "sill sink skateboard skewer skirt slab sleeve slicer slide slipper soap sock socket soda sofa soil solder sole "
    "soup soy spade spaghetti spanner spatula speaker spice spinach spindle spirit spoke sponge spool spoon spray sprayer spring "
    "sprocket squeezer stain stair stairs stall stamp stand staple stapler starch station steak steam steel steering stem "
    "stew stick sticker stirrer stone stool stop storage stove strainer strap straw street string sugar suit "
    "suitcase sweater switch swivel syringe syrup table tablecloth tablet tag tank tap tape tarp tea teabag teapot teaspoon "
    "television tennis tent test thermometer thread tie tile timber timer tin tire tyre tissue toast toaster tofu toilet tomato "
    "tool toolbox toothbrush toothpaste top-tube torch towel toy tracing trailer trash tray treadmill trim trimmer tripod "
    "trolley trowel truck trunk tub tube tuna tv umbrella utensil vacuum valve van vanilla vase vegetable vehicle veil velcro "
    "tupperware impact repair coconut pressure exhaust entry ventilator vest vice vise video vinegar vise wall wallet wardrobe washer washing waste watch water weed weighing welder welding wheel "
    "wheelbarrow whisk whiteboard window windscreen windshield wine wiper wire wiring wok wood wool workbench worktop wrap "
    "bud chive cilantro wrapper wrapping wrench wringer yarn yeast yoghurt yogurt zip zipper".split()
) - frozenset(
    "dog flip baking measuring ironing sewing weighing welding washing wrapping wiring lip rib".split()
)
# These end a name, and are never a name's first word.
_ENDS = frozenset(
    "set extract essence zest curd flake chip segment chunk stool bit cuff crisp dal dip drier driver edger extractor granule guard hilt jack juicer kernel mount opener peel "
    "pack pith pit plane press puncher puller roast shear sharpener skin stalk tightener tray tuner fillet floret "
    "pot rest ripper root scissors pliers tongs wipe".split()
)
# As the end of a name in the plural these are food, whatever verb they look like: "chili peppers".
_FOOD = frozenset(
    "pepper mushroom leaf sprout root shoot stalk seed bean noodle sauce onion egg bun chive flake".split()
)
# Before anything else, orange is a colour.
_OF_ORANGES = frozenset(
    "juice juicer peel slice segment chunk zest pith seed skin marmalade jam tree".split()
)
# Of these, a name has the plural first.
_FIRST_IN_PLURAL = frozenset(["clothes", "scissors", "sports", "goods"])
_PRONOUNS = frozenset("he she they it i we you who which that him her them me us".split())
_OPENERS = frozenset([*",.;:(", "and", "while", "as", "when", "but", "then", "so", "or"])
# Behind these comes somebody who acts, and then a verb in its base form.
_BEFORE_DOERS = frozenset(
    f"{verb}{ending}"
    for verb in (SENSING | CAUSING) - {"have", "find", "feel"}
    for ending in ("", "s", "es", "ing", "ed")
) | frozenset("letting lets making".split())


def join_names(words: list[Token], is_verb: Callable[[str], bool]) -> list[Token]:
    """Join nouns in a row that are one name.

    Args:
        words: Words of a narration.
        is_verb: Whether a word, in lower case, can be the base form of a verb.

    Returns:
        The words; a name of two or three nouns is its last noun, whose `prefix` has the others.
    """
    joined: list[Token] = []
    for at, word in enumerate(words):
        if joined and _ends_name(joined, words, at, is_verb):
            first = joined.pop()
            prefix = " ".join(
                filter(None, (first.prefix, first.name or first.text.lower(), word.prefix))
            )
            name = word.name or word.text.lower()
            plain = _plain(name)
            joined.append(word._replace(text=plain, start=first.start, prefix=prefix, name=name))
        else:
            joined.append(word)
    return joined


def is_thing(noun: str) -> bool:
    """Whether a noun, in the singular and lower case, names a thing of kitchens, workshops and the like."""
    return noun in _THINGS | _ENDS


def _plain(name: str) -> str:
    """A noun that no parser takes for anything else, in the number of the name it stands for."""
    one = name if name in _THINGS | _ENDS else singular(name)
    holds = one in HOLDERS
    if one == name:
        return "bowl" if holds else "knife"
    return "bowls" if holds else "knives"


def _ends_name(
    before: list[Token], words: list[Token], at: int, is_verb: Callable[[str], bool]
) -> bool:
    """Whether a word is the last noun so far of a name that the word before it begins."""
    word, first = words[at], before[-1]
    lower, noun = word.text.lower(), first.name or first.text.lower()
    if word.person is not None or first.person is not None or first.tail:
        return False
    starts = noun in _THINGS or noun in _FIRST_IN_PLURAL or first.prefix == "wood"
    if not starts or first.end >= word.start:
        return False
    is_plural = lower not in _THINGS | _ENDS
    one = singular(lower) if is_plural and lower.endswith("s") else lower
    if one not in _THINGS | _ENDS or (noun == "orange" and one not in _OF_ORANGES):
        return False
    earlier = [token.text.lower() for token in before[:-1]]
    last = earlier[-1] if earlier else "."
    has_determiner = last in DETERMINERS and last != "that"
    if not has_determiner and (
        not earlier or last in _PRONOUNS or (is_verb(noun) and last in LISTS | _OPENERS | {"to"})
    ):
        return False
    if len(before) > 1 and before[-2].person is not None:
        return False  # "C water plants" lacks an -s
    if not is_verb(one) or (one in _FOOD and is_plural):
        return True
    after = words[at + 1].text.lower() if at + 1 < len(words) else "."
    if after in DETERMINERS | {"it", "them"} or _BEFORE_DOERS & set(earlier[-8:]):
        return False  # "lets the machine drill the hole"
    if is_plural:
        # "And the machine drills": a name in the plural stands behind a verb or a preposition.
        opens = earlier[-2] if len(earlier) > 1 else "."
        return has_determiner and opens not in _OPENERS
    return True
