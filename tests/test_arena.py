"""Matches: fair seats, repeatable records, records that replay, and forfeits."""

import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from plyground import (
    Agent,
    Limit,
    Player,
    PlygroundError,
    Record,
    Thought,
    load_agent,
    load_game,
    play_game,
    play_match,
)
from plyground.arena.match import forfeited
from plyground.arena.opening import open_game
from plyground.arena.record import ADJUDICATED, FINISHED, positions, read_text, write_text
from plyground.arena.tournament import standings
from plyground.arithmetic import derive_seed, seed_deriver
from plyground.errors import AgentError, CannotPlayError
from plyground.game import Facts
from plyground.registry import load_file

SMALL = load_file(Path(__file__).parent / "games" / "small_games.py")


class Failing(Agent):
    """Raises a given exception at its third move."""

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


class Leaving(Agent):
    """Ends the program, as a beginner's bot may."""

    name = "leaving"

    def choose(self, position, limit, seed):
        sys.exit("goodbye")


class Absent(Agent):
    """Fails when its player is made."""

    name = "absent"

    def choose(self, position, limit, seed):
        raise NotImplementedError

    def sit(self, game, seat, seed=0, *, ponder=False):
        raise RuntimeError("no chair")


class Confessing(Agent):
    """Raises a fault of its own kind."""

    name = "confessing"

    def choose(self, position, limit, seed):
        raise AgentError("late", "overslept")


class Sleepy(Agent):
    """Sleeps before each move."""

    name = "sleepy"
    seconds: float = 0.0

    def choose(self, position, limit, seed):
        LIMITS.append(limit)
        time.sleep(self.seconds)
        return Thought(position.legal_actions[0], float("nan"))


LIMITS = []


class Guest(Agent):
    """Has players that log when they are made and closed."""

    name = "guest"

    def player(self, game, seat, seed, *, ponder):
        return Seated(self, game, seat, seed)


class Seated(Player):
    def __init__(self, agent, game, seat, seed):
        super().__init__(agent, game, seat, seed)
        VISITS.append(("sits", seat))

    def choose(self, position, limit, seed):
        if position.ply == 6:
            raise KeyboardInterrupt
        return Thought(position.legal_actions[self.seat])

    def close(self, returns=None):
        VISITS.append(("leaves", self.seat, returns))


VISITS = []


class Telling(Agent):
    """Reports its limit of simulations, in hundreds, as its value."""

    name = "telling"

    def choose(self, position, limit, seed):
        return Thought(position.legal_actions[0], limit.simulations / 100)


def agents(*specs):
    return [load_agent(spec) for spec in specs]


def timeless(records):
    return [replace(record, seconds=(0.0,) * len(record.actions)) for record in records]


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


def test_a_match_ends_its_games_after_a_number_of_plies(connect_four):
    records = list(play_match(connect_four, agents("random", "random"), 4, max_plies=5))
    assert [(len(each.actions), each.ending) for each in records] == [(5, ADJUDICATED)] * 4


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


def test_a_seed_gives_the_game_that_earlier_versions_played(connect_four):
    record = play_game(connect_four, agents("random", "random"), seed=1, number=2, opening=2)
    actions = 5, 0, 3, 4, 6, 2, 2, 5, 1, 5, 5, 4, 0, 2, 1, 3, 0, 3, 0, 2, 5, 4
    assert record.actions == actions
    assert record.returns == (-1.0, 1.0)


@pytest.mark.parametrize("seeds", [(0,), (2**63 - 1, 10)])
def test_seeds_that_differ_in_the_last_part_are_derived_together(seeds):
    derive = seed_deriver(*seeds)
    for last in (0, 7, 42, -1, 2**64 - 1):
        assert derive(last) == derive_seed(*seeds, last)


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
        assert Record.from_json(json.loads(json.dumps(record.to_json()))) == record
        assert read_text(write_text(record)) == record


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


def test_wrong_agents_are_reported_before_a_game_is_played(connect_four):
    with pytest.raises(PlygroundError, match="has 2 players, 3 agents given"):
        play_match(connect_four, agents("random", "random", "random"), 1)
    with pytest.raises(CannotPlayError):
        play_match(SMALL.Race(), agents("random", "shortest", "random"), 1)


