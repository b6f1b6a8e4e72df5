"""The tasks: Connect Four from the start, by Plyground and by its peers."""

from __future__ import annotations

from functools import partial

from benchmarks import peers
from benchmarks.measure import Side, Task, Work
from benchmarks.windows import GAME
from plyground import Limit, load_agent
from plyground.search.playout import play_outs

DEPTH = 8

plyground = partial(Side, "plyground", "plyground")
open_spiel = partial(Side, "OpenSpiel", "open_spiel")
pettingzoo = partial(Side, "PettingZoo", "pettingzoo")
easyai = partial(Side, "easyAI", "easyAI")


def our_mcts() -> Work:
    """Search with the peer's settings: no reuse of the tree, the same exploration, no proofs."""
    start = GAME.start()
    agent = load_agent("mcts", exploration=peers.EXPLORATION, reuse=False, solve=False)

    def work(simulations: int, seed: int) -> int:
        agent.think(start, Limit(simulations=simulations), seed)
        return simulations

    return work


def our_playouts() -> Work:
    """Return work that plays random games in one compiled loop."""
    start = GAME.start()

    def work(games: int, seed: int) -> int:
        play_outs(start, games, seed)
        return games

    return work


def our_alphabeta() -> Work:
    """Return work that searches with iterative deepening from an empty table."""
    start = GAME.start()

    def work(depth: int, seed: int) -> int:
        load_agent("alphabeta", depth=depth, evaluate="windows").think(start, seed=seed)
        return 1

    return work


def mcts(simulations: int) -> Task:
    """Return the task of MCTS with so many simulations, one random play-out each."""
    sizes = {"size": simulations, "warm_up": 100}
    return Task(
        "mcts",
        f"MCTS of {simulations:,}: simulations",
        plyground("agent mcts", our_mcts, **sizes),
        (open_spiel("MCTSBot, C++", peers.open_spiel_mcts, **sizes),),
    )


def playouts() -> Task:
    """Return the task of random play-outs; their number per call depends on the side's speed."""
    return Task(
        "playouts",
        "random play-outs",
        plyground("play_outs", our_playouts, size=100_000, warm_up=10),
        (
            open_spiel(
                "RandomRolloutEvaluator, C++", peers.open_spiel_playouts, size=10_000, warm_up=10
            ),
            pettingzoo("raw_env, Python", peers.pettingzoo_playouts, size=10, warm_up=1),
            easyai("ConnectFour, Python", peers.easyai_playouts, size=10, warm_up=1),
        ),
    )


def alphabeta() -> Task:
    """Return the task of one search to a depth with the window heuristic at the leaves."""
    sizes = {"size": DEPTH, "warm_up": 2}
    return Task(
        "alphabeta",
        f"alpha-beta to depth {DEPTH}: searches",
        plyground("agent alphabeta", our_alphabeta, **sizes),
        (
            open_spiel("alpha_beta_search, Python", peers.open_spiel_alphabeta, **sizes),
            easyai("Negamax with its table, Python", peers.easyai_negamax, **sizes),
        ),
    )


TASKS = (mcts(20_000), mcts(200_000), playouts(), alphabeta())
