"""Expendibots' kernels against the rules: worked cases, the naive rules, the promised bounds."""

from collections import Counter
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as some
from naive_expendibots import BLACK, CELLS, WHITE, NaiveExpendibots, naive_perft, written

from plyground import check, load_game, perft
from plyground.compile import JIT
from plyground.errors import IllegalActionError, TextError
from plyground.games.expendibots import rules
from plyground.games.expendibots.view import format_action

START = "aa1aa1aa/aa1aa1aa/8/8/8/8/AA1AA1AA/AA1AA1AA w 0"
PERFT = Path(__file__).parent / "perft" / "expendibots.perft"


@pytest.fixture(scope="module")
def game():
    return load_game("expendibots")


def legal_texts(position):
    return {position.format(action) for action in position.legal_actions}


def played(position, *texts):
    for text in texts:
        position = position.play(position.parse(text))
    return position


# Against the naive rules ------------------------------------------------------------------------


def compare(position, naive):
    legal = [written(action) for action in naive.legal()]
    assert position.to_text() == naive.text()
    assert position.is_over == naive.is_over()
    assert sorted(map(position.format, position.legal_actions)) == sorted(legal)
    assert position.returns == naive.returns()
    assert position.player == (0 if naive.side == WHITE else 1)


def play_both(game, naive, random, plies, boom):
    """Play the same game by the kernels and by the naive rules; `boom` is the chance of a boom."""
    position = game.parse(naive.text())
    compare(position, naive)
    for _ in range(plies):
        if position.is_over:
            break
        actions = [each for each in naive.legal() if each[0] == "MOVE" or random.random() < boom]
        action = random.choice(actions or naive.legal())
        naive = naive.after(action)
        position = position.play(position.parse(written(action)))
        if position.is_over and not naive.is_over():  # the fourth time
            break
        compare(position, naive)
    return position, naive


@some.composite
def armies(draw):
    """Draw a position of up to 12 tokens a side in stacks of any height."""
    cells = draw(some.permutations(CELLS))
    board = {}
    for side in (WHITE, BLACK):
        left = draw(some.integers(1, 12))
        while left:
            tokens = draw(some.integers(1, left))
            board[cells.pop()] = side * tokens
            left -= tokens
    side = draw(some.sampled_from([WHITE, BLACK]))
    return NaiveExpendibots(board, side, draw(some.integers(0, 499)))


@given(random=some.randoms(use_true_random=False), boom=some.sampled_from([0.02, 1.0]))
def test_random_games_go_as_the_naive_rules_say(game, random, boom):
    play_both(game, NaiveExpendibots(), random, 30, boom)


@given(naive=armies(), random=some.randoms(use_true_random=False))
def test_games_from_any_position_go_as_the_naive_rules_say(game, naive, random):
    play_both(game, naive, random, 6, 0.3)


def perft_lines():
    lines = PERFT.read_text().splitlines()
    return [line.split(" ; ")[1:] for line in lines if not line.startswith("#")]


@pytest.mark.parametrize(("text", "counts"), perft_lines())
def test_the_perft_file_holds_what_the_naive_rules_count(text, counts):
    cheap = [int(count) for count in counts.split() if int(count) <= 10_000]
    naive = NaiveExpendibots.from_text(text)
    assert [naive_perft(naive, depth) for depth in range(1, len(cheap) + 1)] == cheap


# Worked cases -----------------------------------------------------------------------------------


def test_the_start_is_the_pages(game):
    assert game.start().to_text() == START == NaiveExpendibots().text()
    assert game.start(7) == game.start()


def test_the_lines_from_the_start_are_as_many_as_an_independent_program_counted(game):
    counts = [50, 2500, 119400, 5702544, 265308446][: 5 if JIT else 2]
    assert [perft(game.start(), depth) for depth in range(1, len(counts) + 1)] == counts


