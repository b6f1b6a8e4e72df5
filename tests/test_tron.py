"""Tron's kernels: crashes by hand, random games by the naive rules, rooms solved before."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as some
from naive_tron import NaiveTron

from plyground import check, load_agent, load_game
from plyground.game.symmetry import image, image_actions
from plyground.games.tron.layout import HEADS
from plyground.games.tron.maps import MAPS

PLAIN = [name for name in MAPS if not set("*^!@?") & set(MAPS[name])]
POWERED = [name for name in MAPS if name not in PLAIN]

SPECS = (
    *(f"tron(map={name})" for name in PLAIN),
    *(f"tron(map={name}, simultaneous=True)" for name in PLAIN),
    *(f"tron(map={name}, starts=map)" for name in POWERED),
    "tron(map=room, width=4, height=3)",
    "tron(map=room, width=5, height=9, simultaneous=True)",
    "tron(map=room, width=16, height=12, obstacles=20)",
    "tron(map=room, width=12, height=16, obstacles=60)",
    "tron(map=room, width=17, height=19)",
    "tron(map=room, width=40, height=40, obstacles=10)",
    "tron(map=room, width=50, height=50, obstacles=10)",
    "tron(map=room, width=40, height=5)",
)
"""Boards of 3 words (16 x 12 fills them to the last bit), 5, 10, 25 and 40."""


def at(spec, text):
    """Return the position of a text whose rows may be on separate lines."""
    return load_game(spec).parse(text.replace("\n", "/"))


def played(position, actions):
    for action in actions:
        position = position.play(position.parse(action))
    return position


# Crashes by hand --------------------------------------------------------------------------------

SIDE_BY_SIDE = "#####/#...#/#12.#/#...#/##### 1"
ROOM = "tron(map=room, width=5, height=5)"
AT_ONCE = "tron(map=room, width=5, height=5, simultaneous=True)"


@pytest.mark.parametrize(
    ("start", "actions", "returns"),
    [
        ("#####/#1..#/#...#/#..2#/##### 1", "U", (-1, 1)),  # a wall
        ("#####/#1..#/#...#/#..2#/##### 1", "L", (-1, 1)),
        ("#####/#1..#/#...#/#..2#/##### 1", "DD", (1, -1)),
        ("#####/#1x.#/#...#/#..2#/##### 1", "R", (-1, 1)),  # a barrier
        ("#####/#1..#/#...#/#.x2#/##### 1", "DL", (1, -1)),
        ("#####/#1..#/#...#/#..2#/##### 1", "RUL", (-1, 1)),  # one's own trail
        ("#####/#1..#/#...#/#..2#/##### 1", "RLDR", (1, -1)),
        ("#####/#1..#/#...#/#..2#/##### 1", "RURLD", (-1, 1)),  # the other's trail
        ("#####/#1..#/#...#/#..2#/##### 1", "RUDUDL", (1, -1)),
        (SIDE_BY_SIDE, "R", (-1, 1)),  # the other's head
        (SIDE_BY_SIDE.replace(" 1", " 2"), "L", (1, -1)),
        (SIDE_BY_SIDE, "UUR", (-1, 1)),  # the second came first into the cell
        (SIDE_BY_SIDE, "DL", (1, -1)),  # the trail that the first has just left
    ],
)
def test_a_rider_that_crashes_has_lost(start, actions, returns):
    position = played(at(ROOM, start), actions)
    assert position.is_over
    assert position.returns == returns


def test_a_move_leaves_a_barrier_and_passes_the_turn():
    position = played(at(ROOM, "#####/#1..#/#...#/#..2#/##### 1"), "R")
    assert position.to_text() == "#####/#x1.#/#...#/#..2#/##### 2"
    assert not position.is_over
    assert position.returns == (0.0, 0.0)
    crashed = played(position, "D")
    assert crashed.to_text() == "#####/#x1.#/#...#/#..2#/##### 1 crashed=2"


def test_all_four_actions_are_always_legal_and_written_as_letters():
    position = at(ROOM, "#####/#1x.#/#x.x#/#.x2#/##### 1")
    assert [position.format(action) for action in position.legal_actions] == ["U", "D", "L", "R"]
    assert position.parse(" d ") == 1


@pytest.mark.parametrize(
    ("start", "first", "second", "returns"),
    [
        ("#####/#1..#/#...#/#..2#/##### 1", "U", "U", (-1, 1)),
        ("#####/#1..#/#...#/#..2#/##### 1", "R", "R", (1, -1)),
        ("#####/#1..#/#...#/#..2#/##### 1", "L", "D", (0, 0)),  # both into walls
        ("#####/#...#/#1.2#/#...#/##### 1", "R", "L", (0, 0)),  # both into one cell
        (SIDE_BY_SIDE, "R", "L", (0, 0)),  # heads swapped: both into trails
        (SIDE_BY_SIDE, "R", "R", (-1, 1)),  # the other moved on, and left its trail
        (SIDE_BY_SIDE, "D", "L", (1, -1)),
        ("#####/#...#/#1.2#/#...#/##### 1", "R", "U", None),
    ],
)
def test_with_simultaneous_moves_both_can_crash(start, first, second, returns):
    position = at(AT_ONCE, start)
    waiting = played(position, first)
    assert not waiting.is_over
    assert waiting.player == 1
    after = played(waiting, second)
    assert after.is_over == (returns is not None)
    assert after.returns == (returns or (0.0, 0.0))
    assert after.player == 0


def test_where_two_choose_at_once_either_may_choose_first():
    position = at(AT_ONCE, "#####/#1..#/#...#/#..2#/##### 1")
    for first, second in product("UDLR", repeat=2):
        waiting = played(position, first)
        swapped = played(position.game.chooses_first(waiting), second + first)
        after = played(waiting, second)
        assert swapped.returns == after.returns
        assert swapped.state[HEADS:].tolist() == after.state[HEADS:].tolist()


def test_the_second_player_does_not_rely_on_a_guess_of_the_first_ones_action():
    position = load_game("tron(map=small_room, simultaneous=True)").start(3)
    views = [position.play(action).observe(1) for action in position.legal_actions]
    agent = load_agent("alphabeta(depth=3)")
    thoughts = [agent.think(view, seed=seed) for seed, view in enumerate(views)]
    assert len({(thought.action, thought.value) for thought in thoughts}) == 1
    assert {thought.depth for thought in thoughts} == {4}, "whole turns are searched"


# The naive rules --------------------------------------------------------------------------------


def compare(position, naive):
    assert position.to_text().partition(" random=")[0] == naive.text()
    assert position.is_over == naive.is_over()
    assert position.returns == naive.returns()
    assert position.player == naive.turn


def compare_heuristics(position, naive):
    for name in ("voronoi", "manhattan_voronoi", "free_cells"):
        wanted = getattr(naive, name)()
        assert position.evaluate(name) == pytest.approx(wanted, abs=1e-12), name


def choose_as(after):
    """Return the barriers that the kernels' trap placed; check their number."""

    def choose(spaces):
        rows = after.to_text().split()[0].split("/")
        laid = [(y, x) for y, x in spaces if rows[y][x] == "x"]
        assert len(laid) == min(3, len(spaces))
        return laid

    return choose


