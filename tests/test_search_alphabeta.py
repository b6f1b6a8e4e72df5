"""Alpha-beta: values of plain minimax, quick wins, delayed losses, limits."""

from pathlib import Path
from random import Random

import pytest
from lines import played, random_position
from naive_connect_n import NaiveConnectN

from plyground import Limit, load_agent, load_game
from plyground.control import CONTROL_SIZE, STOP
from plyground.registry import load_file
from plyground.search.timing import Timer

SMALL = load_file(Path(__file__).parent / "games" / "small_games.py")


def proved_plies(thought):
    """Return how many plies away the end is, where that is proved; the value must agree."""
    if thought.proof is None:
        return None
    assert thought.proof.value == thought.value
    return thought.proof.plies


def minimax(position, depth, viewer, evaluator, ply=0):
    """Return (value, plies to a forced end) for the viewer, by searching every line.

    The heuristic at the leaves is always the viewer's. A sure win counts more the sooner it comes.
    """
    if position.is_over:
        result = position.returns[viewer]
        return result, (ply if abs(result) == 1 else None)
    if depth == 0:
        return position.evaluate(evaluator)[viewer], None
    found = [
        minimax(position.play(action), depth - 1, viewer, evaluator, ply + 1)
        for action in position.legal_actions
    ]
    return max(found, key=rank) if position.player == viewer else min(found, key=rank)


def rank(found):
    value, plies = found
    return value + (value * (1000 - plies) if plies is not None else 0)


def agree(position, depth, agent, evaluator):
    thought = agent.think(position, Limit(depth=depth))
    value, plies = minimax(position, depth, position.player, evaluator)
    assert (thought.value, proved_plies(thought)) == (value, plies), repr(position)
    after = position.play(thought.action)
    assert minimax(after, depth - 1, position.player, evaluator, 1) == (value, plies)


@pytest.mark.parametrize("table_bits", [1, 8, 16])
@pytest.mark.parametrize(
    "spec",
    [
        "connect_n(width=4, height=4, n=3)",
        "connect_n(width=3, height=5)",
        "connect_n(width=5, height=4)",
    ],
)
def test_value_and_choice_are_those_of_minimax(spec, table_bits):
    game = load_game(spec)
    agent = load_agent("alphabeta", exact=True, table_bits=table_bits)
    evaluator = game.evaluator()
    for seed in range(30):
        position = random_position(game, seed, plies=seed % 12)
        if len(position.legal_actions) > 1:
            agree(position, 1 + seed % 5, agent, evaluator)


@pytest.mark.parametrize("table_bits", [1, 8])
def test_two_turns_in_a_row_are_searched_as_minimax_does(table_bits):
    agent = load_agent("alphabeta", exact=True, table_bits=table_bits)
    for heap in range(2, 12):
        game = SMALL.Race(players=2, heap=heap, again=True)
        for depth in (1, 2, 3, 12):
            agree(game.start(), depth, agent, game.evaluator())


def test_a_forced_move_is_valued_as_deep_as_any_other(connect_four):
    text = "1oxoxox/1oxoxox/1xoxoxo/1xoxoxo/1oxoxox/xoxoxox"
    position = connect_four.parse(text)
    assert position.legal_actions == (0,)
    agree(position, 4, load_agent("alphabeta(exact=True)"), connect_four.evaluator())


def test_one_agent_thinks_hundreds_of_times_and_always_the_same(connect_four):
    agent = load_agent("alphabeta(depth=3, table_bits=4)")
    position = played(connect_four, 3, 2)
    thoughts = [agent.think(position) for _ in range(300)]
    assert len({(thought.action, thought.value) for thought in thoughts}) == 1
    assert len({thought.nodes for thought in thoughts}) == 1


@pytest.mark.parametrize(
    ("width", "height", "value"),
    [(4, 4, 0), (5, 4, 0), (6, 4, -1), (4, 5, 0), (5, 5, 0), (4, 6, 0), (4, 7, 0)],
)
def test_small_boards_have_their_known_values(width, height, value):
    game = load_game("connect_n", width=width, height=height)
    step = 1 if width * height % 4 else 4
    agent = load_agent(
        "alphabeta(exact=True, depth=64, evaluate=nothing)", table_bits=22, step=step
    )
    thought = agent.think(game.start())
    assert thought.value == value
    assert thought.depth == width * height


