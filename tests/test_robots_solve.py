"""The solver of Robot Reboot: proven numbers, all shortest lines, limits, unsolvable puzzles."""

import time
from threading import Thread

import pytest
from breadth_first import breadth_first
from naive_robots import NaiveRobots
from solved_robots import puzzles

from plyground import load_game
from plyground.control import NODES, STOP
from plyground.game import Stop
from plyground.games.robots import solve
from plyground.games.robots.levels import fits, search_levels
from plyground.games.robots.solve import RobotsSolver

MAZES = [
    ("robots(board=maze, width=9, height=6, robots=1)", 100),
    ("robots(board=maze, width=8, height=8, robots=2)", 60),
    ("robots(board=maze, width=20, height=5, robots=2)", 60),
    ("robots(board=maze, width=5, height=7, robots=3)", 40),
    ("robots(board=maze, width=4, height=4, robots=4)", 30),
    ("robots(robots=1)", 60),
]
"""Puzzles small enough to be searched from end to end; some have no solution."""


def starts(spec, seeds):
    game = load_game(spec[:-1] + ", starts=uniform, solvable=False, cap=200)")
    return game, [game.start(seed) for seed in range(seeds)]


def end_of(position, line):
    """Play a line by the naive rules; return the robots' places and the target."""
    naive = NaiveRobots(position.to_text(), 10**9)
    for action in line:
        assert not naive.is_solved()
        assert naive.stop(action) != naive.robots[naive.actions[action][0]]
        naive.play(action)
    return naive


@pytest.mark.parametrize("kind", ["classic", "velasquez"])
def test_every_proven_number_is_found(kind):
    game = load_game("robots", board=kind)
    solver = game.solver()
    for puzzle in puzzles():
        if puzzle.kind == kind:
            position = game.parse(puzzle.text)
            solution = solver.solve(position)
            assert solution.score == solution.plies == len(solution.line) == puzzle.fewest
            assert solution.value == pytest.approx(1 - 2 * min(20, puzzle.fewest) / 20)
            assert end_of(position, solution.line).is_solved()


@pytest.mark.parametrize(("spec", "seeds"), MAZES)
def test_small_puzzles_are_solved_as_by_breadth_first_search(spec, seeds):
    game, positions = starts(spec, seeds)
    solver, unsolvable = game.solver(), 0
    for position in positions:
        solution = solver.solve(position)
        assert solution.score == breadth_first(position)
        if solution.score is None:
            unsolvable += 1
            assert (solution.value, solution.plies, solution.line) == (-1.0, None, ())
        else:
            assert end_of(position, solution.line).is_solved()
    if game.robots == 1:
        assert unsolvable > 10


@pytest.mark.parametrize(("spec", "seeds"), MAZES)
def test_level_by_level_finds_the_same(spec, seeds):
    game, positions = starts(spec, seeds)
    solver = game.solver()
    for position in positions[:20]:
        words = position.setup, position.state
        moves, line = search_levels(solver._search.work, *words, None)
        assert (moves if line else None) == solver.solve(position).score
        assert len(line) == max(moves, 0)
        assert not line or end_of(position, line).is_solved()


def test_it_takes_over_where_deepening_does_not_end(monkeypatch):
    game, positions = starts("robots(board=maze, width=8, height=8, robots=3)", 20)
    monkeypatch.setattr(solve, "SWITCH", 3)
    solver = game.solver()
    for position in positions:
        solution = solver.solve(position)
        assert solution.score == breadth_first(position)
        assert end_of(position, solution.line).is_solved()


# No solution ------------------------------------------------------------------------------------


def moved(puzzle, **places):
    """Return a puzzle's text with some robots moved; `home` is the target."""
    walls, *robots, house, moves = puzzle.text.split()
    robots = [each[0] + places.get(each[0], each[1:]) for each in robots]
    return " ".join([walls, *robots, house[:2] + places.get("home", house[2:]), moves])


@pytest.mark.parametrize("home", [True, False])
def test_nothing_leads_into_the_closed_centre_or_out_of_it(home):
    game = load_game("robots(board=classic)")
    solver = game.solver()
    for puzzle in puzzles()[:50]:
        target = puzzle.text.split()[-2][0]
        text = moved(puzzle, **{"home" if home else target: "H8"})
        solution = solver.solve(game.parse(text))
        assert (solution.score, solution.value, solution.line) == (None, -1.0, ())
        assert solution.nodes < 100


