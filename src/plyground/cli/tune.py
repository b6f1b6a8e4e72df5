"""The command `tune`: searches for better values of an agent's numeric options."""

from __future__ import annotations

import re
import shlex
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from statistics import fmean
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
    store_to_write,
)
from plyground.cli.playing import (
    Clock,
    OpeningRule,
    Ponder,
    Ray,
    Resume,
    Workers,
    new_pool,
    playing,
)
from plyground.cli.reproduce import check_folder, show_report, write_report
from plyground.cli.sprt import follow, warn_of_few_starts
from plyground.cli.terminal import errors, progress
from plyground.errors import OptionError
from plyground.export.report import Report
from plyground.text import counted, shortened
from plyground.tune.report import finalists_table, search_plot, trials_table
from plyground.tune.tuning import (
    FINAL,
    FINALISTS,
    LONGER,
    SAMPLERS,
    SEARCH,
    TOURNAMENTS,
    Candidate,
    Mirrors,
    Play,
    Tuning,
    confirmation,
    final,
    first_plan,
    search,
)


@dataclass
class _State:
    """The results of a search so far."""

    generations: list[list[Candidate]] = field(default_factory=list)
    ranked: list[Standing] = field(default_factory=list)
    mirrors: Mirrors = field(default_factory=Mirrors)
    trial: Trial | None = None

    @property
    def best(self) -> Candidate | Standing:
        if self.ranked:
            return self.ranked[0]
        candidates = (one for generation in self.generations for one in generation)
        return max(candidates, key=lambda candidate: candidate.score)

    def is_finished(self, tuning: Tuning) -> bool:
        """Return whether there is a result: of the test, or without one of the final."""
        return self.trial is not None if tuning.players == 2 else bool(self.ranked)


def tune(
    game: GameName,
    agent: Annotated[
        str, typer.Argument(metavar="AGENT", help="The agent to tune, such as alphabeta(depth=4).")
    ],
    over: Annotated[
        list[str],
        typer.Option(
            metavar="NAME[=LOW..HIGH[,log]]",
            help="An option to tune, such as depth or evaluate.weights[2], and its range; "
            "repeatable.",
        ),
    ],
    opponent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AGENT", help="Opponent of the candidates (default: AGENT); repeatable."
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
    opening: Annotated[
        int, typer.Option(min=0, help="Random plies at the start, the same for a pair.")
    ] = 4,
    opening_rule: OpeningRule = None,
    elo1: Annotated[float, typer.Option(help="Final test (SPRT): stronger by this many Elo.")] = 20,
    max_games: Annotated[
        int, typer.Option(min=2, help="Games of the final test at most.")
    ] = 20_000,
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
            callback=store_to_write,
            help="Database for results: a file path or a postgresql:// URL (default: "
            "tuning.sqlite, in the folder of the usual store); 'none' keeps nothing.",
        ),
    ] = "",
    resume: Resume = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write results, page and plot into this folder."),
    ] = None,
    name: Annotated[str, typer.Option(help="Name of these files.")] = "tuning",
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Search for better values of an agent's options by playing games."""
    from plyground.arena.store import default_location

    test, began, loaded = Sprt(0, elo1), perf_counter(), read_game(game, settings)
    tuning = Tuning.make(
        {
            "game": repr(loaded), "agent": agent, "over": over,
            "opponents": opponent or [], "sampler": sampler, "trials": trials,
            "population": population, "tournament": tournament, "games": games,
            "opening": opening, "opening_rule": opening_rule or default_rule(loaded),
            "seconds": seconds, "seed": seed, "clock": clock or "wall", "ponder": bool(ponder),
        }
    )  # fmt: skip
    if re.fullmatch(r"\w[\w.-]*", name) is None:
        raise OptionError(f"--name: {shortened(name)!r} must be letters, digits, '_', '-' and '.'")
    if out is not None:
        check_folder(out)
    state = _State()
    with new_pool(workers, ray) as pool:
        runner = _Runner(pool, store or _tuning_store(default_location()), resume)
        if resume:
            tuning = runner.resumed(tuning, opening_rule is None)
        try:
            _search(tuning, runner, state)
            stopped = tuning.players == 2 and _test(tuning, runner, state, test, max_games)
        except KeyboardInterrupt:
            stopped = True
    if state.generations and as_json:
        print_json(_to_json(tuning, state))
    elif state.generations and not state.is_finished(tuning):
        best = state.best
        errors.print(f"the best so far: {best.agent} scored {best.score:.1%}", soft_wrap=True)
    if state.is_finished(tuning):
        command = _command(tuning, test, max_games)
        report = _report(name, tuning, state, command, perf_counter() - began)
        if not as_json:
            show_report(report)
        if out is not None:
            write_report(report, out)
    if stopped:
        if runner.store != "none":
            errors.print("the same command with --resume continues from here")
        raise typer.Exit(INTERRUPTED)


