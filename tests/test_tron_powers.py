"""The four power-ups, each by hand."""

import pytest

from plyground import load_game

MAP = """
#########
#1.*.^.!#
#.@.....#
#.......#
#...?...#
#.......#
#.....@.#
#!.^.*.2#
#########
""".replace(".", " ")


@pytest.fixture
def game(tmp_path):
    path = tmp_path / "powers.txt"
    path.write_text(MAP.strip("\n"))
    return load_game("tron", map=str(path))


def board(**rows):
    """Return nine rows, empty except for those named r1 to r7."""
    lines = ["#" * 9] + ["#.......#"] * 7 + ["#" * 9]
    for name, row in rows.items():
        lines[int(name[1:])] = f"#{row}#"
    return "/".join(lines)


def played(game, text, actions):
    position = game.parse(text)
    for action in actions:
        position = position.play(position.parse(action))
    return position


def rest(position):
    """Return the fields after the board, without the random stream."""
    return position.to_text().split(" ", 1)[1].partition(" random=")[0]


def turns(position, actions):
    """Play a line; return the players to move and the last position."""
    seats = []
    for action in actions:
        seats.append(position.player)
        position = position.play(position.parse(action))
    return seats, position


def test_speed_lets_the_other_move_once_then_gives_five_moves_in_a_row(game):
    position = played(game, board(r1="1^.....", r7="......2") + " 1", "R")
    assert rest(position) == "2 speed=4,0"
    seats, position = turns(position, "LRRRRRLD")
    assert seats == [1, 0, 0, 0, 0, 0, 1, 0]
    assert rest(position) == "2"


def test_both_may_have_speed_one_after_the_other(game):
    position = played(game, board(r1="1^.....", r7=".....^2") + " 1", "RL")
    assert rest(position) == "1 speed=4,4"
    seats, position = turns(position, "RRRRRLLLLLDU")
    assert seats == [0] * 5 + [1] * 5 + [0, 1]
    assert rest(position) == "1"


def test_a_second_speed_begins_the_four_anew(game):
    position = played(game, board(r1="1^.^...", r7="......2") + " 1", "RLRR")
    assert rest(position) == "1 speed=4,0"


def test_the_moves_of_speed_are_mandatory_even_into_a_wall(game):
    position = played(game, board(r1="1^.....", r7="......2") + " 1", "RLU")
    assert position.returns == (-1.0, 1.0)
    assert rest(position) == "2 crashed=1 speed=4,0"


def test_armor_passes_one_barrier_and_stays_till_then(game):
    position = played(game, board(r1="1@.xx..", r7="2......") + " 1", "RRRR")
    assert rest(position) == "1 armor=1"
    position = position.play(position.parse("R"))
    assert position.to_text() == board(r1="xxx1x..", r7="xx2....") + " 2"
    position = position.play(position.parse("R"))
    assert position.play(position.parse("R")).returns == (-1.0, 1.0)


@pytest.mark.parametrize(("row", "action"), [("1......", "U"), ("12.....", "R")])
def test_armor_passes_no_wall_and_no_head(game, row, action):
    text = board(r1=row) if "2" in row else board(r1=row, r7="......2")
    assert played(game, text + " 1 armor=12", action).returns == (-1.0, 1.0)


def test_armor_is_had_or_not_had(game):
    assert rest(played(game, board(r1="1@.....", r7="......2") + " 1 armor=1", "R")) == "2 armor=1"


def test_a_bomb_clears_the_barriers_in_the_nine_by_nine_round_the_mover(game):
    before = board(r1="1!x...x", r2="xx2xxxx", r5="x....xx", r6="xxxxxxx", r7=".x.....")
    after = board(r1=".1....x", r2="..2...x", r5="......x", r6="xxxxxxx", r7=".x.....")
    assert played(game, before + " 1", "R").to_text() == after + " 2"


def test_a_bomb_leaves_walls_and_power_ups(game):
    before = board(r1="1!#@...", r2="x#^.x..", r7="......2")
    after = board(r1=".1#@...", r2=".#^....", r7="......2")
    assert played(game, before + " 1", "R").to_text() == after + " 2"


def ring(row, column):
    return {
        (y, x)
        for y in range(row - 2, row + 3)
        for x in range(column - 2, column + 3)
        if max(abs(y - row), abs(x - column)) == 2
    }


def trapped(position):
    rows = position.to_text().split()[0].split("/")
    return {(y, x) for y, row in enumerate(rows) for x, symbol in enumerate(row) if symbol == "x"}


def test_a_trap_lays_three_barriers_on_the_border_of_the_five_by_five_round_the_other(game):
    seen = set()
    for seed in range(200):
        position = played(game, board(r1="1*.....", r4="....2..") + f" 1 random={seed}", "R")
        laid = trapped(position) - {(1, 1)}
        assert len(laid) == 3
        assert laid <= ring(4, 5)
        seen |= laid
    assert seen == ring(4, 5), "every cell of the border has its turn"


def test_a_trap_lays_barriers_on_spaces_only(game):
    rows = {"r1": "1*.....", "r2": "..xxxx^", "r3": "..#....", "r4": "..x.2.@", "r5": "..x...x"}
    for seed in range(50):
        position = played(game, board(**rows, r6="..xx#x^") + f" 1 random={seed}", "R")
        laid = trapped(position) - trapped(game.parse(board(**rows, r6="..xx#x^") + " 1"))
        assert laid == {(1, 1), (3, 7)}, "one space is left on the border"


def test_a_trap_near_the_wall_stays_on_the_board(game):
    for seed in range(50):
        position = played(game, board(r1="1*.....", r7="......2") + f" 1 random={seed}", "R")
        laid = trapped(position) - {(1, 1)}
        assert len(laid) == 3
        assert laid <= {(5, 7), (5, 6), (5, 5), (6, 5), (7, 5)}


def test_the_same_stream_lays_the_same_traps_and_moves_on(game):
    text = board(r1="1*.*...", r4="....2..") + " 1 random=77"
    one, other = played(game, text, "R"), played(game, text, "R")
    assert one == other
    assert " random=77" not in one.to_text()


def test_a_question_mark_is_each_of_the_four_in_turn(game):
    found = {game.start(seed).to_text().split("/")[4][4] for seed in range(60)}
    assert found - set("12") == set("*^!@")


def test_nobody_starts_on_a_power_up(game):
    for seed in range(200):
        text = game.start(seed).to_text()
        assert sum(text.split()[0].count(symbol) for symbol in "*^!@") == 9


def test_the_second_player_gathers_too(game):
    position = played(game, board(r1="1......", r7="...x@.2") + " 2", "LRL")
    assert rest(position) == "1 armor=2"
    position = played(position.game, position.to_text(), "RL")
    assert position.to_text() == board(r1="xx1....", r7="...2xxx") + " 1"
