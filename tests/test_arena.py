"""Matches: fair seats, the same records for a seed, records that replay, and forfeits."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from plyground import (
    Agent,
    Limit,
    PlygroundError,
    Record,
    Thought,
    load_agent,
    play_game,
    play_match,
)
from plyground.arena.match import FINISHED, forfeited, open_game, positions
from plyground.arena.tournament import standings
from plyground.errors import CannotPlay
from plyground.options import load_file

SMALL = load_file(Path(__file__).parent / "games" / "small_games.py")


class Failing(Agent):
    """Raises what it is told to at its third move."""

    name = "failing"
    text: str = "out of ideas"

    def choose(self, position, limit, seed):
        if position.ply > 4:
            raise RuntimeError(self.text) if self.text else RuntimeError
        return Thought(position.legal_actions[0])


class Cheating(Agent):
    """Plays outside the board."""

    name = "cheating"

    def choose(self, position, limit, seed):
        return Thought(99)


class Silent(Agent):
    """Forgets to answer."""

    name = "silent"

    def choose(self, position, limit, seed):
        return None


class Telling(Agent):
    """Says how many simulations it may run, in hundreds."""

    name = "telling"

    def choose(self, position, limit, seed):
        return Thought(position.legal_actions[0], limit.simulations / 100)


def agents(*specs):
    return [load_agent(spec) for spec in specs]


def timeless(records):
    return [replace(record, seconds=()) for record in records]


# Matches ----------------------------------------------------------------------------------------


def test_seats_rotate_over_the_same_opening(connect_four):
    records = list(play_match(connect_four, agents("random", "greedy"), 6, seed=1, opening=4))
    for one, other in zip(records[::2], records[1::2], strict=True):
        assert one.entrants == (0, 1)
        assert other.entrants == (1, 0)
        assert one.agents == other.agents[::-1] == ("random", "greedy")
        assert one.opening == other.opening == 4
        assert one.actions[:4] == other.actions[:4]
    assert len({record.actions[:4] for record in records}) == 3


def test_three_seats_rotate_too():
    game = SMALL.Race()
    records = list(play_match(game, agents("random", "greedy", "mcts(simulations=20)"), 6))
    assert [record.entrants for record in records] == [(0, 1, 2), (1, 2, 0), (2, 0, 1)] * 2
    assert all(sum(record.returns) == 0 for record in records)


@pytest.mark.parametrize("spec", ["random", "alphabeta(depth=2)", "mcts(simulations=30)"])
def test_the_same_seed_gives_the_same_records(connect_four, spec):
    players = agents(spec, "greedy")
    first = timeless(play_match(connect_four, players, 3, seed=5))
    assert timeless(play_match(connect_four, agents(spec, "greedy"), 3, seed=5)) == first
    assert timeless(play_match(connect_four, players, 3, seed=5)) == first
    assert timeless(play_match(connect_four, players, 3, seed=6)) != first


def test_a_record_replays_to_the_same_end(connect_four, tic_tac_toe):
    for game in (connect_four, tic_tac_toe):
        watched = []
        record = play_game(game, agents("mcts(simulations=30)", "random"), watch=watched.append)
        line = positions(game, record)
        assert line[-1] == watched[-1]
        assert line[-1].is_over
        assert line[-1].returns == record.returns
        assert record.players == tuple(position.player for position in line[:-1])
        assert len(record.seconds) == len(record.values) == len(record.actions)
        assert record.ending == FINISHED
        assert Record(**json.loads(json.dumps(record.to_json()))).game == repr(game)


def test_an_opening_never_ends_the_game(tic_tac_toe):
    for seed in range(50):
        position = open_game(tic_tac_toe, seed, 8)
        assert not position.is_over
        assert position.ply <= 8
    assert open_game(tic_tac_toe, 0, 0) == tic_tac_toe.start()


def test_the_limit_reaches_the_agents(connect_four):
    record = play_game(connect_four, [Telling(), Telling()], Limit(simulations=5), opening=1)
    assert record.values[0] is None
    assert set(record.values[1:]) == {0.05}


def test_what_is_wrong_with_the_agents_is_said_before_a_game_is_played(connect_four):
    with pytest.raises(PlygroundError, match="is played by 2, 3 agents were given"):
        play_match(connect_four, agents("random", "random", "random"), 1)
    with pytest.raises(CannotPlay):
        play_match(SMALL.Race(), agents("random", "shortest", "random"), 1)


# Forfeits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        (Failing(), "failed: out of ideas"),
        (Failing(text=""), "failed: RuntimeError"),
        (Cheating(), "illegal action: '99' is not legal in connect_n at "),
        (Silent(), "failed: "),
    ],
    ids=repr,
)
def test_a_forfeit_is_recorded_with_its_reason_and_the_match_goes_on(connect_four, agent, reason):
    records = list(play_match(connect_four, [agent, load_agent("alphabeta(depth=1)")], 4))
    assert len(records) == 4
    for record in records:
        seat = record.entrants.index(0)
        assert record.ending.startswith(f"seat {seat + 1} {reason}")
        assert record.returns[seat] == -1
        assert record.returns[1 - seat] == 1
        assert not positions(connect_four, record)[-1].is_over
    table = {row.agent: row for row in standings([agent, load_agent("random")], records)}
    assert table[repr(agent)].forfeits == 4
    assert table["random"].forfeits == 0


def test_the_others_share_what_a_forfeit_loses():
    assert forfeited(SMALL.Race(players=3), 1) == (0.5, -1.0, 0.5)
    assert forfeited(SMALL.Race(players=2), 0) == (-1.0, 1.0)