# Forfeits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("agent", "fault", "reason"),
    [
        (Failing(), "failed", "RuntimeError: out of ideas (test_arena.py, line "),
        (Failing(text=""), "failed", "RuntimeError"),
        (Failing(text="a\nb\0c" + 1000 * "d"), "failed", "RuntimeError: a b?cddd"),
        (Cheating(), "illegal", "action 99 is not legal in connect_n at "),
        (Silent(), "failed", "its answer is None, not a Thought"),
        (Leaving(), "failed", "SystemExit: goodbye (test_arena.py, line "),
        (Absent(), "failed", "RuntimeError: no chair (test_arena.py, line "),
        (Confessing(), "late", "overslept"),
    ],
    ids=repr,
)
def test_a_forfeit_is_recorded_with_its_reason_and_the_match_goes_on(
    connect_four, agent, fault, reason
):
    records = list(play_match(connect_four, [agent, load_agent("alphabeta(depth=1)")], 4))
    assert len(records) == 4
    for record in records:
        seat = record.entrants.index(0)
        assert record.fault == seat
        assert record.ending == fault
        assert record.reason.startswith(reason)
        assert len(record.reason) <= 500
        assert read_text(write_text(record)) == record
        assert record.returns[seat] == -1
        assert record.returns[1 - seat] == 1
        assert not positions(connect_four, record)[-1].is_over
    table = {row.agent: row for row in standings([agent, load_agent("random")], records)}
    assert table[repr(agent)].forfeits == 4
    assert table["random"].forfeits == 0


def test_the_others_share_the_points_that_a_forfeit_loses():
    assert forfeited(SMALL.Race(players=3).start(), 1) == (0.5, -1.0, 0.5)
    assert forfeited(SMALL.Race(players=2).start(), 0) == (-1.0, 1.0)


def test_a_forfeit_is_within_the_bounds_of_returns_whatever_places_are_worth():
    """Only the last place is worth less: it is farther from the mean than the first one."""
    game = SimpleNamespace(
        facts=Facts(players=4, actions=1, branching=1, longest=1, places=(3.0, 3.0, 3.0, 0.0)),
        standing=lambda position: [0.0, 1.0, 2.0, 3.0],
    )
    returns = forfeited(SimpleNamespace(game=game), 3)
    assert returns == pytest.approx((1 / 3, 1 / 3, 1 / 3, -1.0))


# Seats, clocks and caps -------------------------------------------------------------------------


def test_every_player_is_closed_whatever_happens(connect_four):
    VISITS.clear()
    play_game(connect_four, [Guest(), load_agent("random")], max_plies=3)
    assert VISITS == [("sits", 0), ("leaves", 0, (0.0, 0.0))]
    VISITS.clear()
    with pytest.raises(KeyboardInterrupt):
        play_game(connect_four, [Guest(), Guest()])
    left = [("leaves", seat, (0.0, 0.0)) for seat in (0, 1)]
    assert [("sits", 0), ("sits", 1), *left] == VISITS
    VISITS.clear()
    play_game(connect_four, [Guest(), Cheating()])
    assert VISITS == [("sits", 0), ("leaves", 0, (1.0, -1.0))]


def test_a_cap_on_plies_makes_a_draw(connect_four):
    record = play_game(connect_four, agents("random", "random"), max_plies=5)
    assert record.ending == ADJUDICATED
    assert record.returns == (0.0, 0.0)
    assert len(record.actions) == 5
    assert record.fault is None
    assert record.outcome == "adjudicated: a draw after 5 plies"
    assert read_text(write_text(record)) == record


def test_a_player_that_takes_longer_than_allowed_is_late(connect_four):
    slow, quick = Sleepy(seconds=0.2), Sleepy()
    record = play_game(connect_four, [quick, slow], Limit(seconds=0.01), max_plies=2)
    assert (record.ending, record.fault) == ("late", 1)
    assert record.reason.startswith("took 0.2")
    record = play_game(connect_four, [slow, quick], Limit(0.01, grace=9.0), max_plies=2)
    assert record.ending == ADJUDICATED
    assert set(record.values) == {None}  # what is no number is not kept