def sensible(naive, random):
    """Choose an action, rarely one that crashes, so that games are long."""
    safe = [
        action for action in "UDLR" if naive.cells[naive.target(naive.turn, action)] not in "#x12"
    ]
    return random.choice(safe if safe and random.random() < 0.97 else "UDLR")


@given(
    spec=some.sampled_from(SPECS),
    seed=some.integers(0, 2**32),
    random=some.randoms(use_true_random=False),
)
def test_random_games_go_as_the_naive_rules_say(spec, seed, random):
    position = load_game(spec).start(seed)
    naive = NaiveTron.from_text(position.to_text(), position.game.simultaneous)
    compare_heuristics(position, naive)
    often = 20 / len(naive.cells)
    while not position.is_over:
        action = sensible(naive, random)
        position = played(position, action)
        naive.play(action, choose_as(position))
        if random.random() < often or position.is_over:
            compare(position, naive)
        if random.random() < often and not position.is_over:
            compare_heuristics(position, naive)
    assert position.ply <= position.game.facts.longest


# Solved rooms and starts ------------------------------------------------------------------------


def starts_of(game):
    """List the positions of all symmetric starts in an empty room."""
    cells = game.start().to_text().split()[0].replace("1", ".").replace("2", ".")
    for first, symbol in enumerate(cells):
        if symbol == "." and 2 * first != len(cells) - 1:
            board = list(cells)
            board[first], board[-1 - first] = "12"
            yield game.parse("".join(board) + " 1")


@pytest.mark.parametrize(("inside", "won", "starts"), [(3, 8, 8), (4, 0, 16), (5, 20, 24)])
def test_small_rooms_are_won_as_often_as_is_known(inside, won, starts):
    game = load_game("tron", map="room", width=inside + 2, height=inside + 2)
    agent = load_agent("alphabeta(depth=30, evaluate=nothing)")
    values = [agent.think(position).value for position in starts_of(game)]
    assert Counter(values) == Counter({1.0: won, -1.0: starts - won})


def test_the_small_room_is_such_a_room():
    named, measured = (
        load_game("tron(map=small_room)"),
        load_game("tron(map=room, width=7, height=7)"),
    )
    assert [named.start(seed).to_text() for seed in range(9)] == [
        measured.start(seed).to_text() for seed in range(9)
    ]


def heads_at_start(game, seed):
    cells = "".join(game.start(seed).to_text().split()[0].split("/"))
    return cells.index("1"), cells.index("2")


