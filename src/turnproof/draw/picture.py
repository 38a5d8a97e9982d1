"""A picture that has been made, not yet rendered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from turnproof.draw.fonts import FAMILIES, FAMILY
from turnproof.draw.markup import NORMAL, SMALL, Table, label
from turnproof.draw.palette import INK, LINE, PAPER

if TYPE_CHECKING:
    import graphviz


@dataclass(frozen=True, slots=True)
class Picture:
    """Graphviz source with what it is called and shows, for those who cannot see it; `mermaid` where it has one."""

    title: str
    description: str
    dot: str
    mermaid: str = ""
    language: str = "en"

    def render(self, kind: str = "svg") -> bytes:
        """The picture as "svg", "png", "pdf", "dot" or (of some views) "mmd". Raises Invalid where it cannot."""
        from turnproof.draw.render import render

        return render(self, kind)

    def _repr_svg_(self) -> str:
        return self.render("svg").decode("utf-8")


def canvas(name: str, language: str, **attributes: str) -> graphviz.Digraph:
    """An empty graph in the style of all pictures."""
    import graphviz

    family = FAMILIES.get(language, FAMILY)
    made = graphviz.Digraph(name)
    made.attr("graph", fontname=family, fontsize=f"{NORMAL:g}", fontcolor=INK, bgcolor=PAPER, pad="0.1", **attributes)
    made.attr("node", fontname=family, fontsize=f"{NORMAL:g}", fontcolor=INK, shape="plain", color=LINE)
    made.attr("edge", fontname=family, fontsize=f"{SMALL:g}", fontcolor=INK, color="#4d4d4d", arrowsize="0.7")
    return made


def page(name: str, language: str, of: Table) -> str:
    """The source of a picture that is one table."""
    made = canvas(name, language)
    made.node("page", label(of), tooltip=" ")
    return str(made.source)
