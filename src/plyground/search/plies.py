"""The memory of depth-first searches: one row of states, actions, scores and lines per ply."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from plyground.compile import Reals, Words, helper
from plyground.control import new_control
from plyground.game import Evaluator, Position
from plyground.search.table import ENTRY, Table
from plyground.workspace import Records, Workspace

NO_ACTION = -1
"""In the place of an action: the end of a line, or no action."""


class PlyWorkspace(Workspace):
    """The fields that alpha-beta and max^n share."""

    rules: Words
    setup: Words
    params: Reals
    control: Words
    states: Words
    actions: Words
    scores: Reals
    table: Annotated[Records, ENTRY]
    generation: int
    since: int
    """The first generation of entries that this search may use; its own, or an earlier one."""
    killers: Words
    history: Reals
    lines: Words
    """The best line from each ply on; the first row is the root's principal variation."""
    state_size: int
    branching: int
    action_count: int
    plies: int
    """The number of rows."""
    hits: int = 0
    """Values taken from the transposition table."""
    cuts: int = 0
    """Values that rest on a heuristic; each search documents which it counts."""


def rows(
    position: Position,
    rules: Any,
    evaluator: Evaluator,
    table: Table,
    plies: int,
    nodes: int | None,
) -> dict[str, Any]:
    """Return the fields of `PlyWorkspace` for a search of at most so many plies and nodes."""
    game, facts, size = position.game, position.game.facts, len(position.state)
    states = np.empty(plies * size, np.int64)
    states[:size] = position.state
    lines = np.empty(plies * plies, np.int64)  # a search writes NO_ACTION before it reads a row
    lines[0] = NO_ACTION
    generation = table.next_generation()
    return {
        "rules": rules,
        "setup": position.setup,
        "params": np.asarray(evaluator.params(game), np.float64),
        "control": new_control(nodes),
        "states": states,
        "actions": np.empty(plies * facts.branching, np.int64),
        "scores": np.empty(plies * facts.branching),
        "table": table.entries,
        "generation": generation,
        "since": generation,
        "killers": np.full(2 * plies, NO_ACTION, np.int64),
        "history": np.zeros(facts.players * facts.actions),
        "lines": lines,
        "state_size": size,
        "branching": facts.branching,
        "action_count": facts.actions,
        "plies": plies,
    }


@helper
def copy_line(line, following, action):
    """Write an action and the line that follows it into `line`."""
    line[0] = action
    later = 0
    while following[later] != NO_ACTION:
        line[later + 1] = following[later]
        later += 1
    line[later + 1] = NO_ACTION


def best_line(work: PlyWorkspace) -> list[int]:
    """Return the principal variation; empty if the search was stopped before it had one."""
    line: list[int] = work.lines[: work.plies].tolist()
    return line[: line.index(NO_ACTION)]
