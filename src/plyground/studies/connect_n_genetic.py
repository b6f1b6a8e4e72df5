"""Connect-N, what the seed wished for: a genetic search for its weights, tournaments as fitness."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

from plyground.agents import load_agent
from plyground.arena.sprt import Sprt, run_trial
from plyground.studies._connect_n import seeds_agent
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
"""A window of four is a win, and of none counts nothing: their weights are left alone."""


class ConnectNGenetic(Study):
    """From random weights to an agent that beats the seed's best."""

    name = "connect_n_genetic"
    title = "Connect-N: the genetic search that the seed wished for"
    about = (
        "The seed tuned offensiveness and weights by hand, tournament after tournament, and wished "
        "for a genetic algorithm with tournaments as fitness. Here is one: its first generation is "
        "drawn at random, its fitness is the score against the seed's best agent (weights 0, 10, "
        "50, 5000, 1000000, offensiveness 0.35) at the same depth, four plies, for speed."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        size, generations, games, most = (4, 2, 4, 20) if self.quick else (24, 16, 100, 20_000)
        depth, deeper = (2, 2) if self.quick else (DEPTH, DEEPER)
        tuning = Tuning.make(
            {
                "game": "connect_n",
                "agent": seeds_agent(depth),
                "over": OVER,
                "trials": size * generations,
                "population": size,
                "games": games,
                "opening": 6,
                "opening_rule": "random",
                "seed": self.seed,
            }
        )
        began = perf_counter()
        found = list(search(tuning, laboratory.play))
        ranked = final(
            tuning, (each for generation in found for each in generation), laboratory.play
        )
        spent = perf_counter() - began
        winner = ranked[0].agent
        trials = {}
        for plies in (depth, deeper):
            asked = replace(tuning, agent=seeds_agent(plies))
            tested = repr(load_agent(winner, depth=plies))
            records = laboratory.play(confirmation(asked, tested, most))
            *_, trials[f"depth {plies}"] = run_trial(Sprt(0, 20), records)
        return Findings(
            tables=(finalists_table(tuning, found, ranked), trials_table(trials)),
            plots=(search_plot(found),),
            remarks=(
                f"{len(found)} generations of {size}, {games} games each, and a final took "
                f"{spent / 60:.1f} minutes. All candidates have the same starts, "
                "six random plies; the final and the tests have others, since the best of hundreds "
                "on the same starts was also the luckiest there. Children lie between and a little "
                "beyond their parents (BLX-alpha); the best ever found stay parents.",
                f"The winner is `{winner}`.",
            ),
        )
