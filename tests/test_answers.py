"""Questions: how they are understood, what is said to those that cannot be, and what answers are made of."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from typer.testing import CliRunner, Result

from turnproof import from_text, load
from turnproof.answers.words import put_into_words
from turnproof.cli import app
from turnproof.diagnostics import Invalid

ROOT = Path(__file__).parents[1]
SCHEMA = json.loads((ROOT / "docs/schema.json").read_text(encoding="utf-8"))


def ask(game: str, question: str, *more: str) -> Result:
    return CliRunner().invoke(app, ["ask", game, question, *more])


SMALL = """```rules
game small "Small" fr "Petit"
  players 2

each player has
  gold, hand : int >= 0

each player has up to 2 knights, each with
  power : int >= 0
  health : int >= 1
  tired : bool = false
  wounds : int >= 0 = 0

turn
  dawn  "Dawn" fr "Aube"
  noon  "High Noon" fr "Midi"
  night "Night" fr "Nuit"

play card "play a card" fr "jouer une carte"
play trick is card "play a trick" fr "jouer un tour"
play hit "hit"
  with k : own knight
  against e : opposing knight

[A] during noon, active may play card
[B] card costs 1 hand
[C] during dawn, nobody may play trick
[D] during dawn, players may play trick if active.gold > 9
[E] at the end of night, move active.hand - 7 from active.hand to active.gold
[F] during noon, active may hit with k if not k.tired
[G] whenever hit with k against e, k.tired becomes true, e.wounds += k.power
[H] whenever hit against e, e leaves play if e.wounds >= e.health
[I] keeps knights.power, knights.health
[J] night cannot end while number of trick this turn > 2
[J2] dawn cannot end while number of hit this turn = 0
[K] noon is skipped if turn = 1
open [Q] "May one hit in the first turn?"
  yes:
  no: players may hit only if turn > 1
reading [R] "Does noon pay?"
  nothing (default):
  one: at the start of noon, active.gold += 1
```
"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("May I play a card in High Noon?", "yes"),
        ("may i PLAY A TRICK during the MIDI", "yes"),
        ("may you play a card in noon", "silent"),
        ("may I play a card in your High Noon", "silent"),
        ("may I play trick in Aube when my gold > 9", "contradiction"),
        ("may I play trick in dawn when my gold = 3", "no"),
        ("may I play trick in dawn", "depends"),
        ("may I play a card in Night", "silent"),
        ("may I hit with k against e in noon when k.tired", "silent"),
        ("may I hit with k against e in noon when not k.tired", "yes"),
        ("may I hit with k against e in noon when knight k of active with not tired, knight e of opponent", "yes"),
        ("must I play a trick in night", "no"),
        ("must I hit in dawn when number of hits this turn = 0", "yes"),
        ("must I hit in dawn when number of hits this turn = 1", "no"),
        ("can night end when number of trick this turn = 3", "no"),
        ("can night end when number of tricks this turn = 2", "yes"),
        ("is High Noon skipped when turn = 1", "yes"),
        ("is noon skipped", "depends"),
        ("how many hand do I lose in Night when my hand = 9", "2"),
        ("how many gold do I gain in night when my hand = 9", "2"),
        ("how much is my hand after night when my hand = 4", "4"),
        ("is it so that my hand <= 7 after night", "yes"),
        ("is it so that my hand < 7 after night", "depends"),
        ("how much gold do I gain in noon when turn = 2", "depends"),
        (
            "how much wounds does e gain in hit with k against e when knight k of active with power 3, "
            "knight e of opponent",
            "3",
        ),
        (
            "does e survive hit with k against e when knight k of active with power 3, "
            "knight e of opponent with health 3 and wounds 0",
            "yes",
        ),
    ],
)  # fmt: skip
def test_questions(question: str, said: str) -> None:
    assert from_text(SMALL).ask(question).said == said


def test_what_happens_at_once_reads_what_was_there_before() -> None:
    """The blow and the fall are said of one moment: the fall looks at the wounds before the blow."""
    scene = "knight k of active with power 3, knight e of opponent with health 3 and wounds 3"
    assert from_text(SMALL).ask(f"does e survive hit with k against e when {scene}").said == "no"