def test_with_its_helpers_locked_up_a_robot_is_alone():
    game, alone = load_game("robots(board=classic)"), load_game("robots(board=classic, robots=1)")
    solver, solver_alone, found = game.solver(), alone.solver(), []
    for puzzle in puzzles()[:40]:
        walls, *_, house, _ = puzzle.text.split()
        helpers = [letter for letter in "ygrb" if letter != house[0]]
        locked = moved(puzzle, **dict(zip(helpers, ("H8", "I8", "H9"), strict=True)))
        place = next(each[1:] for each in puzzle.text.split() if each[0] == house[0])
        own = alone.parse(f"{walls} y{place} y{house[1:]} 0")
        found.append(solver.solve(game.parse(locked)).score)
        assert found[-1] == solver_alone.solve(own).score
    assert None in found
    assert max(score or 0 for score in found) > 4


def test_the_cap_does_not_matter_unless_it_is_asked_for():
    game = load_game("robots(cap=6)")
    free, capped = game.solver(), RobotsSolver(game, within_cap=True)
    for puzzle in puzzles()[:100]:
        position = game.parse(puzzle.text)
        assert free.solve(position).score == puzzle.fewest
        within = puzzle.fewest if puzzle.fewest <= 6 else None
        moves = 5.5 if puzzle.fewest == 6 else min(puzzle.fewest, 6)
        assert capped.solve(position).score == within
        for solver in (free, capped):
            assert solver.solve(position).value == pytest.approx(1 - 2 * moves / 6)
        later = game.parse(puzzle.text[:-1] + "4")
        assert free.solve(later).score == puzzle.fewest
        assert capped.solve(later).score == (puzzle.fewest if puzzle.fewest <= 2 else None)


# Every action, every line -----------------------------------------------------------------------


def test_values_are_those_of_the_positions_that_follow():
    game = load_game("robots")
    solver, other = game.solver(), game.solver()
    for puzzle in puzzles()[1000:1040]:
        position = game.parse(puzzle.text)
        values = solver.values(position)
        assert list(values) == list(position.legal_actions)
        for action, solution in values.items():
            after = other.solve(position.play(action))
            assert solution.line[0] == action
            assert solution.score == solution.plies == after.score + 1 == len(solution.line)
            assert solution.value == after.value
        assert min(each.score for each in values.values()) == puzzle.fewest


def all_lines(position, moves):
    """Try every line of so many moves by the rules alone."""
    return (
        [
            (action, *rest)
            for action in position.legal_actions
            for rest in all_lines(position.play(action), moves - 1)
        ]
        if moves and not position.is_over
        else [()] * (position.is_over and moves == 0)
    )


@pytest.mark.parametrize("spec", ["robots", "robots(board=maze, width=6, height=7, robots=3)"])
def test_all_shortest_lines_are_found(spec):
    game = load_game(spec[:-1] + ", starts=uniform)" if "(" in spec else "robots(starts=uniform)")
    solver, several = game.solver(), 0
    for seed in range(40):
        position = game.start(seed)
        fewest = solver.solve(position).score
        lines = solver.all_lines(position)
        assert len(set(lines)) == len(lines)
        assert solver.solve(position).line in lines
        for line in lines:
            assert len(line) == fewest
            assert end_of(position, line).is_solved()
        if fewest <= 3:
            assert sorted(lines) == sorted(all_lines(position, fewest))
        several += len(lines) > 1
        assert len(solver.all_lines(position, most=1)) == 1
    assert several > 5


def test_longer_puzzles_have_all_their_lines_too():
    """Counts lines through the exact numbers of moves of all positions on the way."""
    game = load_game("robots(board=maze, width=7, height=7, robots=3, starts=uniform)")
    solver = game.solver()

    def count(position, moves):
        if moves == 0:
            return 1
        values = solver.values(position).items()
        return sum(
            count(position.play(action), moves - 1)
            for action, each in values
            if each.score == moves
        )

    checked = 0
    for seed in range(60):
        position = game.start(seed)
        fewest = solver.solve(position).score
        if fewest >= 5:
            checked += 1
            assert len(solver.all_lines(position, most=10**5)) == count(position, fewest)
    assert checked > 5


