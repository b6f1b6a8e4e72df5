"""The commands that say who is stronger: `sprt` and `ratings`."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import typer

from plyground.agents import load_agent
from plyground.arena.plan import new_plan
from plyground.arena.ratings import Ratings, rate
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
from plyground.game import Facts
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


class Outcome(NamedTuple):
    """What ratings need of a record: no more is kept in memory."""

    agents: tuple[str, ...]
    returns: tuple[float, ...]


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

    wanted = None if game is None else repr(read_game(game, settings))
    named = None if anchor is None else repr(load_agent(anchor))
    rated: dict[str, Ratings] = {}
    with open_store(store) as kept, errors.status("reading games"):
        outcomes: dict[str, list[Outcome]] = {}
        facts: dict[str, Facts | None] = {}
        repeats: dict[str, Repeats] = {}
        for held in kept.runs() if run is None else [kept.run(run)]:
            if wanted in (None, held.tournament["game"]):
                for record in kept.records(held.id):
                    name = record.game
                    if name not in outcomes:
                        outcomes[name], facts[name] = [], _facts(name)
                        repeats[name] = Repeats(facts[name], across_runs=True)
                    if repeats[name].is_new(record, held.tournament):
                        outcomes[name].append(Outcome(record.agents, record.returns))
        if not outcomes:
            raise PlygroundError(f"{kept.name} has no such games; `plyground games list` lists all")
        for name, results in outcomes.items():
            known = facts[name]
            teams = () if known is None else known.teams
            try:
                rated[name] = rate(results, anchor=named, first_seat=first_seat, teams=teams)
            except PlygroundError as error:
                if len(outcomes) == 1:
                    raise
                say(f"{name}: {error}")
    if as_json:
        told = [
            {"game": name, "repeats": repeats[name].count} | each.to_json()
            for name, each in rated.items()
        ]
        print_json(told)
        return
    for name, each in rated.items():
        show_ratings(name, each)
        if repeats[name].count:
            console.print(told_repeats(repeats[name].count, "deterministic agents or equal seeds"))


def _facts(game: str) -> Facts | None:
    """Return a game's facts; None, and a word about it, where it cannot or may not be loaded."""
    try:
        return GAMES.recall(game).facts
    except PlygroundError as error:
        say(f"{game} is rated as a game without teams: {error}")
        return None
