"""Facts that hold in every reachable state, guessed and kept if together they are inductive (Houdini)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from turnproof.rulebook.model import NOTHING, SETUP
from turnproof.solve.ask import DEFAULT_LIMIT, Session
from turnproof.solve.property import Property
from turnproof.solve.sample import plausible
from turnproof.solve.smt import Script, codes
from turnproof.system import expr as x
from turnproof.system.system import System, Update


def guesses(system: System) -> Iterator[x.Expr]:
    """What may well be true of every reachable state, whichever way the rules are read."""
    yield at_first(system, system.sorts)
    yield from _guesses(system)


def _guesses(system: System) -> Iterator[x.Expr]:
    step = x.Var("step")
    before = x.eq(step, x.const(SETUP))
    sorts = system.sorts
    leaves = sorts["step"].values[1:] if isinstance(sorts["step"], x.Enum) else ()
    for variable in system.variables:
        if isinstance(variable.sort, x.Int):
            var = x.Var(variable.name)
            if variable.sort.low is not None:
                yield x.le(x.const(variable.sort.low), var)
            if variable.sort.high is not None:
                yield x.le(var, x.const(variable.sort.high))
    yield x.either(before, x.le(x.const(1), x.Var("turn")))
    for variable in system.variables:
        counted = variable.name.endswith(".turns")
        if variable.initial is None or variable.name == "step" or ("." in variable.name and not counted):
            continue
        settled = x.eq(x.Var(variable.name), x.const(variable.initial))
        if variable.name not in ("turn", "active") and not counted and not variable.name.endswith(")"):
            for leaf in leaves:
                here = x.eq(step, x.const(leaf))
                yield x.implies(here, settled)
                if isinstance(variable.sort, x.Enum):
                    yield x.implies(here, x.negate(settled))
    yield from _referring(system)
    yield from _whose_turn(system)
    yield from _entered(system)
    yield from _settled(system)
    yield from _turns(system)
    yield from _totals(system)
    yield from _used_up(system)
    yield from _remembered(system)


def at_first(system: System, names: Collection[str]) -> x.Expr:
    """That before the game begins some quantities are as they start."""
    settled = [
        x.eq(x.Var(v.name), x.const(v.initial))
        for v in system.variables if v.initial is not None and v.name in names and v.name != "step"
    ]  # fmt: skip
    return x.implies(x.eq(x.Var("step"), x.const(SETUP)), x.all_of(settled))


def _referring(system: System) -> Iterator[x.Expr]:
    """That what refers to pieces never refers to those of one of the players."""
    for variable in system.variables:
        if isinstance(variable.sort, x.Enum) and variable.sort.values[0] == NOTHING:
            keys = variable.sort.values[1:]
            for owner in dict.fromkeys(key.partition(".")[0] for key in keys):
                own = (key for key in keys if key.partition(".")[0] == owner)
                yield x.negate(x.any_of(x.eq(x.Var(variable.name), x.const(key)) for key in own))


def _whose_turn(system: System) -> Iterator[x.Expr]:
    """That what a player has is as at first outside of their own turn, or in it."""
    players = [v.name.removesuffix(".turns") for v in system.variables if v.name.endswith(".turns")]
    for variable in system.variables:
        owner, _, quantity = variable.name.partition(".")
        if owner not in players or variable.initial is None or quantity == "turns" or "." in quantity:
            continue
        as_at_first = x.eq(x.Var(variable.name), x.const(variable.initial))
        own_turn = x.eq(x.Var("active"), x.const(owner))
        yield x.either(own_turn, as_at_first)
        yield x.implies(own_turn, as_at_first)


def _entered(system: System) -> Iterator[x.Expr]:
    """That what let a step begin still holds in it."""
    for command in system.commands:
        for block in command.blocks:
            chosen = any(isinstance(part, x.Param) for part in x.walk([block.when]))
            moves = any(update.variable == "step" for update in block.updates)
            if moves and not chosen and command.play.target and "step" not in x.variables([block.when]):
                yield x.implies(x.eq(x.Var("step"), x.const(command.play.target)), block.when)


def _settled(system: System) -> Iterator[x.Expr]:
    """That what was set to something fixed as a step began is so still."""
    for command in system.commands:
        if command.play.kind not in ("begin", "leave") or command.play.target is None:
            continue
        here = x.eq(x.Var("step"), x.const(command.play.target))
        for update in (update for block in command.blocks for update in block.updates):
            cond, value = _setting(update)
            if value is not None and update.variable != "step":
                yield x.implies(x.both(here, cond), x.eq(x.Var(update.variable), value))
            match update.value:
                case x.If(_, x.Var(), x.If(cond, _, x.Const() as value)) | x.If(cond, _, x.Const() as value) if (
                    not x.variables([cond])
                ):
                    otherwise = x.eq(x.Var(update.variable), value)
                    yield x.implies(x.both(here, cond), x.negate(otherwise))
                    yield x.implies(x.both(here, x.negate(cond)), otherwise)
                case _:
                    pass


def _setting(update: Update) -> tuple[x.Expr, x.Const | None]:
    """Under what condition an update sets something to a fixed value, which else stays as it is."""
    same = x.Var(update.variable)
    match update.value:
        case x.If(cond, x.Const() as value, other) if other == same:
            return cond, value
        case x.If(stays, one, x.If(cond, x.Const() as value, other)) if one == same and other == same:
            return x.both(cond, x.negate(stays)), value
        case _:
            return x.FALSE, None


def _turns(system: System) -> Iterator[x.Expr]:
    """That turns are counted for each player, and go round."""
    players = [v.name.removesuffix(".turns") for v in system.variables if v.name.endswith(".turns")]
    if not players:
        return
    turns = {player: x.Var(f"{player}.turns") for player in players}
    yield x.eq(x.Var("turn"), x.add(*turns.values()))
    for player in players:
        begun = x.le(x.const(1), turns[player])
        yield x.either(x.eq(x.Var("step"), x.const(SETUP)), x.negate(x.eq(x.Var("active"), x.const(player))), begun)
        for other in (other for other in players if other != player):
            for ahead in (0, 1):
                even = x.eq(turns[player], x.add(turns[other], x.const(ahead)))
                yield x.either(x.eq(x.Var("turn"), x.const(0)), x.negate(x.eq(x.Var("active"), x.const(player))), even)


def _totals(system: System) -> Iterator[x.Expr]:
    """That what is counted in all is the sum of what is counted for each player."""
    names = [v.name for v in system.variables if " this " in v.name]
    for name in names:
        of_players = [other for other in names if other.startswith(f"{name} (p") and ":" not in other]
        if of_players:
            yield x.eq(x.Var(name), x.add(*(x.Var(other) for other in of_players)))
            yield x.le(x.add(*(x.Var(other) for other in of_players)), x.Var(name))


def _used_up(system: System) -> Iterator[x.Expr]:
    """That counts stay within the limits that guards compare them with."""
    counts = {v.name for v in system.variables if " this " in v.name}
    guards = (block.when for command in system.commands for block in command.blocks)
    for expr in x.walk(guards):
        match expr:
            case x.Le(x.Const(int(number)), amount) if (used := x.variables([amount])) and used <= counts:
                yield x.le(amount, x.const(number))
            case _:
                pass


def _remembered(system: System) -> Iterator[x.Expr]:
    """That what has held since the turn began holds, and that what came this turn was not there when it began."""
    for name, cond in system.since:
        yield x.implies(x.Var(name), cond)
    step = system.sorts["step"]
    for name, cond in system.was:
        for leaf in step.values if isinstance(step, x.Enum) else ():
            here = x.eq(x.Var("step"), x.const(leaf))
            yield x.implies(x.both(here, x.Var(name)), cond)
            yield x.implies(x.both(here, cond), x.Var(name))
    for name in (v.name for v in system.variables if "the turn began (" in v.name):
        piece = name.rpartition("(")[2].removesuffix(")")
        for variable in system.variables:
            if " this turn (" in variable.name and variable.name.endswith(f":{piece})"):
                yield x.either(x.le(x.Var(variable.name), x.const(0)), x.negate(x.Var(name)))


def near(system: System, names: Iterable[str]) -> tuple[x.Expr, ...]:
    """The guesses that speak only of some variables (beside the step), or of what such guesses link them to."""
    everywhere = {"step", "turn", "active"}
    wanted = set(names) - everywhere
    of_turns = "turn" in names
    every = [(guess, x.variables([guess]) - everywhere) for guess in _guesses(system)]
    reached = wanted
    for _ in range(2):
        reached = reached.union(*(spoken for _, spoken in every if spoken & reached))
    return (
        at_first(system, reached),
        *(guess for guess, spoken in every if (spoken or of_turns) and spoken <= reached),
    )


def about(system: System, of: Property) -> Iterator[x.Expr]:
    """What may be true of every reachable state because a property says something like it of some moment."""
    step = x.Var("step")
    sort = system.sorts["step"]
    leaves = sort.values if isinstance(sort, x.Enum) else ()
    said = [part for _, holds in of.moments for part in _conjuncts(holds)]
    said += [part for part in _conjuncts(x.negate(of.bad_state)) if of.about_states]
    idle = [x.eq(x.Var(name), x.const(0)) for name in system.sorts if name.endswith(" this step")]
    quiet = [x.eq(x.Var(v.name), x.const(v.initial)) for v in system.variables if v.name == "cause" and v.initial]
    for fact in said:
        yield fact
        for leaf in leaves:
            yield x.implies(x.eq(step, x.const(leaf)), fact)
    for fact in [*said, *quiet]:
        for leaf in leaves if idle else ():
            for nothing in idle:
                yield x.implies(x.both(x.eq(step, x.const(leaf)), nothing), fact)
    spoken = x.variables([*said, *of.bad_commands.values()])
    for name in sorted(name for name in spoken if " this " in name):
        empty = x.eq(x.Var(name), x.const(0))
        for leaf in leaves:
            yield x.implies(x.eq(step, x.const(leaf)), empty)
        for counter in (v.name for v in system.variables if v.name == "turn" or v.name.endswith(".turns")):
            for few in (0, 1):
                yield x.implies(x.le(x.Var(counter), x.const(few)), empty)
    yield from _balanced(system, said)
    yield from _marked(system, spoken)


def _balanced(system: System, said: Iterable[x.Expr]) -> Iterator[x.Expr]:
    """That an equation holds but for what some quantity still holds back."""
    # Like quantities of all players are taken together, as that of the active player.
    amounts = [
        v.name for v in system.variables
        if isinstance(v.sort, x.Int) and v.name.startswith("p1.") and v.name.count(".") == 1 and " " not in v.name
    ]  # fmt: skip
    players = [v.name.removesuffix(".turns") for v in system.variables if v.name.endswith(".turns")]
    for fact in said:
        equation, case = (fact, x.TRUE) if not isinstance(fact, x.Or) else (fact.items[-1], _others(fact))
        if not isinstance(equation, x.Eq) or not (_is_number(system, equation.left) and players):
            continue
        for amount in amounts:
            names = [f"{player}.{amount.removeprefix('p1.')}" for player in players]
            slack_of: x.Expr = x.Var(names[-1])
            for player, name in zip(players[:-1], names[:-1], strict=True):
                slack_of = x.ite(x.eq(x.Var("active"), x.const(player)), x.Var(name), slack_of)
            for sign in (1, -1):
                yield x.implies(case, x.eq(equation.left, x.add(equation.right, x.scale(sign, slack_of))))


def _marked(system: System, spoken: Iterable[str]) -> Iterator[x.Expr]:
    """That what was done with a piece shows on it, step by step, and is done in one player's turns only."""
    step, leaves = x.Var("step"), system.sorts["step"]
    players = [v.name.removesuffix(".turns") for v in system.variables if v.name.endswith(".turns")]
    counted = [name for name in sorted(spoken) if " (" in name and ":" in name.rpartition("(")[2]]
    both = [name.replace(" in the previous turn (", " this turn (") for name in counted]
    for name in (name for name in dict.fromkeys([*counted, *both]) if name in system.sorts):
        piece = name.rpartition(":")[2].removesuffix(")")
        done = x.le(x.const(1), x.Var(name))
        for player in players:
            yield x.implies(x.eq(x.Var("active"), x.const(player)), x.negate(done))
        marks = [v.name for v in system.variables if v.name.startswith(f"{piece}.") and v.sort == x.Bool()]
        for mark in marks:
            for leaf in leaves.values if isinstance(leaves, x.Enum) else ():
                for so in (x.Var(mark), x.negate(x.Var(mark))):
                    yield x.implies(x.both(x.eq(step, x.const(leaf)), done), so)


