"""Compare even openings with random ones: `python -m benchmarks.openings`.

For every game of two players: the time per opening, the number of different ones, their distance
from the median value in a deeper search, and the results of equal agents: the score of the first
seat, and how far the mean score of several games from one opening is from one half (more than 0 by
chance alone).
"""

from __future__ import annotations

import argparse
from statistics import mean, median
from time import process_time

from plyground import load_agent, load_game, play_game
from plyground.arena.match import start_seed
from plyground.arena.opening import EVEN, RANDOM, open_game

PLAYERS = {
    "connect_n": "mcts(simulations=300)",
    "expendibots": "relay(first=random, moves=3, then='alphabeta(depth=2, quiet=2)')",
    "tron": "mcts(simulations=100)",
    "tron(simultaneous=True)": "mcts(simulations=100)",
    "sheep(players=2)": "mcts(simulations=100)",
}
DEEPER = "alphabeta(depth=4, step=2, quiet=4)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", nargs="*", default=list(PLAYERS))
    parser.add_argument("--openings", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=6, help="games from one opening")
    given = parser.parse_args()
    for spec in given.games:
        open_game(load_game(spec), 0, 2, EVEN)  # compiles
        for plies in (2, 4):
            usual = None
            for rule in (RANDOM, EVEN):
                seeds = [start_seed(1, number) for number in range(given.openings)]
                began = process_time()
                openings = [open_game(load_game(spec), seed, plies, rule) for seed in seeds]
                cost = 1000 * (process_time() - began) / len(seeds)
                values = [load_agent(DEEPER).think(each).value or 0.0 for each in openings]
                usual = median(values) if usual is None else usual
                scores = [score(spec, seed, plies, rule, given.repeats) for seed in seeds]
                print(
                    f"{spec:24} {plies} plies {rule:6} {cost:5.2f} ms per opening, "
                    f"{len({each.key for each in openings}):3} of {len(openings)} different, "
                    f"{mean(abs(value - usual) for value in values):.3f} from the median value, "
                    f"first seat {mean(scores):4.0%}, "
                    f"{mean(abs(each - 0.5) for each in scores):.3f} from one half, "
                    f"{mean(each in (0.0, 1.0) for each in scores):4.0%} always won by one seat",
                    flush=True,
                )


def score(spec: str, seed: int, plies: int, rule: str, games: int) -> float:
    """Return the mean score of the first seat from one opening between equal agents."""
    game, players = load_game(spec), [load_agent(PLAYERS[spec]) for _ in range(2)]
    plan = {"seed": seed, "opening": plies, "opening_rule": rule}
    records = (play_game(game, players, number=number, **plan) for number in range(games))
    return mean((record.returns[0] + 1) / 2 for record in records)


if __name__ == "__main__":
    main()
