"""Tron's texts and pictures: written texts are read back, wrong ones are refused."""

from random import Random
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as some

from plyground import load_game
from plyground.errors import (
    OptionError,
    PlygroundError,
    PlygroundWarning,
    TextError,
    UnknownNameError,
)
from plyground.picture import COLOURS, tint

ROOM = "tron(map=room, width=5, height=5)"
AT_ONCE = "tron(map=room, width=5, height=5, simultaneous=True)"
OPEN = "#####/#1..#/#...#/#..2#/#####"


def random_line(game, seed):
    random = Random(seed)
    position = game.start(seed)
    while not position.is_over:
        position = position.play(random.choice(position.legal_actions))
    return position.line()


@pytest.mark.parametrize("spec", ["tron", AT_ONCE, "tron(map=joust)", "tron(map=four_rooms)"])
def test_texts_of_whole_games_are_read_again(spec):
    game = load_game(spec)
    for seed in range(30):
        for position in random_line(game, seed):
            for view in (position, position.observe(1)):
                assert game.parse(view.to_text()) == view


@pytest.mark.parametrize(
    ("spec", "text", "part"),
    [
        (ROOM, "", "write a position as"),
        (ROOM, OPEN, "with the player to move at the end"),
        (ROOM, f"{OPEN} 3", "with the player to move at the end"),
        (ROOM, f"{OPEN} 12", "with the player to move at the end"),
        (ROOM, "#####/#1..#/#..2#/##### 1", "is 5 x 4; tron(map='room', width=5"),
        (ROOM, "#####/#1..#/#....#/#..2#/##### 1", "row 3 of the map has 6 cells"),
        (ROOM, "#####/#1..#/#.o.#/#..2#/##### 1", "'o' at row 3, column 3"),
        (ROOM, "#####/#1..#/#...#/#..2#/##.## 1", "' ' at row 5, column 3 of the board; the bor"),
        (ROOM, "#####/#1..#/#....#..2#/##### 1", "row 3 of the map has 10 cells"),
        (ROOM, "#####/#1..#/#.1.#/#..2#/##### 1", "a second '1' at row 3, column 3 of the board"),
        (ROOM, "#####/#1..#/#...#/#...#/##### 1", "there is no '2' on the board"),
        (ROOM, "#####/#1..#/#.?.#/#..2#/##### 1", "'?' at row 3, column 3"),
        (ROOM, "#####/#1.^#/#...#/#..2#/##### 1", "'^' at row 2, column 4"),
        (ROOM, f"{OPEN} 1 crashed=3", "crashed='3'; allowed: 1, 2 and 12"),
        (ROOM, f"{OPEN} 1 crashed=12", "in turns only one player can crash"),
        (ROOM, f"{OPEN} 1 armor=1", "armor= is for maps with power-ups"),
        (ROOM, f"{OPEN} 1 pending=U", "pending= is needed if both move at once"),
        (ROOM, f"{OPEN} 1 shield=1", "cannot read 'shield=1'; known: crashed="),
        (ROOM, f"{OPEN} 1 crashed=1 crashed=1", "each once"),
        (AT_ONCE, f"{OPEN} 2", "pending= is needed if both move at once"),
        (AT_ONCE, f"{OPEN} 1 pending=U", "pending= is needed if"),
        (AT_ONCE, f"{OPEN} 2 pending=N", "pending='N'; allowed: U, D, L, R and ?"),
        (AT_ONCE, f"{OPEN} 2 pending=U crashed=1", "exclude each other"),
    ],
)
def test_a_broken_text_is_refused_and_the_place_named(spec, text, part):
    with pytest.raises(TextError) as caught:
        load_game(spec).parse(text)
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ("speed=5,0", "speed=5 is out of range; allowed: 0 to 4"),
        ("speed=0,-1", "out of range"),
        ("speed=many,0", "speed='many' is not a whole number"),
        ("speed=3", "speed='3'; write one number per player: 4,0"),
        ("speed=0,0,0", "write one number per player"),
        ("armor=3", "armor='3'; allowed"),
        ("frame=8", "allowed: 0 to 7"),
        (f"random={2**63}", "out of range"),
        (f"random={10**40}", "not a whole number"),
        ("random=٣", "not a whole number"),
    ],
)
def test_a_broken_field_is_refused(fields, part):
    game = load_game("tron(map=divider)")
    board = game.start().to_text().split()[0]
    with pytest.raises(TextError) as caught:
        game.parse(f"{board} 1 {fields}")
    assert part in str(caught.value)


