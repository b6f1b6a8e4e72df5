"""The command `play`: people against agents and each other, in the terminal or as lines of JSON."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from secrets import randbelow
from typing import TYPE_CHECKING, Annotated

import typer

from plyground.agents import load_agent
from plyground.agents.agent import Agent, Limit
from plyground.agents.champion import TOP
from plyground.arena.plan import Run, timestamp
from plyground.arena.record import PERSON
from plyground.cli.arguments import (
    GameName,
    Json,
    PositionText,
    Seconds,
    Settings,
    StoreToWrite,
    Strict,
    open_store,
    read_game,
    read_position,
    say,
    write_file,
)
from plyground.cli.commentary import COMMANDS, help_text, in_brackets, remark
from plyground.cli.views import View, choose_view
from plyground.errors import (
    IllegalActionError,
    OptionError,
    PlygroundError,
    UnknownNameError,
)
from plyground.export.animation import replay_form
from plyground.game import Game, Position
from plyground.session import Session
from plyground.text import counted, shortened

if TYPE_CHECKING:
    from plyground.arena.store import Store

OPPONENT = "champion"
"""Agent that plays and gives hints if none is named."""

SECONDS = 1.0
"""Its thinking time per move."""


def play(
    game: GameName,
    players: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PLAYER",
            help="One agent for all other seats (default: champion), or one player per seat: an "
            "agent or 'person'.",
        ),
    ] = None,
    level: Annotated[
        int | None,
        typer.Option(
            min=1, max=TOP, help="Strength of the champion, from 1 (a beginner) to 10 (default)."
        ),
    ] = None,
    seat: Annotated[
        int | None, typer.Option(min=1, help="Your seat against one agent, from 1 (default: 1).")
    ] = None,
    seconds: Seconds = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=2**63 - 1,
            help="Random seed: the same seed repeats the game (default: a new one each time).",
        ),
    ] = None,
    strict: Strict = False,
    position: PositionText = None,
    store: StoreToWrite = "",
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Play against agents or with other people."""
    loaded = read_game(game, settings)
    if players and level is not None:
        raise OptionError(f"--level {level} is for the champion; you named {' '.join(players)}")
    opponent = OPPONENT if level is None else f"{OPPONENT}(level={level})"
    seats = _read_seats(loaded, players or [opponent], seat)
    limit = Limit(seconds if players or seconds else SECONDS)
    limits = [Limit() if agent is None else limit for agent in seats]
    adviser = _read_adviser(players or [])
    if seed is None:
        seed = randbelow(2**31)
        say(f"--seed {seed} repeats this game")
    start = read_position(loaded, position, seed)
    with ExitStack() as stack:
        database = None if store == "none" else stack.enter_context(open_store(store))
        session = stack.enter_context(Session(start, seats, limits, adviser=adviser, seed=seed))
        try:
            with choose_view(session, as_json) as view:
                _run(session, view, limit)
        finally:  # also after Ctrl-C
            if database is not None and (session.moves or session.is_over):
                say(f"the game is kept as run {_keep(database, session)} of {database.name}")


def _read_seats(game: Game, players: list[str], seat: int | None) -> list[Agent | None]:
    """Return the agent of each seat, None for a person; a single agent takes all other seats."""
    count = game.facts.players
    if len(players) <= 1:
        if seat is not None and seat > count:
            raise OptionError(f"--seat {seat}: {game} has {counted(count, 'player')}")
        opponent = _read_player(players[0])
        return [None if number == (seat or 1) - 1 else opponent for number in range(count)]
    if len(players) != count:
        raise OptionError(
            f"{game} has {counted(count, 'player')}, not {len(players)}: "
            "name one agent, or one per seat"
        )
    if seat is not None:
        raise OptionError(
            f"--seat {seat}: every seat has its player; write '{PERSON}' for your seat"
        )
    seats = [_read_player(player) for player in players]
    if None not in seats:
        raise OptionError(f"no seat is a person's; write '{PERSON}' for your seat, or use `match`")
    return seats


def _read_player(player: str) -> Agent | None:
    return None if player == PERSON else load_agent(player)


def _read_adviser(players: list[str]) -> Agent:
    """Return the agent that gives hints: the first that is named, else the strongest."""
    return load_agent(next((player for player in players if player != PERSON), OPPONENT))


def _run(session: Session, view: View, limit: Limit) -> None:
    """Run a session until the person leaves, or until the game ends if the view ends with it."""
    viewer = session.agents.index(None)
    view.show(viewer)
    while not view.ends_with_game or not session.is_over:
        if not session.is_over and not session.is_persons_turn:
            session.reply()
        else:
            line = view.ask()
            if line is None:
                return
            try:
                message = _execute(session, viewer, line.strip(), limit)
            except PlygroundError as error:
                message = f"error: {error}"
            if message is None:
                return
            if message:
                view.show_message(message)
                continue
        if session.is_persons_turn:
            viewer = session.seat
        view.show(viewer)


def _execute(session: Session, viewer: int, line: str, limit: Limit) -> str | None:
    """Play a move or execute a command; return a message, "" to show the board, None to leave.

    A line that is a legal move is played; a colon before it makes it a command.
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
            hint = session.hint(limit)
            return f"hint: {position.format(hint.action)}{in_brackets(remark(position, hint))}"
        case "undo":
            return "" if session.undo() else "there is no move to take back"
        case "resign":
            session.resign(viewer)
            return ""
        case "save":
            return f"replay written to {_save(session, argument.strip())}"
    if line.startswith(":"):
        raise UnknownNameError("command", word, COMMANDS)
    reason = "the game is over" if session.is_over else "help lists what is"
    raise IllegalActionError(f"{shortened(line)!r} is not legal here; {reason}")


def _find_action(position: Position, text: str) -> int | None:
    try:
        return position.parse(text)
    except IllegalActionError:
        return None


def _save(session: Session, name: str) -> Path:
    """Write the game so far as a replay; return the path of the file."""
    game = session.position.game
    if not name:
        raise OptionError("save: name a file that ends in .html or .svg")
    if game.facts.hidden and not session.is_over:
        raise OptionError("save: a replay shows hidden information; wait until the game is over")
    path = Path(name).expanduser().absolute()
    write_file(path, replay_form(path)(game, session.record()))
    return path


def _keep(store: Store, session: Session) -> int:
    """Store the game as a run of its own; return the run's number."""
    record = session.record()
    plan = {"game": record.game, "agents": list(record.agents), "games": 1}
    plan |= {"seed": session.seed, "opening": 0}
    run = Run(plan, 1, timestamp())
    return store.add_all(lambda: [(run, record)])[0]
