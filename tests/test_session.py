"""A game in progress without a terminal: people and players, clocks, undo, hints, resignation."""

import sys
from pathlib import Path
from typing import ClassVar

import pytest

from plyground import Agent, Limit, Thought, load_agent, load_game
from plyground import session as module
from plyground.arena.record import PERSON, positions, read_text, write_text
from plyground.arithmetic import derive_seed
from plyground.errors import CannotPlayError, IllegalActionError, OptionError
from plyground.session import Session

BOT = Path(__file__).parent.parent / "examples" / "bots" / "random_bot.py"


class Clumsy(Agent):
    """Fails at its second move."""

    name = "clumsy"

    def choose(self, position, limit, seed):
        return Thought(position.legal_actions[0] if position.ply < 2 else 99)


@pytest.fixture
def clock(monkeypatch):
    """Return a clock for the people that is set by hand."""
    now = [0.0]
    monkeypatch.setattr(module, "perf_counter", lambda: now[0])
    return now


def test_people_and_players_play_to_the_end(connect_four):
    agent = load_agent("mcts(simulations=100)")
    with Session(connect_four.start(), [None, agent], seed=3) as session:
        while not session.is_over:
            if session.is_persons_turn:
                assert session.seat == 0
                session.play(session.position.legal_actions[0])
            else:
                thought = session.reply()
                assert session.moves[-1].thought is thought
        record = session.record()
        assert session.returns == session.position.returns == record.returns
    assert record.agents == (PERSON, repr(agent))
    assert positions(connect_four, record)[-1] == session.position
    assert read_text(write_text(record)).actions == record.actions


def test_a_session_plays_as_the_same_agents_do_elsewhere(connect_four):
    agents = [load_agent("mcts(simulations=80)"), load_agent("alphabeta(depth=3)")]

    def played():
        with Session(connect_four.start(), agents, seed=5) as session:
            while not session.is_over:
                session.reply()
            return [move.action for move in session.moves]

    assert played() == played()


def test_only_whose_turn_it_is_can_move(connect_four):
    session = Session(connect_four.start(), [None, load_agent("random")])
    with pytest.raises(CannotPlayError, match="a person's turn"):
        session.reply()
    with pytest.raises(IllegalActionError, match="action 9 is not legal"):
        session.play(9)
    session.play(3)
    with pytest.raises(CannotPlayError, match="not a person's turn"):
        session.play(3)
    with pytest.raises(CannotPlayError, match="a hint needs an adviser"):
        session.hint()
    with pytest.raises(OptionError, match="2 players, 1 seat given"):
        Session(connect_four.start(), [None])
    with pytest.raises(OptionError, match="2 players, 1 limit given"):
        Session(connect_four.start(), [None, None], [Limit()])


def test_a_hint_comes_from_a_player_of_its_own(connect_four):
    agent = load_agent("mcts(simulations=400)")
    session = Session(connect_four.start(), [None, agent], adviser=agent)
    session.play(3)
    session.reply()
    hint = session.hint(Limit(simulations=200))
    assert hint.info["reused"] == 0  # the opponent's tree has searched this position
    seed = derive_seed(session.seed, session.position.ply)
    alone = agent.think(session.position, Limit(simulations=200), seed)
    assert (hint.action, hint.policy) == (alone.action, alone.policy)
    session.play(hint.action)
    opponent = session.reply()
    assert opponent.info["reused"] > 0


def test_undo_goes_back_to_ones_own_previous_turn(connect_four):
    session = Session(connect_four.start(), [None, load_agent("greedy")])
    assert not session.undo(0)
    for column in (3, 2):
        session.play(column)
        session.reply()
    assert session.undo(0)
    assert (session.position.ply, session.seat, len(session.moves)) == (2, 0, 2)
    session.play(2)
    session.reply()
    assert len(session.moves) == 4


def test_a_resignation_ends_the_game_and_can_be_taken_back(connect_four):
    session = Session(connect_four.start(), [None, load_agent("greedy")])
    session.play(3)
    session.reply()
    with pytest.raises(CannotPlayError, match="seat 1 is not a person's"):
        session.resign(1)
    session.resign(0)
    assert session.is_over
    assert session.returns == (-1.0, 1.0)
    assert session.record().outcome == "player 1 resigned: gave up"
    with pytest.raises(CannotPlayError, match="the game is over"):
        session.play(3)
    assert session.undo(0)
    assert not session.is_over
    assert session.position.ply == 2  # only the resignation is taken back, not a move


def test_undo_without_a_seat_takes_back_the_last_persons_move(connect_four):
    session = Session(connect_four.start(), [None, None])
    assert not session.undo()
    session.play(3)
    session.play(4)
    assert session.undo()
    assert (session.position.ply, session.seat) == (1, 1)


