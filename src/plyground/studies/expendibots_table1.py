"""Expendibots, Table 1: what each refinement of minimax saves, three and four turns deep."""

from __future__ import annotations

from statistics import median
from time import process_time

from plyground.agents import load_agent
from plyground.export.report import Cell, Curve, Plot, Table
from plyground.games import load_game
from plyground.studies.study import Findings, Laboratory, Study

BARE = "evaluate=pieces, table=False, killers=False, history=False, scout=False"
ABLATIONS: tuple[tuple[str, str, tuple[Cell, ...]], ...] = (
    ("minimax", f"{BARE}, prune=False, order=nothing", (443_016, 86.5, None, None)),
    ("alpha-beta, booms first", f"{BARE}, order=nothing", (41_376, 2.18, 74_678, 8.17)),
    ("and the boom map's order", f"{BARE}, order=boom_map", (5_684, 0.37, 16_148, 3.78)),
    ("and no suicide booms", f"{BARE}, order=boom_map, unwise=suicides", (None,) * 4),
    ("and boom quiescence", f"{BARE}, order=boom_map, unwise=suicides, quiet=4", (None,) * 4),
    (
        "or stacks' quiescence",
        f"{BARE}, order=boom_map, unwise=suicides, quiet=2, loud=towers",
        (None,) * 4,
    ),
    ("everything of ours", "evaluate=pieces, unwise=suicides", (None,) * 4),
)
"""Name, options, and the seed's nodes and seconds at 3 and at 4 turns."""


class ExpendibotsTable1(Study):
    """Nodes and seconds of each ablation from the start."""

    name = "expendibots_table1"
    title = "Expendibots: what each refinement saves"
    about = (
        "The seed's Table 1 counts the nodes its search visited, and the seconds it took, from the "
        "first position, three and four turns (plies) deep, with the ratio of pieces at the leaves."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        tables, curves = [], []
        for turns, place in ((3, 0), (4, 2)):
            rows = []
            for name, options, reported in ABLATIONS:
                laboratory.tell(f"{name}, {turns} turns")
                nodes, seconds = self._searched(f"alphabeta({options}, depth={turns})")
                before = reported[place + 1]
                faster = f"{before / seconds:,.0f} x" if isinstance(before, float) else None
                rows.append((name, reported[place], nodes, before, seconds, faster))
            headings = ("search", "seed's nodes", "nodes", "seed's seconds", "seconds", "faster")
            tables.append(Table(f"{turns} turns deep", headings, tuple(rows)))
            for whose, column in (("the seed's", 1), ("ours", 2)):
                found = [(place, row[column]) for place, row in enumerate(rows) if row[column]]
                curves.append(Curve(f"{whose}, {turns} turns", *zip(*found, strict=True)))
        names = tuple(name for name, _, _ in ABLATIONS)
        return Findings(
            tables=tuple(tables),
            plots=(Plot(self.title, "nodes", "", tuple(curves), True, names),),
            remarks=(
                "Iterations to lesser depths are counted in. The seed's nodes are more than there "
                "are lines of three plies (119,400), so that it counted otherwise, or deeper; the "
                "share that each refinement saves is what can be compared. From the first position "
                "nothing can be blown up within four plies: the ratio of pieces is the same at "
                "every leaf, and an order can hardly cut more than booms first does. Only booms "
                "that hit nobody else tell moves apart there; without them the tree is nearly the "
                "least there can be, and the seed's last rows, whose order cuts so much, may well "
                "have been counted without them.",
            ),
        )

    def _searched(self, agent: str) -> tuple[int, float]:
        """Search the first position with an empty table; nodes, and the median of CPU seconds."""
        position = load_game("expendibots").start()
        load_agent(agent).think(position)
        seconds = []
        for _ in range(1 if self.quick else 9):
            searcher = load_agent(agent)
            began = process_time()
            thought = searcher.think(position)
            seconds.append(process_time() - began)
        return thought.nodes or 0, median(seconds)