def test_a_single_token_steps_to_what_is_free_or_its_own(game):
    position = game.parse("8/8/8/8/8/1a6/AB6/1A6 w 0")
    assert {text for text in legal_texts(position) if text.startswith("b1")} == {
        "b1-a1",
        "b1-c1",
        "b1-b2",
    }
    assert "b2-b3" not in legal_texts(position)
    assert "2b2-b4" in legal_texts(position)
    assert played(position, "b1-b2").to_text() == "8/8/8/8/8/1a6/AC6/8 b 1"


def test_a_stack_moves_some_of_its_tokens_and_jumps_over_everything(game):
    position = game.parse("8/8/8/8/C1aB4/8/8/7a w 3")
    for text in ("a4-b4", "2a4-b4", "3a4-b4", "a4-d4", "2a4-d4", "3a4-d4", "a4-a1", "3a4-a7"):
        assert text in legal_texts(position)
    for text in ("a4-c4", "4a4-b4", "a4-e4", "a4-b5", "a4-a8"):
        assert text not in legal_texts(position)
    assert played(position, "2a4-d4").to_text() == "8/8/8/8/A1aD4/8/8/7a b 4"


def test_a_boom_goes_through_both_colours_and_diagonals_and_stops_at_a_gap(game):
    position = game.parse("a7/8/8/4a3/3B4/2c5/8/A7 w 0")
    assert played(position, "boom-d4").to_text() == "a7/8/8/8/8/8/8/A7 b 1"
    assert played(position, "boom-a1").to_text() == "a7/8/8/4a3/3B4/2c5/8/8 b 1"


def test_a_boom_does_not_go_round_the_edge_of_the_board(game):
    position = game.parse("a6a/8/8/7a/A7/8/a7/A6A w 0")
    assert played(position, "boom-h1").to_text() == "a6a/8/8/7a/A7/8/a7/A7 b 1"
    assert played(position, "boom-a4").to_text() == "a6a/8/8/7a/8/8/a7/A6A b 1"
    assert played(position, "boom-a1").to_text() == "a6a/8/8/7a/A7/8/8/7A b 1"


def test_a_chain_winds_through_the_whole_board(game):
    """A snake of 24 stacks, each touching only the one before and the one after."""
    snake = game.parse("AaAaAaA1/7a/1AaAaAa1/A7/1aAaAaA1/7a/5Aa1/8 w 0")
    assert played(snake, "boom-a8").to_text() == "8/8/8/8/8/8/8/8 b 1"
    cut = game.parse("AaAaAaA1/7a/1AaAaAa1/8/1aAaAaA1/7a/5Aa1/8 w 0")
    assert played(cut, "boom-f2").to_text() == "AaAaAaA1/7a/1AaAaAa1/8/8/8/8/8 b 1"


@pytest.mark.parametrize(
    ("text", "action", "returns"),
    [
        ("8/8/8/8/8/8/1a6/A6A w 0", "boom-a1", (1.0, -1.0)),
        ("8/8/8/8/8/8/1a6/A6a w 0", "boom-a1", (-1.0, 1.0)),
        ("8/8/8/8/8/8/1a6/A7 w 0", "boom-a1", (0.0, 0.0)),
        ("8/8/8/8/8/8/8/A6a w 0", "boom-a1", (-1.0, 1.0)),
        ("8/8/8/8/8/8/1a6/A6a b 0", "boom-b2", (-1.0, 1.0)),
        ("8/8/8/8/8/8/1a6/A6A b 0", "boom-b2", (1.0, -1.0)),
    ],
)
def test_who_has_tokens_left_wins(game, text, action, returns):
    position = played(game.parse(text), action)
    assert position.is_over
    assert position.returns == returns


def test_the_fourth_time_is_a_draw_and_the_start_counts(game):
    position = game.start()
    for ply, text in enumerate(["b1-c1", "b8-c8", "c1-b1", "c8-b8"] * 3, start=1):
        assert not position.is_over
        position = played(position, text)
        assert position.ply == ply
    assert position.is_over
    assert position.returns == (0.0, 0.0)
    assert position.key == game.start().key