def test_an_answer_names_a_minimal_set_of_rules_and_others() -> None:
    game = from_text(
        SMALL + "\n```rules\n[L] at the start of night, active.hand += 0\n[M] noon is skipped if turn < 2\n```\n"
    )
    found = game.ask("is noon skipped when turn = 1")
    assert (found.answer, len(found.rules), set(found.rules) | set(found.also[0])) == ("yes", 1, {"K", "M"})


def test_an_open_question_is_no_rule_of_the_text_but_is_said() -> None:
    found = from_text(SMALL).ask("may I hit with k against e in noon when turn = 1 and not k.tired")
    assert (found.answer, found.rules) == ("yes", ("F",))
    assert "Q = no" in found.notes[0]


def test_a_reading_can_be_settled() -> None:
    game = from_text(SMALL)
    open_one = game.ask("how much gold do I gain in noon when turn = 2")
    assert (open_one.on, {case.outcome for case in open_one.cases}) == (("R",), {"0", "1"})
    assert game.ask("how much gold do I gain in noon when turn = 2", {"R": "one"}).said == "1"


def test_what_cannot_come_about_is_said_with_its_rules() -> None:
    found = from_text(SMALL).ask("how much wounds does e gain in hit with k against e when my gold < 0")
    assert (found.answer, "cannot come about" in found.why) == ("unknown", True)


def test_a_word_with_two_meanings_is_asked_back() -> None:
    twice = SMALL.replace('night "Night"', 'night "High Noon"')
    with pytest.raises(Invalid) as invalid:
        put_into_words(from_text(twice).book, "may I play a card in High Noon")
    assert invalid.value.diagnostics[0].code == "TP092"
    assert "`night` or `noon`" in invalid.value.diagnostics[0].message


def test_documents_follow_the_schema() -> None:
    jsonschema.validate(json.loads(ask("taiji", "may I use an ability in Unshift", "--format", "json").stdout), SCHEMA)
    many = json.loads(CliRunner().invoke(app, ["ask", "duelo", "--all", "--format", "json"]).stdout)
    jsonschema.validate(many, SCHEMA)
    assert all(one["as_expected"] for one in many["answers"])


def test_a_dispute_that_is_not_there_is_missed_by_its_id() -> None:
    with pytest.raises(Invalid, match="has no dispute `TD-99`"):
        load("taiji").ask("TD-99")
    assert ask("taiji", "[td-06]").exit_code == 0


def test_a_dispute_is_asked_by_its_id() -> None:
    assert "TD-06" in ask("taiji", "TD-06").output
    assert ask("taiji", "TD-06").exit_code == 0


def test_statuses() -> None:
    assert ask("taiji", "may I use an ability in Unshift").exit_code == 0
    assert CliRunner().invoke(app, ["ask", "taiji"]).exit_code == 2
    assert ask("taiji", "may I use an ability in Unshift", "--reading", "silense=possible").exit_code == 2
    assert ask("taiji", "how many hand do I lose in Consolidation when my hand = 9", "--limit", "10").exit_code == 3


# What was answered wrongly once: a rulebook's rules beside two players with gold and hands, a question, what is right.
WRONG_ONCE = [
    ("[X] at the start of dusk, lower active.hand to 3\n[Y] at the start of dusk, active.hand += 2",
     "how much is my hand after dusk when my hand = 4", "contradiction"),
    ("[X] during noon, active may act\n[Y] at most 2 act per game for each player",
     "may I act in noon when number of act by me this turn = 2", "no"),
    ("[X] during noon, active may act\n[Y] players may act only if number of feast this turn < 2",
     "may I act in noon when number of act this turn = 2 and number of feast this turn = 2", "no"),
    ("reading [R] \"?\"\n  no (default):\n  yes: at the start of dusk, active.hand += active.gold",
     "how much hand do I gain in dusk when my gold = 4", "depends"),
    ("[X] noon is skipped if active.hand = 0\n[Y] after dawn comes dusk if active.gold = 7",
     "is noon skipped when my gold = 7 and my hand = 3", "yes"),
    ("[X] at the start of dusk, active.gold -= 2\n[Y] any player loses if player.gold <= 0\n"
     "[Z] at the end of dusk, active.hand += 5", "how much hand do I gain in dusk when my gold = 2", "0"),
    ("[X] during noon, active may stroke with c", "may I stroke with c in noon when cat c of opponent", "yes"),
    ("[X] during noon, active may act\n[Y] during dawn, nobody may act\n[Z] act costs 1 gold, 2 hand",
     "how much hand do I lose in act", "2"),
    ("open [Q] \"?\"\n  low: during noon, active may act if active.gold > 3\n"
     "  high: during noon, active may act if active.gold > 5", "may I act in noon when my gold = 4", "silent"),
    ("[X] noon cannot end while some cat c of active: not c.fed\n[Y] whenever feed with c, c.fed becomes true",
     "must I feed with d in noon when cat c of me with fed, cat d of me with not fed", "yes"),
    ("[X] at the start of dusk, active.gold += 1", "how many of 2 dice of 6 show >= 7", "0"),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "question", "right"), WRONG_ONCE, ids=range(len(WRONG_ONCE)))