def solve(board, known):
    """Return (value for the side to move, plies to the end) by the naive rules."""
    if board.is_over():
        return (-1 if board.winner else 0), 0
    text = board.text()
    if text not in known:
        found = []
        for column in board.legal():
            board.play(column)
            value, plies = solve(board, known)
            board.undo(column)
            found.append((-value, plies + 1))
        known[text] = max(found, key=lambda each: (each[0], -each[0] * each[1]))
    return known[text]


@pytest.mark.parametrize(("width", "height"), [(3, 3), (4, 3), (3, 4), (5, 3), (4, 4)])
def test_boards_for_three_are_worth_what_the_naive_rules_say(width, height):
    known = {}
    solve(NaiveConnectN(width, height, 3), known)
    game = load_game("connect_n", width=width, height=height, n=3)
    agent = load_agent("alphabeta(depth=20, evaluate=nothing)")
    for text in [game.start().to_text(), *Random(1).sample(sorted(known), 40)]:
        position = game.parse(text)
        if len(position.legal_actions) > 1:
            thought = agent.think(position)
            value, plies = known[text]
            assert thought.value == value, text
            assert proved_plies(thought) == (plies if value else None), text


def test_tic_tac_toe_is_a_draw(tic_tac_toe):
    thought = load_agent("alphabeta(depth=9)").think(tic_tac_toe.start())
    assert thought.value == 0
    assert proved_plies(thought) is None


def test_a_sure_win_is_hurried_and_a_sure_loss_delayed(connect_four):
    agent = load_agent("alphabeta(depth=8)")
    position = played(connect_four, 3, 0, 2, 0)
    for plies in (3, 2, 1):
        thought = agent.think(position)
        assert abs(thought.value) == 1
        assert proved_plies(thought) == plies
        position = position.play(thought.action)
    assert position.is_over
    assert position.returns == (1.0, -1.0)


def test_a_threat_is_met_before_one_of_ones_own_is_made(connect_four):
    position = played(connect_four, 0, 6, 0, 6, 0)
    assert load_agent("alphabeta(depth=2)").think(position).action == 0


# Earlier searches of the same player -------------------------------------------------------------


def nodes_of_two_searches(agent, first, second):
    with load_agent(agent).sit(first.game, first.player) as player:
        return [player.think(position).nodes for position in (first, second)]


def test_a_player_uses_what_its_earlier_searches_found(connect_four):
    start = connect_four.start()
    first, again = nodes_of_two_searches("alphabeta(depth=8)", start, start)
    assert again < first / 2
    first, again = nodes_of_two_searches("alphabeta(depth=8, exact=True)", start, start)
    assert again == first


def test_nothing_is_taken_over_from_another_seat_or_board(connect_four):
    start = connect_four.start()
    rooms = load_game("tron(map=room, width=9, height=9, obstacles=20)")
    for one, other in ((start, start.play(3)), (rooms.start(1), rooms.start(2))):
        alone = load_agent("alphabeta(depth=6)").think(other).nodes
        assert nodes_of_two_searches("alphabeta(depth=6)", one, other)[1] == alone


# Limits -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("nodes", [1, 10, 1000, 20000])
def test_the_search_ends_within_a_line_of_its_node_limit(connect_four, nodes):
    thought = load_agent("alphabeta").think(connect_four.start(), Limit(nodes=nodes))
    assert thought.nodes <= nodes + thought.depth + 1
    assert thought.action in range(7)


@pytest.mark.parametrize("text", ["o2o1/xx1x1/xoxxo/xoxoo", "o3o/x1o1x/o1xoo/xxoxx"])
def test_a_search_cut_short_claims_no_loss_it_has_not_proved(text):
    position = load_game("connect_n(width=5, height=4)").parse(text)
    agent = load_agent("alphabeta(depth=20, evaluate=nothing, table_bits=16)")
    proved = agent.think(position)
    for nodes in range(5, 400, 3):
        thought = agent.think(position, Limit(nodes=nodes))
        if proved_plies(thought) is not None:
            assert thought.value == proved.value, f"{nodes} nodes"


def test_work_stops_on_request_and_its_error_is_raised():
    stop = [0] * CONTROL_SIZE

    def wait():
        while not stop[0]:
            pass

    assert len(list(Timer(0.3, every=0.05).run(wait, stop))) >= 2
    assert stop[STOP] == 1
    with pytest.raises(ZeroDivisionError):
        list(Timer().run(lambda: 1 // 0, stop))


def test_the_line_it_shows_can_be_played(connect_four):
    for seed in range(10):
        position = random_position(connect_four, seed, plies=20)
        thought = load_agent("alphabeta(depth=6)").think(position)
        assert thought.line[0] == thought.action
        for action in thought.line:
            position = position.play(action)
