"""Unbounded proofs: induction over happenings, from lemmas, with the rules that each proof needs.

A proof is a set of obligations, each SMT-LIB text without a model. In an obligation the rules that it does not need
are left free, present or removed; so the proof stands in every rulebook that keeps the rules it names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from turnproof.solve.ask import DEFAULT_LIMIT, Session
from turnproof.solve.proof import Obligation, Proof
from turnproof.solve.property import Property, Way, concerned
from turnproof.solve.smt import Script, codes, conj, disj, quoted
from turnproof.system import expr as x
from turnproof.system.system import System


@dataclass(frozen=True, slots=True)
class Prover:
    """Proves properties of one system from lemmas known to be inductive.

    A `rough` proof may name rules that it does not need.
    """

    system: System
    lemmas: tuple[x.Expr, ...]
    limit: int = DEFAULT_LIMIT
    without: frozenset[str] = frozenset()
    rough: bool = False

    def leanest(self, of: Property, where: x.Expr, proof: Proof) -> Proof:
        """A proof from which no rule can be dropped: each obligation alone may need other rules than all together."""
        deepest = 0 if of.stretches else proof.depth or 1
        return self.lean(proof, lambda prover: prover.prove(of, where, deepest), of.presumes)

    def lean(self, proof: Proof, again: Callable[[Prover], Proof | None], presumes: tuple[str, ...] = ()) -> Proof:
        """A proof from which no rule can be dropped, but for those presumed; `again` proves anew."""
        for rule in proof.rules:
            if rule in proof.rules and rule not in presumes:
                others = self.without | (set(self.system.tags) - set(proof.rules)) | {rule}
                fewer = again(replace(self, without=frozenset(others)))
                proof = proof if fewer is None else replace(fewer, engine=proof.engine)
        return proof

    def everywhere(
        self, name: str, contrary: Callable[[Script, dict[str, str]], None], where: x.Expr, engine: str
    ) -> Proof | None:
        """That in no reachable state something is so; `contrary` says it in a script, of a state."""
        script = self._script(where)
        state = script.state(0)
        flags = self._lemma_flags(script, state)
        contrary(script, state)
        found = self._core(script, flags, name)
        closed = None if found is None else self._close(found[1], where)
        if found is None or closed is None:
            return None
        rules = found[0] | closed[0]
        lemmas = tuple(self.lemmas[n] for n in closed[1])
        names = tuple(tag for tag in self.system.tags if tag in rules)
        return Proof(names, 1, lemmas, (*found[2], *closed[2]), engine)

    def prove(self, of: Property, where: x.Expr = x.TRUE, deepest: int = 2) -> Proof | None:
        """A proof of a property in all games whose readings satisfy `where`, or None if none is found."""
        for depth in range(1 if of.about_states else 0, deepest + 1):
            found = self._step(of, where, depth)
            if found is None:
                continue
            rules, needed, obligations = found
            first = self._base(of, where, depth)
            if first is None:
                return None
            closed = self._close(needed, where)
            if closed is None:
                return None
            lemma_rules, lemmas, more = closed
            names = [tag for tag in self.system.tags if tag in rules | first[0] | lemma_rules | set(of.presumes)]
            return Proof(tuple(names), depth, tuple(self.lemmas[n] for n in lemmas), (*first[1], *obligations, *more))
        return None

    def resisting(self, of: Property, where: x.Expr) -> tuple[str, str] | None:
        """The step and the command at which an induction with all lemmas fails: what it goes wrong in, or leads to."""
        script = self._script(where, of.presumes)
        state = script.state(0)
        for flag in self._lemma_flags(script, state):
            script.require(quoted(flag))
        for tag in self.system.tags:
            script.require(quoted(f"rule {tag}"))
        after = script.happening(0, state)
        script.require(f"(not {wrong_state(script, of, 0, state)})" if of.stuck is None else "true")
        script.require(disj([wrong(script, of, 0), script.expr(of.bad_state, after, {})]))
        model = Session(script.text, self.limit).ask().model
        at = None if model is None else model.number("0.act")
        if model is None or at is None:
            return None
        names = {number: name for name, number in script.codes.numbers.items()}
        return names.get(model.number("0.step") or 0, ""), self.system.commands[at].name

    # -- obligations

    def _script(self, where: x.Expr, presumes: tuple[str, ...] = ()) -> Script:
        script = Script(self.system, codes(self.system))
        script.rigid(tags_free=True)
        script.require(script.expr(where, {}, {}))
        for rule in presumes:
            script.require(quoted(f"rule {rule}"))
        return script

    def _lemma_flags(self, script: Script, state: dict[str, str]) -> list[str]:
        """Flags that assume the lemmas of a state."""
        names = []
        for number, lemma in enumerate(self.lemmas):
            script.require(f"(=> {script.declare(f'lemma {number}', x.Bool())} {script.expr(lemma, state, {})})")
            names.append(f"lemma {number}")
        return names

    def _step(self, of: Property, where: x.Expr, depth: int) -> tuple[set[str], set[int], list[Obligation]] | None:
        """That after `depth` good happenings nothing goes wrong."""
        if depth == 0 and len(of.stretches) > 1:
            return self._parts(of, where)
        script = self._script(where, of.presumes)
        states = [script.state(0)]
        flags = self._lemma_flags(script, states[0])
        for k in range(depth):
            if of.about_states:
                script.require(f"(not {script.expr(of.bad_state, states[k], {})})")
            states.append(script.happening(k, states[k]))
            script.require(f"(not {wrong(script, of, k)})")
        script.require(self._wrong_at(script, of, depth, states))
        return self._core(script, flags, f"step {depth}")

    def _parts(self, of: Property, where: x.Expr) -> tuple[set[str], set[int], list[Obligation]] | None:
        """That no part of a happening goes wrong: the first with as few rules as can be, the others with these.

        What the first cannot do without, all together cannot either.
        """
        first = self._part(replace(of, stretches=of.stretches[:1]), where, "step 0, first case")
        if first is None:
            return None
        rest = replace(of, stretches=of.stretches[1:])
        script, flags = self._of_part(rest, where)
        enough = [*(f"lemma {n}" for n in sorted(first[1])), *(f"rule {tag}" for tag in sorted(first[0]))]
        status = Session(script.text, self.limit).ask(enough).status
        if status == "unsat":
            text = script.text + "".join(f"(assert {quoted(flag)})\n" for flag in enough)
            return first[0], first[1], [*first[2], Obligation("step 0, other cases", text)]
        if status == "unknown" and len(of.stretches) > 2:
            halves = [rest.stretches[: len(rest.stretches) // 2], rest.stretches[len(rest.stretches) // 2 :]]
            found = [first, *(self._parts(replace(of, stretches=(of.stretches[0], *half)), where) for half in halves)]
            if any(one is None for one in found):
                return None
            kept = [one for one in found if one is not None]
            return (
                set().union(*(a for a, _, _ in kept)),
                set().union(*(b for _, b, _ in kept)),
                [obligation for _, _, more in kept for obligation in more],
            )
        others = self._core(script, flags, "step 0, other cases")
        return None if others is None else (first[0] | others[0], first[1] | others[1], first[2] + others[2])

    def _part(self, of: Property, where: x.Expr, name: str) -> tuple[set[str], set[int], list[Obligation]] | None:
        script, flags = self._of_part(of, where)
        return self._core(script, flags, name)

    def _of_part(self, of: Property, where: x.Expr) -> tuple[Script, list[str]]:
        """A state in which some part of a happening goes wrong, with the flags of lemmas."""
        script = self._script(where, of.presumes)
        state = script.state(0)
        flags = self._lemma_flags(script, state)
        script.require(self._wrong_at(script, of, 0, [state]))
        return script, flags

    def _base(self, of: Property, where: x.Expr, depth: int) -> tuple[set[str], list[Obligation]] | None:
        """That nothing goes wrong within the first `depth` happenings of a game."""
        if depth == 0:
            return set(), []
        script = self._script(where, of.presumes)
        states = [script.state(0)]
        script.initial(states[0])
        cases = []
        happenings = bool(concerned(of, self.system))
        for k in range(depth):
            cases.append(script.expr(of.bad_state, states[k], {}))
            if k < depth - 1 or happenings:
                states.append(script.happening(k, states[k], stutter=True))
                cases.append(conj([f"(not (= {quoted(f'{k}.act')} (- 1)))", wrong(script, of, k)]))
        script.require(disj(cases))
        found = self._core(script, [], f"base {depth}")
        return None if found is None else (found[0], found[2])

    def _wrong_at(self, script: Script, of: Property, depth: int, states: list[dict[str, str]]) -> str:
        """That the state after `depth` happenings is wrong, or a happening that can follow."""
        return disj([script.expr(of.bad_state, states[depth], {}), one_happening(script, of, depth)])

    def _core(self, script: Script, flags: list[str], name: str) -> tuple[set[str], set[int], list[Obligation]] | None:
        """The rules and lemmas that a question without a model needs, and the question with only these."""
        tags = [f"rule {tag}" for tag in self.system.tags if tag not in self.without]
        session = Session(script.text, self.limit)
        if self.rough:
            answer = session.ask([*flags, *tags])
            core = answer.core if answer.status == "unsat" else None
        else:
            core = session.minimal_core([*flags, *tags])
        if core is None:
            return None
        text = script.text + "".join(f"(assert {quoted(flag)})\n" for flag in core)
        rules = {flag.removeprefix("rule ") for flag in core if flag.startswith("rule ")}
        lemmas = {int(flag.removeprefix("lemma ")) for flag in core if flag.startswith("lemma ")}
        return rules, lemmas, [Obligation(name, text)]

    def _close(self, needed: set[int], where: x.Expr) -> tuple[set[str], list[int], list[Obligation]] | None:
        """The rules and further lemmas that lemmas need in turn, with their obligations."""
        rules: set[str] = set()
        obligations: list[Obligation] = []
        done: list[int] = []
        todo = sorted(needed)
        while todo:
            number = todo.pop(0)
            if number in done:
                continue
            done.append(number)
            script = self._script(where)
            before = script.state(0)
            flags = self._lemma_flags(script, before)
            after = script.happening(0, before)
            script.require(f"(not {script.expr(self.lemmas[number], after, {})})")
            found = self._core(script, flags, f"lemma {number}, step")
            first = self._script(where)
            state = first.state(0)
            first.initial(state)
            first.require(f"(not {first.expr(self.lemmas[number], state, {})})")
            base = self._core(first, [], f"lemma {number}, base")
            if found is None or base is None:
                return None
            rules |= found[0] | base[0]
            obligations += base[2] + found[2]
            todo += sorted(found[1] - set(done))
        return rules, sorted(done), obligations


def wrong(script: Script, of: Property, k: int) -> str:
    """That happening `k`, already in the script, goes wrong."""
    act = quoted(f"{k}.act")
    possible = script.possible(k)
    return disj(
        conj([f"(= {act} {at})", _wrong_in(script, of, k, at)])
        for at in concerned(of, script.system) if at in possible
    )  # fmt: skip


def wrong_state(script: Script, of: Property, k: int, state: Mapping[str, str]) -> str:
    """That state `k` is wrong."""
    if of.stuck is None:
        return script.expr(of.bad_state, state, {})
    return conj(
        [script.expr(of.bad_state, state, {}), *(f"(not {open_way(script, way, k, state)})" for way in of.stuck)]
    )


def open_way(script: Script, way: Way, k: int, state: Mapping[str, str]) -> str:
    """That a way on is open in state `k`, and leads on; the command is put into the script."""
    can = script.only(k, way.command)
    fixed = [f"(= {quoted(f'{k}.{way.command}.{name}')} {script.value(value)})" for name, value in way.params]
    for formula in fixed:
        script.require(formula)
    after = script.between(k, way.command, len(script.system.commands[way.command].blocks) - 1)
    cases: list[str] = []
    same: list[str] = []
    for amount in way.measure:
        old, new = script.expr(amount, state, {}), script.expr(amount, after, {})
        cases.append(conj([*same, f"(< {new} {old})"]))
        same.append(f"(<= {new} {old})")
    return conj([can, disj(cases)]) if way.measure else can


def one_happening(script: Script, of: Property, k: int) -> str:
    """That some happening of state `k` goes wrong; only the commands that matter are put into the script."""
    return disj([conj([script.only(k, at), _wrong_in(script, of, k, at)]) for at in concerned(of, script.system)])


def _wrong_in(script: Script, of: Property, k: int, at: int) -> str:
    """That a happening goes wrong if it is the command `at`."""
    command = script.system.commands[at]
    params = script.params(k, at)
    cases = [script.expr(of.bad_commands.get(command.name, x.FALSE), script.between(k, at, -1), params)]
    for moment, holds in of.moments:
        cases += [conj([passes, f"(not {fine})"]) for passes, fine in script.passing(k, at, moment, holds)]
    for name, block, cond in of.bad_blocks:
        if name == command.name:
            cases.append(script.expr(cond, script.between(k, at, block - 1), params))
    for one in of.stretches:
        if one.command == command.name:
            before, after = script.between(k, at, one.begins), script.between(k, at, one.ends)
            state = {**after, **{x.BEFORE + name: symbol for name, symbol in before.items()}}
            cases.append(conj([script.expr(one.supposed, before, params), script.expr(one.wrong, state, params)]))
    return disj(cases)
