"""What forms of claims mean, case by case: small rulebooks whose verdicts a reader can tell."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from turnproof import from_text
from turnproof.verdict import store
from turnproof.verdict.result import Verdict

STEPS = "turn\n  m\n  e\n"
PURSE = "each player has\n  gold : int >= 0 = 3\n  hand, deck : int >= 0\n"
PAWNS = "each player has up to 2 pawns, each with\n  hurt : int >= 0 = 0\n"
PAWN = "each player has up to 1 pawns, each with\n  hurt : int >= 0 = 0\n  in_play : bool = false\n"
HIT = "effect hit\n  from card\n  on p : any pawn\n  any n : int 1 .. 2\n  p.hurt += n\n"
CARD = "play card\n[A] during m, active may card\n"
BLOCKED = "under silence is blocked"


@dataclass(frozen=True)
class Case:
    """A rulebook, one claim about it with lines below it, and the verdict."""

    name: str
    rules: str
    claim: str
    verdict: str
    lines: str = ""


CASES = [
    # -- how much was gained and lost, and by what
    Case("what_a_rule_gives", PURSE + STEPS + "[K] keeps hand, deck\n[A] at the start of m, active.gold += 2\n",
         "after m, active.gold gained by [A] this turn = 2", "proved"),
    Case("not_what_another_gives", PURSE + STEPS + "[K] keeps hand, deck\n[A] at the start of m, active.gold += 2\n"
         "[B] at the start of m, active.gold += 1\n", "after m, active.gold gained by [A] this turn = 3", "refuted"),
    Case("all_together", PURSE + STEPS + "[K] keeps hand, deck\n[A] at the start of m, active.gold += 2\n"
         "[B] at the start of m, active.gold -= 1\n", "after m, active.gold gained this turn = 2 and active.gold lost this turn = 1",
         "proved"),
    Case("a_period_begins_anew", PURSE + STEPS + "[K] keeps hand, deck\n[A] at the start of m, active.gold += 2\n",
         "after e, active.gold gained this step = 0", "proved"),
    Case("what_a_play_costs", PURSE + STEPS + "[K] keeps deck, hand\nplay buy\n[A] during m, active may buy\n[C] buy costs 1 gold\n",
         "always (every player p: p.gold lost by buy this game = 3 - p.gold)", "proved", BLOCKED),
    Case("as_much_as_there_was", PURSE + STEPS + "[K] keeps gold\n[A] at the start of m, move 2 from active.deck to active.hand\n",
         "after m, active.hand gained by [A] this turn = 2", "refuted"),
    Case("lowered_is_lost", PURSE + STEPS + "[K] keeps deck, hand\n[A] at the end of e, lower active.gold to 1\n",
         "it is never so that (some player p: p.gold lost by [A] this game > 2)", "proved"),
    Case("set_to_less_is_lost", PURSE + STEPS + "[K] keeps deck, hand\n[A] at the end of e, active.gold becomes 1\n",
         "after [A], active.gold lost by [A] this turn <= 2", "proved"),
    # -- what cards do
    Case("cards_do_nothing", PAWNS + HIT + STEPS + CARD, "always (every pawn p: p.hurt = 0)", "proved"),
    Case("cards_do_what_is_supposed", PAWNS + HIT + STEPS + CARD, "always (every pawn p: p.hurt = 0)", "refuted", "with effects hit"),
    Case("only_where_it_is_supposed", PAWNS + HIT + STEPS + CARD, "always (every pawn p: p.hurt = 0)", "proved",
         f"with effects hit at e\n  {BLOCKED}"),
    Case("only_what_can_cause_it", PAWNS + HIT + STEPS + CARD + "play walk\n[W] during e, active may walk\n",
         "always (every pawn p: p.hurt = 0)", "proved", f"with effects hit at e\n  {BLOCKED}"),
    Case("where_a_rule_has_a_place_for_it", PAWNS + HIT + STEPS + CARD + "[E] during e, cards may hit\n",
         "always (every pawn p: p.hurt = 0)", "refuted", f"with effects hit at e\n  {BLOCKED}"),
    Case("right_after_the_card", PAWNS + HIT + STEPS + CARD + "play rest\n  every pawn p: p.hurt becomes 0\n[R] during m, active may rest\n",
         "after m, (every pawn p: p.hurt = 0) if number of rest this turn > 0 and number of card this turn = 0", "proved",
         f"with effects hit\n  {BLOCKED}"),
    Case("whenever_an_effect_comes_about", PAWNS + HIT + "the game has\n  n : int = 0\n" + STEPS + CARD + "[W] whenever hit, n += 1\n",
         "always n = 0", "refuted", "with effects hit"),
    Case("an_effect_is_counted", PAWNS + HIT + STEPS + CARD, "always number of hit this turn <= 2", "refuted", "with effects hit"),
    # -- always and after, in a case
    Case("always_if", "the game has\n  n : int = 0\n" + STEPS + "[A] at the start of m, n += 1\n", "always n >= 1 if turn > 0", "proved"),
    Case("always_if_never", "the game has\n  n : int = 0\n" + STEPS + "[A] at the start of m, n += 1\n", "always n = 7 if turn < 0", "vacuous"),
    Case("during_always", "the game has\n  n : int = 0\n" + STEPS + "[A] at the start of m, n becomes 1\n[B] at the start of e, n becomes 0\n",
         "during m, always n = 1", "proved"),
    Case("after_every_step", "the game has\n  n : int = 0\n" + STEPS + "[A] at the end of every step, n becomes 1\n",
         "after every step, n = 1", "proved"),
    Case("after_every_step_but_one", "the game has\n  n : int = 0\n" + STEPS + "[A] at the end of m, n becomes 1\n[B] at the end of e, n becomes 2\n",
         "after every step, n = 1", "refuted"),
    Case("after_a_rule_that_never_does_anything", "the game has\n  n : int = 0\n" + STEPS + "[A] at the end of m, n becomes 1 if turn < 0\n",
         "after [A], n = 5", "vacuous"),
    # -- something follows within the turn
    Case("follows_later", "the game has\n  n : int = 0\n" + STEPS + "[A] at the start of m, n becomes 1\n[B] at the start of e, n becomes 0\n",
         "whenever n = 1, n = 0 within this turn", "proved"),
    Case("follows_too_late", "the game has\n  n : int = 0\n" + STEPS + "[A] at the start of e, n becomes 1\n[B] at the start of m, n becomes 0\n",
         "whenever n = 1, n = 0 within this turn", "refuted"),
    Case("nothing_to_follow", "the game has\n  n : int = 0\n" + STEPS + "[K] keeps n\n", "whenever n = 1, n = 0 within this turn", "vacuous"),
    # -- what can be
    Case("can_be_played", STEPS + CARD, "can card during m", "proved"),
    Case("cannot_be_played", STEPS + CARD, "can card during e", "refuted", BLOCKED),
    Case("can_be_played_by_silence", STEPS + CARD, "can card during e", "depends"),
    Case("can_be", PURSE + STEPS + "[K] keeps gold\n[A] at the start of m, move 1 from active.deck to active.hand\n",
         "during e, it can be that active.hand > 100", "proved"),
    Case("can_be_under_both_readings", STEPS + "the game has\n  n : int = 0\nreading [R] \"?\"\n  a (default): at the start of m, n += 1\n"
         "  b: at the start of m, n += 2\n[B] at the end of m, n += 1\n", "it can be that n = 2", "proved"),
    Case("can_be_under_one_reading", STEPS + "the game has\n  n : int = 0\nreading [R] \"?\"\n  a (default): at the start of m, n += 2\n"
         "  b: at the start of m, n += 4\n", "it can be that n = 2", "depends"),
    # -- left out
    Case("a_step_is_left_out", STEPS + "[A] m is skipped if turn = 2\n", "no step is left out", "refuted"),
    Case("no_phase_is_left_out", "turn\n  m\n    m1\n    m2\n  e\n[A] m1 is skipped if turn = 2\n", "no phase is left out", "proved"),
    # -- turns that end
    Case("ends", STEPS, "every turn can end", "proved"),
    Case("ends_after_what_is_owed", PURSE + STEPS + "[K] keeps hand, deck\nplay pay\n  player.gold -= 1\n"
         "[A] during m, active may pay if active.gold > 0\n[B] m cannot end while active.gold > 0\n"
         "[C] at the start of m, active.gold += 1\n", "every turn can end", "proved", BLOCKED),
    Case("cannot_pay", PURSE + STEPS + "[K] keeps hand, deck\nplay pay\n  player.gold -= 1\n[C] pay costs 1 hand\n"
         "[A] during m, active may pay if active.gold > 0\n[B] m cannot end while active.gold > 0\n", "every turn can end", "refuted", BLOCKED),
    Case("ends_with_a_stack", "play trick\n  goes on the stack\n" + STEPS + "[P] priority goes round in m\n[A] during m, players may trick\n",
         "every turn can end", "proved"),
    Case("a_game_over_is_not_stuck", PURSE + STEPS + "[K] keeps hand, deck\n[A] at the start of e, active.gold -= 1\n"
         "[B] any player loses if player.gold <= 0\n", "every turn can end", "proved"),
    Case("round_and_round", STEPS + "[A] after e comes m if turn = 2\n", "every turn can end", "refuted"),
    # -- turns that go on
    Case("no_play_no_end", STEPS, "no turn goes on for ever", "proved"),
    Case("a_play_for_nothing", STEPS + CARD, "no turn goes on for ever", "refuted", BLOCKED),
    Case("but_for_that_play", STEPS + CARD, "no turn goes on for ever except card", "proved", BLOCKED),
    Case("a_play_that_costs", PURSE + STEPS + "[K] keeps hand, deck\n" + CARD + "[C] card costs 1 gold\n", "no turn goes on for ever", "proved", BLOCKED),
    Case("a_play_that_pays_itself", PURSE + STEPS + "[K] keeps hand, deck\n" + CARD + "[C] card costs 1 gold\n"
         "[D] whenever card, player.gold += 1\n", "no turn goes on for ever", "refuted", BLOCKED),
    Case("two_plays_that_pay_each_other", PURSE + STEPS + "[K] keeps deck\nplay sell\n  player.gold += 1\nplay buy\n  player.hand += 1\n"
         "[A] during m, active may sell or buy\n[C] sell costs 1 hand\n[D] buy costs 1 gold\n", "no turn goes on for ever", "refuted", BLOCKED),
    Case("as_often_as_a_limit_allows", STEPS + CARD + "[L] at most 3 card per turn\n", "no turn goes on for ever", "proved", BLOCKED),
    Case("steps_that_come_again", STEPS + "[A] after m may come m\n", "no turn goes on for ever", "refuted"),
    # -- what an attack found
    Case("an_effect_is_never_made_by_itself", PURSE + STEPS + "[K] keeps gold, deck\nplay go\neffect wound\n  player.hand += 1\n[A] during m, active may go\n",
         "never wound", "refuted", "with effects wound"),
    Case("an_effect_can_be", PURSE + STEPS + "[K] keeps gold, deck\nplay go\neffect wound\n  player.hand += 1\n[A] during m, active may go\n",
         "can wound", "proved", "with effects wound"),
    Case("an_effect_is_anybodys", PURSE + STEPS + "[K] keeps hand, deck\nthe game has\n  n : int = 0\nplay go\neffect boon\n  n += 1\n[P] during m, active may go\n"
         "[W] whenever boon, player.gold += 1\n", "always opponent.gold = 3 if turn = 1", "refuted", "with effects boon"),
    Case("what_flows_into_a_new_piece", PAWN + STEPS + "play hire\n  with k : new pawn\n[A] during m, active may hire\n[W] whenever hire with k, k.hurt += 2\n",
         "during e, always (every pawn k: k.hurt = k.hurt gained by [W] this game)", "proved"),
    Case("owed_as_what_held_ends", "each player has\n  ready : bool = true\n" + STEPS + "play go\n  player.ready becomes false\n[P] during m, active may go\n"
         "[L] at most 1 go per turn\n[E] at the end of e, active.ready becomes true\n",
         "whenever not (active.ready since the turn began), number of go this turn = 0 within this turn", "refuted", BLOCKED),
    Case("not_owed_as_the_turn_begins", "the game has\n  a, b : int = 0\n" + STEPS + "[K] keeps a, b\n",
         "whenever not (a = 0 since the turn began), b = 1 within this turn", "proved"),
    Case("seen_within_a_happening", "the game has\n  a, b : int = 0\n" + STEPS + "[Z] at the start of m, a becomes 0\n[A] at the end of m, a becomes 1\n"
         "[B] at the start of e, a becomes 0, b becomes 1\n", "whenever a = 1, b > 0 within this turn", "proved"),
    Case("a_game_that_gets_stuck_does_not_end", "each player has\n  life : int = 1\n" + STEPS + "[K] keeps life\n[O] m cannot end while turn > 0\n"
         "[B] any player loses if player.life <= 0\n", "every game ends", "unknown"),
    Case("a_way_out_is_the_end_of_the_game", "each player has\n  out : bool = false\nplay resign\n  player.out becomes true\n" + STEPS + "[P] active may resign\n"
         "[O] m cannot end while not active.out\n[B] any player loses if player.out\n", "every turn can end", "proved"),
    Case("excepted_with_a_piece", PAWN + "the game has\n  a : int = 0\nplay card\nplay zap is card\n  a += 1\nplay hit is card\n  with k : own pawn\n  a += 1\n" + STEPS
         + "[A] players may card\n[K] keeps pawns.hurt\n", "no turn goes on for ever except card with k", "refuted", BLOCKED),
    Case("an_excepted_effect", PURSE + STEPS + "[K] keeps gold, deck\nplay go\neffect wound\n  player.hand += 1\n[A] during m, active may go\n[L] at most 1 go per turn\n",
         "no turn goes on for ever except wound", "proved", f"with effects wound\n  {BLOCKED}"),
    Case("reasons_without_what_is_settled", STEPS + "play go\nopen [Q] \"?\"\n  one:\n  two: nobody may go\n[P] players may go\n", "can go", "contradiction",
         "under [Q] is two"),
    Case("the_end_of_a_game_by_a_settled_answer", PURSE + STEPS + "[K] keeps gold, hand, deck\nopen [Q] \"?\"\n  no:\n"
         "  yes: any player loses if player.gold <= 0\n", "every game ends", "refuted", "under [Q] is yes"),
    # -- games that end, amounts that stay bounded
    Case("nothing_ends_it", STEPS, "every game ends", "silent"),
    Case("an_open_question_may_end_it", PURSE + STEPS + "[K] keeps gold, hand, deck\nopen [Q] \"?\"\n  no:\n"
         "  yes: any player loses if player.gold <= 0\n", "every game ends", "silent"),
    Case("it_ends", PURSE + STEPS + "[K] keeps hand, deck\n[A] at the start of m, active.gold -= 1\n[B] any player loses if player.gold <= 0\n",
         "every game ends", "proved"),
    Case("it_need_not_end", PURSE + STEPS + "[K] keeps hand, deck\nplay hit\n  player.gold -= 1\n[A] during m, active may hit\n"
         "[B] any player loses if player.gold <= 0\n", "every game ends", "refuted", BLOCKED),
    Case("bounded", PURSE + STEPS + "[K] keeps gold, deck\n[A] at the start of m, active.hand += 1\n[B] at the end of every step, lower active.hand to 7,\n"
         "    lower opponent.hand to 7\n[C] at the start of e, active.hand becomes 3\n", "active.hand is bounded", "unknown"),
    Case("bounded_by_what_there_is", PURSE + STEPS + "[K] keeps hand, deck\n[A] at the start of m, active.gold becomes 5\n", "active.gold is bounded", "proved"),
    Case("not_bounded", PURSE + STEPS + "[K] keeps hand, deck\n[A] at the start of m, active.gold += 1\n", "active.gold is bounded", "refuted"),
]  # fmt: skip


def decided(rules: str, claim: str, lines: str = "", **settings: Any) -> Verdict:
    """The verdict on one claim about a small rulebook."""
    text = f"```rules\ngame g\n{rules}```\n"
    below = f"\n  {lines}" if lines else ""
    claims = f'```claims\ngame g\n[C] "c": {claim}\n  expect proved{below}\n```\n'
    (result,) = from_text(text, claims).check(claims=["C"], **settings).claims
    return result.result


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_claim(case: Case) -> None:
    verdict = decided(case.rules, case.claim, case.lines)
    assert verdict.verdict == case.verdict, verdict


def test_a_cycle_is_shown_where_it_begins() -> None:
    rules = STEPS + CARD + "[D] after m may come m\n"
    play = decided(rules, "no turn goes on for ever", BLOCKED).counterexample
    assert play is not None
    assert play.cycle is not None
    assert play.cycle < len(play.happened)
    assert play.then is not None


def test_from_a_stuck_state_it_is_proved_that_nothing_leads_on() -> None:
    play = decided(STEPS + "[A] m cannot end while turn = 2\n", "every turn can end").counterexample
    assert play is not None
    assert play.happened[-1].after["turn"] == 2
    assert play.then is not None
    assert play.then.rules == ("A",)


def test_other_sets_of_rules() -> None:
    rules = (
        "play card\n" + STEPS + "[A] during e, nobody may card\n[B] during m, players may only pass_by\nplay pass_by\n"
    )
    rules += "[C] players may not card\n"
    verdict = decided(rules, "never card during e", BLOCKED + "\n  under clash is ban_wins")
    assert verdict.proof is not None
    assert verdict.proof.rules == ()
    verdict = decided(rules, "never card during e", "under silence is possible\n  under clash is ban_wins")
    assert verdict.proof is not None
    assert {verdict.proof.rules, *verdict.also} == {("A",), ("C",)}


def test_two_readings_that_only_together_flip_a_claim() -> None:
    rules = STEPS + "play go\n[G] players may go if [R] is b and [S] is d\n"
    rules += 'reading [R] "?"\n  a (default):\n  b:\nreading [S] "?"\n  c (default):\n  d:\n'
    verdict = decided(rules, "never go", BLOCKED)
    assert verdict.verdict == "depends"
    assert [case.readings for case in verdict.cases if case.verdict == "refuted"] == [{"R": "b", "S": "d"}]
    assert verdict.complete


def test_what_is_proved_by_default_and_not_decided_elsewhere_is_unknown() -> None:
    """Under the other reading there is a play, but far beyond all searches, and no proof."""
    rules = "the game has\n  n, k : int = 0\n" + STEPS
    rules += 'reading [R] "?"\n  a (default):\n  b: at the start of m, n += 1, k += n\n[A] at the start of m, n += 0, k += 0\n'
    verdict = decided(rules, "always k <= 99999", limit=400_000)
    assert verdict.verdict == "unknown"
    assert "R" in verdict.why
    assert "default" in verdict.why
    assert [case.verdict for case in verdict.cases] == ["proved"]


@pytest.mark.parametrize("engine", ["induction", "spacer", "search"])
def test_engines(engine: str) -> None:
    rules = (
        "the game has\n  n : int = 0\n"
        + STEPS
        + "[A] at the start of m, n becomes 1\n[B] at the start of e, n becomes 0\n"
    )
    good = decided(rules, "always n <= 1", engine=engine)
    assert good.verdict == ("bounded" if engine == "search" else "proved")
    bad = decided(rules, "always n <= 0", engine=engine)
    assert bad.verdict == ("refuted" if engine == "search" else "unknown")


def test_where_an_induction_stops_is_said() -> None:
    rules = "the game has\n  n : int = 0\n" + STEPS + "[A] at the start of m, n += 2\n"
    verdict = decided(rules, "it is never so that n = 99999", engine="induction")
    assert verdict.verdict == "unknown"
    assert "induction stops at" in verdict.why


def test_an_edit_is_not_answered_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A count that only a definition looks at grows by a play that has become of that kind."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    rules = (
        "play card\nplay tap is card\nplay go\n"
        + STEPS
        + "[P] players may go\n[F] nobody may tap\ndefine tot: number of card this game\n"
    )
    assert decided(rules, "tot is bounded", cached=True).verdict == "proved"
    assert decided(rules, "tot is bounded", cached=True).verdict == "proved"
    edited = rules.replace("play go\n", "play go is card\n")
    assert decided(edited, "tot is bounded", cached=True).verdict == "refuted"


def test_the_cache_gives_what_was_decided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the plays, done again, and without the certificates."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    rules = STEPS + CARD + 'reading [R] "?"\n  a (default):\n  b: during e, active may card\n'
    first = decided(rules, "never card during e", BLOCKED, cached=True)
    second = decided(rules, "never card during e", BLOCKED, cached=True)
    assert [(case.readings, case.verdict) for case in first.cases] == [
        (case.readings, case.verdict) for case in second.cases
    ]
    plays = [[h.after for h in v.counterexample.happened] for v in (first, second) if v.counterexample is not None]
    assert len(plays) == 2
    assert plays[0] == plays[1]
    assert first.proof is not None
    assert second.proof is not None
    assert (first.proof.rules, bool(first.proof.obligations)) == (second.proof.rules, True)
    assert second.proof.obligations == ()


def test_several_processes_decide_the_same() -> None:
    text = (Path(__file__).parent / "peers" / "turn12.md").read_text(encoding="utf-8")
    alone, together = (from_text(text).check(jobs=jobs) for jobs in (1, 2))
    assert [store.plain_verdict(c.result) for c in alone.claims] == [
        store.plain_verdict(c.result) for c in together.claims
    ]
    assert all(claim.as_expected for claim in alone.claims)
