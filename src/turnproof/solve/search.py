"""Bounded search for a play that goes wrong. What is found has been replayed in the interpreter.

Few happenings are tried one by one, so that what is found is the shortest. Beyond, one question with happenings that
may be left out is much cheaper. Deep plays are looked for along the turn: the order of its steps says which happenings
can come next at all (`guided`), so that each is one of few. A play of a coarser system is a sketch, which is `filled`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from turnproof.solve.ask import DEFAULT_LIMIT, Model, Session
from turnproof.solve.induction import wrong, wrong_state
from turnproof.solve.layers import layers, staying
from turnproof.solve.plays import Counterexample, Found, read_play, replayed
from turnproof.solve.property import Property
from turnproof.solve.smt import Script, codes, conj, disj, quoted
from turnproof.system import expr as x
from turnproof.system.interpret import State
from turnproof.system.system import System

SHALLOW = 5
HORIZONS = (12, 24)


def search(
    system: System,
    of: Property,
    where: x.Expr = x.TRUE,
    deepest: int = SHALLOW,
    limit: int = DEFAULT_LIMIT,
    pretty: bool = True,
) -> Found:
    """The shortest play of at most `deepest` happenings that goes wrong in a game whose readings satisfy `where`.

    If it is to be `pretty`, default readings and small numbers are preferred.
    """
    if Session(_at_most(system, of, where, deepest).text, limit).ask().status == "unsat":
        return Found(None, deepest)
    empty = -1
    for depth in range(deepest + 1):
        script, states = _unroll(system, of, where, [None] * depth, optional=False)
        wishes = _wishes(script, states[0], depth) if pretty else None
        session = Session(script.text, limit)
        answer = session.ask()
        if answer.status == "unknown":
            return Found(None, empty, limit=True)
        if answer.model is not None:
            model = _pleasant(session, wishes) if wishes is not None else answer.model
            return Found(replayed(system, of, read_play(system, script, model, depth, shortest=True)), empty)
        empty = depth
    return Found(None, empty)


def within(
    system: System, of: Property, where: x.Expr, depth: int, limit: int = DEFAULT_LIMIT, pretty: bool = True
) -> Found:
    """A play of at most `depth` happenings that goes wrong, not too long if it is to be `pretty`."""
    script = _at_most(system, of, where, depth)
    ends = _flags(script, [(f"end at {k}", f"(= {quoted(f'{k}.act')} (- 1))") for k in reversed(range(depth))])
    readings = _flags(script, _usual(script))
    session = Session(script.text, limit)
    answer = session.ask()
    if answer.model is None:
        return Found(None, -1 if answer.status == "unknown" else depth, limit=answer.status == "unknown")
    model = answer.model
    if pretty:
        kept, best = _honoured(session, [], readings)
        low, high = 0, depth
        while low < high:
            middle = (low + high + 1) // 2
            answer = session.ask([*kept, *ends[:middle]])
            if answer.model is not None:
                low, best = middle, answer.model
            else:
                high = middle - 1
        model = best or model
    play = replayed(system, of, read_play(system, script, model, depth, shortest=False))
    return Found(_smoothed(system, of, play, limit) if pretty else play, -1)


def _at_most(system: System, of: Property, where: x.Expr, depth: int) -> Script:
    """Games of at most some happenings that go wrong: where one is left out, so are all that follow."""
    script, _ = _unroll(system, of, where, [None] * depth, optional=True)
    for k in range(1, depth):
        script.require(f"(=> (= {quoted(f'{k - 1}.act')} (- 1)) (= {quoted(f'{k}.act')} (- 1)))")
    return script


def guided(
    system: System,
    of: Property,
    where: x.Expr,
    along: tuple[frozenset[int], ...],
    limit: int = DEFAULT_LIMIT,
    pretty: bool = True,
) -> Found:
    """A play along the turn that goes wrong; `along` says what can happen when."""
    script, _ = _unroll(system, of, where, along, optional=True)
    readings = _flags(script, _usual(script)) if pretty else []
    session = Session(script.text, limit)
    answer = session.ask()
    if answer.model is None:
        return Found(None, -1, limit=answer.status == "unknown")
    model = (_honoured(session, [], readings)[1] if pretty else None) or answer.model
    play = replayed(system, of, read_play(system, script, model, len(along), shortest=False))
    return Found(_smoothed(system, of, _thinned(system, of, play, limit), limit) if pretty else play, -1)


def _thinned(system: System, of: Property, play: Counterexample, limit: int) -> Counterexample:
    """The play without happenings that it can do without."""
    script, _ = _unroll(system, of, as_in(play), made_in(system, play), optional=True)
    chosen = [k for k, happened in enumerate(play.happened) if happened.command.play.kind not in ("begin", "leave")]
    idle = _flags(script, [(f"idle {k}", f"(= {quoted(f'{k}.act')} (- 1))") for k in chosen])
    session = Session(script.text, limit)
    kept, model = _honoured(session, [], idle)
    for flag in (flag for flag in idle if flag not in kept):
        # What was given up with others may be had without them.
        better = session.ask([*kept, flag]).model
        if better is not None:
            kept, model = [*kept, flag], better
    if model is None:
        return play
    return replayed(system, of, read_play(system, script, model, play.depth, shortest=False))


def made_in(system: System, play: Counterexample) -> list[frozenset[int] | None]:
    """The commands of a play, each the only one at its place."""
    return [frozenset({system.commands.index(happened.command)}) for happened in play.happened]


def as_in(play: Counterexample, names: Iterable[str] | None = None) -> x.Expr:
    """That readings (all, or some) are as in a play."""
    choices = play.world.choices
    return x.all_of(x.Chosen(name, choices[name]) for name in (choices if names is None else names))


def deep(
    system: System,
    of: Property,
    where: x.Expr,
    rounds: int,
    turns: int,
    limit: int = DEFAULT_LIMIT,
    pretty: bool = True,
) -> Found:
    """A play of some turns with at most `rounds` plays in each step, which goes wrong."""
    return guided(system, of, where, layers(system, rounds, turns), limit, pretty)


def alike(
    system: System, of: Property, play: Counterexample, where: x.Expr, limit: int = DEFAULT_LIMIT, freely: bool = False
) -> Counterexample | None:
    """A play as long, of the same sorts of things or, `freely`, of any, where readings are otherwise."""
    same = {(happened.command.play.kind, happened.command.play.name) for happened in play.happened}
    some = None if freely else frozenset(
        at for at, command in enumerate(system.commands) if (command.play.kind, command.play.name) in same
    )  # fmt: skip
    turns = 1 + sum(happened.command.play.turn_ends for happened in play.happened[1:-1])
    return guided(system, of, where, layers(system, 1, turns, some), limit, pretty=False).counterexample


def _smoothed(system: System, of: Property, play: Counterexample, limit: int) -> Counterexample:
    """A play of the same happenings with plain readings and small numbers."""
    script, states = _unroll(system, of, as_in(play), made_in(system, play), optional=False)
    wishes = _wishes(script, states[0], play.depth)
    model = _pleasant(Session(script.text, limit), wishes)
    return replayed(system, of, read_play(system, script, model, play.depth, shortest=False))


def again(
    system: System, of: Property, play: Counterexample, where: x.Expr, limit: int = DEFAULT_LIMIT
) -> Counterexample | None:
    """A play of the same happenings that goes wrong in a game whose readings satisfy `where`, if there is one."""
    script, _ = _unroll(system, of, where, made_in(system, play), optional=False)
    answer = Session(script.text, limit).ask()
    if answer.model is None:
        return None
    return replayed(system, of, read_play(system, script, answer.model, play.depth, shortest=False))


def filled(
    system: System, of: Property, sketch: Counterexample, where: x.Expr, limit: int = DEFAULT_LIMIT, pretty: bool = True
) -> Counterexample | None:
    """A play of what happens in a play of a coarser system, or of that with one thing more before each happening.

    It is called shortest if the sketch is, and nothing more was needed.
    """
    numbers = {command.name: at for at, command in enumerate(system.commands)}
    made = [numbers[happened.command.name] for happened in sketch.happened]
    exactly = [frozenset({at}) for at in made]
    script, states = _unroll(system, of, where, exactly, optional=False)
    wishes = _wishes(script, states[0], len(made)) if pretty else None
    session = Session(script.text, limit)
    answer = session.ask()
    if answer.model is not None:
        model = _pleasant(session, wishes) if wishes is not None else answer.model
        return replayed(system, of, read_play(system, script, model, len(made), sketch.shortest))
    among: list[frozenset[int]] = []
    for at, before in zip(made, [sketch.start, *(done.after for done in sketch.happened)], strict=False):
        among += [staying(system, str(before["step"])), frozenset({at})]
    return guided(system, of, where, tuple(some for some in among if some), limit, pretty).counterexample


def _unroll(
    system: System, of: Property, where: x.Expr, among: Sequence[frozenset[int] | None], optional: bool
) -> tuple[Script, list[dict[str, str]]]:
    """Games of happenings out of `among` that go wrong at their end or, if each is `optional`, somewhere."""
    script = Script(system, codes(system))
    script.rigid(tags_free=False)
    script.require(script.expr(where, {}, {}))
    states = [script.state(0)]
    script.initial(states[0])
    for k, some in enumerate(among):
        states.append(script.happening(k, states[k], optional, some))
    depth = len(among)
    looked_at = range(depth) if optional else range(max(0, depth - 1), depth)
    cases = [wrong(script, of, k) for k in looked_at]
    # A state that is stuck stays so while nothing happens: it is enough to look at the end.
    ends = [*looked_at, depth] if optional and of.stuck is None else [depth]
    cases += [wrong_state(script, of, k, states[k]) for k in ends]
    script.require(disj(cases))
    return script, states


def _flags(script: Script, wanted: Sequence[tuple[str, str]]) -> list[str]:
    """Flags that make formulas true, put into the script."""
    for flag, formula in wanted:
        script.require(f"(=> {script.declare(flag, x.Bool())} {formula})")
    return [flag for flag, _ in wanted]


def _usual(script: Script) -> list[tuple[str, str]]:
    """That readings are at their default, open questions at their first answer."""
    return [
        (f"prefer {s.name}", f"(= {quoted(f'reading {s.name}')} {s.options.index(s.usual)})")
        for s in script.system.selectors
    ]


@dataclass(frozen=True, slots=True)
class Wishes:
    """Flags for what makes a play easy to follow: default readings; small and plain things."""

    readings: list[str]
    small: list[str]


def _wishes(script: Script, start: Mapping[str, str], depth: int) -> Wishes:
    """The flags, put into the script."""
    small = [(f"prefer plain {k}", way) for k, way in enumerate(_plain_ways(script, depth))]
    for name, sort in list(script.sorts.items()):
        first = name.startswith("0.") and name[2:] in start
        choice = name.count(".") >= 2 and name.split(".")[0].isdigit() and name.split(".")[1].isdigit()
        if first and script.system.sorts[name[2:]] == x.Bool():
            small.append((f"prefer {name}", f"(not {quoted(name)})"))
        elif (first or choice) and isinstance(sort, x.Int):
            low = max(sort.low or 0, 0)
            for more in (9, 1, 0):
                formula = f"(and (<= 0 {quoted(name)}) (<= {quoted(name)} {low + more}))"
                small.append((f"prefer {name} within {more}", formula))
    return Wishes(_flags(script, _usual(script)), _flags(script, small))


def _plain_ways(script: Script, depth: int) -> Iterator[str]:
    """For each happening, that it is nothing special: the first player, the first pieces."""
    plain = {
        number for number, command in enumerate(script.system.commands)
        if all(piece.endswith(".1") for _, piece in command.play.pieces) and command.play.player != "p2"
    }  # fmt: skip
    for k in range(depth):
        possible = script.possible(k)
        if len(possible) > 1:
            yield disj(f"(= {quoted(f'{k}.act')} {at})" for at in sorted(possible & plain))


def _pleasant(session: Session, wishes: Wishes) -> Model:
    """A model that honours as many wishes as it can, those of readings first."""
    kept, model = _honoured(session, [], wishes.readings)
    kept, better = _honoured(session, kept, wishes.small)
    found = better or model or session.ask().model
    assert found is not None
    return found


def _honoured(session: Session, fixed: list[str], wanted: list[str]) -> tuple[list[str], Model | None]:
    """The flags `fixed` with as many of `wanted` as go together, giving up the last ones first, and their model."""
    kept = list(wanted)
    while True:
        answer = session.ask([*fixed, *kept])
        dropped = [flag for flag in answer.core if flag in kept]
        if answer.model is not None:
            return [*fixed, *kept], answer.model
        if not dropped:
            return fixed, None
        kept.remove(max(dropped, key=wanted.index))


def decisive(system: System, of: Property, play: Counterexample, limit: int = DEFAULT_LIMIT) -> tuple[str, ...]:
    """Readings without which a play need not go as it does: the others make no difference to it."""
    script = Script(system, codes(system))
    script.rigid(tags_free=False)
    states = [script.state(0)]
    _fix(script, system, states[0], play.start)
    made = [system.commands.index(happened.command) for happened in play.happened]
    for k, (at, happened) in enumerate(zip(made, play.happened, strict=True)):
        states.append(script.happening(k, states[k], stutter=True, among=frozenset({at})))
        for name, _ in happened.command.params:
            script.require(f"(= {quoted(f'{k}.{at}.{name}')} {script.value(happened.params[name])})")
    depth = play.depth
    acts = conj(f"(= {quoted(f'{k}.act')} {at})" for k, at in enumerate(made))
    can = [quoted(f"{k}.{at}.when") for k, at in enumerate(made)]
    cases = [wrong_state(script, of, depth, states[depth])]
    if depth:
        cases.append(wrong(script, of, depth - 1))
    # The play goes otherwise: one of its happenings cannot occur, or at its end nothing is wrong.
    script.require(disj([f"(not {conj(can)})", conj([acts, f"(not {disj(cases)})"])]))
    for k, at in enumerate(made):
        script.require(f"(=> {conj(can[: k + 1])} (= {quoted(f'{k}.act')} {at}))")
    flags = []
    for selector in system.selectors:
        option = selector.options.index(play.world.choices[selector.name])
        flag = f"as in the play {selector.name}"
        flags.append(flag)
        script.require(f"(=> {script.declare(flag, x.Bool())} (= {quoted(f'reading {selector.name}')} {option}))")
    core = Session(script.text, limit).minimal_core(flags)
    if core is None:
        return tuple(selector.name for selector in system.selectors)
    return tuple(flag.removeprefix("as in the play ") for flag in core)


def _fix(script: Script, system: System, symbols: Mapping[str, str], state: State) -> None:
    for variable in system.variables:
        got = state[variable.name]
        if isinstance(got, Mapping):
            continue
        script.require(f"(= {symbols[variable.name]} {script.value(got)})")
