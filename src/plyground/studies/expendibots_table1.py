"""Expendibots, Table 1: what each refinement of minimax saves, three and four turns deep."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from time import process_time

from plyground.agents import load_agent
from plyground.export.report import Cell, Curve, Plot, Table
from plyground.games import load_game
from plyground.studies._findings import listed
from plyground.studies.study import Findings, Laboratory, Study

BARE = "evaluate=pieces, table=False, killers=False, history=False, scout=False"
ABLATIONS: tuple[tuple[str, str, tuple[Cell, ...]], ...] = (
    ("minimax", f"{BARE}, prune=False, order=nothing", (443_016, 86.5, None, None)),
    ("alpha-beta, booms first", f"{BARE}, order=nothing", (41_376, 2.18, 74_678, 8.17)),
    ("and boom-map ordering", f"{BARE}, order=boom_map", (5_684, 0.37, 16_148, 3.78)),
    ("and no suicide booms", f"{BARE}, order=boom_map, unwise=suicides", (None,) * 4),
    ("and boom quiescence", f"{BARE}, order=boom_map, unwise=suicides, quiet=4", (None,) * 4),
    (
        "or tall-stack quiescence",
        f"{BARE}, order=boom_map, unwise=suicides, quiet=2, loud=towers",
        (None,) * 4,
    ),
    ("all our refinements", "evaluate=pieces, unwise=suicides", (None,) * 4),
)
"""Name, options, and the original nodes and seconds at 3 and at 4 turns."""


class ExpendibotsTable1(Study):
    """Nodes and seconds of each ablation from the first position."""

    name = "expendibots_table1"
    title = "Expendibots: what each refinement saves"
    about = (
        "The original study's Table 1 counts the nodes its search visited, and the seconds it "
        "took, from the first position, three and four turns (plies) deep, with the ratio of "
        "pieces at the leaves."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        tables, curves = [], []
        for turns, place in ((3, 0), (4, 2)):
            rows = []
            for name, options, reported in ABLATIONS:
                laboratory.progress(f"{name}, {turns} turns")
                nodes, seconds = self._searched(f"alphabeta({options}, depth={turns}, exact=True)")
                original = reported[place + 1]
                faster = f"{original / seconds:,.0f} x" if isinstance(original, float) else None
                rows.append((name, reported[place], nodes, original, seconds, faster))
            headings = (
                "search",
                "original nodes",
                "nodes",
                "original seconds",
                "seconds",
                "faster",
            )
            tables.append(Table(f"{turns} turns deep", headings, tuple(rows)))
            for whose, column in (("original", 1), ("ours", 2)):
                points = [(place, row[column]) for place, row in enumerate(rows) if row[column]]
                curves.append(Curve(f"{whose}, {turns} turns", *zip(*points, strict=True)))
        names = tuple(name for name, _, _ in ABLATIONS)
        return Findings(
            tables=tuple(tables),
            plots=(Plot(self.title, "nodes", "", tuple(curves), True, names),),
        )

    @staticmethod
    def conclude(tables: Sequence[Table]) -> tuple[str, ...]:
        remarks = []
        for table in tables:
            saved = [
                f"{row[0]} {share}"
                for before, row in pairwise(table.rows)
                if (share := _kept(before, row)) is not None
            ]
            remarks.append(f"{table.title}, nodes as a share of the row above: {listed(saved)}.")
        factors = [
            float(original) / float(ours)
            for table in tables
            for _, _, _, original, ours, _ in table.rows
            if isinstance(original, float) and isinstance(ours, float)
        ]
        remarks.append(
            f"Ours is {min(factors):,.0f} to {max(factors):,.0f} times as fast as the original."
        )
        return tuple(remarks)

    def _searched(self, agent: str) -> tuple[int, float]:
        """Return the nodes and median CPU seconds of searches of the first position."""
        position = load_game("expendibots").start()
        load_agent(agent).think(position)
        seconds = []
        for _ in range(1 if self.quick else 9):
            searcher = load_agent(agent)
            began = process_time()
            thought = searcher.think(position)
            seconds.append(process_time() - began)
        return thought.nodes or 0, median(seconds)


def _kept(before: tuple[Cell, ...], row: tuple[Cell, ...]) -> str | None:
    """Return a search's nodes as a share of those of the row before, ours and the original's."""
    ours, original = (
        f"{after / earlier:.1%}" if isinstance(after, int) and isinstance(earlier, int) else None
        for after, earlier in ((row[2], before[2]), (row[1], before[1]))
    )
    return ours if original is None else f"{ours} (original {original})"
