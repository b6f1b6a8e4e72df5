"""Plyground's games in OpenSpiel: `register()`, `pyspiel.load_game("plyground_connect_n(n=5)")`.

A game's options are parameters of the same names; one more, `seed`, chooses the start position.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from plyground.game import Facts, Game, Position
from plyground.games import GAMES
from plyground.interop import NotInstalledError
from plyground.options import Kind

try:
    import pyspiel
except ImportError:
    raise NotInstalledError("open_spiel") from None

PREFIX = "plyground_"
MCTS = "mcts"
EXPLORATION = 2.0
MEMORY = 1000
"""MiB of OpenSpiel's search tree."""
UNSET = {Kind.INT: -1, Kind.FLOAT: -1.0}
"""Parameter for an option that is None, by kind (else ""), as OpenSpiel's parameters are typed."""


def register() -> list[str]:
    """Register all games of Plyground in OpenSpiel; return their names there."""
    return [_register(GAMES.find(name)) for name in GAMES.names()]


def load(game: Game, seed: int = 0) -> SpielGame:
    """Return a game with its options as an OpenSpiel game."""
    name = _register(type(game))
    parameters = _as_parameters(type(game), game.changed())
    return pyspiel.load_game(name, parameters | {"seed": seed})  # type: ignore[no-any-return]


def _register(kind: type[Game]) -> str:
    name = PREFIX + kind.name
    if name not in pyspiel.registered_names():
        # A class per game, as OpenSpiel holds a reference to it for as long as the process lives.
        game_class = type(name, (SpielGame,), {"kind": kind})
        pyspiel.register_game(_describe(kind), game_class)
    return name


def _parameters(kind: type[Game]) -> dict[str, Any]:
    """Return the default of each parameter."""
    defaults = {option.name: option.default for option in kind.declared()}
    return _as_parameters(kind, defaults) | {"seed": 0}


def _as_parameters(kind: type[Game], options: dict[str, Any]) -> dict[str, Any]:
    kinds = {option.name: option.kind for option in kind.declared()}
    return {
        name: UNSET.get(kinds[name], "") if value is None else value
        for name, value in options.items()
    }


def _describe(kind: type[Game], facts: Facts | None = None) -> Any:
    """Return OpenSpiel's description of a game; as general as possible without its facts."""
    types = pyspiel.GameType
    simultaneous = facts is not None and facts.simultaneous
    perfect = facts is not None and not facts.hidden
    zero_sum = facts is not None and facts.zero_sum
    return types(
        short_name=PREFIX + kind.name,
        long_name=f"{kind.name} of plyground",
        dynamics=types.Dynamics.SIMULTANEOUS if simultaneous else types.Dynamics.SEQUENTIAL,
        chance_mode=types.ChanceMode.DETERMINISTIC,
        information=types.Information.PERFECT_INFORMATION
        if perfect
        else types.Information.IMPERFECT_INFORMATION,
        utility=types.Utility.ZERO_SUM if zero_sum else types.Utility.GENERAL_SUM,
        reward_model=types.RewardModel.TERMINAL,
        max_num_players=facts.players if facts else 8,
        min_num_players=facts.players if facts else 1,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=kind.kernels.encode is not None,
        parameter_specification=_parameters(kind),
    )


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game of Plyground as an OpenSpiel game, with one start position."""

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
    """A position as an OpenSpiel state; positions are immutable, so that copies share them."""

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
        """Return the position in which a player chooses; simultaneous moves before are made up."""
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
    """A player's observation: the game's planes, and the text."""

    def __init__(self, game: Game) -> None:
        self.tensor = np.zeros(game.facts.planes, np.float32).reshape(-1)
        self.dict = {"observation": self.tensor.reshape(game.facts.planes)}

    def set_from(self, state: SpielState, player: int) -> None:
        if self.tensor.size:  # some games have no planes
            self.tensor[:] = state.position.observe(player).encode(player).reshape(-1)

    def string_from(self, state: SpielState, player: int) -> str:
        return state.position.observe(player).to_text()


# OpenSpiel's bots -------------------------------------------------------------------------------


def bots() -> list[str]:
    """Return the names of OpenSpiel's bots that need only a game."""
    return [MCTS, *pyspiel.registered_bots()]


def games() -> list[str]:
    """Return the names of OpenSpiel's games."""
    return list(pyspiel.registered_names())


def state_of(position: Position, native: str = "") -> Any:
    """Return a position as an OpenSpiel state, of Plyground's game or of OpenSpiel's `native`."""
    if not native:
        return SpielState(load(position.game), position)
    state = pyspiel.load_game(native).new_initial_state()
    for after in position.line()[1:]:
        state.apply_action(after.action)
    return state


def ask(bot: str, state: Any, simulations: int, seed: int) -> int:
    """Return the action that a bot chooses.

    MCTS is OpenSpiel's C++ implementation for its own games and its Python one for Plyground's: the
    C++ one releases the interpreter's lock, and so cannot call a game in Python.
    """
    game, seed = state.get_game(), seed % 2**31
    if bot != MCTS:
        player = pyspiel.load_bot(bot, game, state.current_player(), {"seed": seed})
    elif isinstance(state, SpielState):
        from open_spiel.python.algorithms import mcts

        random = np.random.RandomState(seed)
        rollouts = mcts.RandomRolloutEvaluator(1, random)
        player = mcts.MCTSBot(
            game, EXPLORATION, simulations, rollouts, solve=False, random_state=random
        )
    else:
        rollouts = pyspiel.RandomRolloutEvaluator(1, seed)
        player = pyspiel.MCTSBot(
            game, rollouts, EXPLORATION, simulations, MEMORY, False, seed, False
        )
    return int(player.step(state))