def test_a_bank_is_shared_out_charged_and_filled_up(connect_four):
    LIMITS.clear()
    limit = Limit(bank=10.0, grace=9.0)
    play_game(connect_four, [Sleepy(seconds=0.1)] * 2, limit, max_plies=4)
    for limit in LIMITS:
        assert 0.1 < limit.seconds < 1.0
        assert 3 * limit.seconds < limit.most < limit.bank / 4
    assert [round(limit.bank) for limit in LIMITS] == [10] * 4
    assert 9.0 < LIMITS[3].bank < 9.9 < LIMITS[1].bank
    LIMITS.clear()
    play_game(connect_four, [Sleepy(seconds=0.1)] * 2, Limit(bank=1.0), increment=5.0, max_plies=4)
    assert LIMITS[0].bank == 1.0
    assert 5.0 < LIMITS[2].bank < 5.9
    record = play_game(connect_four, [Sleepy(seconds=0.3)] * 2, Limit(bank=0.5, grace=0.0))
    assert (record.ending, record.fault, len(record.actions)) == ("late", 0, 2)


def test_searchers_keep_within_a_bank(connect_four):
    players = agents("alphabeta", "mcts(nodes=20000)")
    for bank in (0.02, 0.5):
        record = play_game(connect_four, players, Limit(bank=bank, grace=1.0), opening=2)
        assert record.ending == FINISHED
        for seat in (0, 1):
            plies = [ply for ply, player in enumerate(record.players) if player == seat]
            assert sum(record.seconds[ply] for ply in plies) < bank + 1.0


# Records ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec",
    ["connect_n(width=9, n=5)", "expendibots", "robots", "sheep(players=3)", "sheep(hidden=True)",
     "tron(simultaneous=True)"],
)  # fmt: skip
def test_records_of_every_game_are_read_back_and_replay(spec):
    game = load_game(spec)
    players = [load_agent("random")] * game.facts.players
    record = play_game(game, players, seed=3, opening=3, max_plies=40)
    last = positions(game, record)[-1]
    data = json.loads(json.dumps(record.to_json()))
    for again in (Record.from_json(data), read_text(write_text(record))):
        assert again == record
        assert positions(load_game(again.game), again)[-1] == last


def test_a_game_from_a_file_is_found_again(example):
    record = play_game(load_game(str(example)), agents("random", "random"))
    assert positions(load_game(record.game), record)[-1].is_over


BROKEN = {
    "not an object": lambda data: [1],
    "a field too many": lambda data: data | {"sed": 1},
    "a field missing": lambda data: {name: data[name] for name in data if name != "seed"},
    "a wrong type": lambda data: data | {"seed": "1"},
    "a number that is none": lambda data: data | {"returns": [float("nan"), 0]},
    "lengths": lambda data: data | {"values": data["values"][1:]},
    "an unknown ending": lambda data: data | {"ending": "finishd"},
    "a seat that is none": lambda data: data | {"fault": 2},
    "a player that is none": lambda data: data | {"players": [7] * len(data["players"])},
    "too long an opening": lambda data: data | {"opening": 99},
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_record_is_refused_in_one_line(connect_four, case):
    data = play_game(connect_four, agents("random", "random")).to_json()
    with pytest.raises(PlygroundError) as output:
        Record.from_json(BROKEN[case](data))
    assert "record" in str(output.value)
    assert "\n" not in str(output.value)


@pytest.mark.parametrize(
    ("old", "new"),
    [("[Seed ", "[Sed "), ("1. ", "2. "), ("1. ", "1. 9"), ('"0"', '"zero"'), ("[Game ", "Game ")],
)
def test_a_broken_text_is_refused(connect_four, old, new):
    text = write_text(play_game(connect_four, agents("random", "random")))
    with pytest.raises(PlygroundError):
        read_text(text.replace(old, new, 1))
