"""The commands that say who is stronger: `sprt` and `ratings`."""

from __future__ import annotations

from typing import Annotated

import typer

from plyground.arena.plan import Run, canonical, new_plan
from plyground.arena.ratings import Outcome, Ratings, rate, unique_labels
from plyground.arena.record import Record
from plyground.arena.repeats import Repeats
from plyground.arena.sprt import Sprt
from plyground.cli.arguments import (
    INTERRUPTED,
    GameName,
    Json,
    Seconds,
    Seed,
    Settings,
    Strict,
    Where,
    open_store,
    print_json,
    read_game,
    say,
)
from plyground.cli.playing import OpeningRule, Ray, Resume, Workers, crew, playing
from plyground.errors import BadOption, PlygroundError
from plyground.game import Facts, Game
from plyground.games import GAMES


def sprt(
    game: GameName,
    a: Annotated[str, typer.Argument(metavar="A", help="Is this agent stronger")],
    b: Annotated[str, typer.Argument(metavar="B", help="than this one?")],
    elo0: Annotated[float, typer.Option(help="H0: A is so much stronger.")] = 0.0,
    elo1: Annotated[float, typer.Option(help="H1: A is so much stronger.")] = 10.0,
    alpha: Annotated[float, typer.Option(help="How often H1 may be accepted under H0.")] = 0.05,
    beta: Annotated[float, typer.Option(help="How often H0 may be accepted under H1.")] = 0.05,
    max_games: Annotated[int, typer.Option(min=2, help="Give up after so many games.")] = 20_000,
    opening: Annotated[int, typer.Option(min=0, help="Random plies first, for both games.")] = 4,
    opening_rule: OpeningRule = None,
    seconds: Seconds = None,
    seed: Seed = 0,
    strict: Strict = False,
    workers: Workers = None,
    ray: Ray = None,
    store: Where = "",
    resume: Resume = False,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Play pairs of games until it is clear whether A is stronger than B."""
    from plyground.cli.terminal import print_forfeits
    from plyground.cli.verdicts import follow, show_trial, warn_of_few_starts

    asked, played = Sprt(elo0, elo1, alpha, beta), read_game(game, settings)
    if played.facts.players != 2:
        raise BadOption(
            f"{played} is played by {played.facts.players}; a test of A and B needs two"
        )
    tournament = new_plan(
        {
            "game": repr(played),
            "agents": [a, b],
            "games": max_games,
            "opening": opening,
            "opening_rule": opening_rule,
            "seconds": seconds,
            "seed": seed,
        }
    )
    with (
        crew(workers, ray, tournament.total) as pool,
        playing(tournament, pool, store, resume, opening_rule is None) as plan,
    ):
        trial, watched, equal = follow(asked, tournament, plan.games)
        plan.stopped = watched.stopped
    if as_json:
        told = {"game": tournament.game, "agents": tournament.agents, "run": plan.run}
        print_json(told | trial.to_json())
    else:
        show_trial(tournament, trial)
        print_forfeits(watched, tournament.agents)
    warn_of_few_starts(trial, equal, opening)
    if watched.stopped:
        raise typer.Exit(INTERRUPTED)


def ratings(
    game: Annotated[
        str | None, typer.Argument(metavar="[GAME]", help="Only this game; else every one.")
    ] = None,
    run: Annotated[int | None, typer.Option(help="Only the games of this run.")] = None,
    anchor: Annotated[
        str | None, typer.Option(metavar="AGENT", help="Whose rating is 0, in place of the mean.")
    ] = None,
    first_seat: Annotated[
        bool, typer.Option("--first-seat", help="Find what moving first is worth; two players.")
    ] = False,
    store: Where = "",
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Rate the agents whose games are kept, with intervals."""
    from plyground.cli.terminal import console, errors, told_repeats
    from plyground.cli.verdicts import show_ratings

    wanted = None if game is None else read_game(game, settings)
    named = None if anchor is None else canonical(anchor)
    rated: dict[str, Ratings] = {}
    with open_store(store) as kept, errors.status("reading games"):
        outcomes: dict[str, list[Outcome]] = {}
        names: dict[str, list[str]] = {}
        facts: dict[str, Facts | None] = {}
        repeats: dict[str, Repeats] = {}
        for held in kept.runs() if run is None else [kept.run(run)]:
            for record in kept.records(held.id) if _may_hold(held, wanted) else ():
                if wanted is not None and not _is_of(record, wanted):
                    continue
                who = record.game_identity
                if who not in outcomes:
                    outcomes[who], names[who], facts[who] = [], [], _facts(record.game)
                    repeats[who] = Repeats(facts[who], across_runs=True)
                if record.game not in names[who]:
                    names[who].append(record.game)
                if repeats[who].is_new(record, held.tournament):
                    outcomes[who].append(Outcome(record.agents, record.returns, record.identities))
        if not outcomes:
            raise PlygroundError(f"{kept.name} has no such games; `plyground games list` lists all")
        labels = unique_labels(names)
        for who, results in outcomes.items():
            known = facts[who]
            teams = () if known is None else known.teams
            try:
                rated[who] = rate(results, anchor=named, first_seat=first_seat, teams=teams)
            except PlygroundError as error:
                if len(outcomes) == 1:
                    raise
                say(f"{labels[who]}: {error}")
    if as_json:
        told = [
            {"game": labels[who], "game_identity": who, "repeats": repeats[who].count}
            | each.to_json()
            for who, each in rated.items()
        ]
        print_json(told)
        return
    for who, each in rated.items():
        show_ratings(labels[who], each)
        if repeats[who].count:
            console.print(told_repeats(repeats[who].count, "deterministic agents or equal seeds"))


def _may_hold(run: Run, wanted: Game | None) -> bool:
    """Return whether a run may have games of this kind: one without files has but one spec."""
    if wanted is None or run.tournament["game"] == repr(wanted):
        return True
    return wanted.identity() != repr(wanted)


def _is_of(record: Record, wanted: Game) -> bool:
    return record.game == repr(wanted) or record.game_identity == wanted.identity()


def _facts(game: str) -> Facts | None:
    """Return a game's facts; None, and a word about it, where it cannot or may not be loaded."""
    try:
        return GAMES.recall(game).facts
    except PlygroundError as error:
        say(f"{game} is rated as a game without teams: {error}")
        return None
