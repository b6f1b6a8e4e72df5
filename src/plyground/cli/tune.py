"""The command `tune`: searches for better values of an agent's numeric options."""

from __future__ import annotations

import shlex
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer
from rich.progress import Progress, TaskID

from plyground import __version__
from plyground.arena.opening import RANDOM, default_rule
from plyground.arena.plan import Tournament
from plyground.arena.record import Record
from plyground.arena.sprt import Sprt, Trial
from plyground.arena.tournament import Standing
from plyground.arena.workers import Pool
from plyground.cli import INTERRUPTED
from plyground.cli.arguments import (
    GameName,
    Json,
    Seconds,
    Seed,
    Settings,
    Strict,
    open_store,
    print_json,
    read_game,
)
from plyground.cli.playing import (
    Clock,
    OpeningRule,
    Ponder,
    Ray,
    Resume,
    Workers,
    crew,
    playing,
)
from plyground.cli.reproduce import check_folder, show_report, write_report
from plyground.cli.sprt import follow, warn_of_few_starts
from plyground.cli.terminal import errors, progress
from plyground.errors import BadOption
from plyground.export.report import Report
from plyground.tune.report import finalists_table, search_plot, trials_table
from plyground.tune.tuning import (
    FINAL,
    FINALISTS,
    LONGER,
    SAMPLERS,
    SEARCH,
    TOURNAMENTS,
    Candidate,
    Play,
    Tuning,
    confirmation,
    final,
    first_plan,
    search,
)


@dataclass
class _Found:
    """What a search has found so far."""

    generations: list[list[Candidate]] = field(default_factory=list)
    ranked: list[Standing] = field(default_factory=list)
    trial: Trial | None = None

    @property
    def best(self) -> Candidate | Standing:
        found = (each for generation in self.generations for each in generation)
        return self.ranked[0] if self.ranked else max(found, key=lambda each: each.score)


def tune(
    game: GameName,
    agent: Annotated[
        str, typer.Argument(metavar="AGENT", help="The agent to tune, as alphabeta(depth=4).")
    ],
    over: Annotated[
        list[str],
        typer.Option(
            metavar="NAME[=LOW..HIGH[,log]]",
            help="An option to tune, as depth or evaluate.weights[2], and its range; repeatable.",
        ),
    ],
    opponent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AGENT", help="An opponent of the candidates, else AGENT; repeatable."
        ),
    ] = None,
    sampler: Annotated[
        str, typer.Option(help=f"Search method: {', '.join(SAMPLERS)}.")
    ] = "genetic",
    trials: Annotated[int, typer.Option(min=1, help="Number of candidates to try.")] = 200,
    population: Annotated[int, typer.Option(min=2, help="Candidates per generation.")] = 20,
    tournament: Annotated[
        str, typer.Option(help=f"Format of a generation's games: {', '.join(TOURNAMENTS)}.")
    ] = "gauntlet",
    games: Annotated[int, typer.Option(min=2, help="Games per pairing.")] = 40,
    opening: Annotated[int, typer.Option(min=0, help="Random plies, the same for a pair.")] = 4,
    opening_rule: OpeningRule = None,
    elo1: Annotated[float, typer.Option(help="Final test: better by this many Elo, or 0.")] = 20,
    max_games: Annotated[int, typer.Option(min=2, help="Most games of the final test.")] = 20_000,
    seconds: Seconds = None,
    clock: Clock = None,
    ponder: Ponder = None,
    seed: Seed = 0,
    strict: Strict = False,
    workers: Workers = None,
    ray: Ray = None,
    store: Annotated[
        str,
        typer.Option(
            metavar="FILE|URL",
            help="Database for results: a file path or a postgresql:// URL, by default "
            "tuning.sqlite beside your other results; 'none' keeps nothing.",
        ),
    ] = "",
    resume: Resume = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write record, page and plot into this folder."),
    ] = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Search for better values of an agent's options, by the games it plays."""
    from plyground.arena.store import default_location

    asked, began, played = Sprt(0, elo1), perf_counter(), read_game(game, settings)
    tuning = Tuning.make(
        {
            "game": repr(played), "agent": agent, "over": over,
            "opponents": opponent or [], "sampler": sampler, "trials": trials,
            "population": population, "tournament": tournament, "games": games,
            "opening": opening, "opening_rule": opening_rule or default_rule(played),
            "seconds": seconds, "seed": seed, "clock": clock or "wall", "ponder": bool(ponder),
        }
    )  # fmt: skip
    if out is not None:
        check_folder(out)
    found = _Found()
    with crew(workers, ray) as pool:
        kept = _Kept(pool, store or _apart(default_location()), resume)
        if resume:
            tuning = kept.begun(tuning, opening_rule is None)
        try:
            _search(tuning, kept, found)
            stopped = _test(tuning, kept, found, asked, max_games)
        except KeyboardInterrupt:
            stopped = True
    if found.generations and as_json:
        print_json(_to_json(tuning, found))
    elif found.generations and found.trial is None:
        best = found.best
        errors.print(f"the best so far: {best.agent} scored {best.score:.1%}", soft_wrap=True)
    if found.trial is not None:
        report = _report(tuning, found, found.trial, max_games, perf_counter() - began)
        if not as_json:
            show_report(report)
        if out is not None:
            write_report(report, out)
    if stopped:
        if kept.store != "none":
            errors.print("the same command with --resume continues from here")
        raise typer.Exit(INTERRUPTED)


