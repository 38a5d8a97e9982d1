"""What sentences mean, case by case: small rulebooks whose verdicts a reader can tell. Each was once told wrongly."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from turnproof import from_text

STEPS = "turn\n  m\n  e\n"
KNIGHTS = "each player has up to 1 knights, each with\n  strength : int >= 0\n"


@dataclass(frozen=True)
class Case:
    """A rulebook, one claim about it, and the verdict."""

    name: str
    rules: str
    claim: str
    verdict: str


CASES = [
    Case("way_judged_before_the_turn_passes", "play go\n" + STEPS + "[A] during e, active may go\n"
         "[B] after e comes m if number of go this turn = 0\n", "it is never so that turn = 2", "refuted"),
    Case("way_of_the_player_whose_step_it_is", "each player has\n  gold : int 0 .. 9\n" + STEPS + "[K] keeps gold\n"
         "[B] after e comes m if active.gold > 0\n", "it is never so that turn = 2 and opponent.gold > 0", "proved"),
    Case("phase_is_not_ended_by_a_step_in_it", "the game has\n  a : int = 0\nturn\n  m\n    m1\n    m2\n  e\n"
         "[A] at the start of m1, a becomes 1\n[B] at the start of m2, a becomes 0\n[C] m cannot end while a = 1\n",
         "it is never so that a = 0 and turn = 1", "refuted"),
    Case("phase_is_skipped_whole", "the game has\n  a : int = 0\nturn\n  s\n  j\n    c\n    t\n[A] at the start of s, a becomes 0\n"
         "[B] j may be skipped\n[C] at the start of c, a += 1\n[D] at the start of t, a += 1\n", "after j, a = 2", "proved"),
    Case("never_skipped_inside_what_is_skipped", "play go\nturn\n  s\n  j\n    c\n[A] j is skipped\n[B] c is never skipped\n"
         "[C] during c, players may go\n", "never go during c if player = active", "contradiction"),
    Case("phase_of_one_step_begins_anew", "play go\n" + STEPS + "the game has\n  n : int = 0\n[A] players may go\n"
         "[B] after e may come e\n[C] at the start of every phase, n += 1\n",
         "after [C], number of go this phase = 0", "proved"),
    Case("stack_empties_in_a_step_that_ends_at_once", "play trick\n  goes on the stack\n" + STEPS + "[P] priority goes round in m\n"
         "[A] during m, active may trick\n[B] m ends at once if number of trick this turn > 0\n",
         "after m, number of trick this turn = 0", "refuted"),
    Case("whenever_is_simultaneous", "the game has\n  a : int = 1\n  b : int = 2\nplay go\n" + STEPS + "[A] players may go\n"
         "[B] whenever go, a becomes b\n[C] whenever go, b becomes a\n", "always a != b", "proved"),
    Case("bounds_and_sums_clash", "the game has\n  a : int = 7\n" + STEPS + "[A] at the start of m, lower a to 7\n"
         "[B] at the start of m, a += 1\n", "always a <= 7", "unknown"),
    Case("one_rule_sets_twice", "the game has\n  a : int = 0\n" + STEPS + "[A] at the start of m, a becomes 1, a becomes 2\n",
         "after [A], a = 1", "unknown"),
    Case("two_moves_do_not_take_one_card", "each player has\n  deck : int >= 0 = 1\n  hand, heap : int = 0\n" + STEPS +
         "[A] at the start of m, move 1 from active.deck to active.hand, move 1 from active.deck to active.heap\n",
         "always every player p: p.deck >= 0", "proved"),
    Case("own_effects_beat_first_values", KNIGHTS + "play hire\n  with k : new knight\n  k.strength becomes 5\n" + STEPS +
         "[A] players may hire\n[B] any player loses if (some knight k of player: k.strength != 5)\n",
         "never hire if turn > 99 and (some knight k: k.strength != 5)", "proved"),
    Case("condition_on_what_comes", KNIGHTS + "play hire\n  with k : new knight\n" + STEPS +
         "[A] players may hire with k only if k.strength >= 5\n[B] players may hire\n",
         "never hire with k if k.strength < 5", "proved"),
    Case("claim_on_what_comes", KNIGHTS + "play hire\n  with k : new knight\n" + STEPS + "[A] players may hire\n",
         "never hire with k if k.strength < 5", "refuted"),
    Case("a_lost_game_stops_at_once", "each player has\n  life : int = 1\n" + STEPS + "[A] at the end of m, active.life -= 1\n"
         "[B] at the start of e, active.life becomes 9\n[C] any player loses if player.life <= 0\n",
         "it is never so that turn = 1 and (some player p: p.life = 0)", "refuted"),
    Case("particular_needs_fewer_cases", KNIGHTS + "play charge\n  with k : own knight\n" + STEPS + "[K] keeps knights.strength\n"
         "[A] players may charge with k\n[B] nobody may charge\n", "never charge", "contradiction"),
    Case("particular_beats_general", "play go\n  any n : int 0 .. 3\n" + STEPS + "[A] players may go\n[B] nobody may go if n = 2\n",
         "never go if n = 2", "proved"),
    Case("a_play_counts_once_however_it_is_named", "play card\nplay trick is card\n" + STEPS + "[A] players may card\n"
         "[B] at most 2 card or trick per turn\n", "at most 1 trick per turn", "refuted"),
    Case("pieces_of_kinds_are_counted", KNIGHTS + "play card\nplay charge is card\n  with k : own knight\n" + STEPS +
         "[K] keeps knights.strength\n[A] players may card\n", "at most 0 card with k per turn", "refuted"),
    Case("a_new_piece_has_no_history", KNIGHTS + "play hire\n  with k : new knight\nplay send\n  with k : own knight\n  k leaves play\n"
         "play charge\n  with k : own knight\n" + STEPS + "[A] players may hire or send\n"
         "[B] players may charge with k only if k.in_play when the turn began\n[C] players may charge\n",
         "never charge with k if number of hire with k this turn > 0", "proved"),
    Case("no_room_is_no_hindrance_on_the_stack", KNIGHTS + "the game has\n  n : int = 0\nplay hire\n  with k : new knight\n"
         "  goes on the stack\n  n += 1\n" + STEPS + "[A] players may hire\n",
         "it is never so that (some knight k of active: true) and (some knight k of opponent: true) and n > 2", "refuted"),
    Case("a_step_that_comes_again_can_be_skipped", "the game has\n  n : int = 0\n" + STEPS + "[N] at the end of e, n becomes 1\n"
         "[S] e is skipped if n = 1 and turn = 1\n[B] after e comes e if n = 1\n", "always n = 0", "refuted"),
    Case("a_coming_piece_is_what_its_play_makes_it", KNIGHTS.replace(">= 0", ">= 0 = 0") + "play hire\n  with k : new knight\n"
         "  k.strength becomes 5\n" + STEPS + "[Q] players may hire\n[R] players may hire with k only if k.strength >= 5\n",
         "never hire", "refuted"),
    Case("a_coming_piece_costs_what_it_is", "each player has\n  gold : int = 3\n" + KNIGHTS + "play hire\n  with k : new knight\n"
         "  k.strength becomes 2\n" + STEPS + "[Q] players may hire\n[C] hire costs k.strength gold\n",
         "always every player p: p.gold = 3", "refuted"),
    Case("what_is_said_of_a_coming_piece_can_be_claimed", KNIGHTS + "play hire\n  with k : new knight\n  k.strength becomes 5\n" + STEPS +
         "[Q] players may hire\n", "never hire with k if k.strength = 4", "proved"),
    Case("particular_rules_are_about_no_other_plays", KNIGHTS + "play card\nplay charge is card\n  with k : own knight\nplay trick is card\n"
         + STEPS + "[K] keeps knights.strength\n[A] players may card with k\n[B] players may not card if turn = 1\n",
         "never charge if turn = 1", "contradiction"),
    Case("since_ends_within_a_happening", "each player has\n  gold : int = 3\nthe game has\n  n : int = 0\n" + STEPS +
         "[A] at the end of m, active.gold becomes 0\n[B] at the start of e, n becomes 1 if (active.gold > 0 since the turn began)\n"
         "[C] at the end of e, active.gold becomes 3\n", "always n = 0", "proved"),
    Case("a_new_piece_was_not_there", KNIGHTS + "the game has\n  n : int = 0\nplay hire\n  with k : new knight\nplay send\n"
         "  with k : own knight\n  k leaves play\n" + STEPS + "[Q] players may hire or send\n"
         "[W] whenever hire with k, n becomes 1 if (k.in_play when the turn began)\n", "always n = 0", "proved"),
    Case("a_limit_for_each_piece_is_not_for_its_place", KNIGHTS + "play hire\n  with k : new knight\nplay send\n  with k : own knight\n"
         "  k leaves play\n" + STEPS + "[L] at most 1 hire with k per turn\n[Q] players may hire or send\n",
         "never hire if number of hire by player this turn = 1", "refuted"),
    Case("a_bound_name_is_its_own", KNIGHTS + "play hire\n  with k : new knight\nplay boost\n  with k : own knight\n  k.strength += 1\n" + STEPS +
         "[Q] players may hire or boost\n[R] players may hire with k only if ((every knight k: k.strength >= 0) since the turn began)\n",
         "never hire", "refuted"),
    Case("one_definition_two_players", "each player has\n  gold : int = 1\nthe game has\n  n : int = 0\ndefine d of player p: p.gold > 0 since the turn began\n"
         + STEPS + "[A] at the end of m, n becomes 1 if active.d and not opponent.d\n[B] at the start of m, opponent.gold becomes 0\n",
         "after m, n = 1", "proved"),
    Case("a_ban_on_a_trigger_is_a_ban", "trigger omen\n" + STEPS + "[A] during m, nobody may put omen\n[B] players may put omen\n",
         "never omen during m", "proved"),
    Case("a_rule_is_done_when_all_it_says_is_done", "the game has\n  a, b : int = 0\n" + STEPS + "[A] all of\n"
         "  at the start of m, a becomes 1 if turn > 0\n  at the start of m, b becomes 1 then b becomes 2 if turn > 0\n",
         "after [A], a = 1 and b = 2", "proved"),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_meaning(case: Case) -> None:
    head = "game g\n" + ("  the particular beats the general\n" if case.name.startswith("particular") else "")
    text = f"```rules\n{head}{case.rules}```\n"
    claims = f'```claims\ngame g\n[C] "c": {case.claim}\n  expect {case.verdict}\n```\n'
    (result,) = from_text(text, claims).check(claims=["C"]).claims
    assert result.result.verdict == case.verdict, result.result


def test_a_claims_own_reading_is_not_overruled() -> None:
    rules = '```rules\ngame g\nturn\n  m\nreading [R] "?"\n  no (default):\n  yes: players may go\nplay go\n```\n'
    claims = (
        '```claims\ngame g\n[C] "c": never go\n  under [R] is no\n  under silence is blocked\n  expect proved\n```\n'
    )
    (result,) = from_text(rules, claims).check(readings={"R": "yes"}).claims
    assert result.result.verdict == "proved"


def test_one_claim_alone_is_doubted_as_all_are() -> None:
    rules = "```rules\ngame g\nthe game has\n  a : int\nturn\n  m\n[A] at the start of m, a becomes 1\n[B] at the start of m, a becomes 2\n```\n"
    claims = '```claims\ngame g\n[C] "c": after [A], a = 1\n  expect unknown\n```\n'
    (result,) = from_text(rules, claims).check(claims=["C"]).claims
    assert result.result.verdict == "unknown"
