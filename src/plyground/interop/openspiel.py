"""Our games as OpenSpiel games: `register()`, then `pyspiel.load_game("plyground_connect_n(n=5)")`.

An option of a game is a parameter of the same name; one more, `seed`, chooses the start.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from plyground.game import Facts, Game, Position
from plyground.games import GAMES
from plyground.interop import NotInstalled
from plyground.options import Kind

try:
    import pyspiel
except ImportError:
    raise NotInstalled("open_spiel") from None

PREFIX = "plyground_"
MCTS = "mcts"
EXPLORATION = 2.0
MEMORY = 1000
"""MiB of OpenSpiel's search tree."""
UNSET = {Kind.INT: -1, Kind.FLOAT: -1.0}
"""How an option that is None is told, a text else: OpenSpiel's parameters have a type each."""


def register() -> list[str]:
    """Make all our games known to OpenSpiel; return their names there."""
    return [_register(GAMES.find(name)) for name in GAMES.names()]


def load(game: Game, seed: int = 0) -> SpielGame:
    """Return the OpenSpiel game of one of ours, with its options."""
    name = _register(type(game))
    told = _told(type(game), game.changed())
    return pyspiel.load_game(name, told | {"seed": seed})  # type: ignore[no-any-return]


def _register(kind: type[Game]) -> str:
    name = PREFIX + kind.name
    if name not in pyspiel.registered_names():
        # A class of its own: OpenSpiel keeps it longer than the interpreter lives.
        made = type(name, (SpielGame,), {"kind": kind})
        pyspiel.register_game(_describe(kind), made)
    return name


def _parameters(kind: type[Game]) -> dict[str, Any]:
    """Return the default of each parameter."""
    defaults = {each.name: each.default for each in kind.declared()}
    return _told(kind, defaults) | {"seed": 0}


def _told(kind: type[Game], options: dict[str, Any]) -> dict[str, Any]:
    kinds = {each.name: each.kind for each in kind.declared()}
    return {
        name: UNSET.get(kinds[name], "") if value is None else value
        for name, value in options.items()
    }


def _describe(kind: type[Game], facts: Facts | None = None) -> Any:
    """Describe a game to OpenSpiel; before its options are known, as widely as can be."""
    words = pyspiel.GameType
    at_once = facts is not None and facts.simultaneous
    open_to_all = facts is not None and not facts.hidden
    zero_sum = facts is not None and facts.zero_sum
    return words(
        short_name=PREFIX + kind.name,
        long_name=f"{kind.name} of plyground",
        dynamics=words.Dynamics.SIMULTANEOUS if at_once else words.Dynamics.SEQUENTIAL,
        chance_mode=words.ChanceMode.DETERMINISTIC,
        information=words.Information.PERFECT_INFORMATION
        if open_to_all
        else words.Information.IMPERFECT_INFORMATION,
        utility=words.Utility.ZERO_SUM if zero_sum else words.Utility.GENERAL_SUM,
        reward_model=words.RewardModel.TERMINAL,
        max_num_players=facts.players if facts else 8,
        min_num_players=facts.players if facts else 1,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=kind.kernels.encode is not None,
        parameter_specification=_parameters(kind),
    )


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game of ours in OpenSpiel's terms, from one start."""

    kind: ClassVar[type[Game]]

    def __init__(self, parameters: dict[str, Any] | None = None) -> None:
        given, defaults = dict(parameters or {}), _parameters(self.kind)
        self.seed = int(given.get("seed", 0))
        self.game = self.kind.make(
            {
                name: value
                for name, value in given.items()
                if name != "seed" and value != defaults[name]
            }
        )
        facts = self.game.facts
        info = pyspiel.GameInfo(
            num_distinct_actions=facts.actions,
            max_chance_outcomes=0,
            num_players=facts.players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0 if facts.zero_sum else None,
            max_game_length=facts.longest,
        )
        super().__init__(_describe(self.kind, facts), info, given)
        self.game.prepare()

    def new_initial_state(self) -> SpielState:
        return SpielState(self, self.game.start(self.seed))

    def make_py_observer(self, kind: Any = None, parameters: Any = None) -> Observer:
        return Observer(self.game)


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A position in OpenSpiel's terms; positions never change, so that copies share them."""

    def __init__(self, game: SpielGame, position: Position) -> None:
        super().__init__(game)
        self.position = position

    def current_player(self) -> int:
        if self.position.is_over:
            return int(pyspiel.PlayerId.TERMINAL)
        if self.position.game.facts.simultaneous:
            return int(pyspiel.PlayerId.SIMULTANEOUS)
        return self.position.player

    def _legal_actions(self, player: int) -> list[int]:
        return list(self._before(player).legal_actions)

    def _before(self, player: int) -> Position:
        """Return the position in which a player chooses; a simultaneous first move is made up."""
        position = self.position
        while position.game.facts.simultaneous and position.player < player:
            position = position.play(position.legal_actions[0])
        return position

    def _apply_action(self, action: int) -> None:
        self.position = self.position.play(action)

    def _apply_actions(self, actions: list[int]) -> None:
        for action in actions:
            self.position = self.position.play(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self._before(player).format(action)

    def is_terminal(self) -> bool:
        return self.position.is_over

    def returns(self) -> list[float]:
        return list(self.position.returns)

    def __str__(self) -> str:
        return self.position.to_text()

    def __deepcopy__(self, memory: Any) -> SpielState:
        return SpielState(self.get_game(), self.position)


class Observer:
    """What a player sees: the game's planes, and the text."""

    def __init__(self, game: Game) -> None:
        self.tensor = np.zeros(game.facts.planes, np.float32).reshape(-1)
        self.dict = {"observation": self.tensor.reshape(game.facts.planes)}

    def set_from(self, state: SpielState, player: int) -> None:
        if self.tensor.size:  # a game may have no planes
            self.tensor[:] = state.position.observe(player).encode(player).reshape(-1)

    def string_from(self, state: SpielState, player: int) -> str:
        return state.position.observe(player).to_text()


# Its bots ---------------------------------------------------------------------------------------


def bots() -> list[str]:
    """List OpenSpiel's bots that need no more than a game."""
    return [MCTS, *pyspiel.registered_bots()]


def games() -> list[str]:
    """List OpenSpiel's games."""
    return list(pyspiel.registered_names())


def state_of(position: Position, native: str = "") -> Any:
    """Return a position in OpenSpiel's terms: in our own game, or in OpenSpiel's game `native`."""
    if not native:
        return SpielState(load(position.game), position)
    state = pyspiel.load_game(native).new_initial_state()
    for after in position.line()[1:]:
        state.apply_action(after.action)
    return state


def ask(bot: str, state: Any, simulations: int, seed: int) -> int:
    """Ask a bot for an action.

    MCTS is the one in C++ for OpenSpiel's own games, and that in Python for ours: the one in C++
    lets go of the interpreter's lock, and so cannot ask a game in Python.
    """
    game, seed = state.get_game(), seed % 2**31
    if bot != MCTS:
        made = pyspiel.load_bot(bot, game, state.current_player(), {"seed": seed})
    elif isinstance(state, SpielState):
        from open_spiel.python.algorithms import mcts

        random = np.random.RandomState(seed)
        rollouts = mcts.RandomRolloutEvaluator(1, random)
        made = mcts.MCTSBot(
            game, EXPLORATION, simulations, rollouts, solve=False, random_state=random
        )
    else:
        rollouts = pyspiel.RandomRolloutEvaluator(1, seed)
        made = pyspiel.MCTSBot(game, rollouts, EXPLORATION, simulations, MEMORY, False, seed, False)
    return int(made.step(state))
