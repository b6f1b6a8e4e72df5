"""Robot Reboot against 1400 positions whose shortest solutions another program has proven."""

from collections import Counter

import numpy as np
import pytest
from solved_robots import boards, puzzles

from plyground import load_game
from plyground.compile import call_legal, call_over, call_play, loop
from plyground.games.robots.boards import assembled
from plyground.games.robots.solve import OUT_OF_NODES, can_be_solved, fewest_moves


def test_the_file_holds_what_it_says():
    counts = Counter(puzzle.kind for puzzle in puzzles())
    assert counts == {"classic": 1000, "velasquez": 400}
    assert all(len(puzzle.solution) == puzzle.fewest for puzzle in puzzles())
    near = [puzzle.fewest for puzzle in puzzles() if puzzle.kind == "velasquez"]
    assert sum(near) / len(near) == pytest.approx(3.20, abs=0.01)  # as the seed's figures have it


def test_every_board_is_put_together_as_in_the_file():
    assert len(boards()) > 700
    for (kind, names), walls in boards().items():
        assert assembled(kind, names.split("/")).walls == walls, (kind, names)


@pytest.mark.parametrize("kind", ["classic", "velasquez"])
def test_every_house_is_one_of_its_board(kind):
    for quarters in (names for each, names in boards() if each == kind):
        board = assembled(kind, quarters.split("/"))
        owners = Counter(owner for _, owner in board.houses)
        assert [owners[letter] for letter in "ygrb"] == [4, 4, 4, 4]
        assert owners["*"] == (1 if kind == "classic" else 0)


@pytest.mark.parametrize("kind", ["classic", "velasquez"])
def test_every_solution_wins_with_its_last_move_and_not_before(kind):
    game = load_game("robots", board=kind)
    for puzzle in puzzles():
        if puzzle.kind == kind:
            position = game.parse(puzzle.text)
            assert position.to_text() == puzzle.text
            for move in puzzle.solution:
                assert not position.is_over
                assert position.evaluate("bound")[0] >= 1 - 2 * puzzle.fewest / game.cap
                position = position.play(position.parse(move))
            assert position.is_over
            assert position.returns == (1 - 2 * puzzle.fewest / 20,)
            assert game.score(position) == -puzzle.fewest


# Searched anew ----------------------------------------------------------------------------------


@loop("i8(rules, setup, words2, words, words2)")
def expand(rules, setup, states, actions, out):
    """Play every legal action in every state; give the number of states written to `out`."""
    count = 0
    for index in range(len(states)):
        if not call_over(rules, setup, states[index]):
            legal = call_legal(rules, setup, states[index], actions)
            for number in range(legal):
                out[count, :] = states[index]
                call_play(rules, setup, out[count], actions[number])
                count += 1
    return count


def breadth_first(position):
    """Count the moves to the nearest end of the game, level by level."""
    game = position.game
    actions = np.empty(game.facts.branching, np.int64)
    states = position.state[None].copy()
    seen = np.empty(0, np.int64)
    shifts = 10 * np.arange(game.robots)
    moves = 0
    while len(states):
        out = np.empty((len(states) * game.facts.branching, states.shape[1]), np.int64)
        out = out[: expand(game.rules(), position.setup, states, actions, out)]
        keys, first = np.unique((out[:, 1:] << shifts).sum(axis=1), return_index=True)
        moves += 1
        target, house = position.setup[3:5]
        if (out[first, 1 + target] == house).any():
            return moves
        fresh = ~np.isin(keys, seen, assume_unique=True)
        states, seen = out[first[fresh]], np.concatenate([seen, keys[fresh]])
    return None


@pytest.mark.parametrize("fewest", range(1, 6))
def test_breadth_first_search_finds_the_proven_number(fewest):
    for kind in ("classic", "velasquez"):
        game = load_game("robots", board=kind)
        found = [each for each in puzzles() if each.kind == kind and each.fewest == fewest]
        for puzzle in found[:15]:
            assert breadth_first(game.parse(puzzle.text)) == fewest


def test_the_solver_of_the_starts_finds_the_proven_number():
    game = load_game("robots")
    unsure = 0
    for puzzle in puzzles()[::3]:
        position = game.parse(puzzle.text)
        found = fewest_moves(position.setup, position.state, game.cap, 300_000)
        assert found in (puzzle.fewest, OUT_OF_NODES)
        unsure += found == OUT_OF_NODES
    assert unsure < 20


def test_hard_positions_are_known_to_be_solvable():
    game = load_game("robots")
    hard = [puzzle for puzzle in puzzles() if puzzle.fewest in (11, 12)]
    known = [
        can_be_solved(each.setup, each.state, 1) for each in (game.parse(p.text) for p in hard)
    ]
    assert known.count(True) >= len(hard) - 1


def lengths(spec, seeds):
    game = load_game(spec)
    starts = [game.start(seed) for seed in range(seeds)]
    found = [fewest_moves(each.setup, each.state, game.cap, 1_000_000) for each in starts]
    return [each for each in found if each != OUT_OF_NODES]


def test_uniform_classic_starts_are_as_hard_as_those_of_others():
    found = lengths("robots(board=classic, starts=uniform)", 200)
    assert len(found) >= 197
    assert np.mean(found) == pytest.approx(5.97, abs=0.5)  # 50,000 positions of another program
    assert np.std(found) == pytest.approx(2.46, abs=0.5)


def test_near_starts_are_as_easy_as_the_seeds():
    found = lengths("robots", 200)
    assert np.mean(found) == pytest.approx(3.20, abs=0.5)
    assert found.count(1) / len(found) == pytest.approx(183 / 400, abs=0.1)