@dataclass
class _Runner:
    """Plays tournaments with a pool of workers, and stores their games."""

    pool: Pool
    store: str
    resume: bool

    def resumed(self, tuning: Tuning, any_rule: bool) -> Tuning:
        """Return the search to resume: this one, or with `any_rule` that with random openings."""
        if self.store == "none":
            raise OptionError("--resume: nothing was kept, as the store is 'none'")
        searches = [tuning]
        if any_rule:
            searches.append(Tuning.make(tuning.changed() | {"opening_rule": RANDOM}))
        with open_store(self.store) as store:
            for candidate in searches:
                if store.runs(first_plan(candidate)):
                    return candidate
        raise OptionError(f"--resume: {store.name} has no games of this search")

    def play(self, tournament: Tournament) -> Generator[Record]:
        """Yield the games of a tournament; those stored by a resumed search are not replayed."""
        with playing(tournament, self.pool, self.store, self._is_resumed(tournament)) as played:
            yield from played.games

    def _is_resumed(self, tournament: Tournament) -> bool:
        """Return whether a run of the tournament is stored and to be resumed."""
        if not self.resume:
            return False
        with open_store(self.store) as store:
            return bool(store.runs(tournament))


def _tuning_store(location: str) -> str:
    """Return a store of its own, so that `plyground ratings` does not rate all candidates."""
    return location if "://" in location else str(Path(location).with_name("tuning.sqlite"))


def _search(tuning: Tuning, runner: _Runner, state: _State) -> None:
    """Search and play the final, with a progress bar that shows the best score so far."""
    rounds = ceil(tuning.trials / tuning.population)
    with progress() as bar:
        total = rounds * _games(tuning, SEARCH, tuning.population, tuning.games)
        total += _games(tuning, FINAL, min(FINALISTS, tuning.trials), LONGER * tuning.games)
        task = bar.add_task(f"generation 1 of {rounds}", total=total)
        play = _with_progress(runner, bar, task, state.mirrors)
        for generation in search(tuning, play):
            state.generations.append(generation)
            number = len(state.generations) + 1
            stage = f"generation {number} of {rounds}" if number <= rounds else "final"
            bar.update(task, description=f"{stage}, best {state.best.score:.0%}")
            bar.console.print(_summary(number - 1, generation), soft_wrap=True)
        candidates = (one for generation in state.generations for one in generation)
        state.ranked = final(tuning, candidates, play)


def _summary(number: int, generation: Sequence[Candidate]) -> str:
    """Return a line on a generation, which a log keeps as well."""
    best = max(generation, key=lambda candidate: candidate.score)
    mean = fmean(candidate.score for candidate in generation)
    return f"generation {number}: mean {mean:.1%}, best {best.score:.1%} of {best.agent}"


def _games(tuning: Tuning, stage: int, agents: int, games: int) -> int:
    """Return the number of games of a stage; too many if the last generation is smaller."""
    return sum(plan.total for plan in tuning.plans(stage, [tuning.agent] * agents, games))


