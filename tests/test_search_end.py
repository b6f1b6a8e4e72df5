"""Deepening ends where the game does, and a forced move is played at once but analysed in full."""

from pathlib import Path

import pytest
from lines import random_position

from plyground import Facts, Game, Limit, kernel, load_agent, load_game
from plyground.registry import load_file

SMALL = load_file(Path(__file__).parent / "games" / "small_games.py")
HEAP = 10

SEARCHES = ("alphabeta", "maxn")
FORCED = {
    "connect_n(width=4, height=4)": ("x1ox/o1ox/x1xx/ooxo", 3, 0.0),
    "sheep(players=2, size=5, cells=16, sheep=6)": ("bb.##/..b##/b.a##/#b2.a#/a2.aa# a", 2, 1.0),
}
"""Positions with one legal move: the plies to the end of every line, and the value."""


@pytest.mark.parametrize("agent", SEARCHES)
@pytest.mark.parametrize("spec", FORCED)
def test_a_forced_move_is_played_at_once_and_analysed_to_the_end(agent, spec):
    text, plies, value = FORCED[spec]
    position, search, limit = load_game(spec).parse(text), load_agent(agent), Limit(seconds=60)
    assert len(position.legal_actions) == 1
    assert search.think(position, limit).depth == 1
    *_, last = search.analyse(position, limit)
    assert (last.depth, last.value) == (plies, value)


@pytest.mark.parametrize(
    "agent", ["maxn", "alphabeta(exact=True)", "alphabeta(exact=True, aspiration=True)"]
)
def test_a_proved_draw_is_not_searched_past_the_end_of_the_game(agent):
    game, search = load_game("connect_n(width=4, height=4)"), load_agent(agent)
    drawn = 0
    for seed in range(12):
        position = random_position(game, seed, 7)
        if position.is_over or solved(position) != 0:
            continue
        drawn += 1
        *_, last = search.analyse(position, Limit(seconds=600))
        assert last.value == 0
        assert last.depth <= game.facts.longest - position.ply, repr(position)
    assert drawn > 4


def solved(position):
    """Return the value for the player to move, by following every line to its end."""
    if position.is_over:
        return position.returns[position.player]
    values = []
    for action in position.legal_actions:
        after = position.play(action)
        value = solved(after)
        values.append(value if after.player == position.player else -value)
    return max(values)


@pytest.mark.parametrize("agent", SEARCHES)
@pytest.mark.parametrize(
    ("spec", "plies", "depth"),
    [
        ("tron(map=room, width=6, height=6)", 3, 18),
        ("sheep(players=2, size=5, cells=16, sheep=6)", 7, 12),
        ("sheep(players=3, size=5, cells=16, sheep=5)", 9, 12),
    ],
)
def test_a_search_that_stops_early_knows_the_value(agent, spec, plies, depth):
    game, early = load_game(spec), 0
    whole = "alphabeta(prune=False, table=False)" if agent == "alphabeta" else "maxn(prune=False)"
    for seed in range(8):
        position = random_position(game, seed, plies)
        if position.is_over:
            continue
        thought = load_agent(agent).think(position, Limit(depth=depth))
        if thought.depth < depth:
            early += 1
            for further in (1, 2):
                limit = Limit(depth=thought.depth + further)
                again = load_agent(whole).think(position, limit)
                assert again.value == pytest.approx(thought.value, abs=1e-12)
    assert early > 3


@kernel("returns")
def nothing_returns(setup, state, out):
    out[0] = out[1] = 0.0


class Stroll(Game):
    """Take 1 to 3 counters; nobody wins. A heap can be reached in few moves or in many."""

    name = "stroll"
    kernels = SMALL.Race.kernels._replace(returns=nothing_returns)

    def measure(self):
        return Facts(players=2, actions=3, branching=3, longest=HEAP)

    def begin(self, seed):
        return [2, 0], [HEAP, 0, -1]


@pytest.mark.parametrize("agent", ["alphabeta(prune=False, step=2)", "maxn"])
def test_a_value_in_the_table_that_a_depth_cut_does_not_end_the_search(agent):
    thought = load_agent(agent).think(Stroll().start(), Limit(depth=1000))
    assert thought.info["table_hits"] > 0
    assert thought.depth == HEAP  # one counter at a time


def test_a_search_that_is_stopped_while_it_tries_a_null_move_ends_at_once():
    """It used to search a line more at every ply on its way back: for hours at great depths."""
    position = load_game("expendibots").parse("8/8/8/8/4a2A/8/8/8 w 0")
    agent = load_agent("alphabeta(unwise=suicides, quiet=4, evaluate=features)")
    for nodes in (5_000, 20_000, 40_000):
        assert nodes <= agent.think(position, Limit(nodes=nodes)).nodes < nodes + 50
