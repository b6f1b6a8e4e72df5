"""Measure the advice that games give to searches: the record and page docs/games/advice.

`python -m benchmarks.advice --out docs/games` plays all matches again. Depth and simulations are
limited, never time, so every figure but those of CPU time is the same on any machine.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from random import Random
from statistics import mean, median
from time import perf_counter, process_time

from plyground import Position, Tournament, __version__, load_agent, load_game
from plyground.arena.tournament import play_tournament
from plyground.arena.workers import Pool, Processes, cores
from plyground.export.report import Report, Table
from plyground.games.robots import Robots
from plyground.games.robots.solve import RobotsSolver
from plyground.studies._tron import BOTS, MAPS

ABOUT = (
    "Games advise searches: play-out policies, move ordering, moves to prune, heuristics. Here "
    "agents that take the advice play agents that do not, from random openings of 2 plies, each "
    "opening from both seats."
)


def mcts(playout: str, simulations: int) -> str:
    """Return the spec of an agent with this play-out policy."""
    return f"mcts(simulations={simulations}, playout={playout})"


MATCHES = (
    ("connect_n", mcts("sharp", 100), mcts("random", 100)),
    ("connect_n", mcts("sharp", 1000), mcts("random", 1000)),
    ("connect_n", mcts("sharp", 1000), mcts("random", 4000)),
    ("expendibots", mcts("boomer", 100), mcts("random", 100)),
    ("sheep(players=2)", mcts("herding", 200), mcts("random", 200)),
    ("sheep(players=2, hidden=True)", mcts("herding", 200), mcts("random", 200)),
    ("tron", mcts("careful", 200), mcts("random", 200)),
    ("tron", mcts("careful", 1000), mcts("random", 1000)),
    ("tron(simultaneous=True)", mcts("careful", 200), mcts("random", 200)),
    ("tron(map=hunger_games)", mcts("careful", 200), mcts("random", 200)),
    ("expendibots", "alphabeta(depth=3)", "alphabeta(depth=3, evaluate=pieces)"),
    ("sheep(players=2)", "rule(by=spreading)", "random"),
)
"""A game, the agent that takes the advice, and its opponent."""

POLICIES = {"connect_n": "sharp", "expendibots": "boomer", "sheep": "herding", "tron": "careful"}
"""The play-out policy of a game whose cost is compared with that of random play-outs."""

PUZZLES = ("robots", "robots(board=classic, starts=uniform)")
ROUNDS = (
    "robots(rounds=20)",
    "robots(board=classic, rounds=20)",
    "robots(board=maze, rounds=20)",
    "robots(robots=2, rounds=20)",
)
"""Games in which targets that were drawn during play are tested for a solution."""

SEARCHES = {
    "none": "order=nothing",
    "gains": "order=gains",
    "gains, suicides": "order=gains, unwise=suicides",
}
"""Advice to searches in Expendibots whose nodes are counted, and the options that choose it."""
DEPTH, SEARCHED = 5, 24

COURSE_MATCHES = (
    ("WallBot", "RandBot", (33, 30, 25)),
    ("TA1", "WallBot", (31, 29, 31)),
    ("TA2", "WallBot", (38, 36, 39)),
    ("TA2", "TA1", (34, 22, 24)),
)
"""Two bots of Tron's course, and the games of 40 that the first won there on each of the maps."""


def played(pool: Pool, game: str, *agents: str, games: int) -> list[float]:
    """Play a match; return the first agent's return of each game."""
    print(f"{game}: {', '.join(agents)}", file=sys.stderr, flush=True)
    plan = Tournament(game=game, agents=agents, games=games, seed=1)
    records = play_tournament(plan, pool)
    return [record.returns[record.entrants.index(0)] for record in records]


def matches(pool: Pool, games: int) -> Table:
    """Play every match of an agent that takes advice with one that does not."""
    rows = []
    for game, agent, opponent in MATCHES:
        returns = played(pool, game, agent, opponent, games=games)
        won, lost = sum(each > 0 for each in returns), sum(each < 0 for each in returns)
        rows.append((f"`{game}`", f"`{agent}`", f"`{opponent}`", won, games - won - lost, lost))
    headings = ("game", "agent", "opponent", "won", "drawn", "lost")
    return Table(f"Matches of {games} games", headings, tuple(rows))


def course_matches(pool: Pool, games: int) -> Table:
    """Play the bots of Tron's course against each other."""
    rows = []
    for bot, opponent, original in COURSE_MATCHES:
        agents = BOTS[bot], BOTS[opponent]
        for name, won in zip(MAPS, original, strict=True):
            returns = played(pool, f"tron(map={name})", *agents, games=games)
            share = sum(each > 0 for each in returns) / games
            rows.append((f"{bot} against {opponent}", name, f"{won} of 40", f"{share:.0%}"))
    headings = ("bots", "map", "in the course", f"here, of {games}")
    return Table("Tron: games won by the first of two course bots", headings, tuple(rows))