def test_a_record_of_a_session_tells_bots_apart_by_their_files(connect_four, tmp_path):
    path = tmp_path / "bot.py"
    path.write_text(BOT.read_text())
    agents = [load_agent("remote", command=f"{sys.executable} {path}"), None]
    record = Session(connect_four.start(), agents).record()
    assert record.identities == (agents[0].identity(connect_four), PERSON)
    assert record.identities != record.agents


def test_an_agent_that_fails_forfeits(connect_four):
    session = Session(connect_four.start(), [Clumsy(), None])
    session.reply()
    session.play(0)
    assert session.reply() is None
    assert (session.ending, session.fault, session.returns) == ("illegal", 0, (-1.0, 1.0))


def test_an_error_of_the_rules_is_raised(connect_four, monkeypatch):
    session = Session(connect_four.start(), [load_agent("random"), None])
    monkeypatch.setattr(type(session.position), "observe", lambda self, seat: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        session.reply()
    assert session.fault is None


def test_a_persons_clock_runs_and_is_given_back_with_a_move(connect_four, clock):
    limits = [Limit(bank=10.0, grace=0.5), Limit()]
    session = Session(connect_four.start(), [None, None], limits, increment=1.0)
    for _ in range(2):
        session.play(3)
    clock[0] += 4
    assert session.seconds_left(0) == 6
    assert session.seconds_left(1) is None
    session.play(3)
    assert session.seconds_left(0) == 7
    clock[0] += 100
    session.play(3)
    clock[0] += 2
    assert session.seconds_left(0) == 5
    session.undo(1)
    assert session.seconds_left(0) == 7
    session.undo(0)
    assert session.seconds_left(0) == 10


def test_a_bank_is_not_touched_before_a_seats_first_move(connect_four, clock):
    limits = [Limit(bank=10.0, grace=0.5), Limit(bank=10.0, grace=0.5)]
    session = Session(connect_four.start(), [None, load_agent("random")], limits, increment=2.0)
    session.begin_with([3, 3, 2, 2])
    for play in (lambda: session.play(0), session.reply):
        assert session.seat_timed is None
        clock[0] += 60
        assert (session.seconds_left(0), session.seconds_left(1)) == (10, 10)
        assert not session.expire()
        play()
    clock[0] += 1
    assert (session.seat_timed, session.seconds_left(0), session.seconds_left(1)) == (0, 9, 10)
    assert session.undo(0)
    assert (session.seat_timed, session.seconds_left(0)) == (None, 10)


def test_a_person_who_is_late_has_lost(connect_four, clock):
    session = Session(connect_four.start(), [None, None], Limit(seconds=5.0, grace=0.5))
    clock[0] += 5.4
    assert not session.expire()
    session.play(3)
    assert session.position.ply == 1
    clock[0] += 5.6
    session.play(3)
    assert (session.position.ply, session.ending, session.fault) == (1, "late", 1)
    other = Session(connect_four.start(), [None, None], Limit(seconds=5.0))
    clock[0] += 6
    assert other.expire()
    assert (other.ending, other.fault, other.returns) == ("late", 0, (-1.0, 1.0))


def test_seats_see_only_their_own_view_until_the_game_is_over():
    game = load_game("tron(simultaneous=True, map=room, width=7, height=7)")
    with Session(game.start(), [None, load_agent("random")], seed=1) as session:
        assert session.view(0).observer == 0
        while not session.is_over:
            if session.is_persons_turn:
                session.play(session.view(0).legal_actions[0])
            else:
                session.reply()
        assert session.view(0).observer is None


def test_a_program_plays_a_whole_session_and_is_closed(connect_four):
    agent = load_agent("remote", command=f"{sys.executable} {BOT}")
    with Session(connect_four.start(), [None, agent]) as session:
        processes = []
        for column in (0, 1, 2):
            session.play(column)
            session.reply()
            processes.append(session._players[1].player.process)
        assert len(set(processes)) == 1
        session.undo(0)
        session.play(3)
        session.reply()
        assert session._players[1].player.process is not processes[0]
    assert session._players == {}
    assert session.record().reason == "the game was broken off"


class Noting(Agent):
    """Plays the first legal action, and notes the seeds that it is given."""

    name = "noting"
    seeds: ClassVar[list] = []

    def player(self, game, seat, seed, *, ponder):
        self.seeds.append(seed)
        return super().player(game, seat, seed, ponder=ponder)

    def choose(self, position, limit, seed):
        self.seeds.append(seed)
        return Thought(position.legal_actions[0])


def test_players_advisers_and_moves_have_seeds_of_their_own(connect_four, monkeypatch):
    seeds = []
    monkeypatch.setattr(Noting, "seeds", seeds)
    with Session(connect_four.start(), [Noting(), Noting()], seed=5) as session:
        for _ in range(6):
            session.reply()
    assert len(set(seeds)) == len(seeds) == 8
