"""Connect-N, the original study's future work: a genetic search for weights by tournaments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from plyground.agents import load_agent
from plyground.arena.sprt import Sprt, run_trial
from plyground.export.report import Table, written
from plyground.studies._connect_n import original_agent
from plyground.studies._findings import NO_DIFFERENCE, listed, sentence
from plyground.studies.study import Findings, Laboratory, Study
from plyground.tune.report import finalists_table, search_plot, trials_table
from plyground.tune.tuning import Tuning, confirmation, final, search

DEPTH, DEEPER = 4, 6
OVER = (
    "evaluate.offensiveness=0..1",
    "evaluate.weights[1]=0.1..10000,log",
    "evaluate.weights[2]=0.1..10000,log",
    "evaluate.weights[3]=0.1..10000,log",
)
"""The parameters to search. A window with four stones is a win, and one without is worth nothing:
their weights are not searched."""


class ConnectNGenetic(Study):
    """A search from random weights for an agent that beats the original study's best."""

    name = "connect_n_genetic"
    title = "Connect-N: the genetic search that the original study proposed"
    about = (
        "The original study tuned offensiveness and weights by hand, tournament after tournament, "
        "and proposed a genetic algorithm with tournaments as fitness. Here is one: its first "
        "generation is random, and its fitness is the score against the study's best agent "
        "(weights 0, 10, 50, 5000, 1000000, offensiveness 0.35) at the same depth, four plies, "
        "for speed."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        size, generations, games, most = (4, 2, 4, 20) if self.quick else (24, 16, 100, 20_000)
        depth, deeper = (2, 2) if self.quick else (DEPTH, DEEPER)
        tuning = Tuning.make(
            {
                "game": "connect_n",
                "agent": original_agent(depth),
                "over": OVER,
                "trials": size * generations,
                "population": size,
                "games": games,
                "opening": 6,
                "opening_rule": "random",
                "seed": self.seed,
            }
        )
        generations_found = list(search(tuning, laboratory.play))
        ranked = final(
            tuning,
            (trial for generation in generations_found for trial in generation),
            laboratory.play,
        )
        winner = ranked[0].agent
        trials = {}
        for plies in (depth, deeper):
            at_depth = replace(tuning, agent=original_agent(plies))
            tested = repr(load_agent(winner, depth=plies))
            records = laboratory.play(confirmation(at_depth, tested, most))
            *_, trials[f"depth {plies}"] = run_trial(Sprt(0, 20), records)
        return Findings(
            tables=(finalists_table(tuning, generations_found, ranked), trials_table(trials)),
            plots=(search_plot(generations_found),),
        )

    @staticmethod
    def conclude(tables: Sequence[Table]) -> tuple[str, ...]:
        final, tests = tables
        winner, start = final.rows[0], final.rows[-1]
        numbers = [
            f"{heading} {written(after)} (before: {written(before)})"
            for heading, after, before in zip(final.headings, winner, start, strict=True)
            if heading and not isinstance(after, str)
        ]
        verdicts = {
            "H1": "the winner is {} Elo stronger than the agent it was made from, rather than {}",
            "H0": "the winner is {1} Elo stronger than the agent it was made from, rather than {0}",
        }
        low, high = re.findall(r"\d+", tests.title)
        remarks = [f"The winner of the final has {listed(numbers)}."]
        for test, games, *_, elo, _, accepted in tests.rows:
            verdict = verdicts.get(str(accepted), NO_DIFFERENCE).format(high, low)
            remarks.append(sentence(f"{test}, {games} games, Elo {elo}: {verdict}"))
        return tuple(remarks)