def puzzles(pool: Pool, games: int) -> Table:
    """Play puzzles by MCTS with the play-out policy and without."""
    rows = []
    for spec in PUZZLES:
        game = load_game(spec)
        assert isinstance(game, Robots)
        for playout in ("homing", "random"):
            agent = mcts(playout, 200)
            returns = played(pool, spec, agent, games=games)
            score = game.cap * (mean(returns) - 1) / 2
            solved = sum(each > -1 for each in returns)
            rows.append((f"`{spec}`", f"`{agent}`", solved, f"{score:.1f}"))
    headings = ("game", "agent", "solved", "mean score")
    return Table(f"Robot Reboot: {games} puzzles", headings, tuple(rows))


def drawn_targets(count: int) -> Table:
    """Count the targets drawn during random play that can be reached within the cap."""
    rows = []
    for spec in ROUNDS:
        game = load_game(spec)
        assert isinstance(game, Robots)
        solver, random = RobotsSolver(game, within_cap=True), Random(1)
        solved = tested = 0
        while tested < count:
            position = game.start(tested)
            for _ in range(random.randrange(1, game.rounds)):
                position = random_round(position, random)
            if not position.is_over:
                tested += 1
                solution = solver.solve(position)
                solved += solution is not None and solution.score is not None
        rows.append((f"`{spec}`", solved, tested))
    headings = ("game", "with a solution within the cap", "drawn")
    return Table("Robot Reboot: targets drawn during random play", headings, tuple(rows))


def random_round(position: Position, random: Random) -> Position:
    """Play random moves until the round is over."""
    number = round_number(position)
    while not position.is_over and round_number(position) == number:
        position = position.play(random.choice(position.legal_actions))
    return position


def round_number(position: Position) -> int:
    """Return the number of the round that a position is in, from 1."""
    return int(position.game.write(position).partition(" round=")[2].split()[0])


def searches() -> Table:
    """Count the nodes of alpha-beta in Expendibots with and without advice."""
    positions = [random_position(seed) for seed in range(SEARCHED)]
    rows: list[tuple[str, ...]] = []
    for heuristic in ("features", "pieces"):
        plain = 0
        for name, options in SEARCHES.items():
            agent = f"alphabeta(depth={DEPTH}, evaluate={heuristic}, {options})"
            nodes = sum(load_agent(agent).think(position).nodes or 0 for position in positions)
            plain = plain or nodes
            rows.append((heuristic, name, f"{nodes:,}", f"{(plain - nodes) / plain:.1%}"))
    title = f"Expendibots: alpha-beta, {DEPTH} plies, {SEARCHED} positions of random games"
    return Table(title, ("heuristic", "advice", "nodes", "saved"), tuple(rows))


def random_position(seed: int) -> Position:
    """Return a position of Expendibots after 10 to 40 random plies, not yet over."""
    random = Random(seed)
    while True:
        position = load_game("expendibots").start()
        for _ in range(random.randrange(10, 40)):
            if not position.is_over:
                position = position.play(random.choice(position.legal_actions))
        if not position.is_over:
            return position


def costs(repeats: int = 5) -> Table:
    """Compare the CPU time of simulations with a policy and with random play-outs."""
    rows = []
    for game, policy in POLICIES.items():
        start = load_game(game).start(1)
        seconds: dict[str, list[float]] = {policy: [], "random": []}
        for seed in range(repeats + 1):
            for playout, spent in seconds.items():
                agent = load_agent("mcts", simulations=2000, playout=playout)
                began = process_time()
                agent.think(start, seed=seed)
                spent.append(process_time() - began)
        advised, plain = (median(spent[1:]) for spent in seconds.values())  # the first compiles
        rows.append((f"`{game}`", policy, f"{advised / plain:.1f}"))
    headings = ("game", "policy", "times the cost of random play-outs")
    return Table("CPU time of a simulation, from the start", headings, tuple(rows))


def main() -> None:
    """Measure everything; print the page, or write record and page to a folder."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.advice", description=__doc__)
    parser.add_argument("--games", type=int, default=200, help="games per match; default 200")
    parser.add_argument("--workers", type=int, default=cores(), help="processes; one per core")
    parser.add_argument("--out", type=Path, help="folder for advice.json and advice.md")
    given = parser.parse_args()
    began = perf_counter()
    with Processes(given.workers) as pool:
        tables = (
            matches(pool, given.games),
            costs(),
            searches(),
            puzzles(pool, given.games),
            drawn_targets(given.games),
            course_matches(pool, given.games),
        )
    report = Report(
        name="advice",
        title="Advice to searches, measured",
        about=ABOUT,
        command="python -m benchmarks.advice",
        tables=tables,
        plots=(),
        remarks=(),
        seconds=round(perf_counter() - began, 1),
        version=__version__,
    )
    if given.out is None:
        print(report.page())
        return
    (given.out / "advice.json").write_text(report.to_json() + "\n")
    (given.out / "advice.md").write_text(report.page())


if __name__ == "__main__":
    main()
