"""Certificates: every obligation of a proof has no model, in a fresh process and for another solver."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from random import Random
from typing import Any

import cvc5
import pytest

from turnproof import load
from turnproof.game import Game
from turnproof.rulebook.check import check
from turnproof.solve.ask import DEFAULT_LIMIT, Session
from turnproof.solve.induction import Prover
from turnproof.solve.proof import Obligation, Proof
from turnproof.solve.property import Property
from turnproof.solve.safety import Engines
from turnproof.solve.smt import quoted
from turnproof.system import expr as x
from turnproof.system.build import build
from turnproof.system.system import System
from turnproof.verdict.claims import ClaimReader
from turnproof.verdict.decide import Decider

from . import generate
from .test_removal import without

CVC5_LIMIT = 3_000_000
FRESH = """
import json, sys, z3
for text in json.load(sys.stdin):
    solver = z3.Solver(ctx=z3.Context())
    solver.set("rlimit", 40_000_000)
    solver.from_string(text)
    print(solver.check())
"""

# Claims whose proofs are cheap enough to be made several times and looked at rule by rule.
CLAIMS = {"magic": ["MC-01", "MC-03", "MC-04", "MC-09", "MC-16"], "duelo": ["DC-06", "DC-20"]}


def proved(game: str) -> dict[str, Proof]:
    """The proofs of those claims of a library game that are expected to be proved, by claim and case."""
    loaded = load(game)
    assert loaded.page is not None
    report = loaded.check(CLAIMS[game])
    return {
        f"{claim.claim.id} {at}": case.proof
        for claim in report.claims for at, case in enumerate(claim.result.cases) if case.proof is not None
    }  # fmt: skip


proofs = cache(proved)


@cache
def random_proofs(seed: int, count: int) -> list[tuple[System, Property, Proof]]:
    """Proofs of claims about random rulebooks."""
    rng = Random(seed)
    found: list[tuple[System, Property, Proof]] = []
    while len(found) < count:
        _, system, claims = generate.game(rng)
        decider = Decider(Engines(system, deepest=1))
        for _, of in claims:
            found += [(system, of, case.proof) for case in decider.decide(of).cases if case.proof is not None]
    return found[:count]


def obligations(game: str) -> list[Obligation]:
    """All obligations of a library game."""
    return [obligation for proof in proofs(game).values() for obligation in proof.obligations]


def in_a_fresh_process(texts: list[str]) -> list[str]:
    """What z3 says of some texts, each in a context of its own."""
    done = subprocess.run(
        [sys.executable, "-c", FRESH], input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def by_cvc5(text: str) -> str:
    """What cvc5 says of a text within its limit."""
    solver: Any = cvc5.Solver()
    solver.setOption("rlimit", str(CVC5_LIMIT))
    parser: Any = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, "(set-logic ALL)\n" + text, "obligation")
    symbols: Any = parser.getSymbolManager()
    while not (command := parser.nextCommand()).isNull():
        answer = command.invoke(solver, symbols)
        assert not answer or "error" not in answer, answer
    return str(solver.checkSat())


@pytest.mark.parametrize("game", CLAIMS)
def test_library_in_a_fresh_process(game: str) -> None:
    """The library's obligations have no model, and a second look says so again."""
    texts = [obligation.text for obligation in obligations(game)]
    assert texts
    first = in_a_fresh_process(texts)
    assert set(first) == {"unsat"}
    assert in_a_fresh_process(texts) == first


@pytest.mark.parametrize("game", CLAIMS)
def test_library_by_another_solver(game: str) -> None:
    """cvc5 finds no model either."""
    for name, proof in proofs(game).items():
        for obligation in proof.obligations:
            assert by_cvc5(obligation.text) == "unsat", (name, obligation.name)


def test_random_rulebooks_by_both() -> None:
    """The obligations of claims about random rulebooks."""
    texts = [obligation.text for _, _, proof in random_proofs(1, 20) for obligation in proof.obligations]
    assert set(in_a_fresh_process(texts)) == {"unsat"}
    assert {by_cvc5(text) for text in texts} == {"unsat"}


@pytest.mark.parametrize("game", CLAIMS)
def test_same_text_from_a_second_run(game: str) -> None:
    """A second run makes the same certificates, letter by letter."""
    assert proved(game) == proofs(game)


def droppable(proof: Proof) -> list[tuple[str, str]]:
    """Rules and lemmas that an obligation assumes though it has no model without them either."""
    found = []
    for obligation in proof.obligations:
        lines = obligation.text.splitlines()
        flags = [line for line in lines if line.startswith(("(assert |rule ", "(assert |lemma "))]
        for flag in flags:
            fewer = "\n".join(line for line in lines if line != flag)
            if Session(fewer, DEFAULT_LIMIT).ask().status == "unsat":
                found.append((obligation.name, flag))
    return found


def presumed(of: Property) -> set[str]:
    """The assertions of rules without which a question makes no sense."""
    return {f"(assert {quoted(f'rule {rule}')})" for rule in of.presumes}


@pytest.mark.parametrize("game", CLAIMS)
def test_library_cores_are_minimal(game: str) -> None:
    """No rule or lemma of an obligation can be dropped, but those that the claim itself presumes."""
    of = _properties(load(game))
    for name, proof in proofs(game).items():
        free = presumed(of.get(name.split()[0], Property()))
        assert not [flag for flag in droppable(proof) if flag[1] not in free], name


def test_random_cores_are_minimal() -> None:
    """The same for claims about random rulebooks."""
    for _, of, proof in random_proofs(2, 15):
        assert not [flag for flag in droppable(proof) if flag[1] not in presumed(of)]


def _properties(game: Game) -> dict[str, Property]:
    assert game.page is not None
    reader = ClaimReader(game.book, "")
    reader.check(game.page)
    for claim in game.page.claims:
        reader.goal(claim.body, build(game.book, reader.history))
    system = build(game.book, reader.history)
    goals = {claim.id: reader.goal(claim.body, system) for claim in game.page.claims}
    return {name: of for name, of in goals.items() if isinstance(of, Property)}


def _needed(game: Game, claim: str, rule: str) -> bool:
    """Whether the claim's proof is no longer found, by the same lemmas, in the rulebook without the rule."""
    book = check(without(game.book.tree, rule))
    assert game.page is not None
    body = next(c.body for c in game.page.claims if c.id == claim)
    reader = ClaimReader(book, "")
    reader.goal(body, build(book, reader.history))
    system = build(book, reader.history)
    of = reader.goal(body, system)
    assert isinstance(of, Property)
    lemmas = proofs(game.name)[f"{claim} 0"].lemmas
    known, tags = system.sorts.keys(), set(system.tags)
    kept = tuple(g for g in lemmas if x.variables([g]) <= known and x.rules([g]) <= tags)
    return Prover(system, kept).prove(of, deepest=1) is None


@pytest.mark.parametrize("game", CLAIMS)
def test_without_a_cited_rule_the_proof_is_gone(game: str) -> None:
    """In the rulebook without a rule that a proof names, the same lemmas prove the claim no more."""
    loaded = load(game)
    of = _properties(loaded)
    for name, proof in proofs(game).items():
        claim, case = name.split()
        if case == "0" and claim in of and len(proof.rules) <= 12:
            for rule in set(proof.rules) - set(of[claim].presumes):
                assert _needed(loaded, claim, rule), (claim, rule)