def test_what_was_wrong_once(rules: str, question: str, right: str) -> None:
    page = f"""```rules
game g
  players 2
each player has
  gold, hand : int
each player has up to 2 cats, each with
  fed : bool
turn
  dawn
  noon
  dusk
play act
play feast is act
play nap is act
play feed
  with c : own cat
play stroke
  with c : any cat
[K] keeps gold, hand, cats.fed
{rules}
```
"""
    game = from_text(page)
    assert game.ask(question).said == right


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("may nobody act in noon", "TP091"),
        ("may I stroke with c in noon", "TP043"),
        ("can I act in noon", "TP092"),
        ("may I feed in noon when cat c of me", "TP043"),
    ],
)  # fmt: skip
def test_what_is_asked_back(question: str, code: str) -> None:
    page = """```rules
game g
  players 2
each player has up to 2 cats, each with
  fed : bool = false
turn
  noon
play act
play feed
  with c : own cat
play stroke
  with c : any cat
[X] during noon, active may act or feed with c or stroke with c
[Y] whenever feed with c, c.fed becomes true
```
"""
    with pytest.raises(Invalid) as invalid:
        from_text(page).ask(question)
    assert invalid.value.diagnostics[0].code == code


def test_where_two_readings_part() -> None:
    game = from_text(SMALL.replace("[J2] dawn cannot end while number of hit this turn = 0\n", ""))
    found = game.apart({"R": "nothing"}, {"R": "one"})
    assert found is not None
    assert found.shortest
    assert [done.command.play.kind for done in found.play.happened] == ["begin", "leave", "leave"]
    assert all(found.after)
    assert game.apart({"R": "one"}, {"R": "one"}) is None
    result = CliRunner().invoke(
        app, ["ask", "duelo", "--readings", "DF-39=quien_tiene_el_turno", "DF-39=quien_ataca", "--format", "json"]
    )
    document = json.loads(result.stdout)
    jsonschema.validate(document, SCHEMA)
    assert document["sides"][0]["changes"] != document["sides"][1]["changes"]


HOSTILE = [
    "", " ", "?", "???", "!!!", ".", "\x00", "\u202e", "\n\n", "🃏", "may", "may I", "may I?", "why", "how much",
    "how many", "is", "does", "can", "who", "who decides", "when", "who decides everything", "what is love",
    "play", "card",
    "may I fly in upkeep", "may I play a card in Tuesday", "may I play a card in upkeep in drawing",
    "may you may I may you", "may I play a card? may you?", "must I must I", "is upkeep", "is hand skipped",
    "can upkeep begin", "how much hand do I gain", "how much hand do I gain in", "how much luck do I gain in drawing",
    "does a survive encounters", "does the cat survive encounters", "is it so that", "is it so that 5 after drawing",
    "is it so that my hand after drawing", "can it be that", "may I attack with c against d against e in declare",
    "may I attack with in declare", "may I play a card in upkeep when", "may I play a card in upkeep when when",
    "may I play a card in upkeep when hand = 3", "may I play a card in upkeep when my hand = lots",
    "may I play a card in upkeep when my hand = 99999999999999999999999999",
    "may I play a card in upkeep when my hand == 3",
    "may I play a card in upkeep when dragon d of active", "may I play a card in upkeep when character c",
    "may I play a card in upkeep when character c of active with wings", "how many of 3 dice of 0 show > 1",
    "how many of 999999 dice of 6 show > 1", "may I play a card in upkeep; drop table rules", "$(rm -rf /)", "`reboot`",
    "__import__('os').system('true')", "../../etc/passwd", "%s%s%s%n", "{{7*7}}", "<script>alert(1)</script>",
    "抽牌嗎", "можно ли играть", "هل يمكنني اللعب", "(" * 500, "not " * 400 + "may I", "a" * 100_000,
    "how much damage does a gain in encounters when character a of active, character b of active, "
    "character c of active, character d of active", "how much hand do I gain in drawing when attack with c, fly with c",
]  # fmt: skip


