"""The one table of codes. `turnproof explain` and docs/diagnostics.md are made from it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """`example` is a line that gets this code, or says how one comes about; `instead` what to write."""

    code: str
    title: str
    what: str
    why: str
    example: str
    instead: str


def _table(*codes: Code) -> dict[str, Code]:
    found = {code.code: code for code in codes}
    assert len(found) == len(codes), "a code stands twice in the table"
    return found


CODES = _table(
    # -- files
    Code("TP001", "file cannot be read", "There is no such file, or it may not be read.",
         "Nothing can be said about it.", "turnproof check model/tiaji.md", "turnproof check model/taiji.md"),
    Code("TP002", "not UTF-8", "The file holds bytes that are not UTF-8 text.",
         "Guessing another encoding would change names without notice.",
         "a file saved as Latin-1", "save it as UTF-8"),
    Code("TP003", "control character", "The text holds a control character such as NUL.",
         "It cannot be seen, so two names that look the same would differ.",
         "a NUL byte in a name", "remove it"),
    Code("TP004", "file too large", "The file is larger than is read (2 MB).",
         "A limit keeps time and memory bounded whatever the input.", "a file of 5 MB", "split the rulebook"),
    Code("TP005", "line too long", "A line has more than 2,000 characters, or a statement more than 4,000.",
         "Nobody can read it, and a limit keeps time bounded.", "a rule of ten pages", "use `define` for parts of it"),
    Code("TP006", "block not closed", "A fenced block is opened and never closed.",
         "All that follows would be taken for rules.", "```rules … end of file", "```rules … ```"),
    Code("TP007", "no block", "The page has no block marked `rules` (or `claims`).",
         "There is nothing to check in it.", "a page of prose", "put the model between ```rules and ```"),
    # -- lines
    Code("TP010", "tab in the indentation", "A line is indented with a tab.",
         "Its depth would depend on the editor.", "⇥life : int", "two spaces for each level"),
    Code("TP011", "uneven indentation", "A line is indented otherwise than its neighbours.",
         "It is unclear what it belongs to.", "    life : int\n   hand : int", "  life : int\n  hand : int"),
    Code("TP012", "nested too deep", "Brackets or words are nested deeper than is read.",
         "A limit keeps memory bounded, and nobody can follow it.", "((((((…))))))", "use `define` for parts of it"),
    Code("TP020", "not expected here", "A word or sign cannot stand where it does.",
         "The line has no meaning.", "[A] during upkeep nobody may play card",
         "[A] during upkeep, nobody may play card"),
    Code("TP021", "line not finished", "A line ends too early.",
         "The line has no meaning.", "[A] during upkeep, nobody may", "[A] during upkeep, nobody may play card"),
    Code("TP022", "nothing can stand inside", "A line is indented under one that takes nothing inside.",
         "It would be lost.", "[A] drawing is skipped\n    if turn = 1", "[A] drawing is skipped if turn = 1"),
    Code("TP024", "says nothing", "A rule with `all of` has nothing inside.",
         "A rule without content is a mistake.", "[A] all of", "[A] note"),
    # -- names
    Code("TP030", "unknown name", "Nothing is called so here.",
         "A misspelt name would silently change the rules.", "during upkep, …", "during upkeep, …"),
    Code("TP031", "declared twice", "A name is given to two things of a sort.",
         "It would be unclear which is meant.", "life : int\n  life : bool", "life : int"),
    Code("TP032", "id used twice", "Two rules, claims or disputes have the same id.",
         "A citation must point at one rule.", "[A] …\n[A] …", "[A] …\n[B] …"),
    Code("TP033", "unknown id", "No rule, reading or question has this id.",
         "A citation must point at something.",
         "[A] restates [B], and there is no [B]", "the id of a rule that is there"),
    Code("TP034", "unknown option", "A reading or question has no such answer.",
         "The condition could never hold.", "if [R] is lieteral", "if [R] is literal"),
    Code("TP035", "reserved word", "The name has a meaning of its own.",
         "`active` is always the player whose turn it is, for instance.", "active : int", "active_cards : int"),
    # -- types
    Code("TP040", "wrong type", "A value of one sort stands where another is needed.",
         "The sentence has no meaning.", "if active.hand", "if active.hand > 0"),
    Code("TP041", "not a number", "Something is counted or ordered that is no number.",
         "The sentence has no meaning.", "if c.haste > 1", "if c.haste"),
    Code("TP042", "product of two amounts", "Two amounts that vary are multiplied.",
         "Proofs for all numbers are then out of reach.", "x * y", "2 * x"),
    Code("TP043", "does not go together", "Each part is fine, but not the two together.",
         "The sentence has no meaning.", "`opponent` in a game of three", "`others`"),
    Code("TP044", "outside its range", "A first value lies outside the declared range.",
         "The game could not begin.", "hand : int >= 0 = -1", "hand : int >= 0 = 0"),
    # -- structure
    Code("TP050", "no game", "The page does not say which game it is about.",
         "Verdicts must name the game.", "a page without `game`", 'game duel "The Duel"'),
    Code("TP051", "no turn", "There is no `turn`, or nothing in it.",
         "Play needs steps to happen in.", "turn", "turn\n  main"),
    Code("TP053", "leads nowhere", "From a step the turn can never end.",
         "The game would hang there.", "after main comes main", "after main comes main if …"),
    Code("TP054", "never reached", "No way leads to a step.",
         "Its rules could never apply.", "after a comes c, with b between", "after a comes c if …"),
    Code("TP055", "number out of bounds", "There are too many or too few players or pieces.",
         "Models of that size cannot be checked.", "players 0", "players 2"),
    # -- rules
    Code("TP060", "overrides itself", "A rule overrides itself, perhaps by way of others.",
         "It would hold exactly when it does not.", "[A] overrides [B], [B] overrides [A]", "one of the two"),
    Code("TP061", "no such override",
         "A rule overrides another that never decides the same thing, or is of a sort that cannot be overridden.",
         "The override would do nothing, without notice.", "a permission that overrides a cost",
         "a permission that overrides a permission"),
    Code("TP062", "not a rule", "A note, definition or question is overridden or overrides.",
         "Only rules decide anything.", "[note] overrides [A]", "[rule] overrides [A]"),
    Code("TP063", "never changed", "No rule or play changes a quantity, and none keeps it on purpose.",
         "Most often a rule is missing.", "life : int", "[A] keeps life"),
    Code("TP064", "one default needed", "A reading has no default, or several.",
         "Unless told otherwise, a check uses the defaults.", "two answers marked (default)", "mark one (default)"),
    Code("TP065", "open with a default", "An open question has a default.",
         "What the text leaves open has none.", "open [Q] with (default)", "reading [Q] with (default)"),
    Code("TP066", "defined by itself", "A word is defined, or a play is a kind, in terms of itself.",
         "It has no meaning.", "define a: not a", "define a: active.hand > 0"),
    Code("TP067", "one answer only", "A reading or question has fewer than two answers.",
         "There is nothing to choose.", "open [Q] with one answer", "two answers"),
    Code("TP068", "nothing for where no rule decides", "A number or a reference that rules decide has no `else`.",
         "Where no rule decides it, it has to be something.", "decide blow of soldier : int",
         "decide blow of soldier : int else 0"),
    # -- claims
    Code("TP069", "cannot extend", "A rulebook extends another in a way that comes to nothing.",
         "The variant would be another game than meant.",
         "removes [A], without `extends`", "extends magic, below `game`"),
    Code("TP070", "no expectation", "A claim does not say once which verdict is expected.",
         "A check compares.", '[C] "…": always …', "  expect proved"),
    Code("TP071", "not a verdict", "The expected verdict is none.",
         "A check compares.", "expect true", "expect proved"),
    Code("TP072", "another game", "The claims are about another game than the rulebook.",
         "Names would be taken for others.", "game duelo, in proofs/taiji.md", "game taiji"),
    Code("TP073", "unknown claim", "There is no claim of this name.",
         "Nothing can be checked.", "--claim TC-O1", "--claim TC-01"),
    Code("TP080", "unknown game", "No rulebook of this name is in the project or the library.",
         "Nothing can be checked.", "turnproof check tiaji", "turnproof check taiji"),
    Code("TP090", "not built yet", "The language reads this, but its meaning is not built yet.",
         "Ignoring it would change the rules.", "an effect of a play on the stack that speaks of the play's amounts",
         "an effect as the play is made: `whenever PLAY, …`"),
    Code("TP091", "not one question", "This cannot be asked as it is: nothing, too much, or several things at once.",
         "An answer to something else would be worse than none.", "may I attack? and may you block?",
         "may I attack with c in declare"),
    Code("TP092", "two meanings", "A word of the question can stand for two things in the rulebook.",
         "Guessing would answer another question.", "is Main phase skipped, where two phases are called so",
         "the name of the one that is meant"),
    Code("TP100", "cannot be rendered", "Nothing here makes SVG, PNG or PDF of a picture, or it went wrong.",
         "A picture with something missing would be taken for the whole.",
         "turnproof draw taiji -o turn.png without pygraphviz",
         "pip install 'turnproof[draw]', or -o turn.dot"),
    Code("TP101", "no Mermaid of this view", "Mermaid has no such picture; it has flow charts.",
         "Half of the picture would mislead.", "turnproof draw magic --view windows -o windows.mmd",
         "-o windows.svg, or --view flow"),
    Code("TP102", "not enough to draw",
         "The view is not known, or wants something more: a claim, a situation, another game.",
         "There would be nothing to see.", "turnproof draw magic --view diff",
         "turnproof draw magic magic-modern --view diff"),
    # -- findings
    Code("F001", "clashing changes", "Two rules change one quantity differently at the same moment.",
         "The rules do not say what it is afterwards, so no verdict can be trusted.",
         "[A] at the end of x, n becomes 0\n[B] at the end of x, n becomes 1",
         "order them with `then`, or let one override"),
    Code("F003", "clashing rules", "One rule allows what another forbids, and neither overrides the other.",
         "Both players are right. The policy `clash` says how the game goes on; questions say `contradiction`.",
         "[A] players may act\n[B] during x, nobody may act", "[B] despite [A], during x, nobody may act"),
    Code("F004", "clashing values", "Two rules decide one value differently in one state.",
         "The policy `values` follows one of them; claims that turn on it are a `contradiction`.",
         "[A] the blow of dog d is 1\n[B] the blow of dog d is 2 if d.big",
         "[B] despite [A], the blow of dog d is 2 if d.big"),
    Code("F005", "gap", "No rule says whether something may be done, though it may be done elsewhere.",
         "Somebody will ask. The policy `silence` says how the game goes on.",
         "[A] during x, active may act, and nothing about y", "[B] during y, nobody may act"),
    Code("F006", "reading that matters", "A reading or an open question makes a difference to how the game goes on.",
         "It had better be settled before players do.", "reading [R] …", "the one sentence that is meant"),
    Code("F007", "idle rule", "With the rule and without it, the same happens in every state.",
         "It is always overridden, or others say the same: a reminder, or a mistake.",
         "[A] at most 1 act per turn\n[B] players may act only if number of act this turn = 0", "[B] restates [A]"),
    Code("F008", "outgrown limit", "What a rule brings down to a limit can be raised before the turn ends.",
         "Is the limit a check at one moment, or does it always bind?",
         "[A] at the end of x, lower active.hand to 8\n[B] during y, cards may draw",
         "[A] at the end of y, lower active.hand to 8"),
    Code("F002", "out of range", "A quantity can leave the range declared for it.",
         "Either the range or a rule is wrong.", "hand : int >= 0, and a rule that discards 1",
         "raise … to 0, or `move`"),
)  # fmt: skip
