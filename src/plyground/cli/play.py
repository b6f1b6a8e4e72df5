"""The command `play`: people against agents and each other, in the terminal or as lines of JSON."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from plyground.agents import load_agent
from plyground.agents.agent import Agent, Limit
from plyground.arena.plan import Run, timestamp
from plyground.arena.record import PERSON
from plyground.cli.arguments import (
    GameName,
    Json,
    PositionText,
    Seconds,
    Seed,
    Settings,
    Strict,
    Where,
    open_store,
    read_game,
    read_position,
    say,
    write_file,
)
from plyground.cli.commentary import COMMANDS, help_text
from plyground.cli.views import View, choose_view
from plyground.errors import (
    BadOption,
    IllegalAction,
    PlygroundError,
    UnknownName,
    shortened,
)
from plyground.export.animation import replay_form
from plyground.game import Game, Position
from plyground.session import Session

if TYPE_CHECKING:
    from plyground.arena.store import Store

OPPONENT = "mcts"
"""Who plays, or gives hints, where no agent is named."""


def play(
    game: GameName,
    players: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PLAYER]...",
            help="One agent for all other seats (mcts if not given), or a player for each seat: an "
            "agent, or 'person'.",
        ),
    ] = None,
    seat: Annotated[
        int | None, typer.Option(min=1, help="Your seat against one agent, from 1 (the default).")
    ] = None,
    seconds: Seconds = None,
    seed: Seed = 0,
    strict: Strict = False,
    position: PositionText = None,
    store: Where = "",
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Play against an agent."""
    played = read_game(game, settings)
    seats = _read_seats(played, players or [], seat)
    limit = Limit(seconds)
    limits = [Limit() if agent is None else limit for agent in seats]
    adviser = _read_adviser(players or [])
    start = read_position(played, position, seed)
    with ExitStack() as stack:
        keeper = None if store == "none" else stack.enter_context(open_store(store))
        session = stack.enter_context(Session(start, seats, limits, adviser=adviser, seed=seed))
        try:
            with choose_view(session, as_json) as view:
                _play_out(session, view, limit)
        finally:  # also after Ctrl-C
            if keeper is not None and (session.moves or session.is_over):
                say(f"the game is kept as run {_keep(keeper, session)} of {keeper.name}")


def _read_seats(game: Game, players: list[str], seat: int | None) -> list[Agent | None]:
    """Return who sits where, None for a person; one player alone takes the seats of the others."""
    count = game.facts.players
    if len(players) <= 1:
        if seat is not None and seat > count:
            raise BadOption(f"--seat {seat}: {game} has {count} players")
        opponent = _read_player(players[0] if players else OPPONENT)
        return [None if at == (seat or 1) - 1 else opponent for at in range(count)]
    if len(players) != count:
        raise BadOption(
            f"{game} has {count} players, not {len(players)}: name one agent, or one per seat"
        )
    if seat is not None:
        raise BadOption(f"--seat {seat}: every seat has its player; '{PERSON}' is you")
    seats = [_read_player(player) for player in players]
    if None not in seats:
        raise BadOption(f"no seat is a person's; write '{PERSON}' for yours, or use `match`")
    return seats


def _read_player(player: str) -> Agent | None:
    return None if player == PERSON else load_agent(player)


def _read_adviser(players: list[str]) -> Agent:
    """Return who gives hints: the first agent that is named."""
    return load_agent(next((each for each in players if each != PERSON), OPPONENT))


def _play_out(session: Session, view: View, limit: Limit) -> None:
    """Play until the person leaves; a view that does not ask on ends with the game."""
    viewer = session.agents.index(None)
    view.show(viewer)
    while view.asks_on or not session.is_over:
        if not session.is_over and not session.is_persons_turn:
            session.reply()
        else:
            line = view.ask()
            if line is None:
                return
            try:
                answer = _obey(session, viewer, line.strip(), limit)
            except PlygroundError as error:
                answer = f"error: {error}"
            if answer is None:
                return
            if answer:
                view.tell(answer)
                continue
        if session.is_persons_turn:
            viewer = session.seat
        view.show(viewer)


def _obey(session: Session, viewer: int, line: str, limit: Limit) -> str | None:
    """Play a move or follow a command; return what to answer, "" for the board, None to leave.

    A word that is a legal action is played; with a colon before it, it is always a command.
    """
    position = session.view(viewer)
    action = _find_action(position, line)
    if action is not None:
        session.play(action)
        return ""
    word, _, argument = line.removeprefix(":").partition(" ")
    match word.lower():
        case "":
            return None if session.is_over else ""
        case "quit":
            return None
        case "help" | "?":
            return help_text(position)
        case "hint":
            return f"hint: {position.format(session.hint(limit).action)}"
        case "undo":
            return "" if session.undo() else "there is no move to take back"
        case "resign":
            session.resign(viewer)
            return ""
        case "save":
            return f"replay written to {_save(session, argument.strip())}"
    if line.startswith(":"):
        raise UnknownName("command", word, COMMANDS)
    reason = "the game is over" if session.is_over else "help lists what is"
    raise IllegalAction(f"{shortened(line)!r} is not legal here; {reason}")


def _find_action(position: Position, text: str) -> int | None:
    try:
        return position.parse(text)
    except IllegalAction:
        return None


def _save(session: Session, name: str) -> Path:
    """Write the game so far as a replay; return the file's path."""
    game = session.position.game
    if not name:
        raise BadOption("save: name a file that ends in .html or .svg")
    if game.facts.hidden and not session.is_over:
        raise BadOption("save: a replay shows what is hidden; wait until the game is over")
    path = Path(name).expanduser().absolute()
    write_file(path, replay_form(path)(game, session.record()))
    return path


def _keep(store: Store, session: Session) -> int:
    """Keep the game as a run of its own; return the run's number."""
    record = session.record()
    plan = {"game": record.game, "agents": list(record.agents), "games": 1}
    plan |= {"seed": session.seed, "opening": 0}
    run = Run(plan, 1, timestamp())
    return store.add_all(lambda: [(run, record)])[0]