@pytest.mark.parametrize("question", HOSTILE, ids=range(len(HOSTILE)))
def test_senseless_questions_get_help(question: str) -> None:
    result = ask("taiji", question)
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    assert "TP" in result.output or "ask one question" in result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)


def test_other_answers_need_no_more_than_the_rulebook(tmp_path: Path) -> None:
    """A question on one state is answered without building what happens."""
    page = tmp_path / "small.md"
    page.write_text(SMALL, encoding="utf-8")
    game = load(page)
    assert game.ask("may I play a card in noon").answer == "yes"
    assert not game._answers._built._systems


@pytest.mark.parametrize("question", ["may I play a intant in entretien", "may I play intant in entretien"])
def test_what_is_meant_is_sought_among_titles(question: str) -> None:
    with pytest.raises(Invalid) as invalid:
        load("magic").ask(question)
    (fault,) = invalid.value.diagnostics
    assert (fault.code, fault.hint) == ("TP030", "did you mean `an instant`?")


def test_a_question_on_dice_alone_is_told_how_it_is_asked() -> None:
    with pytest.raises(Invalid) as invalid:
        load("summoners-gate").ask("how much damage do 3 dice deal against defence 3")
    hint = invalid.value.diagnostics[0].hint
    assert "`how many of 3 dice of 6 show > 3`" in hint
    assert load("summoners-gate").ask("how many of 3 dice of 6 show > 3").chances == (
        ("0", "1/8"), ("1", "3/8"), ("2", "3/8"), ("3", "1/8"),
    )  # fmt: skip


