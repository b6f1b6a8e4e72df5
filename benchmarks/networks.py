"""Pages of the trained networks: `python -m benchmarks.networks NAME [--out docs/networks]`.

A page has the command of the training, its curve and tables of the network's strength; what is
measured depends on the network (MEASURES). A network that is not shipped yet is measured by
`--weights FILE`. With `--out FOLDER` page, record and plots are written; without `--training`
the plots of an earlier record in that folder are kept.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from benchmarks import strength
from benchmarks.engine import DRAWN_AFTER
from plyground import Game, __version__, load_game
from plyground.arena.workers import Pool, cores
from plyground.cli.playing import new_pool
from plyground.cli.reproduce import check_folder, show_report, write_report
from plyground.export.report import Plot, Report, Table
from plyground.inference import find_weights, shipped_names
from plyground.inference.file import NetworkFile

ROOT = Path(__file__).parent.parent
TESTS, PAGES = ROOT / "tests", ROOT / "docs" / "networks"
FIRST_SEED = 2 * 10**9
"""The seed of the first start that is dealt here: none that training dealt."""


@dataclass(frozen=True)
class Training:
    """How a shipped network was trained."""

    game: str
    title: str
    about: str
    command: str
    seconds: float
    remarks: tuple[str, ...] = ()


ANY_STARTS = (
    "board='maze', width=16, height=16, robots=4, starts='near'",
    "starts='uniform'",
    "board='classic', starts='uniform'",
    *(
        f"board='maze', width={size}, height={size}, robots={robots}, starts='uniform'"
        for size, robots in ((8, 2), (12, 3), (20, 5), (24, 6))
    ),
)
"""Variants beside mazes of 16 x 16 that `robots-any` learned."""

TRAININGS = {
    "robots": Training(
        "robots",
        "The network of Robot Reboot",
        "8 blocks of 128 channels, taught by the exact solver on one accelerator with 13 worker "
        "processes. It sees walls, robots and target as planes, no distances.",
        "plyground train \"robots(starts='uniform')\" --starts \"robots(starts='near')\" "
        "--starts \"robots(board='classic', starts='uniform')\" --from solver --preset full "
        "--minutes 8.1 --seed 1",
        524.0,
    ),
    "robots-selfplay": Training(
        "robots",
        "The network of Robot Reboot that had no teacher",
        "6 blocks of 64 channels, from self-play alone on one accelerator: 3.5 million games of 16 "
        "simulations a move, half of them from near starts. It sees walls, robots and target as "
        "planes. The training was interrupted and resumed once, and ended 23 seconds early.",
        "plyground train \"robots(starts='uniform', solvable=False)\" "
        "--starts \"robots(starts='near', solvable=False)\" "
        "--starts \"robots(board='classic', starts='uniform', solvable=False)\" "
        "--starts \"robots(starts='near', solvable=False)\" --preset medium --minutes 16.5 "
        "--seed 1",
        967.0,
    ),
    "robots-any": Training(
        "robots",
        "The network of Robot Reboot for boards of any size",
        "6 blocks of 64 channels, from self-play alone, which went on from `robots-selfplay` on "
        "mazes of 8 x 8 to 24 x 24 with 2 to 6 robots and on the boards of 16 x 16, half of the "
        "time of one accelerator; files of 16,384 samples, 4,096 games at once.",
        "plyground train \"robots(board='maze', starts='uniform', solvable=False)\" "
        + "".join(f'--starts "robots({start}, solvable=False)" ' for start in ANY_STARTS)
        + "--weights robots-selfplay --preset medium --minutes 12.4 --seed 1",
        745.0,
    ),
    "connect_n": Training(
        "connect_n",
        "The network of Connect Four",
        "8 blocks of 128 channels, in four trainings from self-play with labels of the exact "
        "solver. The first, 219,000 games in 12.4 minutes, had labels of openings and later "
        "halves alone; the others had exact labels of whole games too (one game in 3, later one "
        "in 10): 80,000 games in 18 minutes, 76,000 in 7.7, and 100,000 in the last, of which "
        "the command and the time are shown; the plots are of the one before it. Each began with "
        "the weights of the one before, and [brought it further](connect_n-stages.md); one "
        "accelerator with 9 to 14 worker processes.",
        "plyground train connect_n --from selfplay+solver --preset full --reuse 12 "
        "--weights connect_n --minutes 12 --seed 4",
        721.0,
    ),
    "tron": Training(
        "tron",
        "The network of Tron",
        "4 blocks of 64 channels, from 117,000 games of self-play, a third of the time of one "
        "accelerator.",
        "plyground train tron --preset medium --blocks 4 --minutes 7.6 --seed 1",
        456.0,
    ),
    "sheep": Training(
        "sheep",
        "The network of Battle Sheep",
        "4 blocks of 64 channels, in three trainings: 137,000 games of self-play of four players "
        "in 7.6 minutes, a third of the time of one accelerator, 2,279 games of a tree search of "
        "500 simulations in 22 minutes on two cores, and 9,357 games of one of 4,000 simulations "
        "in 11 minutes on 16 cores and an accelerator. Each began with the weights of the one "
        "before, which the name `sheep` then meant. At 0.1 s of CPU time per move the first was "
        "0.86 points behind `champion` (0.72 to 0.99, 400 games), the second 0.51 (0.34 to 0.67, "
        "240 games). The command, the time and the plots are those of the last training. It "
        "began with a limit of 15 minutes, was killed once and resumed with 13.8 (the peak of "
        "games per second is files that were read back), and was stopped in its last comparison: "
        "its network is the one of 640 s, which had won the comparison before.",
        'plyground train sheep --from "mcts(history=10, cutoff=12, evaluate=territory, '
        'simulations=4000)" --preset medium --channels 64 --blocks 4 --reuse 16 --weights sheep '
        "--minutes 13.8 --seed 3",
        824.0,
        (
            "Tried beside it at 0.1 s, in code that was not kept; points above `champion` with "
            "95% intervals. 32 play-outs from each leaf, which `territory` ended after twelve "
            "plies and whose mean counted as much as the network's value: -0.356 (-0.472 to "
            "-0.239) in 400 games with the starts of the table. The rest is of other starts. The "
            "same with exploration=0.8: -0.238 (-0.423 to -0.053), 160 games. Play-outs before "
            "ply 32 and `champion` from there on: -0.067 (-0.324 to +0.190), 120 games. Play- "
            "outs and `champion` before ply 40, each in half of the time, their shares of the "
            "visits added up, and `champion` from there on: -0.069 (-0.313 to +0.175), 120 "
            "games. None was shown to be better than `champion`, which stays the default.",
            "A network of 4 blocks of 32 channels, with 2.2 times as many evaluations in the "
            "same time, was 0.33 (0.05 to 0.61) points behind this one in 80 games. It learned "
            "from the same teacher's games, but from random weights, and was stopped at 89% of "
            "its time.",
        ),
    ),
    "expendibots": Training(
        "expendibots",
        "The network of Expendibots",
        "4 blocks of 64 channels, in three trainings: 96,000 games of self-play in 8.7 minutes on "
        "one accelerator, then 8,677 and 11,037 games of a search of four plies, 42 minutes each "
        "on two cores. Each began with the weights of the one before. Against these, at 0.1 s of "
        "CPU time per move, the second network won 51 of 60 games and lost none; the third won 19 "
        "and lost 6. The command, the time and the plots are those of the last training; its "
        "ratings count from its first network.",
        "plyground train expendibots "
        '--from "alphabeta(depth=4, evaluate=neural, unwise=suicides, quiet=4)" --preset small '
        "--channels 64 --blocks 4 --reuse 3 --weights expendibots --minutes 42 --seed 3",
        2520.0,
    ),
}
"""By the name of the weights."""


@dataclass(frozen=True)
class Effort:
    """How much is measured; None: as much as the page needs."""

    weights: str
    pool: Pool
    count: int | None = None
    """Starts of each set, games or pairs of games."""
    workers: int = 1
    """Processes that play puzzles."""
    searched: int | None = None
    """Starts for agents that search."""

    def agent(self, name: str, **options: object) -> str:
        """Return the spec of an agent with these weights."""
        given = {"weights": self.weights} | options if self.weights else options
        inside = ", ".join(f"{option}={value!r}" for option, value in given.items())
        return f"{name}({inside})" if inside else name


# What is measured --------------------------------------------------------------------------------


def measure_robots(effort: Effort) -> tuple[Table, ...]:
    """Starts of the tests, whose fewest moves are proved, and uniform ones solved here."""
    title = "Starts that it was not trained on, within 20 moves"
    return (robots_table(title, robots_puzzles(effort.count), effort),)


def measure_any_robots(effort: Effort) -> tuple[Table, ...]:
    """Mazes of many sizes, and the boards of 16 x 16."""
    mazes = {
        f"{width} x {height}, {robots} robots": solved_starts(
            f"robots(board='maze', width={width}, height={height}, robots={robots}, "
            "starts='uniform')",
            effort.count or 1000,
        )
        for width, height, robots in MAZES
    }
    beside = "network(weights='robots')"
    title = f"Uniform starts in mazes, within 20 moves, beside `{beside}`, which knows 16 x 16 only"
    return robots_table(title, mazes, effort, beside), *measure_robots(effort)


MAZES = (
    (8, 8, 2), (16, 16, 4), (24, 24, 6),
    (10, 10, 4), (14, 14, 3), (18, 18, 5), (22, 22, 6), (20, 12, 3),
)  # fmt: skip
"""Columns, rows and robots: some of those that `robots-any` was trained on, then others."""


def robots_table(
    title: str, sets: dict[str, list[strength.Puzzle]], effort: Effort, *others: str
) -> Table:
    """Return what the network alone, other agents and the network with search make of starts."""
    alone, searching = effort.agent("network"), effort.agent("alphazero", evaluations=64)
    rows = []
    for name, puzzles in sets.items():
        for agent in (alone, *others, searching):
            tried = puzzles[: effort.searched] if agent == searching else puzzles
            rows.append(strength.solve_puzzles(name, agent, tried, effort.workers))
            print(rows[-1], flush=True)
    return Table(title, strength.PUZZLE_HEADINGS, tuple(rows))


def robots_puzzles(count: int | None) -> dict[str, list[strength.Puzzle]]:
    """Return the starts of each set with their fewest moves."""
    sys.path.insert(0, str(TESTS))
    from solved_robots import puzzles

    stored = {"study, near": "velasquez", "physical, uniform": "classic"}
    sets = {
        name: [
            (load_game("robots", board=kind).parse(puzzle.text), puzzle.fewest)
            for puzzle in puzzles()
            if puzzle.kind == kind
        ][:count]
        for name, kind in stored.items()
    }
    return sets | {"study, uniform": solved_starts("robots(starts='uniform')", count or 1000)}


def solved_starts(spec: str, count: int) -> list[strength.Puzzle]:
    """Return starts of a puzzle with their fewest moves, by its exact solver."""
    game = load_game(spec)
    solver = game.solver()
    assert solver is not None
    starts = [game.start(FIRST_SEED + seed) for seed in range(count)]
    solutions = [(start, solver.solve(start)) for start in starts]
    return [(start, each.score) for start, each in solutions if each and each.score]


def measure_connect_n(effort: Effort) -> tuple[Table, ...]:
    """Moves in its own games by the exact solver, and 50 opening pairs against alpha-beta."""
    agent = effort.agent("alphazero", evaluations=100)
    opponent, pairs = "alphabeta(depth=10)", effort.count or 50
    return (
        strength.judged_moves("connect_n", agent, effort.count or 100, 4, FIRST_SEED),
        strength.opening_pairs("connect_n", agent, opponent, pairs, 4, FIRST_SEED, effort.pool),
    )


def against(
    game: str, *opponents: str, seconds: float = 0.1, opening: int = 4
) -> Callable[[Effort], tuple[Table, ...]]:
    """Return the measurement of matches with equal CPU time per move."""

    def match(effort: Effort, opponent: str) -> Table:
        agent, several = effort.agent("alphazero"), load_game(game).facts.players > 2
        games = effort.count or (400 if several else 20_000)
        sides = game, agent, opponent, seconds, games, opening, FIRST_SEED, effort.pool
        if several:
            return strength.points_difference(*sides)
        return strength.equal_time(*sides, max_plies=DRAWN_AFTER)

    def measure(effort: Effort) -> tuple[Table, ...]:
        first, *others = (match(effort, opponent) for opponent in opponents)
        rows = (*first.rows, *(row for table in others for row in table.rows))
        return (Table(first.title, first.headings, rows),)

    return measure


MEASURES: dict[str, Callable[[Effort], tuple[Table, ...]]] = {
    "robots": measure_robots,
    "robots-any": measure_any_robots,
    "connect_n": measure_connect_n,
    "tron": against("tron", "alphabeta(unwise=crashes, evaluate=chambers)", "champion"),
    "sheep": against("sheep", "champion"),
    "expendibots": against(
        "expendibots", "alphabeta(unwise=suicides, quiet=4, evaluate=features)", "champion"
    ),
}
"""By the name of a network, or of its game."""


# Pages --------------------------------------------------------------------------------------------


def read_plots(game: Game, training: Path | None, record: Path | None) -> tuple[Plot, ...]:
    """Return the plots of a training's folder, or those of an earlier record."""
    if training is not None:
        from plyground.learn.curve import read_curve  # the framework takes seconds to load
        from plyground.learn.report import training_plots

        return training_plots(read_curve(training), rated=game.facts.players == 2)
    if record is not None and record.is_file():
        return Report.from_json(record.read_text()).plots
    return ()


