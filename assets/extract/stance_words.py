"""Words that say where a reply stands towards an option, by language: one table for each stance.

Each table is a pattern for what stands right before an option ("the answer is ...") or right behind it ("... fits best"); in
the text that it is matched against, options are tokens (`option_mentions.py`). What stands in no table says nothing.
"""

from __future__ import annotations

import re

from assets.extract.guarded import Guarded, for_folded

_ADVERB = (
    r"(?:(?:\w+ly|also|still|just|indeed|in fact|by far|thus|then|therefore|hence|now|quite|so|even|far|much|slightly|somewhat|rather|really|almost|about|perhaps|maybe|either"
    r"|at (?:the )?(?:least|best|most)|without (?:a )?doubt|in my (?:opinion|view)|to me|the|a|an|my|our|your|only|single|one|all|both)\s+)"
)
_BE = (
    r"(?:is|are|was|were|be|been|being|'s|'re|looks?|seems?|appears?|sounds?|feels?|stays?|remains?|becomes?|proves?|turns out|ends up"
    r"|(?:would|should|must|could|might|may|can|will|has|have|ought|got)(?: (?:only|then|therefore|to|got to|well|still|also|just))* be)(?: to be| like| as)?"
)
_QUALITY = (
    r"(?:correct|right|true|best|better|answers?|choice|pick|option|selection|match|fit|winner|continuation|bet|guess|solution|one\b|ones\b|it\b|left\b|likelier|accurate|suitable|appropriate|fitting|logical"
    r"|reasonable|consistent|compatible|convincing|closest|closer|nearest|remaining|supported|confirmed|identical|valid|clear|similar|stronger|strongest|natural"
    r"|sensible|proper|preferable|preferred|viable|in line|in agreement|compelling|the same|ahead|on top|what\b|where\b|who\b|which\b|likely|plausible|probable|obvious|skilled|skil+ful|proficient|experienced|expert|competent|adept)"
)
_FITS = (
    r"(?:fits?|match(?:es)?|wins?|works?|holds? up|holds|remains?|stands? out|checks? out|(?:makes?|made) (?!no\b|little\b)(?:\w+ ){0,2}sense|align(?:s|ed)?|agrees?|corresponds?|answers"
    r"|satisf(?:ies|y)|meets?|prevails?|edges|comes? (?:out|closest|first|next)|has it|applies|survives?|pass(?:es)?|suits?|lines? up|tallies|beats|leads|outweighs"
    r"|qualif(?:ies|y)|gets my (?:vote|pick)|takes (?:it\b|its place|the (?:cake|lead|prize)|first)|(?:ha[sd]|gets) the (?:edge|most|best|highest|strongest)|goes with|does(?=\s*(?:[.,;!]|$))|do(?=\s*(?:[.!]|$))"
    r"|(?:describes?|captures?|depicts?|represents?|reflects?|explains?|shows?|summari[sz]es) (?:\w+ ){0,6}(?:best|well|correctly|accurately|exactly|perfectly|query|reference|same (?!\w+ (?:but|only)))"
    r"|shows? (?:exactly |precisely )?(?:this|that|it)\b)"
)
FITS = for_folded(rf"\b(?:{_FITS}|correct|right|plausible|possible)\b")
# Behind an option: it is the one.
CHOSEN_AFTER = for_folded(
    rf"^[)\"']*\s*(?:,\s*)?{_ADVERB}{{0,4}}{_BE}\s+{_ADVERB}{{0,5}}(?:(?:more|most|very|highly|fully|perfectly|entirely|well)\s+)?{_QUALITY}"
    rf"|^[)\"']*\s*(?:,\s*)?(?:(?:most|more|best|alone|it|that|who|which|does|do|would|must|should|will|seems? to|appears? to|clearly|\w+ly|also|only|still|then)\s+){{0,3}}{_FITS}\b"
    r"|^[)\"']*\s*(?:(?:best|correctly|accurately|exactly|perfectly)\s+)(?:describes?|captures?|depicts?|represents?|reflects?|explains?|shows?|summari[sz]es|portrays?|identif(?:ies|y))\b"
    r"|^[)\"']*\s*to be (?:\w+ly )?(?:more|better|most|best|correct|right)\b"
    rf"|^[)\"']*\s*(?:shows?|demonstrates?|displays?|exhibits?|has)\s+{_ADVERB}{{0,3}}(?:greater|more|higher|superior|better)\s+(?:\w+\s+){{0,2}}(?:skill|proficien|expert|control|precision|fluen|confiden|master|techni|consisten|experience|competen|dexterity|accuracy)"
    r"|^[)\"']*\s*(?:to be |as )?the\s+(?:clearly |far |distinctly )?(?:(?:more|most) (?:skilled|skil+ful|proficient|experienced|expert|competent|likely|plausible)|better|best|stronger)\b"
    r"|^[)\"']*\s*,\s*(?:i should (?:say|have said)|i mean|i meant)(?=\s*(?:[.,;!:]|$))"
    r"|^[)\"']*\s+(?:alone |only )?(?:has|shows?|meets|satisfies|combines|includes|contains|ticks) all (?:of )?(?:(?:two|three|four|five) )?(?:of )?(?:these|those|them|this|that)\b"
    r"|^[)\"']*\s*(?:it is|then|it shall be|for (?:me|sure|certain)|beyond (?:\w+ )?doubt|without (?:a )?doubt|no doubt|any day)\b"
    r"|^[)\"']*\s*(?:[:=(–—,-]\s*)+(?:yes\b|correct\b|right\b|true\b|match(?:es)?\b|fits\b|[✓✔✅]|high\b|(?:most )?likely\b|best\b|this one|everything (?:agrees|matches|fits)|the (?:answer|best|only|correct|right|winner)\b|definitely|clearly|probably"
    r"|i (?:think|believe|guess|suppose|would say|say|reckon)\b|i'd (?:say|guess)|(?:because|since|given|as)\b|although|though|even if|consistent|all (?:match|agree|criteria|conditions))"
    r"|^[)\"']*\s*(?:is |at |with )?(?:\d+\s?% )?(?:high|highest|higher)\b(?! (?:up|above))"
    r"|^[)\"']*\s*(?:describes?|captures?|depicts?|represents?|reflects?) (?:the|this) (?:\w+ )?(?:video|clip|scene|action|activity|event|situation|moment)s?(?=\s*(?:[.,;!]|$))"
    r"|^[)\"']*\s+(?:over|rather than|instead of|more than|not|and not|as opposed to|before any)\s+(?=[\uE000-\uE019]|the other|the rest|any)"
    r"|^[)\"']*\s*,\s*(?:not|and not|rather than|instead of|as opposed to)\s+(?=[\uE000-\uE019])"
    r"|^[)\"']*\s+(?:down )?as (?:my|the) (?:final )?(?:answer|choice|pick)\b|^[)\"']*\s+(?:therefore |clearly )?makes? for (?:a|the) (?:\w+ )?(?:better|best|stronger)\b|^[)\"']*\s+(?:still )?stands(?=\s*(?:[.!]|$))"
    r"|^[)\"']*\s+first\b(?=\s*[,.])|^[)\"']*\s+with (?:\w+ ){0,2}(?:confidence|certainty)"
    r"|^[)\"']*\s*(?:does|do|did)(?=\s*(?:[.,;!]|$))",
)  # fmt: skip
# "The metal box is evidently the heaviest of them", as a last sentence.
MOST_OF_ALL_AFTER = for_folded(
    rf"^[)\"']*\s+{_BE}\s+(?:\w+ly\s+){{0,2}}the\s+(?:\w{{3,}}est|(?:most|least)\s+\w+)(?:\s+(?:one|of (?:them|these|those|all|the \w+)))*\W*$"
)
# What a person or thing of the video does, where an option is named by its text: "Lane C leads after 50 m".
ACTS_AFTER = for_folded(
    r"^[)\"']*\s+(?:\w+ly )?(?:leads?|wins?|beats?|meets?|holds|pass(?:es)?|answers|works?|survives?|comes? (?:out|next|first)|edges|falls?) (?!best\b|better\b|the best\b)\w"
)
BECAUSE_AFTER = for_folded(r"^[)\"']*,?\s+(?:because|since|given that|as (?:it|the|this|that))\b")
# Before an option: it is the one.
CHOSEN_BEFORE = Guarded(
    r"(?:\b(?:answer|choice|option|pick|guess|bet|vote|selection|conclusion|verdict|decision|prediction|letter|match|fit|one)(?: \w+){0,6}? (?:is|was|would be|should be|must be|has to be|could only be|can only be|remains|seems to be|appears to be)"
    r"|\b(?:namely|equals|lies with)"
    r"|\b(?:answer|choice|choose|chose|chosen|pick|picked|picking|select(?:s|ed|ing)?|go(?:ing|es)? (?:with|for)|went (?:with|for)|opt(?:ed|ing)? for|vote(?:d|s)?(?: for)?|voting for|settl(?:e|ed|ing) (?:on|for)|st(?:ick|uck|icking|ay|aying) with|i(?:'m| am|'ll| will)? keep(?:ing)?"
    r"|tick|circle|down for|in for|bet on|money on|end(?:ed|s)? up (?:with|at)|arriv(?:e|ed|es) at(?: is)?|com(?:es|ing) down to|boils down to|lock(?:s|ed|ing)? in|as it stands|as things stand|trust|prefer|favou?rs?|in favou?r of|lean(?:s|ing)?(?: to| towards?| more to(?:wards?)?)?|inclined to (?:say|go with|pick|choose)|inclined towards?"
    r"|(?:i|i'd|i would|i'll|have to|must|would)(?: rather| still| definitely| tentatively| personally)? (?:say|guess|suspect|conclude|believe|think|expect|suppose|reckon|propose)|suggest(?:s|ing)?|indicat(?:es?|ing)|impl(?:y|ies)|support(?:s|ing)?|point(?:s|ing)? (?:to|towards?|at)|speak(?:s)? for|argues? for"
    r"|match(?:es|ed|ing)?(?: (?:with|by|up with|that of))?|correspond(?:s|ed|ing)? (?:to|with)(?: that of)?|align(?:s|ed|ing)?(?: \w+){0,3} with(?: th(?:at|ose) of)?|consistent with(?: th(?:at|ose) of)?|agrees with|described (?:by|as|in)|answered by"
    r"|leav(?:es?|ing)(?: us with| me with| just| only| us| me)?|left with|(?:high(?:er|est)?|strong(?:er|est)?) (?:for|in|on)|(?:confident|certain|sure)(?= ?:)|confident in|confident about|sure (?:of|about)|certain (?:of|about)|(?:confidence|%) (?:is )?(?:on|for|in|to)"
    r"|the \w+ (?:(?:that|which) (?:is|was) )?(?:not|never) \w+ (?:is|was)|the only \w+ (?:that |which |who )?[^.;,]{3,50} (?:is|was)|tips? (?:it|this|that|the (?:balance|scales?))(?: over)? (?:to|towards?)|head says|ans|solution|result|output|key|final))"
    rf"\s*(?:[,:=-]|–|—|->)?\s*{_ADVERB}{{0,3}}(?:(?:in|on|at|to|that|it'?s|it is|i'd say|i would say)\s+){{0,2}}{_ADVERB}{{0,2}}[(\"']*$|(?:->|=>|→|⇒|👉|✅|✓|✔|☑)\s*$",
    re.IGNORECASE,
)  # fmt: skip
ARROW_ALONE = re.compile(r"[)\]\"'\s]*(->|=>|→|⇒|➜|➡)\s*[(\[\"']*")
# Verbs of these that tell what somebody does where a thing, a place or an act follows and not a letter: "leaving the kitchen".
NARRATED_BEFORE = for_folded(
    r"\b(?:choos\w+|chose\w*|lock(?:s|ed|ing)? in|pick\w*|select\w*|go(?:ing|es)? (?:with|for)|went (?:with|for)|opt\w* for|settl\w+ (?:on|for)|st(?:ick|uck|icking|ay|aying) with|circl\w+|tick|trust|prefer|leav(?:es?|ing)(?: just| only)?|left with"
    r"|end(?:ed|s)? up (?:with|at)|arrive at|support(?:s|ing)?|point(?:s|ing)? (?:to|towards?|at)|lean(?:s|ing)?(?: to| towards?)?|high(?:er|est)? (?:for|in|on)|com(?:es|ing) down to|down for|key|final|match(?:es|ed|ing)?(?: (?:with|up with))?)"
    rf"\s*{_ADVERB}{{0,3}}(?:(?:in|on|at|to|that)\s+){{0,2}}[(\"']*$",
)
# "I finally settle on the corner."
I_CHOOSE = for_folded(
    r"\bi(?:'d|'ll| would| will)?(?: \w+){0,2} (?:choos\w+|chose|pick\w*|select\w*|settl\w+|opt\w*|go (?:with|for)|went (?:with|for)|stick|stay)\b[^.,;]{0,20}$"
)
# Somebody in the video is said to say or to show something.
TOLD_BEFORE = for_folded(
    r"\b(?:he|she|they|person|wearer|man|woman|people|player|surgeon|user|boy|girl|child|chef|cook)\s(?:[^,.;]{0,40}\s)?"
    rf"(?:indicat|suggest|impl|say|said|think|thought|guess|believ|propos|suspect|expect|conclud|speak|argu|correspond|agree|favou?r|circl|vot)\w*\s+{_ADVERB}{{0,3}}(?:(?:in|on|at|to|that|with)\s+){{0,2}}[(\"']*$",
)
# Who answers or what tells the answer: with one of these before it such a verb chooses.
ANSWERS = for_folded(
    r"\b(?:I|I'd|I'll|I'm|we|we'd|me|my|answer|option|choice|evidence|clues?|cues?|this|that|which|all|everything|elimination|so|therefore|thus|hence)\b",
)
# Before an option that closes its clause: it is stated, or concluded.
STATED_BEFORE = Guarded(
    r"(?:\b(?:is|'s|are|be|been|means|becomes?|remains?|stays|fits(?: with)?|shown (?:in|by)|captured (?:in|by)|seen in|same as|identical to|identified as|visible in|appears in|called|labell?ed|marked|mark"
    r"|only(?: \w+){1,3} (?:by|in|on|from|with|for|to)|only|yes|yep|overall|elimination|conclusion|summary|together|considered|frames|video|finally|ultimately|eventually|hence|thus|so|therefore|consequently|accordingly|result|short|clearly|definitely|obviously|certainly|surely|presumably"
    r"|(?:most|best|closest|top)(?: \w+)?|probably|likely|perhaps|maybe|possibly|actually|okay|ok|alright|well|right|sure|gut says|go|have to be|got to be|gotta be|has to be|mak(?:es?|ing)|makes it|made it|say|think|believe|guess|suspect|conclude|now|between \S and \S|tl;dr|but))"
    rf"\s*(?:[,:=-]|–|—)?\s*{_ADVERB}{{0,3}}(?:(?:in|on|at|to|that|it'?s|it is|i'd say|i would say)\s+){{0,2}}{_ADVERB}{{0,2}}[(\"']*$",
    re.IGNORECASE,
)  # fmt: skip
CLOSES = for_folded(
    r"^[)\"'*\]]*\s*(?:[.,;:!)]|$|[-–—]|\n|\b(?:because|since|as|with|for|although|though|but|while|rather|over|after all|instead|then|it is|to me|in my|based on|due to|given|is what|is the|in (?:the|this|your) (?:list|options)|(?:is|as) (?:most|more|correct|right)|most likely|next)\b)",
)
# The cloth in the hand suggests that they want D.
PROPOSES = Guarded(
    r"\b(?:suggest|indicat|impl)\w*(?: \w+ly)? that\b(?!.*(?:\bnot\b|n't\b))[^,.;:?]{1,60}$",
    re.IGNORECASE,
)
POSSIBLE = for_folded(r"\b(?:possible|plausible|could|might|may|conceivable|tempting)\b")
MAKES_BEFORE = Guarded(r"\bma(?:kes?|king|de)\s+(?:the\s+)?[(\"']*$", re.IGNORECASE)
MADE_AFTER = for_folded(
    r"^[)\"']*\s*(?:the |a |my |our )?(?:\w+ ){0,3}(?:answer|choice|option|match|fit|one|candidate|pick|response|reading|conclusion|likel(?:y|ier)|plausible|correct|probable)\b",
)
MORE_AFTER = for_folded(
    r"^[)\"']*,?\s+(?:even |somewhat |slightly |much |far )?more(?: so)?\s*(?:[.!;,]|$)"
)
SHARE_AFTER = re.compile(r"^[)\"']*\s*[:(=,-]?\s*\d{1,3}\s?%")
# What an option that opens the reply is followed by where the reply then explains it.
EXPLAINED_AFTER = re.compile(
    r"^[)\"']*\s*(?:[:(]|[-–—]\s|\s[-–—]|,\s+(?:as|because|since|based|given|which|with))"
)
SO_IS = Guarded(
    r"\b(?:so|neither|nor|as) (?:is|are|does|do|was|were|has|have|can)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
# "So is C.", behind a sentence that says something of another.
ALSO_STARTS = for_folded(
    r"^\W*(?:so|neither|nor) (?:is|are|does|do|was|were|has|have|can)\s+(?:the\s+)?[(\"']*[\uE000-\uE039]",
)
# "Step 3: B": an item of a list.
ITEM_BEFORE = Guarded(r"\b(?:step|phase|item|point|no\.?|#)\s*\d{1,2}\s*[:.)]?\s*$", re.IGNORECASE)
# Behind an option: it is not the one.
_WRONG = (
    r"(?:not|never|no longer|hardly|wrong|incorrect|false|out\b|impossible|unlikely|implausible|improbable|ruled out|excluded|eliminated|discarded|dismissed|rejected|inconsistent|incompatible|irrelevant|different"
    r"|missing|absent|(?:only )?(?:a )?(?:close |distant )?second|(?:only )?third|too\b|less\b|least\b|nowhere|invalid|inaccurate|contradicted|off\b|unsupported|worse|weaker|neither|next to impossible|a distractor|a red herring|doubtful|out of the question|done\b|over\b)"
)
# "E is the one that does not match": set apart, for whatever the question asks.
_DISAGREES = r"(?:contradict|conflict|differ|clash|violate|disagree|mismatch|exclud|rule|ruling|eliminat|discard|dismiss|reject|fail|have (?:a|any) (?:problem|conflict|mismatch))"
SINGLED_OUT_AFTER = for_folded(
    rf"^[)\"']*\s*(?:is|was|seems|would be) (?:the )?(?:only )?(?:one|ones|option|video|clip|candidate) (?:that|which|who) (?:\w+ly )?(?:(?:do(?:es)?|did|is|are|was|ha[sd]|can)(?:n't| not)|cannot|never|fails?|lacks?|differs?) (?!(?:be )?(?:\\w+ly )?{_DISAGREES})"
)
RULED_OUT_AFTER = for_folded(
    rf"^[)\"']*\s*(?:fits?|match(?:es)?|works?|looks?|seems?|agrees?|aligns?)\s+(?:\w+ ){{0,2}}(?:less|worse|poorly|badly|the least)\b"
    rf"|^[)\"']*\s*(?:,\s*)?(?:\([^()]{{0,40}}\)\s*)?(?:(?:also|both|all|each|clearly|on the other hand|however|by contrast|though|and so on)[,\s]+)*{_BE}\s+{_ADVERB}{{0,4}}{_WRONG}"
    r"|^[)\"']*\s*(?:has|have|had) (?:already )?been (?:done|completed|finished|performed|carried out)\b|^[)\"']*\s*(?:has|have) yet to\b|^[)\"']*\s*(?:is|are|was|were) never\b"
    r"|^[)\"']*\s*(?:(?:also|both|all|clearly|simply|just)\s+)?(?:can(?:not|'t| not)\b|can (?:\w+ ){0,3}(?:ruled|excluded|eliminated|discarded|dismissed|rejected)|do(?:es)?(?:n't| not)\b|did(?:n't| not)\b|is(?:n't| not)\b|are(?:n't| not)\b|was(?:n't| not)\b"
    r"|won't\b|wouldn't\b|would not\b|has no\b|have no\b|hasn't\b|lacks?\b|fails?\b|contradicts?\b|conflicts?\b|differs?\b|makes? (?:no|little) sense\b|mismatch\w*|drops? out|falls? (?:out|short)|goes out|shows? (?:a |an )?(?:different|other|another|wrong|no\b)|shows nothing|never\b|misses\b|omits\b|ignores\b)"
    r"|^[)\"']*\s*(?:[:=(–—-]\s*)+(?:no\b|nope\b|not\b(?!\s*[(\[\"']*$| (?:\w+ )?(?:certain|sure|confident|clear)\b| 100)|wrong\b|incorrect\b|false\b|unlikely|different|too\b|doesn't|does not|isn't|never\b|missing|mismatch|less likely|(?:very )?low\b|impossible|implausible|excluded|eliminated|ruled out|contradicted|absent|[✗✘❌❎×])"
    r"|^[)\"']*\s*(?:is |are |->|→|=>|[:–—-])*\s*(?:gone|crossed out)\b"
    r"|^[^.;:?\uE000-\uE039]{0,60}\bbut (?:it )?(?:is(?:n't| not)|does(?:n't| not)|was(?:n't| not)|not)(?: (?:it|correct|right|so))?\s*(?:[.!]|$)"
    r"|^[)\"']*\s*(?:is |at |with )?(?:very )?(?:low|lower|lowest)\b|^[)\"']*\s+(?:comes? |is |as |being )?(?:a )?(?:close |distant )?second\b(?=\s*[.,)]|$)|^[)\"']*\s+(?:is|was|would be|comes as)(?: only)? my (?:second|third|fourth|fifth|last|next)\b",
)  # fmt: skip
# Before an option: it is not the one.
_AND_SO_ON = (
    r"(?:(?:really|necessarily|just|merely|simply|think|believe|say|choose|pick|select|be|it's|it|is|was|that|the|an?|option|for|of|in|to|with|support|supports|evidence|match|fit|consistent|see|shows?|correct|answer"
    r"|want|wants|going|intend|planning|trying|need|ready|go|by|convinced|likely|quite|as|at|on|about|all|both|either|any)\s+)"
)
RULED_OUT_BEFORE = Guarded(
    rf"(?:\bnot\b(?! (?:only|sure))|n't\b|\bcannot\b|\bnever\b|\bneither\b|\bnor\b|\bhardly\b|\bnothing\b|\bno\b(?= (?:evidence|support|match|reason|sign))|\bwithout\b)\s+{_AND_SO_ON}{{0,5}}[(\"']*$"
    r"|\bnone of\s+(?:options?\s+)?[(\"']*$|\b(?:rul(?:e[sd]?|ing) out|exclud\w+|eliminat\w+|reject(?:s|ed|ing)?|dismiss(?:es|ed|ing)?|discard(?:s|ed|ing)?|unlike|instead of|rather than|other than|different from|differs? from|as opposed to|opposed to|in contrast (?:to|with)|compared (?:with|to)"
    r"|contrary to|against|(?:low|lower|lowest|weak|weaker) (?:for|in|on)|(?:least|less|lowest|worst)(?: \w+)?(?: is| one)?|contradicts?|worse than|wrong|than|second|runner-?up|followed by|not)\s*:?\s+(?:(?:are|both|the|an?|option|either)\s+)*[(\"']*$"
    r"|\brul(?:e[sd]?|ing)\s+$|\b(?:forget|disregard|ignore|scratch|withdraw|retract|tak(?:e|ing) back)(?: about)?(?: my| the)?(?: earlier| first| initial)?\s+[(\"']*$"
    r"|\b(?:doubt|deny|denies|anything but|everything but|far from)\s+(?:(?:that|it|it's|is|the|answer|option)\s+){0,3}[(\"']*$"
    r"|\b(?:least|worst|lowest|weakest)(?: \w+){0,3}? (?:is|was|would be|seems to be)\s+(?:the\s+)?[(\"']*$",
    re.IGNORECASE,
)  # fmt: skip
# "prefer B to A", "B over A": the second of two.
SECOND_OF_TWO = for_folded(r"^\s*(?:over|to|,?\s*not|vs\.?|versus)\s+(?:the\s+)?$")
PREFERS = for_folded(r"\b(?:prefer\w*|favou?r\w*|rather|choose|chose|pick|picked|take|select)\b")
CHANGES_FROM = for_folded(r"\b(?:chang|switch|revis|correct|updat|mov)\w*\b[^.]{0,40}\bfrom\b")
LESS_THAN = Guarded(
    r"\b(?:less|worse|weaker|fewer|lower)\b[^,.]{0,30}\bthan\s+(?:the\s+)?$", re.IGNORECASE
)
# "All but B are wrong", "none except B fits".
EXCEPT_BEFORE = Guarded(
    r"\b(?P<all>all|everything|every|each|any|none|nothing|no|nobody|neither)\b[^.,;]{0,40}?\b(?:except(?: for)?|but|besides|other than|apart from|save(?: for)?|bar|(?<=other option )than|(?<=other )than|(?<=other one )than|(?<=other answer )than|(?<=other video )than)\s+(?:for\s+)?(?:the\s+)?[(\"']*$",
    re.IGNORECASE,
)
# "Except for B, none of the options fits": the exception stands first.
EXCEPT_FIRST_BEFORE = for_folded(
    r"^\W*(?:(?:so|therefore|thus|hence),? )?(?:except(?:ing)?(?: for)?|apart from|aside from|other than|besides|with the exception of|save for|outside of|bar)\s+(?:the\s+)?[(\"']*$"
)
EXCEPT_FIRST_AFTER = for_folded(
    r"^[)\"']*\s*,?\s*(?P<all>all|everything|every|each|any|none|nothing|no\b|nobody|neither|the (?:other|rest|remaining)\w*)\b(?P<clause>[^.;]*)"
)
NONE = for_folded(r"none|nothing|no|nobody|neither")
# "All options but C show ..., whereas the query has ...": what all others show speaks against them.
AGAINST_QUERY = for_folded(
    r"^[)\"']*\s*[^.;]{3,120}?,?\s*\b(?:whereas|while|but|unlike|in contrast to|contrary to|which (?:contradicts|does not match|doesn't match|differs from|conflicts with))\b[^.;,]{0,20}\b(?:ego\w*|query|reference|first.person|original|wearer|source|target)\b"
)
EXCLUDES = for_folded(
    r"\b(?:wrong|incorrect|false|out|excluded|eliminated|impossible|unlikely|implausible|rejected|discarded|dismissed|different|fail|contradict\w*|mismatch\w*)\b|n't\b|\bnot\b|不|排除|错|没有",
)
# An option that is only possible, or close.
LEANING_AFTER = for_folded(
    r"^[)\"']*\s*(?:fits?|works?|match(?:es)?|(?:would|could|might) (?:fit|work|do|match)) (?:just |equally |every bit |exactly )as well\b|^[)\"']*\s*(?:,\s*)?(?:(?:could|might|may)(?: \w+){0,2} (?:be|work|fit|match)\b(?! the (?:answer|correct))|(?:can|could|might|may) (?:work|fit|match|apply)"
    r"|(?:is|are|was|seems?|looks?|appears?|sounds?)(?: to be)?(?: \w+ly| also| a| an| quite| fairly| very| both| equally| still)* (?:plausible|possible|close\b|tempting|similar|promising|attractive|in the running|alternative|contender|candidate|reasonable|near|likely (?:too|as well)|good too|(?:natural|good|strong|likely|decent|fair|obvious) (?:candidate|contender|possibility|alternative)))",
)  # fmt: skip
LEANING_BEFORE = Guarded(
    r"\beither (?:it|this|that|the answer)(?: is| was|'s)\s+(?:the\s+)?$|\b(?:could|might|may)(?: (?:also|well|still|(?:just )?as well|just as easily|equally(?: well)?))? be\s+(?:the\s+)?$|\b(?:maybe|perhaps|possibly|tempt\w+ (?:by|to \w+)|fooled by|alternatives?(?: is| are)?|alternatively|or)\s*[:,]?\s*(?:the\s+)?$",
    re.IGNORECASE,
)
# A first idea, or somebody else's.
WITHDRAWN = Guarded(
    r"\b(?:initially|originally|at first|first (?:thought|guess|idea|impression|instinct|considered|leaned|said|picked|chose|wrote)|i (?:first|was going to|was about to|wanted to|said|would have|had|thought)\b|previously|earlier|fooled|(?:began|started)(?: out| off)? with"
    r"|(?:one|some|someone|many|others?|people|you)(?: people)? (?:might|would|could|may)|d'abord|au début|primero pens|al principio|zuerst|zunächst|anfangs|сначала|вначале|поначалу|показалось|думал[аи]?|aanvankelijk|początkowo|najpierw|inizialmente|all'inizio|inicialmente|a princípio|ilk başta|önce|lúc đầu|ban đầu|awalnya|först trodde|først troede)\b|一度は|一开始|起初|原以为|原本|最初は|はじめは|처음|原先|本来以为",
    re.IGNORECASE,
)
# A clause that grants something to what it does not choose.
CONCEDES = for_folded(
    r"^\W*(?:and |but )?(?:although|though|while|whilst|whereas|even though|even if|despite|granted|admittedly|yes, |aunque|si bien|bien que|même si|obwohl|auch wenn|虽然|尽管|雖然)",
)
GRANTS = for_folded(r"^\W*(?:and |but )?(?:although|though|even though|even if|despite)\b")
# "Leaving the knife on the board, she ...": what was, before what is said.
BACKGROUND = for_folded(r"^\W*(?:after|having|leaving|before|once|passing|instead of)\b(?=[^.]*,)")
# "..., while the spoon stays on the counter".
RESTS_AFTER = for_folded(
    r"^[)\"']*\s+(?:\w+ly\s+)?(?:stays?|remains?|lies|lie|rests?|sits?|stands?|(?:is|are) (?:still |just |only |also )?(?:lying|resting|left|visible|seen|in the background|on the|next to))\b",
)
SUPPOSES = for_folded(
    r"^\W*(?:and |but |so |only |even )?(?:if|had|were|unless|suppose|supposing|assuming|whether)\b(?! (?:i|we|you|one|forced|pressed|pushed|asked|there's one|anything)\b)|\b(?:whether|which of|unless|provided that|in which case)\b[^,.]*$|^\W*(?:wäre es\b|如果|假如|もし|만약|만일|si\b|wenn\b|falls\b)",
)
TEMPTS = Guarded(
    r"\b(?:tempt\w+|argued|arguable|(?:considered|thought (?:about|of)|wondered about|hesitated before) (?:changing|switching|choosing|picking|answering|going))\b",
    re.IGNORECASE,
)
IF_AFTER = for_folded(
    r"^[^.;]{0,40}\b(?:if|were|had|unless|provided|only when|but for|except that|were it not)\b(?! i\b)",
)
WOULD = for_folded(r"^[)\"']*\s*(?:would|'d)\b")
# "If the lamp were on, it would be B", before a turn ("but", "so") of the sentence.
WOULD_THEN = for_folded(r"(?:\bwould\b|'d\b)(?!.*\b(?:but|so|therefore|however|since)\b)")
ASKED_AFTER = re.compile(r"^[)\"']*[^.!;,\uE000-\uE019]{0,30}\?")
ASKS_BEFORE = for_folded(
    r"(?:^|[.,;:]\s*)\s*(?:is it|could it be|can it be|what about|how about|why not|does|is|are|could|would|should)\s+(?:that\s+)?[(\"']*$",
)
# Where a clause ends within a sentence.
CLAUSE_END = for_folded(
    r"[:(){}]|\s[-–—]+\s|,|\b(?:but|however|yet|although|though|while|whereas|so|therefore|thus|hence|because|since|which means|pero|mais|aber|sondern|sino|donc|also(?<!could also)(?<!can also)(?<!may also)(?<!might also)(?<!would also)(?<!is also)(?<!are also)(?<!was also)(?<!has also)(?<!will also)(?<!but also)|daher)\b"
    r"|但是?|不过|而是|所以|因此|しかし|(?:です|ます|した|せん)が|けど|けれど|지만|으나|므로|니까|ので",
)
CONTRASTS = Guarded(
    r"\b(?:but|however|yet|nevertheless|nonetheless|still|that said|having said|if i (?:had|have|must)|if forced|if pressed|best guess|instead|even so|pero|mais|aber|jedoch|trotzdem)\b|但|不过|然而|しかし|ただ|が,|けど|지만|그래도|可能是|应该是|猜|估计|おそらく|たぶん|아마",
    re.IGNORECASE,
)
CONCLUDES = Guarded(
    r"\b(?:so|therefore|thus|hence|consequently|conclusion|finally|final|overall|in short|ultimately|in the end|answer|conclude|elimination|remaining|what remains|what is left|accordingly|summary|result|all in all|donc|conclusion|por (?:lo )?tanto|así que|also(?<!could also)(?<!can also)(?<!may also)(?<!might also)(?<!would also)(?<!is also)(?<!are also)(?<!was also)(?<!has also)(?<!will also)(?<!but also)|daher|somit|folglich|fazit)\b"
    r"|所以|因此|故|综上|综合|总之|可见|最终|最后|答案|したがって|よって|結論|正解|답|따라서|그러므로|결론",
    re.IGNORECASE,
)
# A clause that leaves out the predicate of the one before: "A is ruled out by the floor, B by the window, C too".
GAPPED_LEAD = Guarded(
    r"(?:,|;|\b(?:and|y|et|und|e))\s*(?:(?:and|y|et|und|e)\s+)?(?:(?:the|la|el|le|die|das|der)\s+)?$",
    re.IGNORECASE,
)
GAPPED_TAIL = for_folded(
    r"^[)\"']*\s*,?\s*(?:by|for|because|since|as|too|also|at|in|with|on|due|likewise|as well|similarly|por|porque|par|parce|car|wegen|weil|da|perché)\b",
)
GAPPED_REASON = for_folded(r"^[)\"']*\s*,?\s*(?:because|since|porque|parce|car|weil|da|perché)\b")
DENIES = for_folded(r"\b(?:not|never|no|without|neither|nor)\b|n't\b")
# A sentence that answers what the one before asked or looked at.
VERDICT = for_folded(
    r"^\W*(?:(?P<yes>yes|yep|correct|right|(?:this|that) (?:is|was|one is|looks) (?:\w+ly )?(?:correct|right|the (?:right|correct|best) (?:one|answer|option|match))|it (?:does|matches|fits)|that (?:matches|fits)|matches|this (?:matches|fits))|no|nope|wrong|incorrect|(?:this|that) (?:is|was|one is) (?:\w+ly )?(?:incorrect|wrong|not (?:correct|right|it))|(?:this|that|it) (?:is|can be|must be) (?:ruled out|excluded|eliminated)|it does(?:n't| not)|it is not|it isn't|does(?:n't| not) (?:match|fit))\b",
)
# What a reply is only going to look at, or asks about.
BUT_ONLY = for_folded(r"\b(?:but|while|whereas|though|yet|however,?)\s+only\s+(?:in\s+)?[(\"']*$")
DOES_AFTER = for_folded(r"^[)\"']*\s+(?!is\b|was\b|lacks\b)\w+s\b")
WHEREAS = for_folded(r"\W*(?:whereas|while|wohingegen|während|tandis que|mientras que|alors que)\b")
# "The video ends in the bathroom": the last of the places that an account names.
ENDS_BEFORE = for_folded(
    r"\b(?:ends?|ended|ending|finish(?:es|ed)?|winds? up|lands?|comes? to rest|stops?)(?: up)? (?:(?:in|on|at|inside|near|by|facing|with|onto|into|back in|back on)\s+)+(?:the\s+)?[(\"']*$"
)
LOOKED_AT = Guarded(
    r"(?:^|[.:;,]\s*|\b(?:let me|let's|i'll|i will|i'd|i|we|we'll|first|now|then|before|need to|want to|have to|by|after|when|and|me more|does|you)\s+)(?:first |now |again |closely |also )*(?:look(?:s|ed|ing)?(?: again| closely| more closely)? at|start(?:s|ed|ing)? with|consider(?:s|ed|ing)?|weigh(?:s|ed|ing)?|th(?:ink|ought) about|hesitated (?:about|over)|check(?:s|ed|ing)?|examin(?:es?|ed|ing)|compar(?:es?|ed|ing)|inspect(?:s|ed|ing)?|review(?:s|ed|ing)?|analy[sz](?:es?|ing)|about|(?<!I )mean|regarding"
    r"|miro|veo|analizo|regarde|examine|schaue|betrachte)\s+(?:now |first |again )?(?:the\s+)?[(\"']*$|(?:首先看|先看|(?<![合体上])来看|看看|分析|比较|查看)\s*[(\"']*$",
    re.IGNORECASE,
)
LOOKED_AT_HAN = re.compile(r"^[)\"']*\s*(?:を(?:見|確認|検討|考え)|[를을] (?:보|살펴|확인))")
ALSO_BEFORE = Guarded(
    r"\b(?:also|as well|auch|también|aussi)\b(?![^.;]*\b(?:but|however|yet|aber|pero|mais)\b)[^.;]{0,30}$|也[^,.]{0,6}$",
    re.IGNORECASE,
)
ALSO_AFTER = for_folded(r"^[^.;,\uE000-\uE039]{0,40}\b(?:too|as well|also)\s*(?:[.,;!]|$)")
# What somebody else holds.
QUOTES = Guarded(
    r"\b(?:he|she|they)\s+(?:\w+\s+)?(?:thinks?|says?|said|suggests?|answer(?:ed|s)|believes?)\b|\b(?:annotators?|colleagues?|users?|someone|somebody|friends?|others?|people|you|another|prompt|caption|sign)\s+(?:\w+\s+)?(?:chose|choose|picks?|picked|thinks?|thought|says?|said|suggests?|suggested|answer(?:ed|s)?|believes?)\b|\bothers?\s*$|有人|别人|他们说",
    re.IGNORECASE,
)
IF_BEHIND = for_folded(
    r"^[)\"']*\s+(?:only )?(?:if|unless|provided)\b(?! (?:i|you|forced|pressed|pushed|asked|anything|there)\b)",
)
# "The lamp would point to A, but it is off."
WOULD_POINT = Guarded(
    r"\bwould (?:\w+ )?(?!say|guess|go\b|choose|pick)\w+\b[^,.;]{0,30}$", re.IGNORECASE
)
TURNS_AFTER = for_folded(r"\b(?:but|however|yet|if|were|had|except|unless)\b")
WOULD_BE = Guarded(r"\bwould be\s+(?:the\s+)?[(\"']*$", re.IGNORECASE)
NEEDS = Guarded(
    r"\b(?:need|have|want|like|in order|wait|before)\b[^.]{0,60}\b(?:to|before|until)\s+(?:choos\w+|pick\w*|select\w*|confirm\w*|decid\w+ on)\s+[(\"']*$|\bbefore (?:choosing|picking|selecting)\s+$|\b(?:cannot|can't|unable to|not|couldn't)\s+(?:\w+\s+)?(?:confirm|say|verify|claim|guarantee|tell)(?: for sure)?(?: that| if| whether)?\s+(?:it is |it's )?(?:the )?$",
    re.IGNORECASE,
)
SUPPOSES_HAN = re.compile(
    r"^\W*(?:如果|假如|假设|若|もし|仮に|만약|만일)|(?:(?<!私)なら|れば|たら|다면|라면)\s*,?\s*[(\"']*$"
)
# A sentence that is a question from its first word on.
QUESTION = for_folded(
    r"^\W*(?:(?:so|but|and|hmm|well|then),? )?(?:is|are|was|do|does|did|can|could|would|wouldn't|isn't|should|why|what|which|how|who|when|where|est-ce|serait-ce|est|es|ist|wäre|qué|cuál|por qué|pourquoi|warum)\b",
)
QUESTION_END = re.compile(
    r"^[^.!\n\uE000-\uE039]{0,12}(?:吗|嗎|呢|でしょうか|ですか|ますか|인가요|일까요|나요|까요|습니까|입니까)\s*(?:[?.]|$)"
)
# Words behind which even a sentence that declines goes on to choose.
STILL_CHOOSES = for_folded(
    r"^\W*(?:while|although|though|even though)\b[^,]*,|\b(?:so|therefore|hence|thus)\b(?!.*(?:n't\b|\b(?:cannot|unable|(?:do|does|did|can|could|am|would|will) not)\b))|(?:所以|因此|故)(?!.*[不没无])|\bi(?:'d|'ll| would| will)\b(?! (?:not|need|have to (?:see|know)))[^.,;]*$",
)
# "His arms rest on the rail, which would speak for B."
WOULD_SPEAK_BEFORE = re.compile(
    r"\bwould (?:also |rather )?(?:speak|argue|point|suggest|favou?r|hint)\w*(?: \w+)?\s*[(\"']*$"
)
# "..., in which it looks like A": so it is somewhere else.
LOOKS_THERE = Guarded(
    r"\b(?:which|where) (?:it|this) (?:looks|seems|appears) (?:like|as if|to be)\s+(?:the )?[(\"']*$",
    re.IGNORECASE,
)
# "A coach who sees only the finish might pick C."
MIGHT_CHOOSE = Guarded(
    r"(?<!\bi )\b(?:might|may)(?: well| even| just| be tempted to| be inclined to)? (?:pick|choose|select|say|answer|go (?:for|with)|opt for|argue for)\s+(?:the )?[(\"']*$",
    re.IGNORECASE,
)
# "It comes down to B or D": two that are left.
DOWN_TO_BEFORE = re.compile(
    r"\b(?:com(?:es?|ing) down to|boils? down to|narrow\w*(?: \w+){0,3} (?:down )?to|left with|between|leaves(?: me| us)?(?: with)?)\s+(?:only |either |options? |just )*[(\"']*$"
)
# "I picked A at first glance".
# "B is what most people would say".
AT_FIRST_AFTER = re.compile(
    r"^[)\"']*\s+(?:at first|initially|originally|to begin with)\b|^[)\"']*\s+(?:is|was|would be) what (?:i (?:\w+ )?(?:answered|said|wrote|chose|had|thought)\b"
    r"|(?:most|many|some|other|a lot of|all)?(?: of)?(?: the)? ?(?:people|viewers|annotators|others|one|you|someone|everyone)\b)"
)
# "More likely D than C", "plutôt D que B".
_RATHER_ABROAD = "plutôt|eher|lieber|más bien|mejor|piuttosto|liever|hellre|скорее"
_THAN_ABROAD = "que|als|che|än|чем|dan"
MORE_BEFORE = re.compile(
    rf"\b(?:more (?:likely|probably|plausibly|like)|rather|sooner|{_RATHER_ABROAD})\s*$"
)
THAN_AFTER = re.compile(rf"^[)\"']*\s*,?\s*(?:to me |to us |in my eyes )?(?:than|{_THAN_ABROAD})\b")
RATHER_ABROAD = re.compile(rf"\b(?:{_RATHER_ABROAD})\b")
THAN_BEFORE_ABROAD = re.compile(rf"\W*(?:{_THAN_ABROAD})\s+(?:(?:la|le|el|die|das|der)\s+)?[(\"']*")
# "Nothing speaks against C."
NOTHING_AGAINST = re.compile(
    r"\b(?:nothing|none|no|little)\b[^.;]{0,60}\b(?:against|contradicts?|rules? out|excludes?)\s+(?:\w+ )?[(\"']*$"
)
