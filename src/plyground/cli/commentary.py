"""Texts for a person at a board: the last moves, whose turn it is, the result, legal moves."""

from __future__ import annotations

from plyground.agents.agent import Thought
from plyground.arena.record import RESIGNED
from plyground.game import Position
from plyground.picture import Click
from plyground.session import Move, Session
from plyground.text import shortened

COMMANDS = ("hint", "undo", "resign", "save", "help", "quit")
ABOUT_COMMANDS = (
    "Also: hint (what an agent would play), undo, resign, save FILE (a replay, .html or .svg), "
    "help, quit (the game is kept)."
)
"""What can be typed in place of a move."""

AFTERWARDS = "Enter leaves, undo takes the last move back, save FILE.html writes a replay."
"""What can be typed once the game is over."""

LISTED = 3
"""Moves that differ only in the last click are listed up to this number; else first and last."""


def player_name(session: Session, seat: int) -> str:
    """Return the name of a seat's player: "you" if only one person plays."""
    agent = session.agents[seat]
    if agent is not None:
        return f"player {seat + 1} ({shortened(repr(agent))})"
    return "you" if session.agents.count(None) == 1 else f"player {seat + 1}"


def recent_moves(session: Session, viewer: int) -> str:
    """Return a sentence about the moves from the viewer's last move on."""
    own = [index for index, move in enumerate(session.moves) if move.seat == viewer]
    first = own[-1] if own else 0
    line = session.position.line()[-len(session.moves) - 1 :]
    texts = [
        _move_text(session, move, line[index], viewer)
        for index, move in enumerate(session.moves)
        if index >= first
    ]
    return _sentence("; ".join(texts))


def _move_text(session: Session, move: Move, before: Position, viewer: int) -> str:
    name = player_name(session, move.seat)
    if not is_seen(session, move, viewer):
        return f"{name} moved"
    comments, thought = [], move.thought
    if thought is not None:
        if thought.value is not None and thought.proof is None:
            comments.append(f"expecting {round(thought.value, 2) + 0.0:+.2f}")
        comments.append(remark(before, thought))
    return f"{name} played {before.format(move.action)}{in_brackets(*comments)}"


def remark(position: Position, thought: Thought) -> str:
    """Return what a thought proves, in the game's words, or else what its agent notes, or ""."""
    if thought.proof is not None:
        return position.game.verdict(thought.proof.value, thought.proof.plies)
    return str(thought.info.get("note", ""))


def in_brackets(*texts: str) -> str:
    """Return the texts that are not empty in brackets, after a blank; "" if all are empty."""
    joined = "; ".join(text for text in texts if text)
    return f" ({joined})" if joined else ""


def is_seen(session: Session, move: Move, viewer: int) -> bool:
    """Return whether a viewer may see a move: in games with hidden moves, only its own."""
    return session.is_over or move.seat == viewer or not session.position.game.facts.hidden


def turn(session: Session) -> str:
    """Return a sentence about whose turn it is, or how the game ended."""
    if session.is_over:
        return outcome(session)
    seat = session.seat
    if not session.is_persons_turn:
        return _sentence(f"{player_name(session, seat)} is thinking ...")
    return f"Your turn, player {seat + 1}." if len(session.agents) > 1 else "Your turn."


def outcome(session: Session) -> str:
    """Return a sentence about how the game ended, as "you" for a single person."""
    result = _result(session)
    if session.fault is None:
        return _sentence(f"{result}.")
    name = player_name(session, session.fault)
    cause = "resigned" if session.ending == RESIGNED else f"forfeited ({session.reason})"
    return _sentence(f"{name} {cause}: {result}.")


def _result(session: Session) -> str:
    returns = session.returns
    if len(returns) == 1:
        return _result_of_puzzle(session)
    winners = [seat for seat, gained in enumerate(returns) if gained == max(returns)]
    if len(winners) == len(returns):
        return "a draw"
    won = " and ".join(player_name(session, seat) for seat in winners) + " won"
    people = [seat for seat, agent in enumerate(session.agents) if agent is None]
    if len(people) > 1:
        return won
    own = people[0]
    if own in winners:
        return won if len(winners) > 1 else "you won"
    if len(returns) == 2 or session.position.game.facts.teams:
        return "you lost"
    place = 1 + sum(gained > returns[own] for gained in returns)
    return f"you lost, with place {place} of {len(returns)}; {won}"


def _result_of_puzzle(session: Session) -> str:
    """Return whether a puzzle is solved and in how many moves, beside the fewest if known."""
    (gained,), best = session.returns, session.solution
    if best is None:
        return f"your result is {gained:+.2f}, between -1 and +1"
    verdict = session.position.game.verdict
    fewest = verdict(best.value, best.plies)
    if gained <= -1.0:
        return "not solved" if best.value <= -1.0 else f"not solved; {fewest} would have done"
    moves = verdict(gained, len(session.moves))
    if gained >= best.value - 1e-9:
        return f"solved in {moves}, the fewest possible"
    return f"solved in {moves}; {fewest} would have done"


def help_text(position: Position) -> str:
    """Return how moves are typed, the legal moves, and the commands."""
    lines = [position.game.notation] if position.game.notation else []
    if not position.is_over:
        legal = legal_lines(position)
        lines += [f"legal: {legal[0]}"] if len(legal) == 1 else ["legal:", *legal]
    return "\n".join([*lines, ABOUT_COMMANDS])


def legal_lines(position: Position) -> list[str]:
    """Return the legal moves, one line per piece; pieces with one move share the last line."""
    pieces: dict[Click, dict[tuple[Click, ...], list[str]]] = {}
    for action in position.legal_actions:
        clicks = position.game.clicks(position, action)
        same = pieces.setdefault(clicks[0], {}).setdefault(clicks[:2], [])
        same.append(position.format(action))
    lines, single = [], []
    for moves in pieces.values():
        texts = list(map(_range, moves.values()))
        if len(texts) == 1:
            single += texts
        else:
            lines.append("  ".join(texts))
    return [*lines, " ".join(single)] if single else lines


def _range(texts: list[str]) -> str:
    return " ".join(texts) if len(texts) <= LISTED else f"{texts[0]} ... {texts[-1]}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
