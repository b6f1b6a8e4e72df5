"""The work of the peers, each by its fastest public interface; imported when needed."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any

import numpy as np

from benchmarks.measure import Work
from benchmarks.windows import FIRST, SECOND, WIDTH, value, windows
from plyground.arithmetic import derive_seed

EXPLORATION = 2.0


def open_spiel_mcts() -> Work:
    """Search with the C++ bot, which starts a new tree at every step."""
    import pyspiel

    game = pyspiel.load_game("connect_four")
    start = game.new_initial_state()

    def work(simulations: int, seed: int) -> int:
        bot = pyspiel.MCTSBot(
            game,
            pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=seed),
            uct_c=EXPLORATION,
            max_simulations=simulations,
            max_memory_mb=0,  # no limit: nothing of the tree is thrown away
            solve=False,
            seed=seed,
            verbose=False,
        )
        bot.step(start)
        return simulations

    return work


def open_spiel_playouts() -> Work:
    """Play all games in one C++ evaluation of the start: faster than `evaluate_bots`."""
    import pyspiel

    game = pyspiel.load_game("connect_four")
    start = game.new_initial_state()

    def work(games: int, seed: int) -> int:
        bot = pyspiel.MCTSBot(
            game,
            pyspiel.RandomRolloutEvaluator(n_rollouts=games, seed=seed),
            uct_c=EXPLORATION,
            max_simulations=1,
            max_memory_mb=0,
            solve=False,
            seed=seed,
            verbose=False,
        )
        bot.step(start)
        return games

    return work


def open_spiel_alphabeta() -> Work:
    """Search with the Python alpha-beta over C++ states."""
    import pyspiel
    from open_spiel.python.algorithms.minimax import alpha_beta_search

    game = pyspiel.load_game("connect_four")
    matrix = windows(WIDTH + 1)  # a row of the state's text ends with a line break
    codes = bytearray(256)
    codes[ord("x")], codes[ord("o")] = FIRST, SECOND
    translation = bytes(codes)

    def heuristic(state: Any) -> float:
        text = str(state).encode().translate(translation)
        return value(np.frombuffer(text, np.uint8).astype(np.float32), matrix)

    def work(depth: int, seed: int) -> int:
        alpha_beta_search(game, value_function=heuristic, maximum_depth=depth)
        return 1

    return work


def pettingzoo_playouts() -> Work:
    """Play the environment without its wrappers, which only look for illegal actions."""
    from pettingzoo.classic import connect_four_v3

    environment = connect_four_v3.raw_env()

    def work(games: int, seed: int) -> int:
        random = Random(seed)
        for _ in range(games):
            environment.reset()
            while True:
                observation, _, ended, _, _ = environment.last()
                if ended:
                    break
                legal = np.flatnonzero(observation["action_mask"]).tolist()
                environment.step(random.choice(legal))
        return games

    return work


def easyai_playouts() -> Work:
    """Play the game that easyAI ships."""
    from easyAI.games.ConnectFour import ConnectFour

    def work(games: int, seed: int) -> int:
        random = Random(seed)
        for _ in range(games):
            game = ConnectFour([None, None])
            while not game.is_over():
                game.play_move(random.choice(game.possible_moves()))
        return games

    return work


def easyai_negamax() -> Work:
    """Search the game that easyAI ships, with `unmake_move` and its transposition table."""
    from easyAI import Negamax, TranspositionTable
    from easyAI.games.ConnectFour import ConnectFour

    matrix = windows(WIDTH)
    codes = np.array([0, FIRST, SECOND], np.float32)

    class Searched(ConnectFour):  # type: ignore[misc]
        def unmake_move(self, column: int) -> None:
            cells = self.board[:, column]
            cells[np.count_nonzero(cells) - 1] = 0

        def ttentry(self) -> bytes:
            return self.board.tobytes()  # type: ignore[no-any-return]

        def scoring(self) -> float:
            if self.lose():
                return -1.0
            first = value(codes.take(self.board.ravel()), matrix)
            return first if self.current_player == 1 else -first

    def work(depth: int, seed: int) -> int:
        Negamax(depth, tt=TranspositionTable())(Searched([None, None]))
        return 1

    return work


def open_spiel_matches() -> Work:
    """Play two random bots against each other in C++, one game per call."""
    import pyspiel

    game = pyspiel.load_game("connect_four")

    def work(games: int, seed: int) -> int:
        of = partial(derive_seed, seed)
        bots = [pyspiel.make_uniform_random_bot(player, of(player) >> 33) for player in (0, 1)]
        for number in range(games):
            pyspiel.evaluate_bots(game.new_initial_state(), bots, of(2 + number) >> 33)
        return games

    return work