def test_a_text_may_not_have_more_bombs_and_armor_than_the_map():
    game = load_game("tron(map=divider)")
    text = game.start(3).to_text()
    assert game.parse(text.replace("*", ".")).game == game
    with pytest.raises(TextError, match="more power-ups than the map"):
        game.parse(text.replace(".", "!", 20))
    with pytest.raises(TextError, match="more power-ups than the map"):
        game.parse(text.replace(" 1 ", " 1 armor=12 ").replace("^", "!").replace("*", "!"))


@given(text=some.text() | some.text("#x.12/* =pending", max_size=60))
def test_no_text_breaks_the_reader(text):
    for spec in (ROOM, "tron(map=joust)"):
        with pytest.raises(PlygroundError):
            load_game(spec).parse(text)


# Maps -------------------------------------------------------------------------------------------


def test_a_map_can_come_from_a_file_even_with_the_contests_first_line(tmp_path):
    for number, head in enumerate(("", "6 4\n")):
        path = tmp_path / f"map{number}.txt"
        path.write_text(head + "######\n#1   #\n# # 2#\n######\n")
        game = load_game("tron", map=str(path), simultaneous=True, starts="map")
        assert game.start(1).to_text() == "######/#1...#/#.#.2#/###### 1"
        assert game.facts.symmetries == 4


@pytest.mark.parametrize(
    ("content", "kind", "part"),
    [
        ("", TextError, "the map is empty"),
        ("###\n# #\n###", OptionError, "no point-symmetric pair of open cells"),
        ("####\n#  #\n###\n", TextError, "row 3 of the map has 3 cells, row 1 has 4"),
        (
            "####\n#12#\n##x#",
            TextError,
            "'x' at row 3, column 3 of the map; the border must be all",
        ),
        ("#####\n#1 1#\n#####", TextError, "a second '1' at row 2, column 4 of the map"),
        ("#####\n#1o2#\n#####", TextError, "'o' at row 2, column 3 of the map"),
        ("5 4\n#####\n#1 2#\n#####", TextError, "first line says 5 x 4, its rows are 5 x 3"),
        ("5 3\n", TextError, "its rows are 0 x 0"),
        ("9" * 5000 + " 3\n###", TextError, "the map is 5002 x 2; at most"),
        ("#" * 51, TextError, "the map is 51 x 1; at most 50 x 50"),
        ("#\n" * 51, TextError, "the map is 1 x 51; at most 50 x 50"),
        ("#" * 70000, TextError, "larger than 65536 bytes"),
        (b"\xff\xfe", TextError, "not text"),
        ("####\n#1##\n##2#\n####", None, ""),
        ("#####\n#1##\n#  2#\n#####", TextError, "row 2 of the map has 4 cells"),
        ("#####\n#1 ##\n#####", OptionError, "no point-symmetric pair of open cells"),
    ],
)
def test_a_broken_map_is_refused_and_the_place_named(tmp_path, content, kind, part):
    path = tmp_path / "map.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    if kind is None:
        load_game("tron", map=str(path)).start()
        return
    with pytest.raises(kind) as caught:
        load_game("tron", map=str(path))
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("head", ["", "6 4\n"])
def test_blanks_behind_a_map_do_not_count(tmp_path, head):
    (tmp_path / "map.txt").write_text(f"{head}######  \n#1   #\n# # 2#   \n######\n   \n\n")
    game = load_game("tron", map=str(tmp_path / "map.txt"), starts="map")
    assert game.start().to_text() == "######/#1...#/#.#.2#/###### 1"


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_gaps_in_the_border_of_a_map_are_closed_and_reported(tmp_path, ending):
    rows = ["## ###", " 1    ", "# # 2#", "#### #"]
    (tmp_path / "map.txt").write_text(ending.join(rows) + ending, newline="")
    with pytest.warns(PlygroundWarning, match="map.txt': 4 gaps in its border closed by walls"):
        game = load_game("tron", map=str(tmp_path / "map.txt"), starts="map")
    assert game.start().to_text() == "######/#1...#/#.#.2#/###### 1"


def test_closed_gaps_are_one_line_on_the_command_line(tmp_path, fresh_python):
    (tmp_path / "map.txt").write_text("######\n#1    \n# # 2#\n######\n")
    command = ("match", f"tron(map='{tmp_path}/map.txt')", "random", "random", "--games", "4")
    code = "from plyground.cli.main import main; main()"
    said = fresh_python(code, *command, "--workers", "2", "--store", "none").stderr
    assert said.count("1 gap") == 1, said
    assert f"note: tron: map '{tmp_path}/map.txt': 1 gap in its border closed by walls\n" in said


def test_a_map_without_heads_has_no_starts_of_its_own(tmp_path):
    path = tmp_path / "map.txt"
    path.write_text("#####\n#1  #\n#   #\n#####")
    load_game("tron", map=str(path)).start()
    with pytest.raises(OptionError, match="has no 1 or no 2; starts=map needs both"):
        load_game("tron", map=str(path), starts="map")


