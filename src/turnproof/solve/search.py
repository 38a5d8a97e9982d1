"""Bounded search for a play that goes wrong. What is found has been replayed in the interpreter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from turnproof.solve.ask import DEFAULT_LIMIT, Model, Session
from turnproof.solve.induction import wrong
from turnproof.solve.property import Property
from turnproof.solve.smt import Script, codes, conj, disj, quoted
from turnproof.system import expr as x
from turnproof.system.interpret import State, World, evaluate, perform, same, starts
from turnproof.system.system import Command, System

SHALLOW = 5
HORIZONS = (12, 24)


class ReplayError(AssertionError):
    """The interpreter does not do what the solver's play says: a fault of turnproof."""


@dataclass(frozen=True, slots=True)
class Happened:
    """One happening of a play: the command, what was chosen, and the state that it left."""

    command: Command
    params: Mapping[str, x.Value]
    after: State


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A play that goes wrong at its end, in the world where the readings are as `world` says."""

    world: World
    start: State
    happened: tuple[Happened, ...]
    shortest: bool

    @property
    def depth(self) -> int:
        return len(self.happened)


@dataclass(frozen=True, slots=True)
class Found:
    """`depth` is how far there is certainly nothing, where no counterexample was found; `limit` if that was why."""

    counterexample: Counterexample | None
    depth: int
    limit: bool = False


def search(
    system: System,
    of: Property,
    where: x.Expr = x.TRUE,
    deepest: int = SHALLOW,
    limit: int = DEFAULT_LIMIT,
    pretty: bool = True,
) -> Found:
    """A play of at most `deepest` happenings that goes wrong in a game whose readings satisfy `where`.

    Up to `SHALLOW` happenings the shortest is looked for, depth by depth; beyond, one question with happenings that
    may be left out is much cheaper, and what it finds need not be the shortest. If it is to be `pretty`, default
    readings, an early end and small numbers are preferred.
    """  # fmt: skip
    empty = -1
    for depth in [*range(min(deepest, SHALLOW) + 1), *(d for d in HORIZONS if SHALLOW < d <= deepest)]:
        exact = depth <= SHALLOW
        script, states = _unroll(system, of, where, depth, stutter=not exact)
        wishes = _wishes(script, states[0], depth)
        session = Session(script.text, limit)
        answer = session.ask()
        if answer.status == "unknown":
            return Found(None, empty, limit=True)
        if answer.model is not None:
            if not pretty:
                play = _read(system, script, answer.model, depth, shortest=exact)
            elif exact:
                play = _read(system, script, _pleasant(session, wishes), depth, shortest=True)
            else:
                play = _shortened(system, of, script, session, wishes, limit)
            return Found(replayed(system, of, play), empty)
        empty = depth
    return Found(None, empty)


def _shortened(
    system: System, of: Property, script: Script, session: Session, wishes: Wishes, limit: int
) -> Counterexample:
    """The play of a question in which happenings may be left out, with as few as were found, then made pleasant."""
    kept = _honoured(session, [], wishes.readings)
    low, high = 0, len(wishes.ends)
    while low < high:
        middle = (low + high + 1) // 2
        if session.ask([*kept, *wishes.ends[:middle]]).status == "sat":
            low = middle
        else:
            high = middle - 1
    model = session.ask([*kept, *wishes.ends[:low]]).model or session.ask().model
    assert model is not None
    play = _read(system, script, model, SHALLOW + len(wishes.ends), shortest=False)
    settled = x.all_of(x.Chosen(name, option) for name, option in play.world.choices.items())
    again_script, states = _unroll(system, of, settled, play.depth, stutter=False)
    again_wishes = _wishes(again_script, states[0], play.depth)
    model = _pleasant(Session(again_script.text, limit), again_wishes)
    return _read(system, again_script, model, play.depth, shortest=False)


def again(
    system: System, of: Property, play: Counterexample, where: x.Expr, limit: int = DEFAULT_LIMIT
) -> Counterexample | None:
    """A play of the same happenings that goes wrong in a game whose readings satisfy `where`, if there is one."""
    script, _ = _unroll(system, of, where, play.depth, stutter=False)
    for k, happened in enumerate(play.happened):
        script.require(f"(= {quoted(f'{k}.act')} {system.commands.index(happened.command)})")
    answer = Session(script.text, limit).ask()
    if answer.model is None:
        return None
    return replayed(system, of, _read(system, script, answer.model, play.depth, shortest=False))


def _unroll(
    system: System, of: Property, where: x.Expr, depth: int, stutter: bool
) -> tuple[Script, list[dict[str, str]]]:
    """Games of `depth` happenings, or with `stutter` of at most so many, that go wrong at their end."""
    script = Script(system, codes(system))
    script.rigid(tags_free=False)
    script.require(script.expr(where, {}, {}))
    states = [script.state(0)]
    script.initial(states[0])
    cases = []
    for k in range(depth):
        states.append(script.happening(k, states[k], stutter))
        if stutter and k:
            script.require(f"(=> (= {quoted(f'{k - 1}.act')} (- 1)) (= {quoted(f'{k}.act')} (- 1)))")
    for k in range(depth) if stutter else range(depth - 1, depth):
        if k >= 0:
            over = f"(= {quoted(f'{k + 1}.act')} (- 1))" if stutter and k < depth - 1 else "true"
            cases.append(conj([over, f"(<= 0 {quoted(f'{k}.act')})", wrong(script, of, k)]))
    cases.append(script.expr(of.bad_state, states[depth], {}))
    script.require(disj(cases))
    return script, states


@dataclass(frozen=True, slots=True)
class Wishes:
    """Flags for what makes a play easy to follow: default readings; an early end, the latest first; small things."""

    readings: list[str]
    ends: list[str]
    small: list[str]


def _wishes(script: Script, start: Mapping[str, str], depth: int) -> Wishes:
    """The flags, put into the script."""
    readings = []
    for selector in script.system.selectors:
        default = selector.options.index(selector.default or selector.options[0])
        readings.append((f"prefer {selector.name}", f"(= {quoted(f'reading {selector.name}')} {default})"))
    ends = [(f"prefer to end at {k}", f"(= {quoted(f'{k}.act')} (- 1))") for k in reversed(range(SHALLOW, depth))]
    small = [(f"prefer plain {k}", way) for k, way in enumerate(_plain_ways(script.system, depth))]
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
    for flag, formula in [*readings, *ends, *small]:
        script.require(f"(=> {script.declare(flag, x.Bool())} {formula})")
    return Wishes([flag for flag, _ in readings], [flag for flag, _ in ends], [flag for flag, _ in small])


def _plain_ways(system: System, depth: int) -> list[str]:
    """For each happening, that it is nothing special: the first player, the first pieces."""
    plain = [
        number for number, command in enumerate(system.commands)
        if all(piece.endswith(".1") for _, piece in command.play.pieces) and command.play.player != "p2"
    ]  # fmt: skip
    return [disj(f"(= {quoted(f'{k}.act')} {n})" for n in ["(- 1)", *plain]) for k in range(depth)]


def _pleasant(session: Session, wishes: Wishes) -> Model:
    """A model that honours as many wishes as it can, those of readings first."""
    kept = _honoured(session, _honoured(session, [], wishes.readings), wishes.small)
    model = session.ask(kept).model or session.ask().model
    assert model is not None
    return model


def _honoured(session: Session, fixed: list[str], wanted: list[str]) -> list[str]:
    """The flags `fixed` with as many of `wanted` as go together, giving up the last ones first."""
    kept = list(wanted)
    while True:
        answer = session.ask([*fixed, *kept])
        dropped = [flag for flag in answer.core if flag in kept]
        if answer.status == "sat":
            return [*fixed, *kept]
        if not dropped:
            return fixed
        kept.remove(max(dropped, key=wanted.index))


def _read(system: System, script: Script, model: Model, depth: int, shortest: bool) -> Counterexample:
    """The play that a model describes."""
    names = {number: value for value, number in script.codes.numbers.items()}

    def value(symbol: str, sort: x.Sort) -> Any:
        match sort:
            case x.Bool():
                return model.truth(symbol)
            case x.Int(low, _):
                number = model.number(symbol)
                return max(low or 0, 0) if number is None else number
            case x.Enum(values):
                number = model.number(symbol)
                return values[0] if number is None else names[number]
            case x.Array():
                return {at: names.get(n, "") for at, n in model.cells(symbol).items() if at is not None}

    choices = {s.name: s.options[model.number(f"reading {s.name}") or 0] for s in system.selectors}
    states: list[State] = [{v.name: value(f"{k}.{v.name}", v.sort) for v in system.variables} for k in range(depth + 1)]
    happened = []
    for k in range(depth):
        at = model.number(f"{k}.act") or 0
        if at < 0:
            break
        command = system.commands[at]
        params = {name: value(f"{k}.{at}.{name}", sort) for name, sort in command.params}
        happened.append(Happened(command, params, states[k + 1]))
    return Counterexample(World(choices), states[0], tuple(happened), shortest)


def replayed(system: System, of: Property, play: Counterexample) -> Counterexample:
    """The same play, done again in the interpreter. Raises ReplayError where the interpreter sees it otherwise."""
    state = play.start
    if not starts(system, state):
        raise ReplayError("the play starts in a state in which no game can start")
    done = []
    went_wrong = bool(evaluate(of.bad_state, state, {}, play.world))
    for happened in play.happened:
        got = perform(happened.command, state, happened.params, play.world)
        if got is None:
            raise ReplayError(f"`{happened.command.name}` cannot occur where the play says it does")
        if not same(system, got[0], happened.after):
            raise ReplayError(f"`{happened.command.name}` does not do what the play says")
        went_wrong = goes_wrong(of, happened.command, state, happened.params, play.world)
        state = got[0]
        went_wrong = went_wrong or bool(evaluate(of.bad_state, state, {}, play.world))
        done.append(Happened(happened.command, happened.params, state))
    if not went_wrong:
        raise ReplayError("nothing goes wrong in the play")
    return Counterexample(play.world, play.start, tuple(done), play.shortest)


def goes_wrong(of: Property, command: Command, state: State, params: Mapping[str, x.Value], world: World) -> bool:
    """Whether a happening that can occur goes wrong."""
    if evaluate(of.bad_commands.get(command.name, x.FALSE), state, params, world):
        return True
    got = perform(command, state, params, world)
    assert got is not None
    for moment, passed in got[1]:
        if any(moment == other and not evaluate(holds, passed, {}, world) for other, holds in of.moments):
            return True
    now: State = state
    for number, block in enumerate(command.blocks):
        for name, at, cond in of.bad_blocks:
            if name == command.name and at == number and evaluate(cond, now, params, world):
                return True
        new = {u.variable: evaluate(u.value, now, params, world) for u in block.updates}
        now = {**now, **new}
    return False


def decisive(system: System, of: Property, play: Counterexample, limit: int = DEFAULT_LIMIT) -> tuple[str, ...]:
    """Readings without which a play need not go as it does: the others make no difference to it."""
    script = Script(system, codes(system))
    script.rigid(tags_free=False)
    states = [script.state(0)]
    _fix(script, system, states[0], play.start)
    made = [system.commands.index(happened.command) for happened in play.happened]
    for k, (at, happened) in enumerate(zip(made, play.happened, strict=True)):
        states.append(script.happening(k, states[k], stutter=True))
        for name, _ in happened.command.params:
            script.require(f"(= {quoted(f'{k}.{at}.{name}')} {script.value(happened.params[name])})")
    depth = play.depth
    acts = conj(f"(= {quoted(f'{k}.act')} {at})" for k, at in enumerate(made))
    can = [quoted(f"{k}.{at}.when") for k, at in enumerate(made)]
    cases = [script.expr(of.bad_state, states[depth], {})]
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