def main() -> None:
    """Read the command line, measure a network, and print or write its page."""
    parser = argparse.ArgumentParser(description=__doc__)
    names = sorted({*shipped_names(), *MEASURES})
    parser.add_argument("name", choices=names, help="a shipped network, or a new one or its game")
    parser.add_argument("--weights", default="", help="another file than the shipped one")
    parser.add_argument("--count", type=int, help="starts of each set, games or pairs")
    parser.add_argument("--searched", type=int, help="of the starts, those for agents that search")
    parser.add_argument("--workers", type=int, help="processes that play (default: one per core)")
    parser.add_argument("--training", type=Path, help="folder of the training: its plots are shown")
    parser.add_argument("--out", type=Path, help="folder for page, record and plots")
    given = parser.parse_args()
    if given.out is not None:
        check_folder(given.out)
    training = TRAININGS.get(given.name)
    game = training.game if training else given.name.partition("-")[0]
    weights = given.weights or ("" if given.name == game else given.name)
    network = NetworkFile(find_weights(load_game(game), weights))
    began = monotonic()
    with new_pool(given.workers, None) as pool:
        measure = MEASURES.get(given.name, MEASURES[game])
        tables = measure(
            Effort(weights, pool, given.count, given.workers or cores(), given.searched)
        )
    sizes = {"count": given.count, "searched": given.searched}
    options = "".join(f" --{name} {size}" for name, size in sizes.items() if size)
    file_size = f"Its file has {len(network.content) / 2**20:.1f} MiB."
    trained = f"Trained in {training.seconds:,.0f} s by `{training.command}`." if training else ""
    record = given.out / f"{given.name}.json" if given.out else None
    report = Report(
        name=given.name,
        title=training.title if training else f"A network of {game}",
        about=" ".join(filter(None, [training.about if training else "", file_size, trained])),
        command=f"python -m benchmarks.networks {given.name}{options}",
        tables=tables,
        plots=read_plots(load_game(game), given.training, record),
        remarks=training.remarks if training else (),
        seconds=monotonic() - began,
        version=__version__,
    )
    show_report(report)
    if given.out is not None:
        write_report(report, given.out)


if __name__ == "__main__":
    main()