def test_the_same_tokens_with_the_other_side_to_move_are_another_position(game):
    white, black = game.parse("8/8/8/8/8/8/1a6/A7 w 4"), game.parse("8/8/8/8/8/8/1a6/A7 b 4")
    assert white.key != black.key
    assert white.key == game.parse("8/8/8/8/8/8/1a6/A7 w 90").key


def test_the_last_ply_draws_unless_tokens_decide(game):
    position = game.parse("8/8/8/8/8/8/1a6/A6A b 499")
    assert played(position, "b2-c2").returns == (0.0, 0.0)
    assert played(position, "b2-c2").is_over
    assert played(position, "boom-b2").returns == (1.0, -1.0)
    assert not played(game.parse("8/8/8/8/8/8/1a6/A6A w 498"), "a1-a2").is_over
    assert game.parse("8/8/8/8/8/8/1a6/A6A b 500").is_over


# Declared facts ---------------------------------------------------------------------------------


def most_targets(tokens):
    """Count the squares a stack reaches on an empty board, at best."""

    def reached(x, y):
        return sum((a == x) != (b == y) and abs(a - x) + abs(b - y) <= tokens for a, b in CELLS)

    return max(reached(x, y) for x, y in CELLS)


@cache
def most_actions(tokens):
    """Return the most actions of at most so many tokens, over all ways to stack them."""
    return max(
        (
            1 + height * most_targets(height) + most_actions(tokens - height)
            for height in range(1, tokens + 1)
        ),
        default=0,
    )


def test_no_position_has_more_actions_than_promised_and_one_has_as_many(game):
    assert most_actions(12) == game.facts.branching == 171
    assert len(game.parse("8/8/8/3DD3/3D4/8/8/l7 w 0").legal_actions) == 171
    assert 1 + most_targets(1) + most_actions(11) == 161  # as a comment in `legal` states


def test_every_action_has_a_text_of_its_own_and_a_position_where_it_is_legal(game):
    texts = Counter(format_action(action) for action in range(game.facts.actions))
    assert len(texts) == game.facts.actions == 64 + 64 * 14 * 12
    legal = set()
    for square in range(64):
        enemy = (square + 9) % 64  # in another rank and another file
        rows = ["".join("L" if 8 * y + x == square else "a" if 8 * y + x == enemy else "."
                        for x in range(8)) for y in range(7, -1, -1)]  # fmt: skip
        legal |= set(game.parse(f"{'/'.join(rows)} w 0").legal_actions)
    assert legal == set(range(game.facts.actions))


def test_the_booms_come_first(game):
    texts = [game.start().format(action) for action in game.start().legal_actions]
    assert texts[:12] == [f"boom-{x}{y}" for y in "12" for x in "abdegh"]
    assert not any("boom" in text for text in texts[12:])


def test_the_planes_show_the_board_from_both_sides(game):
    position = game.parse("l7/8/8/8/8/8/8/AC6 w 250")
    own, enemy, own_tokens, enemy_tokens, to_move, plies = position.encode(0)
    assert own[7].tolist() == [1, 1, 0, 0, 0, 0, 0, 0]
    assert own.sum() == 2
    assert enemy[0, 0] == enemy.sum() == 1
    assert own_tokens[7, :2] == pytest.approx([1 / 12, 3 / 12])
    assert enemy_tokens[0, 0] == enemy_tokens.sum() == 1
    assert (to_move == 1).all()
    assert (plies == 0.5).all()
    other = position.encode(1)
    assert (other[:4] == position.encode(0)[[1, 0, 3, 2]]).all()
    assert (other[4] == 0).all()


def test_every_law_holds():
    laws = check(load_game("expendibots"), games=3, seed=5, timeout=120)
    assert [law.name for law in laws if law.failure] == []


