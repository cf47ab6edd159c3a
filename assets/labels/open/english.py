"""Words of English that several rules ask about."""

from __future__ import annotations

DIRECTIONS = {
    **{word: word for word in "left right up down forward backward back away around".split()},
    "forwards": "forward",
    "backwards": "backward",
    "upward": "up",
    "upwards": "up",
    "downward": "down",
    "downwards": "down",
    "towards": "towards",
    "toward": "towards",
    "aside": "aside",
    "sideways": "sideways",
    "clockwise": "clockwise",
    "anticlockwise": "anticlockwise",
    "counterclockwise": "anticlockwise",
    "over": "over",
    "across": "across",
    "through": "through",
    "inward": "in",
    "inwards": "in",
    "outward": "out",
    "outwards": "out",
    "apart": "apart",
    "together": "together",
}
GIVING = frozenset(
    "give pass hand show offer throw bring send serve feed toss lend deliver".split()
)
SENSING = frozenset("see watch observe notice hear feel find".split())
CAUSING = frozenset("make let have help get allow".split())
# Verbs that a clause may follow: "sees the man cut", "says the pan burns".
BEFORE_CLAUSES = (
    SENSING
    | CAUSING
    | frozenset(
        "say tell ask show think know check ensure wait want need like mean explain decide look "
        "keep leave be seem realize realise remember forget start begin stop continue go come".split()
    )
)
TURNS = frozenset(
    "clockwise anticlockwise counterclockwise forward forwards backward backwards sideways upwards "
    "downwards upward downward".split()
)
# These say of a thing how it is: "the spinning machine" is a machine.
STATES_OF_THINGS = frozenset(
    "boiling running burning remaining hanging dripping moving falling spinning missing leaking steaming "
    "floating standing lying resting surrounding following existing using holding containing glowing shaking "
    "rotating sliding vibrating facing leftover excess spare extra cut "
    # Colours, sizes and states that the parser takes for nouns before another.
    "white black red blue green yellow brown pink grey gray purple beige small large big little long short thick thin round "
    "flat solid hard soft plain raw whole half left right upper lower spicy juicy fancy crispy empty full clean dirty wet dry "
    "warm cold fresh frozen old new sharp blunt heavy light-blue dark".split()
)
USING = frozenset(["use", "utilize", "utilise", "employ"])
NO_OBJECTS = frozenset(
    "help past fast goodbye hello while time moment second minute way bit".split()
)
NOUN_TAGS = frozenset("NN NNS NNP NNPS CD".split())
# Of these, and of looking, a particle says where to.
MOVING = frozenset(
    "walk run go come move step jump climb crawl turn look lean bend reach fall roll slide swim".split()
)
HOLDERS = frozenset(
    "bag basin basket beaker bottle bowl box bucket can carton container cup dish drawer flask glass jar "
    "jug kettle mug oven pack packet pan plate pot pouch saucepan sink tank tray tub tube sack crate tin sachet tupperware vessel wok soup "
    "spoon ladle spatula".split()
)
WORN = frozenset(
    "glove mitten mitt sock shoe boot slipper sandal sneaker coat jacket shirt t-shirt sweater hoodie jumper cardigan "
    "trousers pants jeans shorts dress skirt apron hat cap helmet glasses goggles mask scarf belt watch ring bracelet "
    "necklace earring tie vest gown pyjamas pajamas clothes clothing robe overalls headphones headset backpack "
    "band".split()
)
# Where things are put: behind "puts in" and "puts on" these are places and no objects.
PLACES = HOLDERS | frozenset(
    "table counter shelf rack board stove floor bed desk chair bin fridge refrigerator freezer cupboard cabinet "
    "wardrobe closet bench worktop countertop hob burner ground wall sofa couch hook hanger pocket hole socket "
    "bathroom kitchen room garage garden car lorry trolley cart washer dishwasher machine microwave grill "
    "holder juicer blender mixer toaster cooker processor grinder stand pile corner trash dustbin rubbish compost hand palm mouth lap shoulder mat grass soil lawn "
    "windowsill sill ledge step stair line slot lock hinge hanger towel surface side".split()
)
HOLDING = frozenset(
    "hold take pick grab lift put place carry move bring pass give get set pour stir fetch shake".split()
)
ACTED_ON = frozenset(
    "touch scratch wipe wash rub dry cover clear hit massage clean tap pat brush comb shave dab hold rinse cut "
    "burn hurt warm kiss bandage chalk wet soak oil soap lather sanitize sanitise disinfect moisturize moisturise "
    "inspect examine check tape dust grab lick tickle braid trim dye pinch bite squeeze".split()
)
PEOPLE = frozenset(
    "person people man men woman women lady ladies boy boys girl girls child children kid kids baby "
    "friend friends partner partners guy guys player players teammate opponent teacher instructor "
    "coach student students doctor surgeon nurse assistant chef cook customer worker colleague "
    "someone somebody participant individual human daughter son wife husband mother father mum mom dad "
    "son grandson nephew niece brother sister neighbour neighbor driver cyclist waiter waitress dealer guard nurse butcher baker "
    "barber referee passenger pedestrian climber runner guest visitor owner farmer mechanic carpenter "
    "painter gardener dentist patient mate roommate housemate grandmother grandfather uncle aunt cousin "
    "grandma grandpa granny grandad sibling toddler teenager adult actor actress technician operator scientist researcher demonstrator "
    "clerk cashier flatmate bartender seller shopkeeper vendor trainer musician singer dancer host "
    "classmate officer soldier policeman receptionist librarian pharmacist pianist goalkeeper captain "
    "manager boss supervisor examiner trainee swimmer biker rider guitarist".split()
)
PLURAL_ONLY = frozenset(
    "scissors pliers tongs tweezers shears clippers trousers pants jeans shorts glasses goggles binoculars "
    "headphones earphones leggings tights clothes secateurs forceps pincers sunglasses pyjamas pajamas".split()
)
DETERMINERS = frozenset(
    "a an the this that these those my your his her its their our each every some any no another one "
    "two three four five six seven eight nine ten several both all other".split()
)
POSSESSIVES = frozenset("my your his her its our their".split())
LISTS = frozenset(["and", ",", "&", "then"])
NOT_A_VERB = frozenset(
    "and or but , . ; : ! ? with to of in on into onto at from for by who which 's ’s".split()
)
PAST = frozenset(
    "took put gave got went made left came held brought bought threw cut broke ate drank wrote drew drove "
    "poured swept shook hung kept laid lit sat stood woke found saw read fed led slid taught told paid bent lent "
    "sent built dug stuck struck swung tore wore won sold slept stole drank began ran rode rang sang knelt "
    "leapt fell felt flew froze hid met rose sewn spun wound ground".split()
)
PAST_ALONE = PAST - frozenset(
    "put cut saw found read left felt fell wound ground rose lit hung".split()
)
"""Past tenses that are not the base form of another verb."""
PARTICLES = frozenset(
    "up down out off on in over away back together apart aside around along".split()
)
# Verbs of handling that open a further order in telegraph style: "take milk and close fridge". Words that are
# as often nouns (fork, drink, water, sponge) are not among them.
ORDERS = frozenset(
    "add adjust apply arrange assemble attach bend bring carry check chop clean clear close collect "
    "connect cover crack crush cut detach discard dip drain drop dry empty examine fetch fill find fit "
    "fix flip fold gather get give grab hang hold insert inspect install keep knead lay leave lift "
    "loosen look lower measure mix move open pass peel pick place pour prepare press pull push put "
    "raise reach remove rinse roll rotate rub scoop scrape screw scrub search separate serve set shake "
    "shut slice slide sort spread sprinkle squeeze stir take taste throw tie tighten tilt toss touch "
    "transfer turn twist uncover unscrew unwrap use walk wash wipe wrap jump land squat stand sit bend lean "
    "step run kneel crawl wait switch weigh catch untie unlock fry bake grate mash grind saute scoop sip eat "
    "chew swallow stir-fry unfold unroll unplug plug rewind tear lock loosen tap knock pinch spray "
    "wave repeat continue begin start keep finish try attempt stop test rest saute skim flick erase simmer assemble "
    "inflate zip unzip button fasten unfasten pack unpack load unload replace swap stretch breathe write "
    "smell sniff season shave soak strain tip wring flatten scrape rearrange reposition return release reverse select "
    "clap bow nod smile wave laugh dance hop skip cheer park queue rest "
    "send deal dig divide drag dribble kick hit slap smear snap spin stuff swallow swing wring tuck tug wiggle weave "
    "read draw knit sew braid paint erase staple punch type swipe scroll click enter exit check vacuum mop "
    "dismantle align hammer sweep feed water dress buy pay ride drive climb".split()
)
BEFORE_GERUNDS = frozenset("is continue keep start stop finish begin still".split())
NOT_BARE = (
    DETERMINERS
    | PARTICLES
    | NOT_A_VERB
    | frozenset(
        "it them him me us you she he they what something everything anything nothing then again "
        "together apart both left right front top half so that more less as clockwise anticlockwise "
        "further slowly carefully forward backward forwards backwards towards toward under inside "
        "between through against behind near across below above beside within without".split()
    )
)


def person_noun(word: str) -> bool:
    """Whether a word names a person by kind: man, player, someone."""
    return word in PEOPLE