def _with_progress(runner: _Runner, bar: Progress, task: TaskID, mirrors: Mirrors) -> Play:
    def play(tournament: Tournament) -> Iterator[Record]:
        for record in runner.play(tournament):
            bar.advance(task)
            mirrors.add(record)
            yield record

    return play


def _test(tuning: Tuning, runner: _Runner, state: _State, test: Sprt, max_games: int) -> bool:
    """Test the final's winner against the original agent; return whether Ctrl-C ended it."""
    plan = confirmation(tuning, state.best.agent, max_games)
    with closing(runner.play(plan)) as records:
        state.trial, watched, equal = follow(test, plan, records)
    warn_of_few_starts(state.trial, equal, tuning.opening)
    return watched.stopped


def _report(name: str, tuning: Tuning, state: _State, command: str, seconds: float) -> Report:
    remarks = [_games_played(state), f"The winner: `{state.best.agent}`"]
    if state.mirrors.alike:
        share = f"From {state.mirrors.share:.0%} of the starts of the search and the final"
        remarks.append(f"{share} two agents played the same game twice, in other seats.")
    tables = [finalists_table(tuning, state.generations, state.ranked)]
    if state.trial is not None:
        remarks.append(_verdict(state.trial))
        tables.append(trials_table({"winner - start": state.trial}))
    return Report(
        name=name,
        title=f"Tuning of {tuning.agent}",
        about=f"Game: {tuning.game}. Opponents: {', '.join(tuning.opponents)}.",
        command=command,
        tables=tuple(tables),
        plots=(search_plot(state.generations),),
        remarks=tuple(remarks),
        seconds=seconds,
        version=__version__,
    )


def _command(tuning: Tuning, test: Sprt, max_games: int) -> str:
    """Return the command that repeats the search."""
    others = () if tuning.opponents == (tuning.agent,) else tuning.opponents
    words = ["plyground", "tune", tuning.game, tuning.agent]
    words += [word for setting in tuning.over for word in ("--over", setting)]
    words += [word for other in others for word in ("--opponent", other)]
    plain = (
        "sampler", "trials", "population", "tournament", "games", "opening", "seconds", "seed",
        "clock",
    )  # fmt: skip
    changed = {name: value for name, value in tuning.changed().items() if name in plain}
    words += [f"--{name}={value}" for name, value in changed.items()]
    words += [f"--opening-rule={tuning.opening_rule}"] + ["--ponder"] * tuning.ponder
    return shlex.join([*words, f"--elo1={test.elo1:g}", f"--max-games={max_games}"])


def _games_played(state: _State) -> str:
    """Return a sentence on the numbers of candidates and games."""
    candidates = [one for generation in state.generations for one in generation]
    search, last = (sum(one.games for one in some) for some in (candidates, state.ranked))
    played = f"{counted(search, 'game')} in the search, {last:,} in the final"
    if state.trial is not None:
        played += f", {2 * state.trial.pairs:,} in the test"
    return f"{counted(len(candidates), 'candidate')}; {played}."


def _verdict(trial: Trial) -> str:
    elo = f"{trial.sprt.elo1:g}"
    meaning = {
        "H1": f"H1 is accepted: it is {elo} Elo stronger than the original agent, rather than 0.",
        "H0": f"H0 is accepted: it is 0 Elo stronger than the original agent, rather than {elo}.",
        None: "The test ended without a verdict.",
    }
    return meaning[trial.verdict]


def _to_json(tuning: Tuning, state: _State) -> dict[str, Any]:
    return {
        "tuning": tuning.changed(),
        "generations": [_scores(generation) for generation in state.generations],
        "finalists": _scores(state.ranked),
        "winner": state.best.agent,
        "test": None if state.trial is None else state.trial.to_json(),
    }


def _scores(candidates: Sequence[Candidate | Standing]) -> list[dict[str, Any]]:
    return [{"agent": one.agent, "games": one.games, "score": one.score} for one in candidates]