# Limits and sizes -------------------------------------------------------------------------------


def test_a_limit_ends_it_without_an_answer():
    game = load_game("robots(board=classic)")
    solver = game.solver()
    hard = game.parse(max(puzzles(), key=lambda puzzle: puzzle.fewest).text)
    assert solver.solve(hard, Stop(nodes=1000)) is None
    assert solver.solve(hard, Stop(seconds=0.001)) is None
    assert solver.values(hard, Stop(nodes=1000)) is None
    assert solver.all_lines(hard, stop=Stop(nodes=1000)) is None
    easy = game.parse(puzzles()[0].text)
    assert solver.solve(easy, Stop(nodes=100_000, seconds=60)).score == puzzles()[0].fewest


@pytest.mark.parametrize("nodes", [1, 100, 1000, 10_000])
def test_no_more_nodes_are_visited_than_allowed(nodes):
    game = load_game("robots(board=classic)")
    solver = game.solver()
    for puzzle in puzzles()[:200]:
        stop = Stop(nodes=nodes)
        solution = solver.solve(game.parse(puzzle.text), stop)
        assert stop.control[NODES] <= nodes
        assert solution is None or solution.score == puzzle.fewest


def test_several_positions_share_a_limit():
    game = load_game("robots(board=classic)")
    solver, stop = game.solver(), Stop(nodes=2000)
    solved = [solver.solve(game.parse(puzzle.text), stop) for puzzle in puzzles()[:100]]
    assert stop.control[NODES] == 2000
    assert solved[0] is not None
    assert solved[-50:] == [None] * 50


@pytest.mark.parametrize("switch", [solve.SWITCH, 3])
def test_another_thread_can_stop_it(monkeypatch, switch):
    """By deepening, which would take some seconds for all actions, and level by level."""
    monkeypatch.setattr(solve, "SWITCH", switch)
    game = load_game("robots(board=classic)")
    solver, stop = game.solver(), Stop()
    hard = game.parse(max(puzzles(), key=lambda puzzle: puzzle.fewest).text)

    def stop_soon():
        while stop.control[NODES] < 1000:
            time.sleep(0.001)
        stop.control[STOP] = 1

    thread = Thread(target=stop_soon)
    thread.start()
    assert solver.values(hard, stop) is None
    thread.join()
    easy = min(puzzles(), key=lambda puzzle: puzzle.fewest)
    assert solver.solve(game.parse(easy.text)).score == easy.fewest


def test_table_entries_of_one_search_do_not_change_the_next():
    game = load_game("robots(board=classic)")
    solver = game.solver()
    chosen = puzzles()[:200]
    first = [solver.solve(game.parse(puzzle.text)).nodes for puzzle in chosen]
    again = [game.solver().solve(game.parse(puzzle.text)).nodes for puzzle in chosen[::20]]
    assert first[::20] == pytest.approx(again, rel=0.05)  # collisions differ


@pytest.mark.parametrize("robots", [2, 5, 8])
def test_large_boards_with_many_robots(robots):
    game = load_game(f"robots(board=maze, width=32, height=32, robots={robots}, starts=uniform)")
    solver = game.solver()
    for seed in range(3):
        position = game.start(seed)
        solution = solver.solve(position)
        assert end_of(position, solution.line).is_solved()
        assert fits(32, 32, robots) == (robots == 2)
        if robots == 2 and solution.score < 8:
            assert solution.score == breadth_first(position)


def test_a_solved_position_needs_no_moves():
    game = load_game("robots")
    puzzle = puzzles()[1000]
    position = game.parse(puzzle.text)
    for move in puzzle.solution:
        position = position.play(position.parse(move))
    solution = game.solver().solve(position)
    assert (solution.score, solution.line, solution.value) == (0, (), position.returns[0])
    assert game.solver().values(position) == {}


def test_of_a_game_of_rounds_it_solves_the_one_at_hand():
    game, single = load_game("robots(rounds=3)"), load_game("robots")
    for seed in range(10):
        position = game.start(seed)
        assert (
            game.solver().solve(position).score
            == single.solver().solve(game.puzzle(position)).score
        )