@dataclass
class _Kept:
    """Plays tournaments with a pool of workers, and stores their games."""

    pool: Pool
    store: str
    resume: bool

    def begun(self, tuning: Tuning, any_rule: bool) -> Tuning:
        """Return the search to resume: this one, or with `any_rule` that of random openings."""
        if self.store == "none":
            raise BadOption("--resume: with --store none nothing was kept")
        searches = [tuning]
        if any_rule:
            searches.append(Tuning.make(tuning.changed() | {"opening_rule": RANDOM}))
        with open_store(self.store) as store:
            for each in searches:
                if store.runs(first_plan(each)):
                    return each
        raise BadOption(f"--resume: {store.name} has no games of this search")

    def play(self, tournament: Tournament) -> Generator[Record]:
        """Play a tournament, or what is left of it."""
        with playing(tournament, self.pool, self.store, self._again(tournament)) as played:
            yield from played.games

    def _again(self, tournament: Tournament) -> bool:
        """Return whether some of it is stored and to be resumed."""
        if not self.resume:
            return False
        with open_store(self.store) as store:
            return bool(store.runs(tournament))


def _apart(location: str) -> str:
    """Keep hundreds of candidates out of the store that `plyground ratings` rates."""
    return location if "://" in location else str(Path(location).with_name("tuning.sqlite"))


def _search(tuning: Tuning, kept: _Kept, found: _Found) -> None:
    """Search and play the final, with a progress bar that names the best so far."""
    rounds = ceil(tuning.trials / tuning.population)
    with progress() as bar:
        total = rounds * _games(tuning, SEARCH, tuning.population, tuning.games)
        total += _games(tuning, FINAL, min(FINALISTS, tuning.trials), LONGER * tuning.games)
        task = bar.add_task(f"generation 1 of {rounds}", total=total)
        play = _shown(kept, bar, task)
        for generation in search(tuning, play):
            found.generations.append(generation)
            number = len(found.generations) + 1
            place = f"generation {number} of {rounds}" if number <= rounds else "final"
            bar.update(task, description=f"{place}, best {found.best.score:.0%}")
        candidates = (one for generation in found.generations for one in generation)
        found.ranked = final(tuning, candidates, play)


def _games(tuning: Tuning, stage: int, agents: int, games: int) -> int:
    """Return the games of a stage; for a smaller last generation, a few too many."""
    return sum(plan.total for plan in tuning.plans(stage, [tuning.agent] * agents, games))


def _shown(kept: _Kept, bar: Progress, task: TaskID) -> Play:
    def play(tournament: Tournament) -> Iterator[Record]:
        for record in kept.play(tournament):
            bar.advance(task)
            yield record

    return play


def _test(tuning: Tuning, kept: _Kept, found: _Found, asked: Sprt, most: int) -> bool:
    """Test the final's winner against the original agent; return whether Ctrl-C ended it."""
    plan = confirmation(tuning, found.best.agent, most)
    with closing(kept.play(plan)) as records:
        found.trial, watched, equal = follow(asked, plan, records)
    warn_of_few_starts(found.trial, equal, tuning.opening)
    return watched.stopped


def _report(tuning: Tuning, found: _Found, trial: Trial, most: int, seconds: float) -> Report:
    return Report(
        name="tuning",
        title=f"Tuning of {tuning.agent}",
        about=f"Game: {tuning.game}. Opponents: {', '.join(tuning.opponents)}.",
        command=_command(tuning, trial.sprt, most),
        tables=(
            finalists_table(tuning, found.generations, found.ranked),
            trials_table({"winner - start": trial}),
        ),
        plots=(search_plot(found.generations),),
        remarks=(f"The winner: `{found.best.agent}`", _verdict(trial)),
        seconds=seconds,
        version=__version__,
    )


def _command(tuning: Tuning, asked: Sprt, most: int) -> str:
    """Return the command that repeats the search."""
    others = () if tuning.opponents == (tuning.agent,) else tuning.opponents
    words = ["plyground", "tune", tuning.game, tuning.agent]
    words += [word for each in tuning.over for word in ("--over", each)]
    words += [word for each in others for word in ("--opponent", each)]
    plain = (
        "sampler", "trials", "population", "tournament", "games", "opening", "seconds", "seed",
        "clock",
    )  # fmt: skip
    changed = {name: value for name, value in tuning.changed().items() if name in plain}
    words += [f"--{name}={value}" for name, value in changed.items()]
    words += [f"--opening-rule={tuning.opening_rule}"] + ["--ponder"] * tuning.ponder
    return shlex.join([*words, f"--elo1={asked.elo1:g}", f"--max-games={most}"])


def _verdict(trial: Trial) -> str:
    elo = f"{trial.sprt.elo1:g}"
    meaning = {
        "H1": f"Against the agent it was made from it is {elo} Elo stronger, rather than 0.",
        "H0": f"Against the agent it was made from it is 0 Elo stronger, rather than {elo}.",
        None: "The test came to no verdict.",
    }
    return meaning[trial.verdict]


def _to_json(tuning: Tuning, found: _Found) -> dict[str, Any]:
    return {
        "tuning": tuning.changed(),
        "generations": [_scores(generation) for generation in found.generations],
        "finalists": _scores(found.ranked),
        "winner": found.best.agent,
        "test": None if found.trial is None else found.trial.to_json(),
    }


def _scores(found: Sequence[Candidate | Standing]) -> list[dict[str, Any]]:
    return [{"agent": each.agent, "games": each.games, "score": each.score} for each in found]
