"""The course's interface of games for adversarial search."""

from abc import ABC, abstractmethod


class GameState(ABC):
    """A position of a game."""

    @abstractmethod
    def player_to_move(self):
        """Return the player whose turn it is."""


class AdversarialSearchProblem(ABC):
    """A game that begins at a state."""

    _start_state = None

    def get_start_state(self):
        return self._start_state

    def set_start_state(self, state):
        self._start_state = state

    @abstractmethod
    def get_available_actions(self, state):
        """Return the actions of the player to move."""

    @abstractmethod
    def transition(self, state, action):
        """Return the state after an action; the given state does not change."""

    @abstractmethod
    def is_terminal_state(self, state):
        """Return whether the game is over."""

    @abstractmethod
    def evaluate_state(self, state):
        """Return each player's result in a terminal state."""