@pytest.mark.parametrize(
    ("spec", "kind", "part"),
    [
        ("tron(map=empty)", UnknownNameError, "did you mean 'empty_room'?"),
        ("tron(map=rooom)", UnknownNameError, "did you mean 'room'?"),
        ("tron(width=9)", OptionError, "are for map='room' only"),
        ("tron(map=joust, obstacles=5)", OptionError, "are for map='room' only"),
        ("tron(map=joust, simultaneous=True)", OptionError, "has power-ups"),
        ("tron(map=room, width=3, height=3)", OptionError, "no point-symmetric pair"),
        ("tron(map=room, width=3, height=3, starts=map)", OptionError, "has no 1 or no 2"),
        ("tron(map=room, width=51)", OptionError, "3 to 50"),
        ("tron(starts=corner)", UnknownNameError, "random, map"),
    ],
)
def test_options_that_do_not_go_together_are_refused(spec, kind, part):
    with pytest.raises(kind) as caught:
        load_game(spec)
    assert part in str(caught.value)


def reachable(rows):
    """Return the open cells of a board, and those reachable from the first of them."""
    cells = {(y, x) for y, row in enumerate(rows) for x, symbol in enumerate(row) if symbol != "#"}
    found, edge = set(), [min(cells)]
    while edge:
        y, x = edge.pop()
        if (y, x) in cells and (y, x) not in found:
            found.add((y, x))
            edge += [(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)]
    return cells, found


@pytest.mark.parametrize(("width", "height"), [(13, 13), (40, 40), (12, 7), (5, 40), (7, 4)])
@pytest.mark.parametrize("obstacles", [5, 30, 60])
def test_obstacles_are_symmetric_differ_by_game_and_cut_nothing_off(width, height, obstacles):
    game = load_game("tron", map="room", width=width, height=height, obstacles=obstacles)
    boards = {game.start(seed).to_text().split()[0] for seed in range(5)}
    walls = {board.replace("1", ".").replace("2", ".") for board in boards}
    for board in walls:
        assert board == board[::-1]
        cells, found = reachable(board.split("/"))
        assert cells == found
        inside = (width - 2) * (height - 2)
        assert 100 * (inside - len(cells)) <= obstacles * inside
        if obstacles <= 30 and inside > 100:
            assert 100 * (inside - len(cells)) >= (obstacles - 2) * inside
    assert len(walls) > 1 or inside < 20
    corner = load_game(
        "tron", map="room", width=width, height=height, obstacles=obstacles, starts="map"
    ).start(3)
    assert corner.to_text().split("/")[1][1] == "1"


# For people -------------------------------------------------------------------------------------


def test_the_terminal_shows_board_and_status():
    position = load_game(ROOM).parse(f"{OPEN} 1").play(3)
    assert str(position).split("\n") == [
        "##########",
        "##xx 1 .##",
        "## . . .##",
        "## . . 2##",
        "##########",
        "player 2 to move",
    ]
    assert str(position.play(1)).split("\n")[-1] == "player 2 crashed"
    waiting = load_game(AT_ONCE).parse(f"{OPEN} 1").play(3)
    assert str(waiting) == str(load_game(AT_ONCE).parse(f"{OPEN} 2 pending=D"))
    assert str(waiting).endswith("player 2 to move (both at once)")
    assert str(waiting.play(1)).endswith("player 2 crashed")


def test_the_status_tells_of_speed_and_armor():
    game = load_game("tron(map=hunger_games)")
    text = game.start().to_text().replace(" 1 ", " 2 speed=0,3 armor=12 ", 1)
    output = "to move, player 2 has speed for 3 moves, player 1 has armor, player 2 has armor"
    assert str(game.parse(text.replace("@", "."))).endswith(output)


@pytest.mark.parametrize(
    "spec", ["tron", AT_ONCE, "tron(map=divider)", "tron(map=room, width=50, height=50)"]
)
def test_the_picture_is_well_formed_and_coloured_by_player(spec):
    for position in random_line(load_game(spec), 5):
        root = ElementTree.fromstring(position._repr_svg_())
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert len(root) > 20


def test_trails_are_drawn_in_their_players_colours_and_what_has_no_owner_is_grey():
    start = load_game(ROOM).parse("#####/#1.x#/#...#/#..2#/##### 1")
    after = start.play(1).play(2)
    picture = after._repr_svg_()
    blue, orange, grey = tint(COLOURS[0], 0.55), tint(COLOURS[1], 0.55), "#a8b0bd"
    assert [picture.count(colour) for colour in (blue, orange, grey)] == [1, 1, 1]
    without_history = load_game(ROOM).parse(after.to_text())._repr_svg_()
    assert [without_history.count(colour) for colour in (blue, orange, grey)] == [1, 1, 3]
