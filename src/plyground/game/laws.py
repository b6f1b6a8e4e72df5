"""The laws of the contract, each tried on one position after another of random games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plyground.compile import kind_of
from plyground.errors import PlygroundError
from plyground.game import Game, Position
from plyground.game.advice import bound, loud, order, rollout, unwise
from plyground.game.symmetry import image, image_actions

MOST_TRIED = 12
"""The slower laws try about this many actions of a position, evenly spread."""


class LawBroken(PlygroundError):
    """A game breaks a law; the text quotes the position."""


@dataclass
class Seen:
    """What the laws remember from one position to the next."""

    keys: dict[tuple[bytes, int], bytes] = field(default_factory=dict)
    states: dict[tuple[bytes, bytes], int] = field(default_factory=dict)
    turns: dict[int, list[int]] = field(default_factory=dict)
    """By symmetry, the turns of a plane (see `turned`) that fit all that was seen."""
    planes: dict[tuple[int, int, int], int] = field(default_factory=dict)
    """By symmetry, where each plane of the policy head goes (0) and comes from (1)."""

    def turns_of(self, symmetry: int, rows: int, columns: int) -> list[int]:
        """Return the turns of a plane that a symmetry can still be, by what was seen so far."""
        return self.turns.get(symmetry, list(range(8 if rows == columns else 4)))


def require(condition: object, what: str, position: Position) -> None:
    if not condition:
        raise LawBroken(f"{what}, in {position.game} at {position.to_text()!r}")


def turned(planes: NDArray[Any], turn: int) -> NDArray[Any]:
    """Turn planes: bit 0 swaps left and right, bit 1 top and bottom, then bit 2 both axes."""
    planes = planes[..., ::-1] if turn & 1 else planes
    planes = planes[..., ::-1, :] if turn & 2 else planes
    return planes.swapaxes(-1, -2) if turn & 4 else planes


def stride(position: Position) -> int:
    """Return the step by which the slower laws go through the legal actions."""
    return max(1, len(position.legal_actions) // MOST_TRIED)


# The laws, each of one position of a random game ------------------------------------------------


def _legal(position: Position, seen: Seen) -> None:
    facts, actions = position.game.facts, position.legal_actions
    shown = f"({', '.join(map(str, actions[:5]))}{', ...' if len(actions) > 5 else ''})"
    ascending = list(actions) == sorted(set(actions))
    require(ascending, f"legal actions {shown} are not ascending", position)
    inside = all(0 <= action < facts.actions for action in actions)
    require(inside, f"a legal action is not in 0..{facts.actions - 1}", position)
    few = len(actions) <= facts.branching
    require(
        few, f"{len(actions)} legal actions, more than `branching`, {facts.branching}", position
    )


def _ended(position: Position, seen: Seen) -> None:
    players = position.game.facts.players
    if not position.is_over:
        require(position.legal_actions, "the game goes on without a legal action", position)
        exists = 0 <= position.player < players
        require(exists, f"player {position.player} is to move, of 0 to {players - 1}", position)
    longest = position.game.facts.longest
    short = position.ply <= longest
    require(short, f"the game is longer than `longest`, {longest} plies", position)


def _untouched(position: Position, seen: Seen) -> None:
    before = position.setup.tobytes(), position.state.tobytes()
    again = _without_past(position)  # calls every kernel but `play`
    for action in again.legal_actions:
        again.play(action)
    after = again.setup.tobytes(), again.state.tobytes()
    require(before == after, "a kernel changed what it was only to read", position)


def _without_past(position: Position) -> Position:
    return Position._trusted(position.game, position.setup, position.state)


def _returns(position: Position, seen: Seen) -> None:
    if position.is_over:
        inside = all(-1.0 <= value <= 1.0 for value in position.returns)
        require(inside, f"returns {position.returns} are not within -1..1", position)
        if position.game.facts.zero_sum:
            balanced = abs(sum(position.returns)) < 1e-9
            require(balanced, f"returns {position.returns} do not add up to 0", position)
        for player, gained in enumerate(position.returns):
            partners = (position.returns[seat] for seat in position.game.facts.side(player))
            shared = all(gained == theirs for theirs in partners)
            require(shared, f"returns {position.returns} differ within a team", position)


def _text(position: Position, seen: Seen) -> None:
    text = position.to_text()
    again = position.game.parse(text)
    require(again == position, f"the text reads back as {again.to_text()!r}", position)
    position.game.check_words(position.setup, position.state)
    require("\n" not in text, "the text is more than one line", position)


def _actions_text(position: Position, seen: Seen) -> None:
    texts: dict[str, int] = {}
    for action in position.legal_actions:
        text = position.format(action)
        other = texts.setdefault(text.strip().casefold(), action)
        same = other == action
        require(same, f"actions {other} and {action} are both written {text!r}", position)
    for action in position.legal_actions[:: stride(position)]:
        text = position.format(action)
        same = position.parse(text) == action
        require(same, f"action {action} is written {text!r}, which reads as another", position)


def _keys(position: Position, seen: Seen) -> None:
    words = position.state.copy()
    if position.game.facts.clock is not None:
        words[position.game.facts.clock] = 0
    setup, state = position.setup.tobytes(), words.tobytes()
    key = seen.states.setdefault((setup, state), position.key)
    require(key == position.key, "the same position has two keys", position)
    other = seen.keys.setdefault((setup, position.key), state)
    require(other == state, "two different positions have one key", position)


def _values(position: Position, seen: Seen) -> None:
    for evaluator in position.game.evaluators:
        if not position.is_over:
            values = position.evaluate(evaluator.name)
            inside = all(-1.0 < value < 1.0 for value in values)
            require(inside, f"{evaluator.name} gives {values}, not within -1..1", position)


def _symmetries(position: Position, seen: Seen) -> None:
    begins, position = position.ply == 0, _without_past(position)  # as an image is
    for symmetry in range(1, position.game.facts.symmetries):
        mirrored, images = image(position, symmetry), image_actions(position, symmetry)
        if begins:  # the map is the same all through a game
            every = np.array_equal(np.sort(images), np.arange(position.game.facts.actions))
            require(every, f"symmetry {symmetry} is no permutation of the actions", position)
        turned = images[list(position.legal_actions)].tolist()
        same = tuple(sorted(turned)) == mirrored.legal_actions
        require(same, f"symmetry {symmetry} changes the legal actions", position)
        require(mirrored.returns == position.returns, "a symmetry changes the returns", position)
        pairs = list(zip(position.legal_actions, turned, strict=True))
        for action, other in pairs[:: stride(position)]:
            there = image(position.play(action), symmetry)
            commutes = there == mirrored.play(other)
            require(commutes, f"symmetry {symmetry} and action {action} do not commute", position)


def _planes(position: Position, seen: Seen) -> None:
    if position.game.kernels.encode is None:
        return
    for player in range(position.game.facts.players):
        planes = position.encode(player)
        inside = bool(np.isfinite(planes).all()) and float(np.abs(planes).max()) <= 1.0
        require(inside, f"player {player}'s planes are not within -1..1", position)
        allowed = position.observe(player).encode(player)
        same = np.array_equal(planes, allowed)
        require(same, f"player {player}'s planes show what is hidden from it", position)
    for symmetry in range(1, position.game.facts.symmetries):
        before, after = position.encode(), _contents(image(position, symmetry).encode())
        turns = [
            turn
            for turn in seen.turns_of(symmetry, *before.shape[1:])
            if _contents(turned(before, turn)) == after
        ]
        require(turns, f"symmetry {symmetry} does not turn the planes as one board", position)
        seen.turns[symmetry] = turns


def _contents(planes: NDArray[Any]) -> list[bytes]:
    """Return the planes in an order that does not depend on theirs: walls in the east may become
    walls in the west."""
    return sorted(plane.tobytes() for plane in planes)


def _policy(position: Position, seen: Seen) -> None:
    game, facts = position.game, position.game.facts
    if game.kernels.policy is None or position.is_over:
        return
    entries = game.policy_indices(position)
    inside = entries.min() >= 0 and entries.max() < np.prod(facts.policy)
    require(inside, f"an action's entry is not within a policy head of {facts.policy}", position)
    distinct = len(set(map(tuple, entries.tolist()))) == len(entries)
    require(distinct, "two actions have the same entries of the policy head", position)
    seen_by_mover = game.policy_indices(position.observe(position.player))
    same = np.array_equal(entries, seen_by_mover)
    require(same, "an action's entries depend on what is hidden from the player", position)
    rows, columns = facts.policy[1:]
    planes, cells = np.divmod(entries, rows * columns)
    for symmetry in range(1, facts.symmetries):
        mirrored, images = image(position, symmetry), image_actions(position, symmetry)
        order = np.argsort(images[list(position.legal_actions)]).argsort()
        there = game.policy_indices(mirrored)[order]  # in the order of the actions here
        planes_there, cells_there = np.divmod(there, rows * columns)
        grid = np.arange(rows * columns).reshape(1, rows, columns)
        turns = [
            turn
            for turn in seen.turns_of(symmetry, rows, columns)
            if np.array_equal(turned(grid, turn).ravel()[cells_there], cells)
        ]
        require(turns, f"symmetry {symmetry} does not turn the policy head as a board", position)
        seen.turns[symmetry] = turns
        for pair in zip(planes.ravel().tolist(), planes_there.ravel().tolist(), strict=True):
            for at, one, other in ((0, *pair), (1, *reversed(pair))):
                known = seen.planes.setdefault((symmetry, at, one), other)
                what = f"symmetry {symmetry} does not permute the planes of the policy head"
                require(known == other, what, position)


def _clicks(position: Position, seen: Seen) -> None:
    clicks = {action: position.game.clicks(position, action) for action in position.legal_actions}
    beginnings = Counter(
        each[:length] for each in clicks.values() for length in range(1, len(each) + 1)
    )
    for action, each in clicks.items():
        alone = each and beginnings[each] == 1
        require(alone, f"the clicks {each} of action {action} are, or begin, another's", position)
    cells = {click for each in clicks.values() for click in each if isinstance(click, int)}
    if cells:
        missing = cells - position.game.draw(position).areas.keys()
        require(not missing, f"the picture has no area for the cells {sorted(missing)}", position)


def _hidden(position: Position, seen: Seen) -> None:
    if not position.game.facts.hidden or position.is_over:
        return
    player = position.player
    view = position.observe(player)
    require(view.player == player, "the observer does not know that it is to move", position)
    same = view.legal_actions == position.legal_actions
    require(same, "the observer sees other legal actions than there are", position)
    guess = view.determinize(position.ply)
    again = guess.observe(player)
    require(again == view, "a guess does not fit what the observer saw", position)


def _advice(position: Position, seen: Seen) -> None:
    if position.is_over:
        return
    actions = position.legal_actions
    for kind, name in advisors(position.game):
        if kind == "order":
            scores = [order(position, each, name) for each in actions[:: stride(position)]]
            require(np.isfinite(scores).all(), f"an action's {name} is not finite", position)
        elif kind == "loud":
            listed = loud(position, name)
            require(listed == sorted(set(listed)), f"{name} is not ascending", position)
            require(set(listed) <= set(actions), f"{name} lists what is not legal", position)
        elif kind == "unwise":
            wise = any(not unwise(position, action, name) for action in actions)
            require(wise, f"{name} drops every action", position)
        elif kind == "rollout":
            drawn = {rollout(position, seed, name) for seed in range(3)}
            require(drawn <= set(actions), f"{name} draws what is not legal", position)


def advisors(game: Game) -> list[tuple[str, str]]:
    """Return the kind and the name of each kernel of advice."""
    return [(kind_of(each), each.__name__) for each in game.advice]


def _bounds(position: Position, seen: Seen) -> None:
    """Where this holds, a bound is never larger than the number of plies of a solution."""
    if position.is_over or position.game.advisor("bound") is None:
        return
    needed = bound(position)
    for action in position.legal_actions[:: stride(position)]:
        after = position.play(action)
        if not after.is_over or after.returns[0] > -1.0:
            left = 0 if after.is_over else bound(after)
            require(needed <= left + 1, f"action {action} lowers the bound too far", position)


LAWS: dict[str, Callable[[Position, Seen], None]] = {
    "legal actions are ascending, unique and as declared": _legal,
    "a game goes on exactly while there is something to play, and ends in time": _ended,
    "playing leaves the position it began from as it was": _untouched,
    "returns lie within -1..1 and add up to 0 where declared": _returns,
    "a position's text reads back": _text,
    "an action's text reads back": _actions_text,
    "equal positions have equal keys, different ones different": _keys,
    "heuristics lie strictly within -1..1": _values,
    "symmetries commute with play": _symmetries,
    "planes lie within -1..1, hide what is hidden and turn with the board": _planes,
    "actions have entries of their own in a policy head, which turn with the board": _policy,
    "clicks on the picture tell actions apart": _clicks,
    "what a player sees is enough to move, and guesses fit it": _hidden,
    "searches are advised what is legal, and not to leave everything": _advice,
    "a puzzle's bound falls by at most 1 with an action": _bounds,
}