ONCE = """```rules
game once "Once"
  players 2
each player has
  gold : int >= 0
turn
  a
  b
  c
play act "act"
[A] during a, active may act
[B] at the start of b, active.gold += 1
[C] at the start of c, active.gold += 10
```
"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("how much gold do I gain in b when make act", "1"),
        ("how much is my gold after b when my gold = 0, make act", "1"),
        ("how much is my gold after c when my gold = 0, make act", "11"),
        ("how much gold do I gain in c when make act", "10"),
        ("how much gold do I gain in b", "1"),
    ],
)
def test_what_happens_as_a_step_begins_happens_once_on_a_way_into_it(question: str, said: str) -> None:
    assert from_text(ONCE).ask(question).said == said


def test_players_who_act_in_turn_have_all_passed_before_a_step_ends() -> None:
    question = "how much vie do you lose in attribution when créature a of active with force 3, attaquer_joueur with a"
    for option in ("librement", "à_tour_de_rôle"):
        assert load("magic").ask(question, {"MF-24": option}).said == "3"


def test_an_open_question_that_is_settled_is_part_of_the_text() -> None:
    drawn = "how much hand do I gain in Drawing when turn = 5 and my turns = 3 and my deck = 0"
    settled = {"TF-39": "the_discards_are_shuffled"}
    found = load("taiji").ask(drawn, settled)
    assert (found.said, found.on) == ("depends", ("discarded of the active player",))
    assert load("taiji").ask(drawn + " and my discarded = 6", settled).said == "1"
    (note,) = load("taiji").ask(drawn).notes
    assert "with TF-39 = the_discards_are_shuffled it can be otherwise" in note


def test_first_answers_to_open_questions_are_told_too() -> None:
    gate = load("summoners-gate")
    found = gate.ask("how much 魔力 do I gain in 召喚階段 when turn = 1 and my 開局魔力 = 4 and my 魔力 = 0")
    assert found.said == "0"
    assert any("with SF-02 = up_to_ten it would be 4" in note for note in found.notes)


def test_a_play_is_asked_for_by_each_reason_for_which_a_step_is_held() -> None:
    two = "生物 b of opponent with 被攻擊, 生物 d of opponent with 被攻擊"
    for target in ("b", "d"):
        assert load("summoners-gate").ask(f"must I 擲向生物 against {target} in 行動階段 when {two}").answer == "yes"


def test_dice_show_no_more_than_they_have_sides() -> None:
    with pytest.raises(Invalid, match="TP091"):
        load("summoners-gate").ask("how much 傷害 does b gain in 擲向生物 against b when 生物 b of opponent, dice 9")


def test_a_step_that_may_be_passed_over_need_not_be() -> None:
    found = load("duelo").ask("is preparación skipped when number of en_preparación waiting = 0")
    may = next(case for case in found.cases if case.readings == {"DF-07": "de_ordinario"})
    assert may.choices == (("whether it is passed over", "no"),)


def test_a_piece_that_is_named_need_not_fit_every_kind_of_a_play() -> None:
    assert load("taiji").ask("may I attack with c in declare when character c of active with haste").answer == "depends"


@pytest.mark.parametrize(
    ("step", "hint"), [("Foo", "steps: unshift, "), ("Post-Combat", "`post_combat`"), ("Main phase", "phase`")]
)
def test_a_step_that_is_not_there_is_named(step: str, hint: str) -> None:
    with pytest.raises(Invalid) as invalid:
        load("taiji").ask(f"may I use an ability in {step}")
    (fault,) = invalid.value.diagnostics
    assert fault.code == "TP030"
    assert hint in fault.hint


def test_damage_destroys_in_the_combat_that_deals_it_and_never_heals() -> None:
    pieces = "créature a of active with force 3, créature b of opponent with force 2"
    fight = f"{pieces}, attaquer_joueur with a, bloquer with b against a"
    dies = {"MF-10": "quand_elles_atteignent_la_force", "MF-18": "tout"}
    assert load("magic").ask(f"does b survive attribution when {fight}", dies).said == "no"
    lone = "créature a of active with force 0, attaquer_joueur with a"
    assert load("magic").ask(f"does a survive attribution when {lone}", dies).said != "no"
    beaten = (
        "character c of active with attack 5 and Slow and defence 2, "
        "character d of opponent with attack 2 and defence 9 and god, attack_player with c, block with d against c"
    )
    asked = f"how much life do you gain in encounters when your life = 20, {beaten}"
    assert load("taiji").ask(asked, {"TF-29": "to_the_player"}).said == "0"


DICE_THROWN = (
    "how much 傷害 does d gain in 擲向生物 against d when 生物 d of opponent with 防禦力 3 and 生命 9 and 被攻擊"
)


@pytest.mark.parametrize("left_open", ["骰數 = 3", "守勢 = 0"])
def test_chances_are_told_only_where_the_dice_alone_decide(left_open: str) -> None:
    gate = load("summoners-gate")
    exact = gate.ask(f"{DICE_THROWN}, 骰數 = 3, 守勢 = 0")
    assert (exact.on, len(exact.chances)) == (("the dice",), 4)
    found = gate.ask(f"{DICE_THROWN}, {left_open}")
    assert (found.answer, found.chances) == ("depends", ())
    assert found.on != ("the dice",)


def test_the_least_and_the_greatest_amount_have_a_case_each() -> None:
    found = load("summoners-gate").ask(f"{DICE_THROWN}, 骰數 = 3")
    assert found.amount == "0 to 3"
    assert [case.outcome for case in found.cases] == ["0", "3"]


def test_pieces_that_a_question_leaves_open_are_called_after_their_sort() -> None:
    assert "haste of the character" in load("taiji").ask("may I attack").on
    assert "barred of the character (with)" in load("taiji").ask("may you block").on


def test_several_sorts_of_plurals_are_understood() -> None:
    assert load("taiji").ask("may I use abilities in unshift").answer == "no"
    assert load("duelo").ask("may I use habilidades in reinicio").answer == "no"


def test_an_answer_that_rests_on_no_rule_says_so() -> None:
    def notes(question: str) -> str:
        return " ".join(load("taiji").ask(question).notes)

    assert "no rule changes" in notes("is it so that my life = 20 after unshift when my life = 20")
    assert "no rule changes" not in notes(
        "is it so that a.shifted after unshift when character a of active with shifted"
    )
