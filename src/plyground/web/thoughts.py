"""Thoughts of agents as plain data for a page, and who thinks about what."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from plyground.agents.agent import Thought
from plyground.agents.champion import search_of
from plyground.errors import PlygroundError
from plyground.game import Game, Position
from plyground.inference import find_weights
from plyground.web.views import clicks_of

SHOWN_LINE, SHOWN_POLICY = 12, 60
"""Plies of a line and actions of a policy that are sent at most."""


def note_of(position: Position, thought: Thought) -> str:
    """Return what a thought proves, in the game's words, or else what its agent notes, or ""."""
    if thought.proof is not None:
        return position.game.verdict(thought.proof.value, thought.proof.plies)
    return str(thought.info.get("note", ""))


def described(position: Position, thought: Thought, agent: str, seconds: float) -> dict[str, Any]:
    """Return a thought about a position as plain data."""
    proof, game = thought.proof, position.game
    shares = sorted(thought.policy.items(), key=lambda item: -item[1])[:SHOWN_POLICY]
    return {
        "seat": position.player,
        "action": thought.action,
        "text": position.format(thought.action),
        "value": thought.value,
        "depth": thought.depth,
        "nodes": thought.nodes,
        "simulations": thought.simulations,
        "seconds": round(seconds, 3),
        "agent": agent,
        "note": note_of(position, thought),
        "proof": None
        if proof is None
        else {
            "value": proof.value,
            "plies": proof.plies,
            "text": game.verdict(proof.value, proof.plies),
        },
        "policy": [
            _action(position, action) | {"share": round(float(share), 4)}
            for action, share in shares
        ],
        "line": _line(position, thought),
        "values": [
            _action(position, action)
            | {
                "value": solution.value,
                "plies": solution.plies,
                "verdict": game.verdict(solution.value, solution.plies),
            }
            for action, solution in thought.values.items()
        ],
    }


def _action(position: Position, action: int) -> dict[str, Any]:
    return {
        "action": action,
        "text": position.format(action),
        "clicks": clicks_of(position, action),
    }


def _line(position: Position, thought: Thought) -> list[dict[str, Any]]:
    line = []
    for action in (thought.line or (thought.action,))[:SHOWN_LINE]:
        if action not in position.legal_actions:
            break
        line.append(_action(position, action) | {"seat": position.player})
        position = position.play(action)
    return line


@lru_cache(maxsize=64)
def sources_of(game: Game) -> dict[str, str]:
    """Return what can analyse a game, by name: each with the spec of its agent."""
    sources = {"search": search_of(game)}
    if game.solver() is not None:
        sources["solver"] = "perfect"
    try:
        find_weights(game, "")
        import onnxruntime  # type: ignore[import-untyped]  # noqa: F401
    except (PlygroundError, ImportError):
        return sources
    return sources | {"network": "network"}
