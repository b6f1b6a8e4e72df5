"""Results as pandas tables; pandas is needed only here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from plyground.errors import PlygroundError

if TYPE_CHECKING:
    from plyground.arena.record import Record


def make_frame(rows: Iterable[Mapping[str, Any]]) -> Any:
    """Return a `pandas.DataFrame` with these rows."""
    try:
        import pandas
    except ImportError:
        raise PlygroundError("to_frame needs pandas: pip install pandas") from None
    return pandas.DataFrame(list(rows))


def to_frame(records: Iterable[Record]) -> Any:
    """Return records as a `pandas.DataFrame` with one row per game.

    Each seat has a column for its agent and one for its return, numbered from 1.
    """
    return make_frame(map(_game_row, records))


def _game_row(record: Record) -> dict[str, Any]:
    seats = range(len(record.agents))
    return {
        "number": record.number,
        "game": record.game,
        **{f"agent{seat + 1}": record.agents[seat] for seat in seats},
        **{f"returns{seat + 1}": record.returns[seat] for seat in seats},
        "plies": len(record.actions),
        "seconds": sum(record.seconds),
        "ending": record.ending,
        "reason": record.reason,
        "seed": record.seed,
    }
