"""What must come about in the end: that turns can end, that none goes on for ever, that games end.

A proof is a measure: amounts that cannot fall for ever, in an order, of which the first that changes falls. What shows
the contrary is a play into a state out of which no way leads to the turn's end (with a proof of that), or a play and a
cycle that can be gone through again and again: the cycle is one happening made of several, and it is proved that
wherever it is possible it is possible again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from turnproof.rulebook.model import SETUP
from turnproof.solve.ask import Model, Session
from turnproof.solve.induction import Prover, open_way
from turnproof.solve.layers import layers
from turnproof.solve.lemmas import inductive
from turnproof.solve.plays import Counterexample, Found, Happened, ReplayError, read_play
from turnproof.solve.proof import Obligation, Proof
from turnproof.solve.property import Property, Way
from turnproof.solve.safety import Engines
from turnproof.solve.search import SHALLOW, again, alike, as_in, decisive, deep, made_in, search
from turnproof.solve.settle import usual_choices
from turnproof.solve.smt import Script, codes, disj, quoted
from turnproof.system import expr as x
from turnproof.system.interpret import State, perform
from turnproof.system.system import Command, System, Variable

CYCLES = 5


@dataclass(frozen=True, slots=True)
class TurnsCanEnd:
    """How it is decided that every turn can end."""

    engines: Engines

    @property
    def stuck(self) -> Property:
        """Being in a turn, and having no way on that is known to lead to its end."""
        system = self.engines.system
        return Property(bad_state=_in_a_turn(system), stuck=tuple(ways(system)))

    def attempt(self, where: x.Expr) -> Proof | Found:
        return self.prove(where) or self.seek(where)

    def seek(self, where: x.Expr, pretty: bool = True) -> Found:
        system, limit, stuck = self.engines.system, self.engines.limit, self.stuck
        found = search(system, stuck, where, SHALLOW, limit, pretty)
        for rounds, turns in ((0, 1), (1, 1), (1, 2)):
            if found.counterexample is None:
                far = deep(system, stuck, where, rounds, turns, limit, pretty)
                found = far if far.counterexample is not None else found
        if found.counterexample is None:
            return found
        return self.trapped(found.counterexample) or Found(None, -1)

    def trapped(self, play: Counterexample) -> Found | None:
        """The play with a proof that the turn cannot end where it has come, if there is one."""
        trap = no_way_out(self.engines, play, as_in(play))
        return None if trap is None else Found(replace(play, then=trap), play.depth)

    def quick(self, where: x.Expr) -> Proof | None:
        """None: to find a measure is never cheap."""
        del where
        return None

    def resists(self, where: x.Expr) -> str:
        del where
        return "; no measure was found that falls on the way to the turn's end"

    def prove(self, where: x.Expr, thorough: bool = True) -> Proof | None:
        del thorough
        return self._proved(Prover(self.engines.system, self.engines.lemmas(), self.engines.limit), where)

    def _proved(self, prover: Prover, where: x.Expr) -> Proof | None:
        stuck = self.stuck

        def contrary(script: Script, state: dict[str, str]) -> None:
            script.require(script.expr(stuck.bad_state, state, {}))
            _typed(script, prover.system, state)
            for way in stuck.stuck or ():
                script.require(f"(not {open_way(script, way, 0, state)})")

        return prover.everywhere("a way on", contrary, where, "measure")

    def lean(self, where: x.Expr, proof: Proof) -> Proof:
        prover = Prover(self.engines.system, proof.lemmas, self.engines.limit)
        return prover.lean(proof, lambda other: self._proved(other, where))

    def decisive(self, play: Counterexample) -> tuple[str, ...]:
        """The readings by which the play goes so, and those without which there would be a way out."""
        names = decisive(self.engines.system, self.stuck, play, self.engines.limit)
        return _fewest(
            self.engines.system, names, lambda some: no_way_out(self.engines, play, as_in(play, some)) is not None
        )

    def again(self, play: Counterexample, where: x.Expr) -> Counterexample | None:
        system, limit = self.engines.system, self.engines.limit
        same = again(system, self.stuck, play, where, limit)
        found = self.trapped(same) if same is not None else None
        return found.counterexample if found is not None else None

    def alike(self, play: Counterexample, where: x.Expr, hastily: bool = False) -> Counterexample | None:
        del hastily
        same = alike(self.engines.system, self.stuck, play, where, self.engines.limit)
        found = self.trapped(same) if same is not None else None
        return found.counterexample if found is not None else None


def _fewest(system: System, names: Sequence[str], enough: Callable[[Sequence[str]], bool]) -> tuple[str, ...]:
    """Some readings, and as few more as are enough."""
    if enough(names):
        return tuple(names)
    needed = [s.name for s in system.selectors]
    for name in [name for name in needed if name not in names]:
        fewer = [other for other in needed if other != name]
        needed = fewer if enough(fewer) else needed
    return tuple(needed)


def ways(system: System) -> Iterator[Way]:
    """Every command, with plain parameters, as a way on.

    It leads to the end of the turn or the game, to a later step, or it uses up what holds the step back.
    """
    # A way that ends the game is one as well.
    ends = () if system.over == x.FALSE else (x.ite(system.over, x.const(0), x.const(1)),)
    measure = (*ends, _to_come(system), *_holding_back(system))
    for at, command in enumerate(system.commands):
        if command.play.kind == "begin":
            continue
        plain = tuple((name, _plain(sort)) for name, sort in command.params)
        yield Way(at, plain, () if command.play.turn_ends else measure)


def _to_come(system: System) -> x.Expr:
    """How many steps of the turn are still to come, the present one included."""
    step = system.sorts["step"]
    assert isinstance(step, x.Enum)
    return x.add(*(
        x.ite(x.eq(x.Var("step"), x.const(name)), x.const(len(step.values) - at), x.const(0))
        for at, name in enumerate(step.values)
    ))  # fmt: skip


def _in_a_turn(system: System) -> x.Expr:
    """That the game has begun and is not over."""
    return x.both(x.negate(x.eq(x.Var("step"), x.const(SETUP))), x.negate(system.over))


def _typed(script: Script, system: System, state: Mapping[str, str]) -> None:
    """That what lies on a stack was put there: in text it could be any number."""
    for cell in _cells(system):
        sort = system.sorts[cell.array]
        assert isinstance(sort, x.Array)
        script.require(script.one_of(script.expr(cell, state, {}), sort.element.values))


def _cells(system: System) -> list[x.At]:
    """What guards look at in arrays."""
    guards = [command.blocks[0].when for command in system.commands if command.blocks]
    return list(dict.fromkeys(part for part in x.walk(guards) if isinstance(part, x.At)))


def _plain(sort: x.Sort) -> x.Value:
    match sort:
        case x.Int(low, high):
            return low if low is not None else high if high is not None and high < 0 else 0
        case x.Enum(values):
            return values[0]
        case _:
            return False


def _holding_back(system: System) -> Iterator[x.Expr]:
    """Amounts that can keep a step from ending: what waits, what is owed, the stack, the passes still to come."""
    numbers = [v for v in system.variables if isinstance(v.sort, x.Int)]
    waiting = [v.name for v in numbers if " waiting (" in v.name]
    if waiting:
        yield x.add(*(x.larger(x.Var(name), x.const(0)) for name in waiting))
    guards = [block.when for command in system.commands if command.play.kind == "leave" for block in command.blocks]
    read = x.variables(guards)
    # What ends the game does not hold back a step.
    apart = {"turn", "stack", "passes", *waiting, *x.variables([system.over])}
    for name in (v.name for v in numbers if v.name in read and v.name not in apart):
        if not name.endswith(".turns") and " this " not in name and " in the previous " not in name:
            yield x.larger(x.Var(name), x.const(0))
    for name in (v.name for v in numbers if v.name in read and v.name.endswith(" this step")):
        yield x.larger(x.Var(name), x.const(0))
    if "stack" in system.sorts:
        yield x.larger(x.Var("stack"), x.const(0))
    passes = system.sorts.get("passes")
    if isinstance(passes, x.Int) and passes.high is not None:
        yield x.larger(x.minus(x.const(passes.high), x.Var("passes")), x.const(0))


def no_way_out(engines: Engines, play: Counterexample, where: x.Expr) -> Proof | None:
    """A proof that from where a play has come neither the turn nor the game can end, whatever happens."""
    state = play.happened[-1].after if play.happened else play.start
    system = started(engines.system, state)
    ends = {command.name: x.TRUE for command in system.commands if command.play.turn_ends}
    facts = inductive(system, facts_of(system, state), engines.limit, where=where)
    never = Property(bad_state=system.over, bad_commands=ends)
    return Prover(system, facts, engines.limit).prove(never, where, deepest=1) if facts else None


def started(system: System, state: State) -> System:
    """The same game, which begins in a given state."""
    return replace(system, variables=tuple(_started(v, state[v.name]) for v in system.variables))


def _started(variable: Variable, value: object) -> Variable:
    """A variable that begins with a value; what lies on a stack stays free."""
    return replace(variable, initial=value) if isinstance(value, (bool, int, str)) else variable


def facts_of(system: System, state: State) -> Iterator[x.Expr]:
    """What is true in a state and may stay so: values, and that numbers do not fall below or rise above theirs."""
    for variable in system.variables:
        value = state[variable.name]
        if not isinstance(value, (bool, int, str)) or isinstance(variable.sort, x.Array):
            continue
        yield x.eq(x.Var(variable.name), x.const(value))
        match variable.sort:
            case x.Int():
                yield x.le(x.Var(variable.name), x.const(value))
                yield x.le(x.const(value), x.Var(variable.name))
            case x.Enum(values):
                for other in (other for other in values if other != value):
                    yield x.negate(x.eq(x.Var(variable.name), x.const(other)))
            case _:
                pass


# -- what goes on for ever -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Endless:
    """How it is decided that nothing goes on for ever: within a turn, but for some commands; or over whole games."""

    engines: Engines
    excepted: tuple[str, ...] = ()
    whole_games: bool = False

    @property
    def going_on(self) -> list[int]:
        """The commands that may not go on for ever."""
        return [
            at for at, command in enumerate(self.engines.system.commands)
            if command.play.kind != "begin"
            and command.name not in self.excepted
            and (self.whole_games or not command.play.turn_ends)
        ]  # fmt: skip

    def attempt(self, where: x.Expr) -> Proof | Found:
        """Of whole games, turns in which nothing is done are looked at first: they mostly can go on for ever."""
        choices = usual_choices(self.engines.system, where, self.engines.limit) if self.whole_games else None
        if choices is not None:
            found = self.seek(x.all_of(x.Chosen(name, option) for name, option in choices))
            if found.counterexample is not None:
                return found
        return self.prove(where) or self.seek(where)

    def seek(self, where: x.Expr, pretty: bool = True) -> Found:
        del pretty
        for play in self.candidates(where):
            if play is not None:
                return Found(play, play.depth)
        return Found(None, -1)

    def quick(self, where: x.Expr) -> Proof | None:
        """None: to find a measure is never cheap."""
        del where
        return None

    def resists(self, where: x.Expr) -> str:
        del where
        return "; no measure was found that falls, and no cycle that can be repeated"

    def prove(self, where: x.Expr, thorough: bool = True) -> Proof | None:
        del thorough
        return self._proved(Prover(self.engines.system, self.engines.lemmas(), self.engines.limit), where)

    def lean(self, where: x.Expr, proof: Proof) -> Proof:
        prover = Prover(self.engines.system, proof.lemmas, self.engines.limit)
        return prover.lean(proof, lambda other: self._proved(other, where))

    def _proved(self, prover: Prover, where: x.Expr) -> Proof | None:
        """A measure, found amount by amount: each falls with some commands, and rises with none that are left."""
        system = self.engines.system
        left = list(self.going_on)
        rules: set[str] = set()
        lemmas: dict[x.Expr, None] = {}
        obligations: tuple[Obligation, ...] = ()
        amounts = list(self.amounts(system))
        while left:
            for amount in amounts:
                touched = [at for at in left if _touches(system.commands[at], amount)]
                found = [self._falls(prover, at, amount, where, strictly=False) for at in touched]
                if any(proof is None for proof in found) or not touched:
                    continue
                strict = {at: self._falls(prover, at, amount, where, strictly=True) for at in touched}
                used = [proof for proof in strict.values() if proof is not None]
                if not used:
                    continue
                for proof in (*found, *used):
                    assert proof is not None
                    rules |= set(proof.rules)
                    lemmas |= dict.fromkeys(proof.lemmas)
                    obligations += proof.obligations
                left = [at for at in left if strict.get(at) is None]
                amounts.remove(amount)
                break
            else:
                return None
        if self.whole_games:
            on = self._goes_on(prover, where)
            if on is None:
                return None
            rules |= set(on.rules)
            lemmas |= dict.fromkeys(on.lemmas)
            obligations += on.obligations
        names = tuple(tag for tag in system.tags if tag in rules)
        return Proof(names, 1, tuple(lemmas), obligations, "measure")

    def _goes_on(self, prover: Prover, where: x.Expr) -> Proof | None:
        """That a game which is not over goes on: else it would come to no end, though nothing goes on for ever."""

        def contrary(script: Script, state: dict[str, str]) -> None:
            script.require(script.expr(_in_a_turn(prover.system), state, {}))
            _typed(script, prover.system, state)
            for way in ways(prover.system):
                script.require(f"(not {open_way(script, replace(way, measure=()), 0, state)})")

        return prover.everywhere("the game goes on", contrary, where, "measure")

    def _falls(self, prover: Prover, at: int, amount: x.Expr, where: x.Expr, strictly: bool) -> Proof | None:
        """That an amount falls, or at least does not rise, whenever a command happens."""

        def contrary(script: Script, state: dict[str, str]) -> None:
            script.require(script.only(0, at))
            after = script.between(0, at, len(script.system.commands[at].blocks) - 1)
            old, new = script.expr(amount, state, {}), script.expr(amount, after, {})
            script.require(f"(>= {new} {old})" if strictly else f"(> {new} {old})")

        return prover.everywhere(f"`{prover.system.commands[at].name}` and the measure", contrary, where, "measure")

    def amounts(self, system: System) -> Iterator[x.Expr]:
        """Amounts that cannot fall for ever: numbers down to nothing, what is still to come, what is not yet so."""
        yield from _holding_back(system)
        together: dict[str, list[str]] = {}
        for variable in system.variables:
            quantity = variable.name.partition(".")[2]
            if isinstance(variable.sort, x.Int) and quantity and "." not in quantity and " " not in quantity:
                together.setdefault(quantity, []).append(variable.name)
        for names in (names for names in together.values() if len(names) > 1):
            yield x.add(*(x.larger(x.Var(name), x.const(0)) for name in names))
        for variable in system.variables:
            name = variable.name
            match variable.sort:
                case x.Int(_, high) if " this " not in name:
                    yield x.larger(x.Var(name), x.const(0))
                    if high is not None:
                        yield x.larger(x.minus(x.const(high), x.Var(name)), x.const(0))
                case x.Int():
                    for most in _limits(system, name):
                        yield x.larger(x.minus(x.const(most), x.Var(name)), x.const(0))
                case x.Bool():
                    yield x.ite(x.Var(name), x.const(1), x.const(0))
                    yield x.ite(x.Var(name), x.const(0), x.const(1))
                case x.Enum() if name == "step":
                    yield _to_come(system)
                case _:
                    pass

    # -- cycles

    def candidates(self, where: x.Expr) -> Iterator[Counterexample | None]:
        """Plays with a cycle at their end that has been proved to be possible again and again."""
        system = self.engines.system
        if self.whole_games:
            for turns in (2, 3):
                yield self.cycle_in(where, layers(system, 0, turns), None)
            # The first turn may be unlike the others.
            first = layers(system, 0, 1)
            for turns in (2, 3):
                yield self.cycle_in(where, layers(system, 0, turns), None, len(first))
            return
        every = frozenset(self.going_on)
        doing = frozenset(at for at in every if system.commands[at].play.kind != "leave")
        for length in range(1, CYCLES + 1):
            among = doing if length == 1 else every
            if not self.comes_round(where, (among,) * length):
                continue
            for stem in (*[(None,) * n for n in range(1, SHALLOW)], layers(system, 0, 1)):
                yield self.cycle_in(where, stem, (among,) * length)

    def cycle_in(
        self,
        where: x.Expr,
        stem: Sequence[frozenset[int] | None],
        cycle: Sequence[frozenset[int] | None] | None,
        begun: int = 1,
    ) -> Counterexample | None:
        """A play along `stem` whose end comes round to where it was; the happenings of the end are those of `cycle`.

        None: they are all that follows after the first `begun` places: once the game has begun, say.
        """
        system, limit = self.engines.system, self.engines.limit
        places = [*stem, *(cycle or ())]
        script = Script(system, codes(system))
        script.rigid(tags_free=False)
        script.require(script.expr(where, {}, {}))
        states = [script.state(0)]
        script.initial(states[0])
        for k, among in enumerate(places):
            optional = among is not None and (cycle is None or k < len(stem))
            states.append(script.happening(k, states[k], optional, among))
        start = len(stem) if cycle is not None else begun
        if begun > 1:
            script.require(f"(<= 2 {states[start]['turn']})")
        self.come_round(script, states, start, cycle)
        answer = Session(script.text, limit).ask()
        if answer.model is None:
            return None
        return self.read(script, answer.model, len(places), start)

    def comes_round(self, where: x.Expr, cycle: Sequence[frozenset[int] | None]) -> bool:
        """Whether some happenings can come round from any state at all, reached or not."""
        system = self.engines.system
        script = Script(system, codes(system))
        script.rigid(tags_free=False)
        script.require(script.expr(where, {}, {}))
        states = [script.state(0)]
        for k, among in enumerate(cycle):
            states.append(script.happening(k, states[k], False, among))
        self.come_round(script, states, 0, cycle)
        return Session(script.text, self.engines.limit).ask().status != "unsat"

    def come_round(
        self,
        script: Script,
        states: Sequence[Mapping[str, str]],
        start: int,
        cycle: Sequence[frozenset[int] | None] | None,
    ) -> None:
        """That the last of some states is such that what has happened since `start` can happen again."""
        system = self.engines.system
        ghosts = _unread(system)
        for variable in system.variables:
            name = variable.name
            if name in ghosts or isinstance(variable.sort, x.Array) or name in self.rising:
                continue
            before, after = states[start][name], states[-1][name]
            free = name == "turn" or name.endswith(".turns")
            relation = "<=" if isinstance(variable.sort, x.Int) and (free or cycle is None) else "="
            script.require(f"({relation} {before} {after})")
        if cycle is None:
            script.require(
                "(or " + " ".join(f"(<= 0 {quoted(f'{k}.act')})" for k in range(start, len(states) - 1)) + ")"
            )
            script.require(f"(< {states[start]['turn']} {states[-1]['turn']})")
        self.wanted(script, states[start], states[-1])

    def read(self, script: Script, model: Model, depth: int, start: int) -> Counterexample | None:
        """The play of a model, if it is proved that its end can be repeated."""
        system = self.engines.system
        acts = [model.number(f"{k}.act") for k in range(depth)]
        told = read_play(system, script, model, depth, shortest=False)
        state: State = told.start
        happened: list[Happened] = []
        for command, params in told.happened:
            got = perform(command, state, params, told.world)
            if got is None:
                raise ReplayError(f"`{command.name}` cannot occur where the play says it does")
            state = got[0]
            happened.append(Happened(command, params, state))
        first = sum(1 for act in acts[:start] if act is not None and act >= 0)
        play = Counterexample(told.world, told.start, tuple(happened), False, cycle=first)
        proof = self.repeats(play, as_in(play))
        return None if proof is None else replace(play, then=proof)

    def repeats(self, play: Counterexample, where: x.Expr) -> Proof | None:
        """A proof that the cycle of a play is possible again wherever it has led."""
        assert play.cycle is not None
        made = play.happened[play.cycle :]
        if not made:
            return None
        system = started(self.engines.system, play.happened[-1].after)
        whole = _joined(made)
        round_ = replace(system, commands=(whole,))
        facts = inductive(round_, facts_of(system, play.happened[-1].after), self.engines.limit, where=where)

        def contrary(script: Script, state: dict[str, str]) -> None:
            script.require(disj([f"(not {script.only(0, 0)})", *self.missed(script, state)]))

        return Prover(round_, facts, self.engines.limit).everywhere("the cycle again", contrary, where, "cycle")

    @property
    def rising(self) -> frozenset[str]:
        """Quantities that need not come round to where they were."""
        return frozenset()

    def wanted(self, script: Script, before: Mapping[str, str], after: Mapping[str, str]) -> None:
        """What a cycle must do besides."""

    def missed(self, script: Script, state: Mapping[str, str]) -> list[str]:
        """That the cycle, as happening 0, does not do what it must do besides."""
        del script, state
        return []

    def decisive(self, play: Counterexample) -> tuple[str, ...]:
        """The readings without which the play may not go so, or not go on so."""
        reached = Property(bad_state=x.TRUE)
        names = decisive(self.engines.system, reached, play, self.engines.limit)
        return _fewest(self.engines.system, names, lambda some: self.repeats(play, as_in(play, some)) is not None)

    def again(self, play: Counterexample, where: x.Expr) -> Counterexample | None:
        """The same commands, with other parameters perhaps, where readings are otherwise."""
        assert play.cycle is not None
        made = made_in(self.engines.system, play)
        return self.cycle_in(where, made[: play.cycle], made[play.cycle :])

    def alike(self, play: Counterexample, where: x.Expr, hastily: bool = False) -> Counterexample | None:
        """Any play with a cycle: to look for one is cheaper than to look for a measure."""
        del play
        return self.seek(where).counterexample if hastily else None


@dataclass(frozen=True, slots=True)
class StaysBounded(Endless):
    """How it is decided that an amount never exceeds some number."""

    amount: x.Expr = x.FALSE

    def _proved(self, prover: Prover, where: x.Expr) -> Proof | None:
        """A number that is never exceeded, or that the amount never rises above what it was."""
        engines = self.engines
        guesses = [x.le(self.amount, x.const(number)) for number in sorted(_numbers(engines.system))]
        step = engines.system.sorts["step"]
        there = [
            x.implies(x.eq(x.Var("step"), x.const(name)), guess)
            for name in (step.values if isinstance(step, x.Enum) else ()) for guess in guesses
        ]  # fmt: skip
        facts = inductive(engines.system, [*guesses, *there], engines.limit, prover.lemmas, where)
        for guess in (guess for guess in guesses if guess in facts):
            with_facts = replace(prover, lemmas=(*prover.lemmas, *facts))
            return with_facts.prove(Property(bad_state=x.negate(guess)), where)

        def contrary(script: Script, state: dict[str, str]) -> None:
            after = script.happening(0, state)
            script.require(f"(< {script.expr(self.amount, state, {})} {script.expr(self.amount, after, {})})")

        return prover.everywhere("it never rises", contrary, where, "measure")

    def candidates(self, where: x.Expr) -> Iterator[Counterexample | None]:
        yield from Endless.candidates(self, where)
        yield from Endless.candidates(replace(self, whole_games=True), where)

    @property
    def rising(self) -> frozenset[str]:
        return x.variables([self.amount])

    def wanted(self, script: Script, before: Mapping[str, str], after: Mapping[str, str]) -> None:
        script.require(f"(< {script.expr(self.amount, before, {})} {script.expr(self.amount, after, {})})")

    def missed(self, script: Script, state: Mapping[str, str]) -> list[str]:
        after = script.between(0, 0, len(script.system.commands[0].blocks) - 1)
        return [f"(<= {script.expr(self.amount, after, {})} {script.expr(self.amount, state, {})})"]


def _numbers(system: System) -> set[int]:
    """The constants of a system, some of which may be bounds."""
    every = [u.value for command in system.commands for block in command.blocks for u in block.updates]
    every += [block.when for command in system.commands for block in command.blocks]
    constants = (e.value for e in x.walk(every) if isinstance(e, x.Const))
    return {value for value in constants if isinstance(value, int) and not isinstance(value, bool)}


def _touches(command: Command, amount: x.Expr) -> bool:
    written = {update.variable for block in command.blocks for update in block.updates}
    return bool(x.variables([amount]) & written)


def _limits(system: System, name: str) -> set[int]:
    """The constants with which guards compare a count."""
    found: set[int] = set()
    for expr in x.walk(block.when for command in system.commands for block in command.blocks):
        match expr:
            case x.Le(x.Const(int(number)), amount) if name in x.variables([amount]):
                found.add(number)
            case _:
                pass
    return found


def _unread(system: System) -> frozenset[str]:
    """Variables that no guard reads, and nothing that a guard reads comes of."""
    read = set(x.variables(block.when for command in system.commands for block in command.blocks))
    sources: dict[str, set[str]] = {}
    for update in (u for command in system.commands for block in command.blocks for u in block.updates):
        sources.setdefault(update.variable, set()).update(x.variables([update.value]))
    todo = list(read)
    while todo:
        more = sources.get(todo.pop(), set()) - read
        read |= more
        todo += more
    return frozenset(system.sorts) - read


def _joined(made: Sequence[Happened]) -> Command:
    """Several happenings as one, with what was chosen in them settled."""
    blocks = []
    for happened in made:
        settled = {name: x.const(value) for name, value in happened.params.items()}
        for block in happened.command.blocks:
            updates = tuple(replace(u, value=x.settled(u.value, settled)) for u in block.updates)
            blocks.append(replace(block, when=x.settled(block.when, settled), updates=updates, reached=()))
    first = made[0].command
    return Command("the cycle", replace(first.play, kind="play", turn_ends=False), (), tuple(blocks))
