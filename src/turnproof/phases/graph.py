"""The phase graph as a networkx graph, and what its shape alone tells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import networkx as nx

from turnproof.language import printer
from turnproof.language import syntax as s
from turnproof.phases.edges import Edge, edges, skippable
from turnproof.rulebook.model import Clause, Rulebook, title_of


def graph(book: Rulebook) -> nx.MultiDiGraph[str]:
    """Steps as nodes, ways from step to step as edges.

    Nodes have `title`, `phase`, `phase_title` and `order`; edges `kind` ("next", "skip", "jump", "loop"), `ends_turn`,
    `rules` (ids), `conditions` (in the language of rulebooks) and `passed` (the steps that a skip passes over).
    """
    found: nx.MultiDiGraph[str] = nx.MultiDiGraph(name=book.name, first=book.leaves[0].name)
    for leaf in book.leaves:
        phase = book.steps[book.phase(leaf.name)]
        found.add_node(leaf.name, title=title_of(leaf), phase=phase.name, phase_title=title_of(phase), order=leaf.order)
    for edge in edges(book):
        clauses = list(_clauses(book, edge))
        found.add_edge(
            edge.source, edge.target, kind=edge.kind, ends_turn=edge.ends_turn,
            rules=tuple(dict.fromkeys(clause.rule for clause in clauses)),
            conditions=tuple(dict.fromkeys(_condition(clause) for clause in clauses)),
            passed=(*edge.passed, *edge.passed_after),
        )  # fmt: skip
    return found


def _clauses(book: Rulebook, edge: Edge) -> Iterable[Clause]:
    """The rules by which an edge is there."""
    if edge.clause is not None:
        yield edge.clause
    passed = {name for leaf in (*edge.passed, *edge.passed_after) for name in book.lineage(leaf)}
    for clause in book.of(s.Skip):
        assert isinstance(clause.body, s.Skip)
        if clause.body.mode != "never" and passed & set(clause.body.steps):
            yield clause


def _condition(clause: Clause) -> str:
    text = printer.body_head(clause.body)
    return text if clause.selection is None else f"{text} (if [{clause.selection[0]}] is {clause.selection[1]})"


@dataclass(frozen=True, slots=True)
class Shape:
    """What the graph alone tells: `after` maps a step to the steps that every way to it from the first passes."""

    unreachable: tuple[str, ...]
    dead_ends: tuple[str, ...]
    loops: tuple[tuple[str, ...], ...]
    after: dict[str, tuple[str, ...]]
    skippable: tuple[str, ...]


def shape(book: Rulebook) -> Shape:
    """The structural facts of a turn. Loops are those within one turn."""
    whole = graph(book)
    first = book.leaves[0].name
    within: nx.DiGraph[str] = nx.DiGraph()
    within.add_nodes_from(whole.nodes)
    within.add_edges_from((a, b) for a, b, data in whole.edges(data=True) if not data["ends_turn"])
    reached = {first} | nx.descendants(whole, first)
    enders = {a for a, _, data in whole.edges(data=True) if data["ends_turn"]}
    dead = [n for n in whole.nodes if n in reached and not ({n} | nx.descendants(within, n)) & enders]
    dominators = nx.immediate_dominators(within, first)
    after: dict[str, tuple[str, ...]] = {}
    for leaf in book.leaves:
        chain: list[str] = []
        at = dominators.get(leaf.name)
        while at is not None and at not in chain and at != leaf.name:
            chain.append(at)
            at = dominators.get(at) if at != first else None
        after[leaf.name] = tuple(reversed(chain))
    order = {leaf.name: leaf.order for leaf in book.leaves}
    loops = sorted(
        (tuple(_turned(cycle, order)) for cycle in nx.simple_cycles(within)), key=lambda c: [order[n] for n in c]
    )
    return Shape(
        tuple(n for n in whole.nodes if n not in reached),
        tuple(dead),
        tuple(loops),
        after,
        tuple(leaf.name for leaf in book.leaves if skippable(book, leaf.name)),
    )


def _turned(cycle: list[str], order: dict[str, int]) -> list[str]:
    """A cycle from its earliest step on."""
    start = min(range(len(cycle)), key=lambda i: order[cycle[i]])
    return cycle[start:] + cycle[:start]
