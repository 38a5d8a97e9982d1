"""The phase graph in the formats of other tools."""

from __future__ import annotations

import io
from typing import Any

import networkx as nx

from turnproof.phases.graph import shape
from turnproof.report.document import document
from turnproof.rulebook.model import Rulebook, title


def as_json(book: Rulebook, graph: nx.MultiDiGraph[str]) -> dict[str, Any]:
    """Nodes, edges and what their shape tells."""
    found = shape(book)
    return document(
        "graph",
        game=book.name,
        title=title(book.titles, book.name),
        nodes=[{"name": name, **data} for name, data in graph.nodes(data=True)],
        edges=[
            {"source": source, "target": target, **{k: _listed(v) for k, v in data.items()}}
            for source, target, data in graph.edges(data=True)
        ],
        structure={
            "unreachable": list(found.unreachable),
            "dead_ends": list(found.dead_ends),
            "loops_within_a_turn": [list(loop) for loop in found.loops],
            "always_after": {step: list(before) for step, before in found.after.items()},
            "skippable": list(found.skippable),
        },
    )


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def as_graphml(graph: nx.MultiDiGraph[str]) -> str:
    """GraphML; what is a list stands in one text, with `; ` between."""
    flat: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    flat.add_nodes_from(graph.nodes(data=True))
    for source, target, data in graph.edges(data=True):
        flat.add_edge(source, target, **{k: "; ".join(v) if isinstance(v, tuple) else v for k, v in data.items()})
    out = io.BytesIO()
    nx.write_graphml(flat, out)
    return out.getvalue().decode("utf-8")


def as_dot(book: Rulebook, graph: nx.MultiDiGraph[str]) -> str:
    """Graphviz source: phases as boxes around their steps, what is passed over and what ends the turn dashed."""
    import graphviz

    dot = graphviz.Digraph(book.name, graph_attr={"rankdir": "TB", "compound": "true"})
    dot.attr("node", shape="box", style="rounded", fontname="Helvetica")
    dot.attr("edge", fontname="Helvetica", fontsize="10")
    for number, phase in enumerate(book.phases):
        steps = [(name, data) for name, data in graph.nodes(data=True) if data["phase"] == phase]
        if len(steps) == 1 and steps[0][0] == phase:
            dot.node(phase, steps[0][1]["title"])
            continue
        with dot.subgraph(name=f"cluster_{number}") as cluster:
            cluster.attr(label=steps[0][1]["phase_title"], style="rounded", fontname="Helvetica")
            for name, data in steps:
                cluster.node(name, data["title"])
    for source, target, data in graph.edges(data=True):
        style = "dashed" if data["kind"] == "skip" or data["ends_turn"] else "solid"
        label = ", ".join(data["rules"]) or ("next turn" if data["ends_turn"] else "")
        dot.edge(source, target, label=label, style=style, constraint="false" if data["ends_turn"] else "true")
    return str(dot.source)