# Texts and pictures -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "has 0 parts, not 3: rows from the top, w or b to move, plies played"),
        (START[:-2], "has 2 parts"),
        (START + " 0", "has 4 parts"),
        (START.replace("w", "x"), "'x' is to move; allowed: w, b"),
        (START[:-1] + "501", "'501' plies played; allowed: 0 to 500"),
        (START[:-1] + "-1", "'-1' plies"),
        (START[:-1] + "1.5", "'1.5' plies"),
        (START[:-1] + "²", "'²' plies"),
        ("8/8/8/8/8/8/8 w 0", "7 rows in '8/8/8/8/8/8/8'; the board has 8"),
        ("8/8/8/8/8/8/8/8/8 w 0", "9 rows"),
        ("8/8/7/8/8/8/8/8 w 0", "row 3 has 7 squares; the board has 8"),
        ("8/8/8/8/44A/8/8/8 w 0", "row 5 has more than 8 squares"),
        ("8/8//8/8/8/8/8 w 0", "row 3 has 0 squares"),
        ("8/3m4/8/8/8/8/8/8 w 0", "'m' at row 2, column 4; allowed: A to L, a to l"),
        ("8/8/8/8/8/8/8/9 w 0", "'9' at row 8, column 1"),
        ("8/8/8/8/8/8/8/٣5 w 0", "at row 8, column 1"),
        ("8/8/8/8/8/8/8/LA6 w 0", "White has 13 tokens; at most 12 are allowed"),
        ("8/8/8/8/8/8/8/ll6 w 0", "Black has 24 tokens"),
        ("8" * 100_000 + " w 0", "1 row in '8888"),
    ],
)
def test_a_text_that_is_no_position_is_refused(game, text, error):
    with pytest.raises(TextError) as caught:
        game.parse(text)
    assert error in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


@given(text=some.text() | some.text(alphabet="AaLl18/. wb0").map(lambda rows: f"{rows} w 0"))
def test_no_text_breaks_the_reader(game, text):
    try:
        position = game.parse(text)
    except TextError:
        return
    assert game.parse(position.to_text()) == position


@given(naive=armies())
def test_any_position_is_written_and_read(game, naive):
    position = game.parse(naive.text())
    assert position.to_text() == naive.text()
    assert naive.board == {
        (square & 7, square >> 3): int(rules.height(position.state, square))
        * (WHITE if position.state[rules.STACKS] >> square & 1 else BLACK)
        for square in range(64)
        if rules.height(position.state, square)
    }


def test_dots_and_capitals_are_read(game):
    assert game.parse("......../8/8/8/8/8/8/A......a W 0") == game.parse("8/8/8/8/8/8/8/A6a w 0")
    assert game.start().parse(" A1-A2 ") == game.start().parse("a1-a2")


def test_a_mistyped_action_is_answered_with_a_hint(game):
    with pytest.raises(IllegalActionError, match="did you mean 'boom-a1'"):
        game.start().parse("boom a1")


def test_the_terminal_board_shows_sides_and_heights(game):
    lines = str(game.parse("l7/8/8/8/8/8/8/AC6 w 0")).splitlines()
    assert lines[0] == "8 b12.  .  .  .  .  .  ."
    assert lines[7].split() == ["1", "w1", "w3", *"......"]
    assert lines[8].split() == list("abcdefgh")


def test_the_picture_shows_a_move_and_an_explosion(game):
    start = game.start()
    moved = played(start, "b1-c1")
    boomed = played(moved, "boom-a8")
    counts = []
    for position in (start, moved, boomed):
        root = ElementTree.fromstring(position._repr_svg_())
        counts.append(Counter(shape.tag.split("}")[1] for shape in root.iter()))
    # A token to show whose turn it is; 4 sparks for 4 tokens.
    assert [count["circle"] for count in counts] == [25, 25, 25]
    assert [count["line"] for count in counts] == [0, 0, 4 * 12]
    assert "#f2cf4a" not in start._repr_svg_()
    assert moved._repr_svg_().count("#f2cf4a") == 2
