"""The command `ratings`: Elo ratings of the agents in stored games."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import sqrt
from typing import TYPE_CHECKING, Annotated

import typer

from plyground.arena.plan import Run, canonical
from plyground.arena.ratings import Copies, Outcome, Ratings, rate, unique_labels
from plyground.arena.record import PERSON
from plyground.arena.repeats import Repeats
from plyground.arena.summary import Summary
from plyground.arena.tournament import plain_number
from plyground.cli.arguments import (
    Json,
    Settings,
    StoreToRead,
    open_store,
    print_json,
    read_game,
    say,
)
from plyground.cli.terminal import console, errors, repeats_text, table
from plyground.errors import PlygroundError
from plyground.game import Facts, Game
from plyground.games import GAMES

if TYPE_CHECKING:
    from plyground.arena.store import Store

MOST_CROSSED = 40
"""Agents in the cross table at most."""


def ratings(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", help="Only this game (default: all games).")
    ] = None,
    run: Annotated[int | None, typer.Option(help="Only the games of this run.")] = None,
    anchor: Annotated[
        str | None,
        typer.Option(metavar="AGENT", help="The agent whose rating is 0 (default: the mean is 0)."),
    ] = None,
    first_seat: Annotated[
        bool,
        typer.Option("--first-seat", help="Estimate the advantage of moving first (two players)."),
    ] = False,
    store: StoreToRead = "",
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Compute Elo ratings with confidence intervals from stored games."""
    wanted = None if game is None else read_game(game, settings)
    anchored = None if anchor is None else canonical(anchor)
    rated: dict[str, Ratings] = {}
    with open_store(store) as database, errors.status("reading games"):
        played = _played(database, database.runs() if run is None else [database.run(run)], wanted)
        if not played:
            raise PlygroundError(
                f"{database.name} has no such games; `plyground runs list` lists all"
            )
        known = [(identity, of_game.names) for identity, of_game in played.items()]
        labels = dict(zip(played, unique_labels(known), strict=True))
        for identity, of_game in played.items():
            try:
                rated[identity] = rate(
                    of_game.counted(), anchor=anchored, first_seat=first_seat, teams=of_game.teams
                )
            except PlygroundError as error:
                if len(played) == 1:
                    raise
                say(f"{labels[identity]}: {error}")
    if as_json:
        listed = [
            {
                "game": labels[identity],
                "game_identity": identity,
                "repeats": played[identity].repeats.count,
            }
            | of_game.to_json()
            for identity, of_game in rated.items()
        ]
        print_json(listed)
        return
    for identity, ratings_of_game in rated.items():
        show_ratings(labels[identity], ratings_of_game)
        count = played[identity].repeats.count
        if count:
            console.print(repeats_text(count, "deterministic agents or equal seeds"))


class _Played:
    """The games of one game that are in the store."""

    def __init__(self, game: str) -> None:
        facts = _facts(game)
        self.teams = () if facts is None else facts.teams
        self.names: dict[str, None] = {}
        """Specs of the game, whose files may have had other paths."""
        self.repeats = Repeats(facts, across_runs=True)
        self._outcomes: list[Outcome] = []
        self._copies = Copies()

    def add(self, stored: Run, game: Summary) -> None:
        """Add one that was played in a run."""
        self.names[game.game] = None
        hashed = self.repeats.hash_of(game, stored.tournament)
        self._outcomes.append(
            Outcome(game.agents, game.returns, game.identities, game.names, stored.id, hashed)
        )
        for identity, name in zip(game.identities, game.names, strict=True):
            self._copies.note(stored.id, identity, name)

    def counted(self) -> Iterator[Outcome]:
        """Yield all but repeats."""
        for outcome in self._outcomes:
            players = tuple(map(self._copies.key_of, outcome.identities, outcome.names))
            if self.repeats.is_first(outcome.hash, players):
                yield outcome


def _played(database: Store, runs: Iterable[Run], wanted: Game | None) -> dict[str, _Played]:
    """Return the wanted games of these runs, by the identity of the game."""
    played: dict[str, _Played] = {}
    for stored in runs:
        for game in database.summaries(stored.id) if _may_have(stored, wanted) else ():
            if wanted is not None and not _is_of(game, wanted):
                continue
            if PERSON in game.agents:  # people may take moves back and ask for hints
                continue
            if game.game_identity not in played:
                played[game.game_identity] = _Played(game.game)
            played[game.game_identity].add(stored, game)
    return played


def _may_have(run: Run, wanted: Game | None) -> bool:
    """Return whether a run may be of this game; a game without files has only one spec."""
    if wanted is None or run.tournament["game"] == repr(wanted):
        return True
    return wanted.identity() != repr(wanted)


def _is_of(game: Summary, wanted: Game) -> bool:
    return game.game == repr(wanted) or game.game_identity == wanted.identity()


def _facts(game: str) -> Facts | None:
    """Return a game's facts; None, with a message, if it cannot or may not be loaded."""
    try:
        return GAMES.recall(game).facts
    except PlygroundError as error:
        say(f"{game} is rated as a game without teams: {error}")
        return None


def show_ratings(game: str, rated: Ratings) -> None:
    """Print one row per agent, then the cross table with the probabilities of superiority."""
    headings = ["", "agent", "Elo", "95% interval", "games", "score"]
    rows: list[list[object]] = []
    for place, row in enumerate(rated.rows, start=1):
        low, high = row.interval()
        interval = f"{low:+.0f} to {high:+.0f}"
        rows.append([place, row.agent, f"{row.elo:+.0f}", interval, row.games, f"{row.score:.1%}"])
    console.print(table(headings, rows, game, ("score", "games")))
    advantage = f"; moving first is worth {rated.first_seat:+.0f} Elo" if rated.first_seat else ""
    draw = f"draw {rated.draws:.0%} of their games"
    if rated.graded:
        draw = f"score 50% in a game, give or take {sqrt((1 - rated.draws) / 4):.0%}"
    console.print(f"Agents of equal strength {draw}{advantage}.")
    for agents in rated.copies():
        console.print(f"{' and '.join(agents)} are the same program.", markup=False, soft_wrap=True)
    numbers = range(min(MOST_CROSSED, len(rated.rows)))
    cells = [
        [row + 1, rated.rows[row].agent, *(_meetings(rated, row, column) for column in numbers)]
        for row in numbers
    ]
    title = "points/games, and how likely the row is stronger than the column"
    if len(numbers) < len(rated.rows):
        title += f"; the best {len(numbers)} of {len(rated.rows):,} agents, --json has all"
    opponents = [str(number + 1) for number in numbers]
    console.print(table(["", "agent", *opponents], cells, title, tuple(reversed(opponents[1:]))))


def _meetings(rated: Ratings, row: int, column: int) -> str:
    """Return a cell of the cross table."""
    if row == column:
        return ""
    points = f"{plain_number(rated.scores[row, column])}/{rated.games[row, column]}"
    return f"{points}\n{rated.superiority[row, column]:.1%}"
