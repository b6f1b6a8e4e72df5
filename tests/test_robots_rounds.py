"""Robot Reboot in rounds: a new target is drawn, the robots stay, and draws are hidden."""

import json
from random import Random
from xml.etree import ElementTree

import pytest
from lines import continued
from naive_robots import NaiveRobots

from plyground import Limit, load_agent, load_game, play_game
from plyground.arena.record import FINISHED
from plyground.errors import OptionError, TextError
from plyground.games.robots.solve import can_be_solved
from plyground.studies.robots_uct import PLAYERS

SMALL = "robots(rounds=3, board=maze, width=4, height=4, robots=2, cap=5)"
HOUSES = "houses=yD1,*C3"
GOOD = f"9113/8002/8002/c446 yA1 gB4 y>D1 0 round=1 spent=0 {HOUSES} random=7"


def naive(position):
    return NaiveRobots(position.to_text(), position.game.cap, position.game.rounds)


# By hand ----------------------------------------------------------------------------------------


def test_a_robot_at_home_begins_the_next_round_and_all_stay_where_they_are():
    start = load_game(SMALL).parse(GOOD)
    after = continued(start, "gE", "yE")
    seen = naive(after)
    assert (after.is_over, seen.round, seen.spent, seen.moves) == (False, 2, 2, 0)
    assert seen.robots == [(3, 0), (3, 3)]
    assert (seen.house, seen.target) != ((3, 0), 0)
    assert after.game.score(after) == -2
    assert str(after).splitlines()[-1].startswith("   round 2 of 3: ")
    assert str(after).splitlines()[-1].endswith(", 0 of 5 moves, score -2")


def test_a_lost_round_costs_the_cap_and_the_next_begins():
    start = load_game(SMALL).parse(GOOD)
    after = continued(start, "gE", "gN", "gS", "gN", "gS")
    seen = naive(after)
    assert (seen.round, seen.spent, seen.moves, after.game.score(after)) == (2, 5, 0, -5)
    assert seen.robots == [(0, 0), (3, 3)]


@pytest.mark.parametrize(
    ("moves", "score", "outcome"),
    [(("yE",), -8, "solved after 1 move"), (("gE", "gN", "gS", "gN", "gS"), -12, "lost after 5")],
)
def test_the_last_round_ends_the_game_and_all_moves_count(moves, score, outcome):
    text = GOOD.replace("round=1 spent=0", "round=3 spent=7")
    end = continued(load_game(SMALL).parse(text), *moves)
    assert (end.is_over, end.game.score(end)) == (True, score)
    assert end.returns == pytest.approx((1 + 2 * score / 15,))
    assert f"round 3 of 3: {outcome}" in str(end)


def test_where_nothing_can_move_every_round_is_lost():
    game = load_game("robots(rounds=3, board=maze, width=4, height=4, robots=1, solvable=False)")
    boxed = game.parse("f913/9002/8002/c446 yA1 y>C3 0 round=1 spent=0 houses=yC3,yD4")
    assert (boxed.is_over, boxed.returns, game.score(boxed)) == (True, (-1.0,), -60)


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        (" round=1", "", "round=''; write a number from 1 to 3"),
        ("round=1", "round=4", "round='4'; write a number from 1 to 3"),
        ("round=1", "round=0", "round='0'"),
        ("spent=0", "spent=1", "spent='1'; write a number from 0 to 0"),
        ("round=1 spent=0", "round=3 spent=1", "spent='1'; write a number from 2 to 10"),
        ("round=1 spent=0", "round=3 spent=11", "spent='11'"),
        (f" {HOUSES}", "", "must have two houses for some robot"),
        (HOUSES, "houses=yD1,gA4", "must have two houses for some robot"),
        (HOUSES, "houses=gD1,*C3", "does not contain this round's house, yD1"),
        (HOUSES, "houses=rD1,*C3", "house 'rd1'; letters are y, g and"),
        (HOUSES, "houses=yD1,*E3", "not on the board"),
        (HOUSES, "houses=yD1,", "'' is not a place; write it as C2"),
        (HOUSES, "houses=yD1,*D1", "2 houses; at most 2, all at different places"),
        (HOUSES, "houses=yD1,*C3,gA4", "3 houses; at most 2"),
        ("random=7", "random=x", "random='x'"),
        ("random=7", f"random={2**63}", "write a number from"),
        ("random=7", "seed=7", "cannot read 'seed=7'; known: round=, spent="),
        ("random=7", "round=1", "cannot read 'round=1'"),
        ("yA1", "yD1", "round 1 of 3 is over; write the next round's start"),
        ("y>D1 0", "y>D1 5", "round 1 of 3 is over"),
    ],
)
def test_a_broken_text_is_refused(old, new, match):
    with pytest.raises(TextError, match=match):
        load_game(SMALL).parse(GOOD.replace(old, new))


