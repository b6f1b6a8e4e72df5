"""Games as problems of adversarial search: what algorithms of the course are written against."""

from abc import ABC, abstractmethod


class GameState(ABC):
    """A moment of a game."""

    @abstractmethod
    def player_to_move(self):
        """Return the player whose turn it is."""


class AdversarialSearchProblem(ABC):
    """A game from a state on."""

    _start_state = None

    def get_start_state(self):
        return self._start_state

    def set_start_state(self, state):
        self._start_state = state

    @abstractmethod
    def get_available_actions(self, state):
        """Return the actions of whoever is to move."""

    @abstractmethod
    def transition(self, state, action):
        """Return the state after an action; the state before stays as it is."""

    @abstractmethod
    def is_terminal_state(self, state):
        """Return whether the game is over."""

    @abstractmethod
    def evaluate_state(self, state):
        """Return what each player gets at the end."""
