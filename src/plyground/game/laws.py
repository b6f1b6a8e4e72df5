"""The laws of the contract, each tested on positions of random games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plyground.compile import kind_of
from plyground.errors import PlygroundError
from plyground.game import Game, Position, law_of_finish
from plyground.game.advice import bound, loud, order, rollout, skip, unwise
from plyground.game.law_of_finish import Differences
from plyground.game.symmetry import image, image_actions
from plyground.text import counted

MOST_TRIED = 12
"""The slower laws test about this many actions of a position, evenly spread."""


class BrokenLawError(PlygroundError):
    """A game breaks a law; the text quotes the position."""


@dataclass
class Seen:
    """What the laws remember of the positions tested so far."""

    keys: dict[tuple[bytes, int], bytes] = field(default_factory=dict)
    """States by setup and key."""
    states: dict[tuple[bytes, bytes], int] = field(default_factory=dict)
    """Keys by setup and state."""
    turns: dict[int, list[int]] = field(default_factory=dict)
    """By symmetry: the turns of a plane (see `turned`) that agree with all positions so far."""
    planes: dict[tuple[int, int, int], int] = field(default_factory=dict)
    """By symmetry: where each plane of the policy head goes (0) and comes from (1)."""

    advised: set[str] = field(default_factory=set)
    """Kernels of advice that had something to say."""
    finished: Differences = field(default_factory=Differences)

    def turns_of(self, symmetry: int, rows: int, columns: int) -> list[int]:
        """Return the turns of a plane that a symmetry may be, by the positions so far."""
        return self.turns.get(symmetry, list(range(8 if rows == columns else 4)))


def require(condition: object, problem: str, position: Position) -> None:
    """Raise BrokenLawError with a problem and the position unless a condition holds."""
    if not condition:
        raise BrokenLawError(f"{problem}, in {position.game} at {position.to_text()!r}")


def turned(planes: NDArray[Any], turn: int) -> NDArray[Any]:
    """Return turned planes: bit 0 mirrors left-right, bit 1 top-bottom, then bit 2 swaps axes."""
    planes = planes[..., ::-1] if turn & 1 else planes
    planes = planes[..., ::-1, :] if turn & 2 else planes
    return planes.swapaxes(-1, -2) if turn & 4 else planes


def stride(position: Position) -> int:
    """Return the step by which the slower laws go through the legal actions."""
    return max(1, len(position.legal_actions) // MOST_TRIED)


# The laws: each is a function of one position ---------------------------------------------------


def _legal(position: Position, seen: Seen) -> bool:
    facts, actions = position.game.facts, position.legal_actions
    shown = f"({', '.join(map(str, actions[:5]))}{', ...' if len(actions) > 5 else ''})"
    ascending = list(actions) == sorted(set(actions))
    require(ascending, f"legal actions {shown} are not ascending", position)
    inside = all(0 <= action < facts.actions for action in actions)
    require(inside, f"a legal action is not in 0..{facts.actions - 1}", position)
    few = len(actions) <= facts.branching
    too_many = f"{len(actions)} legal actions, more than `branching`, {facts.branching}"
    require(few, too_many, position)
    return True


def _ended(position: Position, seen: Seen) -> bool:
    players = position.game.facts.players
    if not position.is_over:
        require(position.legal_actions, "the game goes on without a legal action", position)
        exists = 0 <= position.player < players
        require(exists, f"player {position.player} is to move, of 0 to {players - 1}", position)
    longest = position.game.facts.longest
    short = position.ply <= longest
    require(
        short, f"the game is longer than `longest`, {counted(longest, 'ply', 'plies')}", position
    )
    return True


def _untouched(position: Position, seen: Seen) -> bool:
    before = position.setup.tobytes(), position.state.tobytes()
    again = _without_past(position)  # calls every kernel but `play`
    for action in again.legal_actions:
        again.play(action)
    after = again.setup.tobytes(), again.state.tobytes()
    require(before == after, "a kernel changed a setup or state that it may only read", position)
    return True


def _without_past(position: Position) -> Position:
    return Position._trusted(position.game, position.setup, position.state)


def _returns(position: Position, seen: Seen) -> bool:
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
    return position.is_over


def _text(position: Position, seen: Seen) -> bool:
    text = position.to_text()
    again = position.game.parse(text)
    require(again == position, f"the text reads back as {again.to_text()!r}", position)
    if position.game.checks_words:
        position.game.check_words(position.setup, position.state)
    require("\n" not in text, "the text is more than one line", position)
    return True


def _actions_text(position: Position, seen: Seen) -> bool:
    texts: dict[str, int] = {}
    for action in position.legal_actions:
        text = position.format(action)
        other = texts.setdefault(text.strip().casefold(), action)
        same = other == action
        require(same, f"actions {other} and {action} are both written {text!r}", position)
        require(len(text.split()) == 1, f"action {action} is not one word: {text!r}", position)
    for action in position.legal_actions[:: stride(position)]:
        text = position.format(action)
        same = position.parse(text) == action
        require(same, f"action {action} is written {text!r}, which reads as another", position)
    return bool(position.legal_actions)


def _keys(position: Position, seen: Seen) -> bool:
    words = position.state.copy()
    if position.game.facts.clock is not None:
        words[position.game.facts.clock] = 0
    setup, state = position.setup.tobytes(), words.tobytes()
    key = seen.states.setdefault((setup, state), position.key)
    require(key == position.key, "the same position has two keys", position)
    other = seen.keys.setdefault((setup, position.key), state)
    require(other == state, "two different positions have one key", position)
    return True


def _values(position: Position, seen: Seen) -> bool:
    for evaluator in position.game.evaluators:
        if not position.is_over:
            values = position.evaluate(evaluator.name)
            inside = all(-1.0 < value < 1.0 for value in values)
            require(inside, f"{evaluator.name} returns {values}, not within -1..1", position)
    return bool(position.game.evaluators) and not position.is_over


def _symmetries(position: Position, seen: Seen) -> bool:
    begins, position = position.ply == 0, _without_past(position)  # as an image is
    for symmetry in range(1, position.game.facts.symmetries):
        mirrored, images = image(position, symmetry), image_actions(position, symmetry)
        if begins:  # the map is the same all through a game
            permuted = np.array_equal(np.sort(images), np.arange(position.game.facts.actions))
            require(permuted, f"symmetry {symmetry} is not a permutation of the actions", position)
        image_legal = images[list(position.legal_actions)].tolist()
        same = tuple(sorted(image_legal)) == mirrored.legal_actions
        require(same, f"symmetry {symmetry} changes the legal actions", position)
        require(mirrored.returns == position.returns, "a symmetry changes the returns", position)
        pairs = list(zip(position.legal_actions, image_legal, strict=True))
        for action, mirrored_action in pairs[:: stride(position)]:
            image_after = image(position.play(action), symmetry)
            commutes = image_after == mirrored.play(mirrored_action)
            require(commutes, f"symmetry {symmetry} and action {action} do not commute", position)
    return position.game.facts.symmetries > 1


def _planes(position: Position, seen: Seen) -> bool:
    if position.game.kernels.encode is None:
        return False
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
    return True


def _contents(planes: NDArray[Any]) -> list[bytes]:
    """Return the planes sorted by content: a symmetry may exchange planes, such as those for walls
    in the east and in the west."""
    return sorted(plane.tobytes() for plane in planes)


def _policy(position: Position, seen: Seen) -> bool:
    game, facts = position.game, position.game.facts
    if game.kernels.policy is None or position.is_over:
        return False
    entries = game.policy_indices(position)
    inside = entries.min() >= 0 and entries.max() < np.prod(facts.policy)
    require(inside, f"an action's entry is not within a policy head of {facts.policy}", position)
    distinct = len(set(map(tuple, entries.tolist()))) == len(entries)
    require(distinct, "two actions have the same entries of the policy head", position)
    observed = game.policy_indices(position.observe(position.player))
    same = np.array_equal(entries, observed)
    require(same, "an action's entries depend on what is hidden from the player", position)
    rows, columns = facts.policy[1:]
    planes, cells = np.divmod(entries, rows * columns)
    for symmetry in range(1, facts.symmetries):
        mirrored, images = image(position, symmetry), image_actions(position, symmetry)
        order = np.argsort(images[list(position.legal_actions)]).argsort()
        mirrored_entries = game.policy_indices(mirrored)[order]  # in the order of `entries`
        mirrored_planes, mirrored_cells = np.divmod(mirrored_entries, rows * columns)
        grid = np.arange(rows * columns).reshape(1, rows, columns)
        turns = [
            turn
            for turn in seen.turns_of(symmetry, rows, columns)
            if np.array_equal(turned(grid, turn).ravel()[mirrored_cells], cells)
        ]
        require(turns, f"symmetry {symmetry} does not turn the policy head as a board", position)
        seen.turns[symmetry] = turns
        for pair in zip(planes.ravel().tolist(), mirrored_planes.ravel().tolist(), strict=True):
            for direction, plane, other in ((0, *pair), (1, *reversed(pair))):
                known = seen.planes.setdefault((symmetry, direction, plane), other)
                problem = f"symmetry {symmetry} does not permute the planes of the policy head"
                require(known == other, problem, position)
    return True


def _clicks(position: Position, seen: Seen) -> bool:
    clicks = {action: position.game.clicks(position, action) for action in position.legal_actions}
    beginnings = Counter(
        sequence[:length] for sequence in clicks.values() for length in range(1, len(sequence) + 1)
    )
    for action, sequence in clicks.items():
        unique = sequence and beginnings[sequence] == 1
        problem = f"the clicks {sequence} of action {action} are, or begin, another action's"
        require(unique, problem, position)
    cells = {click for sequence in clicks.values() for click in sequence if isinstance(click, int)}
    if cells:
        missing = cells - position.game.draw(position).areas.keys()
        require(not missing, f"the picture has no area for the cells {sorted(missing)}", position)
    return bool(clicks)


def _hidden(position: Position, seen: Seen) -> bool:
    if not position.game.facts.hidden or position.is_over:
        return False
    player = position.player
    view = position.observe(player)
    require(view.player == player, "the observer does not know that it is to move", position)
    same = view.legal_actions == position.legal_actions
    require(same, "the observer sees legal actions that differ from the real ones", position)
    guess = view.determinize(position.ply)
    again = guess.observe(player)
    require(again == view, "a guess by `determinize` contradicts what the observer saw", position)
    return view != position


def _advice(position: Position, seen: Seen) -> bool:
    if position.is_over:
        return False
    actions = position.legal_actions
    for kind, name in advisors(position.game):
        used = kind != "bound"
        if kind == "order":
            scores = [order(position, action, name) for action in actions[:: stride(position)]]
            require(np.isfinite(scores).all(), f"an action's {name} is not finite", position)
        elif kind == "loud":
            listed = loud(position, name)
            used = bool(listed)
            require(listed == sorted(set(listed)), f"{name} is not ascending", position)
            require(set(listed) <= set(actions), f"{name} lists an illegal action", position)
        elif kind == "unwise":
            pruned = sum(unwise(position, action, name) for action in actions)
            require(pruned < len(actions), f"{name} prunes every action", position)
            used = pruned > 0
        elif kind == "rollout":
            drawn = {rollout(position, seed, name) for seed in range(3)}
            require(drawn <= set(actions), f"{name} draws an illegal action", position)
        elif kind == "skip":
            passed = skip(position, name).player != position.player
            require(passed, f"{name} leaves the same player to move", position)
        if used:
            seen.advised.add(name)
    return any(kind != "bound" for kind, _ in advisors(position.game))


def advisors(game: Game) -> list[tuple[str, str]]:
    """Return the kind and the name of each kernel of advice."""
    return [(kind_of(function), function.__name__) for function in game.advice]


def _bounds(position: Position, seen: Seen) -> bool:
    """Test that a bound is consistent: then it never exceeds the plies of a solution."""
    if position.is_over or position.game.advisor("bound") is None:
        return False
    needed = bound(position)
    for action in position.legal_actions[:: stride(position)]:
        after = position.play(action)
        if not after.is_over or after.returns[0] > -1.0:
            left = 0 if after.is_over else bound(after)
            require(needed <= left + 1, f"action {action} lowers the bound too far", position)
    return True


def _finish(position: Position, seen: Seen) -> bool:
    if position.is_over or position.game.kernels.finish is None:
        return False
    problem = law_of_finish.problem(position, seen.finished)
    require(not problem, problem, position)
    return True


VALUES = "heuristics lie strictly within -1..1"
SYMMETRIES = "symmetries commute with play"
PLANES = "planes lie within -1..1, show nothing hidden and turn with the board"
POLICY = "every action has its own entries in the policy head, which turn with the board"
HIDDEN = "a player sees enough to move, and guesses agree with what it sees"
ADVICE = "advice names legal actions, and does not prune all of them"
BOUNDS = "a puzzle's bound falls by at most 1 with each action"
FINISH = "games played by `finish` end as those played by `legal` and `play`"

LAWS: dict[str, Callable[[Position, Seen], bool]] = {
    "legal actions are ascending, unique and as declared": _legal,
    "an unfinished game has a legal action, and no game is longer than declared": _ended,
    "playing an action does not change the position it was played in": _untouched,
    "returns lie within -1..1 and add up to 0 where declared": _returns,
    "a position's text reads back as the same position": _text,
    "an action's text is one word and reads back as the same action": _actions_text,
    "equal positions have equal keys, different positions different keys": _keys,
    VALUES: _values,
    SYMMETRIES: _symmetries,
    PLANES: _planes,
    POLICY: _policy,
    "every action has its own clicks on the picture": _clicks,
    HIDDEN: _hidden,
    ADVICE: _advice,
    BOUNDS: _bounds,
    FINISH: _finish,
}
"""Each law tests one position, and returns whether there was anything to test in it."""


def lacking(game: Game, law: str) -> str:
    """Return what a law is about, if the game has no such thing; else ""."""
    kernels, facts = game.kernels, game.facts
    kinds = [kind for kind, _ in advisors(game)]
    has = {
        VALUES: ("heuristic", bool(game.evaluators)),
        SYMMETRIES: ("symmetries", facts.symmetries > 1),
        PLANES: ("kernel `encode`", kernels.encode is not None),
        POLICY: ("kernel `policy`", kernels.policy is not None),
        HIDDEN: ("hidden information", facts.hidden),
        ADVICE: ("advice", any(kind != "bound" for kind in kinds)),
        BOUNDS: ("kernel `bound`", "bound" in kinds),
        FINISH: ("kernel `finish`", kernels.finish is not None),
    }
    what, is_there = has.get(law, ("", True))
    return "" if is_there else what