def test_one_round_is_the_game_as_it_always_was():
    one, three = load_game("robots(rounds=1)"), load_game("robots(rounds=3)")
    assert (one, repr(one)) == (load_game("robots"), "robots")
    assert not one.facts.hidden
    for seed in range(5):
        text = one.start(seed).to_text()
        assert "round" not in text
        assert three.start(seed).to_text().startswith(f"{text} round=1 spent=0 houses=")
    with pytest.raises(TextError, match="11 words"):
        one.parse(three.start().to_text())


def test_rounds_of_a_robot_alone_are_not_promised_to_be_solvable():
    with pytest.raises(OptionError, match="with robots=1 needs solvable=False"):
        load_game("robots(rounds=2, robots=1)")


# The draw ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["robots(rounds=20)", "robots(rounds=20, board=classic)"])
def test_draws_are_for_a_robot_that_is_not_there_and_nearly_always_solvable(spec):
    game, random = load_game(spec), Random(3)
    position, number, drawn, solved = game.start(1), 1, set(), 0
    while not position.is_over:
        position = position.play(random.choice(position.legal_actions))
        seen = naive(position)
        if seen.round != number:
            number = seen.round
            drawn.add((seen.target, seen.house))
            assert seen.robots[seen.target] != seen.house
            assert {(seen.house, seen.target), (seen.house, -1)} & set(seen.houses)
            puzzle = game.puzzle(position)
            solved += can_be_solved(puzzle.setup, puzzle.state)
    assert number == 20
    assert len(drawn) > 8
    assert solved >= 17


def test_future_draws_are_hidden():
    """Two games that differ only in future draws look the same to players and searches."""
    game = load_game(SMALL)
    one, other = (game.parse(GOOD.replace("random=7", f"random={seed}")) for seed in (1, 99))
    assert one != other
    assert one.observe(0) == other.observe(0)
    assert "random" not in one.observe(0).to_text()
    for spec in ("mcts(simulations=300)", "alphabeta(depth=4)", "greedy", "perfect"):
        agent = load_agent(spec)
        thoughts = [agent.think(each.observe(0), seed=5).policy for each in (one, other)]
        assert thoughts[0] == thoughts[1]
    view = one.observe(0)
    ends = {continued(view.determinize(seed), "yE").to_text().split()[3] for seed in range(30)}
    assert len(ends) > 1


def test_analyse_does_not_foresee_it_either(run):
    output = []
    for seed in (1, 99):
        text = GOOD.replace("random=7", f"random={seed}")
        command = ("analyse", SMALL, "--agent", "alphabeta(depth=4)", "--position", text, "--json")
        code, out, _ = run(*command)
        assert code == 0
        last = json.loads(out.splitlines()[-1])
        output.append((last["action"], last["value"], last["nodes"]))
    assert output[0] == output[1]


# Agents and pictures ----------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["perfect", "shortest"])
def test_a_solver_solves_round_after_round(spec):
    game, agent = load_game("robots(rounds=3)"), load_agent(spec)
    for seed in (1, 2):
        position, fewest, number = game.start(seed), 0, 0
        while not position.is_over:
            seen = naive(position)
            if seen.round != number:
                number, puzzle = seen.round, game.puzzle(position)
                assert puzzle.game == load_game("robots")
                assert puzzle.game.position(puzzle.setup, puzzle.state) == puzzle
                assert puzzle.legal_actions == position.legal_actions
                fewest += game.solver().solve(position).score
            position = position.play(agent.think(position.observe(0), Limit(depth=12)).action)
        assert game.score(position) == -fewest


@pytest.mark.parametrize(
    "spec",
    [
        "random", "greedy", "rule", "rule(by=homing)", "alphabeta(depth=2)", "maxn(depth=2)",
        "mcts(simulations=50, playout=heuristic)",
        *(spec.replace("60000", "200").replace("6000", "200") for _, spec in PLAYERS),
    ],
)  # fmt: skip
def test_every_agent_plays_it_to_the_end(spec):
    record = play_game(load_game("robots(rounds=3, cap=8)"), [load_agent(spec)], seed=4)
    assert (record.ending, record.fault) == (FINISHED, None)
    assert 3 <= len(record.actions) <= 24


def test_searching_is_better_than_random_play_over_all_rounds():
    game = load_game("robots(rounds=3)")
    scores = {}
    for spec in ("random", "mcts(simulations=300, playout=homing)", "shortest"):
        agent, total = load_agent(spec), 0
        for seed in range(4):
            position = game.start(seed)
            while not position.is_over:
                position = position.play(agent.think(position.observe(0), seed=seed).action)
            total += game.score(position)
        scores[spec] = total / 4
    assert scores["random"] + 10 < scores["mcts(simulations=300, playout=homing)"]
    assert scores["random"] + 20 < scores["shortest"]


def test_the_picture_shows_the_round_and_the_house_of_it():
    position = continued(load_game(SMALL).parse(GOOD), "yE")
    root = ElementTree.fromstring(position._repr_svg_())
    texts = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert any(text.startswith("round 2 of 3: ") for text in texts)