@pytest.mark.parametrize(
    ("name", "count"),
    [("empty_room", 120), ("center_block", 104), ("diagonal_blocks", 104), ("small_room", 24)],
)
def test_starts_are_symmetric_and_all_open_cells_but_the_centre(name, count):
    game = load_game("tron", map=name)
    cells = game.facts.planes[1] * game.facts.planes[2]
    found = [heads_at_start(game, seed) for seed in range(20 * count)]
    assert all(first + second == cells - 1 for first, second in found)
    assert len(set(found)) == count
    assert max(Counter(found).values()) < 60, "some start comes far too often"


def test_eight_starts_of_center_block_are_in_its_sealed_room():
    game = load_game("tron(map=center_block)")
    inside = {
        heads
        for heads in (heads_at_start(game, seed) for seed in range(2500))
        if all(5 <= head // 13 <= 7 and 5 <= head % 13 <= 7 for head in heads)
    }
    assert len(inside) == 8


@pytest.mark.parametrize("name", MAPS)
def test_the_maps_own_starts_can_be_asked_for(name):
    cells = MAPS[name].replace("\n", "")
    game = load_game("tron", map=name, starts="map")
    assert heads_at_start(game, 7) == (cells.index("1"), cells.index("2"))


# Laws, symmetry, facts --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec",
    [
        "tron",
        "tron(simultaneous=True)",
        "tron(map=hunger_games)",
        "tron(map=divider)",
        "tron(map=room, width=16, height=12, obstacles=20)",
        "tron(map=room, width=50, height=50, simultaneous=True)",
    ],
)
def test_every_law_holds(spec):
    laws = check(load_game(spec), games=2, timeout=120)
    assert [law.failure for law in laws if law.failure] == []


@pytest.mark.parametrize("name", MAPS)
def test_maps_are_point_symmetric(name):
    cells = MAPS[name].strip("\n").replace("1", " ").replace("2", " ")
    assert cells == cells[::-1]


def test_a_turned_game_with_traps_goes_on_turned():
    game = load_game("tron(map=divider)")
    empty = "#" + "." * 15 + "#"
    rows = ["#" * 17, *[empty] * 15, "#" * 17]
    rows[1], rows[8] = "#1*.............#", "#.......2.......#"
    position = game.parse("/".join(rows) + " 1 random=12345")
    after = position.play(3)
    assert after.to_text().count("x") == 4
    for once in range(8):
        for again in range(8):
            turned = image(image(position, once), again)
            action = image_actions(position, once)[3]
            action = image_actions(image(position, once), again)[action]
            assert turned.play(action) == image(image(after, once), again)
            assert game.parse(turned.to_text()) == turned


def test_the_longest_game_fills_the_room():
    game = load_game("tron(map=room, width=4, height=4)")
    position = played(at("tron(map=room, width=4, height=4)", "####/#1.#/#.2#/#### 1"), "RLU")
    assert position.ply == 3 <= game.facts.longest == 4


# What is hidden ---------------------------------------------------------------------------------


def test_the_second_player_does_not_see_what_the_first_has_chosen():
    waiting = [played(at(AT_ONCE, SIDE_BY_SIDE), action) for action in "UDLR"]
    views = {position.observe(1).to_text() for position in waiting}
    assert views == {SIDE_BY_SIDE.replace(" 1", " 2 pending=?")}
    assert waiting[0].observe(0).to_text().endswith(" 2 pending=U")


def test_a_guess_is_any_move_that_does_not_crash():
    view = played(at(AT_ONCE, SIDE_BY_SIDE), "L").observe(1)
    guesses = Counter(view.determinize(seed).to_text()[-1] for seed in range(200))
    assert set(guesses) == {"U", "D"}
    shut_in = played(at(AT_ONCE, "#####/#x..#/#12.#/#x..#/##### 1"), "L").observe(1)
    guesses = Counter(shut_in.determinize(seed).to_text()[-1] for seed in range(200))
    assert set(guesses) == set("UDLR")


def test_nothing_is_hidden_by_turns_without_power_ups():
    position = played(at(ROOM, SIDE_BY_SIDE), "U")
    for player in (0, 1):
        assert position.observe(player) == position
        assert position.observe(player).determinize(3) == position


def test_future_draws_of_traps_are_hidden():
    position = load_game("tron(map=joust)").start(5)
    assert " random=" in position.to_text()
    assert " random=" not in position.observe(0).to_text()
    assert len({position.observe(0).determinize(seed).key for seed in range(20)}) == 20


@pytest.mark.parametrize("agent", ["greedy", "alphabeta(depth=3)", "mcts(simulations=300)"])
def test_agents_do_not_crash_needlessly_when_they_choose_first(agent):
    position = at(AT_ONCE, "#####/#1x.#/#.x.#/#..2#/##### 1")
    assert {load_agent(agent).think(position, seed=seed).action for seed in range(5)} == {1}