def _is_number(system: System, of: x.Expr) -> bool:
    match of:
        case x.Const(value):
            return isinstance(value, int) and not isinstance(value, bool)
        case x.Var(name):
            return isinstance(system.sorts[name], x.Int)
        case x.If(_, then, _):
            return _is_number(system, then)
        case _:
            return isinstance(of, x.Sum | x.Scale)


def _others(of: x.Or) -> x.Expr:
    """The premise of a fact that is written as one thing or another."""
    return x.all_of(x.negate(item) for item in of.items[:-1])


def _conjuncts(of: x.Expr) -> tuple[x.Expr, ...]:
    match of:
        case x.And(items):
            return tuple(part for item in items for part in _conjuncts(item))
        case x.Not(x.Or(items)):
            return tuple(part for item in items for part in _conjuncts(x.negate(item)))
        case x.Or(items) if isinstance(items[-1], x.And):
            return tuple(x.any_of([*items[:-1], part]) for part in items[-1].items)
        case _:
            return (of,)


def inductive(
    system: System,
    guessed: Iterable[x.Expr],
    limit: int = DEFAULT_LIMIT,
    known: tuple[x.Expr, ...] = (),
    where: x.Expr = x.TRUE,
) -> tuple[x.Expr, ...]:
    """The largest set of some guesses that is inductive, given lemmas already known; empty if the limit was hit.

    `where` is what the readings satisfy.
    """
    kept = [g for g in dict.fromkeys(guessed) if not any(isinstance(part, x.Param) for part in x.walk([g]))]
    kept = _holding_at_first(system, plausible(system, kept, where), limit)
    script = Script(system, codes(system))
    script.rigid(tags_free=False)
    script.require(script.expr(where, {}, {}))
    before = script.state(0)
    for lemma in known:
        script.require(script.expr(lemma, before, {}))
    after = script.happening(0, before)
    for number, lemma in enumerate(kept):
        for moment, state in (("pre", before), ("post", after)):
            flag = script.declare(f"{moment} {number}", x.Bool())
            formula = script.expr(lemma, state, {})
            script.require(f"(=> {flag} {formula})" if moment == "pre" else f"(= {flag} {formula})")
    session = Session(script.text, limit)
    alive = list(range(len(kept)))
    while alive:
        answer = session.ask_some_false([f"post {n}" for n in alive], [f"pre {n}" for n in alive])
        if answer.status == "unsat":
            return tuple(kept[n] for n in alive)
        if answer.model is None:
            return ()
        alive = [n for n in alive if answer.model.truth(f"post {n}")]
    return ()


def _holding_at_first(system: System, lemmas: list[x.Expr], limit: int) -> list[x.Expr]:
    """Those that hold in every state in which a game can start."""
    script = Script(system, codes(system))
    script.rigid(tags_free=False)
    state = script.state(0)
    script.initial(state)
    for number, lemma in enumerate(lemmas):
        script.require(f"(= {script.declare(f'at first {number}', x.Bool())} {script.expr(lemma, state, {})})")
    session = Session(script.text, limit)
    alive = list(range(len(lemmas)))
    while alive:
        answer = session.ask_some_false([f"at first {n}" for n in alive], [])
        if answer.status == "unsat":
            break
        if answer.model is None:
            return []
        alive = [n for n in alive if answer.model.truth(f"at first {n}")]
    return [lemmas[n] for n in alive]
