"""What is claimed of one happening from any state: that somebody can choose well in it, or of two compared.

The states are all that fit the declared ranges, whether a game comes there or not. So a proof stands; where there is
none, what stands against it need not be possible in a game, and the verdict is `unknown` with that case told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from turnproof.solve.ask import Model, Session
from turnproof.solve.local import alone
from turnproof.solve.plays import values_of
from turnproof.solve.proof import Obligation, Proof
from turnproof.solve.property import Choosable, Compared
from turnproof.solve.safety import Engines
from turnproof.solve.smt import Script, codes, conj, lower, quoted, sort_text, upper
from turnproof.system import expr as x
from turnproof.system.system import Block, System

# How many ways to choose are tried together, and how many are made of one example.
MOST_WAYS, MOST_SAID = 24, 4


@dataclass(frozen=True, slots=True)
class Happenings:
    """How such a claim is decided."""

    engines: Engines
    of: Choosable | Compared

    @property
    def system(self) -> System:
        return self.engines.system

    def prove(self, where: x.Expr) -> Proof | str:
        """A proof, with the rules that it needs, or why there is none."""
        if isinstance(self.of, Compared):
            return self._compared(self.of, where)
        return self._choosable(self.of, where)

    # -- two compared

    def _compared(self, of: Compared, where: x.Expr) -> Proof | str:
        rules: set[str] = set()
        obligations = []
        tags = [f"rule {tag}" for tag in self.system.tags]
        small, named = alone(self.system, [pair[:3] for pair in of.pairs])
        pairs = dict.fromkeys((*named[p[:3]], *p[3:]) for p in of.pairs)
        for number, pair in enumerate(pairs):
            script = self._pair(small, pair, where)
            session = Session(script.text, self.engines.limit)
            core: tuple[str, ...] | None = tuple(f"rule {tag}" for tag in sorted(rules))
            if not number or session.ask(core or ()).status != "unsat":
                core = session.minimal_core(tags)
            if core is None:
                return self._against(session, script, tags)
            rules |= {tag.removeprefix("rule ") for tag in core}
            text = script.text + "".join(f"(assert {quoted(flag)})\n" for flag in core)
            obligations.append(Obligation(f"two of `{pair[0]}`, case {number + 1}", text))
        names = tuple(tag for tag in self.system.tags if tag in rules)
        return Proof(names, 0, (), tuple(obligations), "one happening")

    def _pair(
        self, system: System, pair: tuple[str, int, int, tuple[str, ...], x.Expr, x.Expr], where: x.Expr
    ) -> Script:
        """Two happenings of a command, from states alike but for some variables, that stand against a claim."""
        name, begins, ends, apart, premise, holds = pair
        at = [command.name for command in system.commands].index(name)
        script = _script(system, where)
        states = [script.state(0), script.state(1)]
        occur = [script.only(k, at) for k in (0, 1)]
        seen: dict[str, str] = {}
        for k, prefix in enumerate(("", x.SECOND)):
            seen |= {prefix + v: symbol for v, symbol in script.between(k, at, ends).items()}
            seen |= {prefix + x.BEFORE + v: symbol for v, symbol in script.between(k, at, begins).items()}
        for state in states:
            _within_ranges(script, state)
        for variable in states[0]:
            if variable not in apart:
                script.require(f"(= {states[0][variable]} {states[1][variable]})")
        script.require(conj([*occur, script.expr(premise, seen, {}), f"(not {script.expr(holds, seen, {})})"]))
        return script

    def _against(self, session: Session, script: Script, tags: list[str]) -> str:
        answer = session.ask(tags)
        if answer.model is None:
            return f"the solver's limit of {self.engines.limit:,} units was hit"
        told = []
        value = values_of(script, answer.model)
        for variable in self.system.variables:
            if isinstance(variable.sort, x.Array):
                continue
            one, two = (value(f"{k}.{variable.name}", variable.sort) for k in (0, 1))
            if one != two:
                told.append(f"{variable.name} {one} in the first and {two} in the second")
        return "it was found to fail, in states to which a game need not come: " + ", ".join(told[:6])

    # -- choices

    def _choosable(self, of: Choosable, where: x.Expr) -> Proof | str:
        """Ways to choose are collected until from no state all fail: each from a state where those before did."""
        rules: set[str] = set()
        obligations = []
        small, named = alone(self.system, [part[:3] for part in of.parts])
        for part in dict.fromkeys((*named[p[:3]], *p[3:]) for p in of.parts):
            found = _Choices(small, part, where, self.engines.limit).found()
            if isinstance(found, str):
                return found
            rules |= set(found[0])
            obligations.append(found[1])
        names = tuple(tag for tag in self.system.tags if tag in rules)
        return Proof(names, 0, (), tuple(obligations), "one happening, ways to choose")


class _Choices:
    """The ways to choose in one part of a command."""

    def __init__(self, system: System, part: tuple[str, int, int, x.Expr, x.Expr], where: x.Expr, limit: int) -> None:
        name, self.begins, self.ends, self.premise, self.aim = part
        self.system, self.where, self.limit = system, where, limit
        self.at = [command.name for command in system.commands].index(name)
        self.command = system.commands[self.at]
        self.inside = self.command.blocks[self.begins + 1 : self.ends + 1]
        used = [block.when for block in self.inside]
        used += [update.value for block in self.inside for update in block.updates]
        named = {e.name for e in x.walk(used) if isinstance(e, x.Param)}
        self.chosen = tuple(param for param in self.command.params if param[0] in named)
        read = x.variables([*used, self.premise, self.aim])
        self.numbers = sorted(
            v.name for v in system.variables
            if isinstance(v.sort, x.Int) and "." in v.name and " " not in v.name and {v.name, x.BEFORE + v.name} & read
        )  # fmt: skip

    def found(self) -> tuple[tuple[str, ...], Obligation] | str:
        """The rules by which there always is such a choice, with the obligation; or why that is not known."""
        ways: list[dict[str, x.Expr]] = []
        tags = [f"rule {tag}" for tag in self.system.tags]
        while len(ways) <= MOST_WAYS:
            script, now = self.start()
            for number, way in enumerate(ways):
                script.require(f"(not {self.goes(script, now, way, f'way {number}')})")
            session = Session(script.text, self.limit)
            answer = session.ask(tags)
            if answer.status == "unsat":
                core = session.minimal_core(tags) or ()
                text = script.text + "".join(f"(assert {quoted(flag)})\n" for flag in core)
                rules = tuple(flag.removeprefix("rule ") for flag in core)
                return rules, Obligation(f"choices in `{self.command.name}`", text)
            if answer.model is None:
                return f"the solver's limit of {self.limit:,} units was hit"
            telling = self.telling(script, now, tags) or answer.model
            more = self.ways_from(telling)
            if not more:
                return "there are states, to which a game need not come, in which no choice ends so"
            fresh = [way for way in more if way not in ways]
            if not fresh:
                break
            ways += fresh
        return "the ways to choose that were found do not do from every state"

    def start(self) -> tuple[Script, dict[str, str]]:
        """A state in which the part begins, as the claim supposes."""
        script = _script(self.system, self.where)
        state = script.state(0)
        _within_ranges(script, state)
        names = {name for name, _ in self.chosen}
        params = {n: script.declare(f"0.{self.at}.{n}", sort) for n, sort in self.command.params if n not in names}
        guards, now = _unfolded(script, self.command.blocks[: self.begins + 1], state, params, "before")
        script.require(conj([*guards, script.expr(self.premise, _as_before(now), params)]))
        return script, now

    def goes(self, script: Script, now: dict[str, str], way: Mapping[str, x.Expr] | None, label: str) -> str:
        """That a way to choose is possible and ends well; None: what is chosen is left open."""
        params: dict[str, str] = {}
        bounds: list[str] = []
        for name, sort in self.command.params:
            symbol = quoted(f"0.{self.at}.{name}")
            if (name, sort) in self.chosen:
                symbol = quoted(f"{label} {name}")
                if way is None:
                    script.declare(f"{label} {name}", sort)
                else:
                    text = script.expr(way[name], now, {})
                    script.add(f"(define-fun {symbol} () {sort_text(sort)} {text})")
                if isinstance(sort, x.Int):
                    bounds += [*lower(symbol, sort), *upper(symbol, sort)]
            params[name] = symbol
        guards, end = _unfolded(script, self.inside, now, params, label)
        return conj([*bounds, *guards, script.expr(self.aim, {**end, **_as_before(now)}, params)])

    def telling(self, script: Script, now: dict[str, str], tags: list[str]) -> Model | None:
        """A state in which numbers differ, so that what is chosen tells of what it depends."""
        supposed = [name for name in self.numbers if x.BEFORE + name in x.variables([self.premise])]
        if len(supposed) < 2:
            return None
        apart = f"(distinct {' '.join(now[name] for name in supposed)})"
        return Session(script.text + f"(assert {apart})\n", self.limit).ask(tags).model

    def ways_from(self, model: Model) -> list[dict[str, x.Expr]]:
        """Ways to choose that do in the state of a model, said in terms of that state."""
        script, now = self.start()
        for variable in self.system.variables:
            literal = _literal(model, f"0.{variable.name}", variable.sort)
            if literal is not None:
                script.require(f"(= {quoted(f'0.{variable.name}')} {literal})")
        for selector in self.system.selectors:
            name = f"reading {selector.name}"
            script.require(f"(= {quoted(name)} {model.number(name) or 0})")
        for tag in self.system.tags:
            script.require(quoted(f"rule {tag}"))
        script.require(self.goes(script, now, None, "some"))
        answer = Session(script.text, self.limit).ask()
        if answer.model is None:
            return []
        got = {name: _literal(answer.model, f"some {name}", sort) or "0" for name, sort in self.chosen}
        known = {name: answer.model.number(now[name].strip("|")) or 0 for name in self.numbers if _plain(now[name])}
        return self.said(got, known)

    def said(self, got: Mapping[str, str], known: Mapping[str, int]) -> list[dict[str, x.Expr]]:
        """What was chosen, as numbers that belong to the pieces, and perhaps one of them as the rest of some amount."""
        way: dict[str, x.Expr] = {}
        for name, sort in self.chosen:
            if not isinstance(sort, x.Int):
                return []
            value = _integer(got[name])
            # What is chosen freely is as good as a number of its own; what is divided depends on others.
            freely = _about(name) in self.system.sorts
            way[name] = x.const(value) if freely else _term(value, name, known)
        ways = [way]
        values = {name: _integer(got[name]) for name, _ in self.chosen}
        lots = [name for name, value in values.items() if value and _about(name) not in self.system.sorts]
        for name in lots:
            others = [other for other in lots if other != name]
            rest = values[name] + sum(values[other] for other in others)
            for whole in (v for v, value in known.items() if value == rest):
                left = x.add(x.Var(whole), *(x.scale(-1, way[other]) for other in others))
                ways.append({**way, name: left})
        return ways[:MOST_SAID]


def _about(choice: str) -> str:
    """What is chosen: a quantity, if anything that it can be may be chosen."""
    return choice.rpartition(" #")[0]


def _term(value: int, name: str, known: Mapping[str, int]) -> x.Expr:
    """A number in terms of what is known of the piece that a choice is about, or of others."""
    own = [v for v in known if v.rpartition(".")[0] and v.rpartition(".")[0] in name]
    if value == 0:
        return x.const(0)
    for variable in own:
        if known[variable] == value:
            return x.Var(variable)
    for one in own:
        for two in own:
            if known[one] - known[two] == value:
                return x.minus(x.Var(one), x.Var(two))
    return next((x.Var(v) for v in known if known[v] == value), x.const(value))


def _unfolded(
    script: Script, blocks: tuple[Block, ...], state: Mapping[str, str], params: Mapping[str, str], label: str
) -> tuple[list[str], dict[str, str]]:
    """What some blocks make of a state, put into the script; what they ask for, and the symbols of the state after."""
    now = dict(state)
    guards = []
    for number, block in enumerate(blocks):
        guards.append(script.expr(block.when, now, params))
        made = {}
        for update in block.updates:
            value = script.expr(update.value, now, params)
            symbol = quoted(f"{label} {number} {update.variable}")
            script.add(f"(define-fun {symbol} () {sort_text(script.system.sorts[update.variable])} {value})")
            made[update.variable] = symbol
        now |= made
    return guards, now


def _as_before(now: Mapping[str, str]) -> dict[str, str]:
    return {x.BEFORE + name: symbol for name, symbol in now.items()}


def _plain(symbol: str) -> bool:
    """Whether a symbol stands for a value of its own, not for something defined."""
    return symbol.startswith("|0.")


def _integer(literal: str) -> int:
    digits = literal.strip("()- ")
    return -int(digits) if literal.startswith("(") else int(digits)


def _literal(model: Model, symbol: str, sort: x.Sort) -> str | None:
    """The value of a symbol in a model, as text; None for arrays."""
    match sort:
        case x.Bool():
            return "true" if model.truth(symbol) else "false"
        case x.Array():
            return None
        case _:
            value = model.number(symbol)
            return None if value is None else str(value) if value >= 0 else f"(- {-value})"


def _script(system: System, where: x.Expr) -> Script:
    script = Script(system, codes(system))
    script.rigid(tags_free=True)
    script.require(script.expr(where, {}, {}))
    return script


def _within_ranges(script: Script, state: Mapping[str, str]) -> None:
    for variable in script.system.variables:
        if isinstance(variable.sort, x.Int):
            symbol = state[variable.name]
            script.require(conj([*lower(symbol, variable.sort), *upper(symbol, variable.sort)]))
