"""What agents answer: numbers of any type become Python's, and wrong answers are their fault."""

import json

import numpy as np
import pytest

from plyground import Thought, load_agent, load_game, play_game
from plyground.agents.agent import Agent, Proof
from plyground.agents.thought import checked
from plyground.arena.record import Record
from plyground.errors import AgentError
from plyground.game import Solution
from plyground.session import Session

NUMPY = """
import numpy as np
from plyground import Agent, Thought
from plyground.agents.agent import Proof

class Player(Agent):
    name = "player"

    def choose(self, position, limit, seed):
        action = np.int64(position.legal_actions[0])
        return Thought(
            action, np.float32(0.5), {action: np.float64(1.0)},
            {"heat": np.arange(2), "share": np.float32(0.5), 3: float("nan"), "self": self},
            proof=Proof(np.float32(1.0), np.int32(5)), depth=np.int8(3), nodes=np.uint64(9),
            simulations=np.array(4), line=np.array([action]), seconds=np.float16(0.5),
        )
"""


def types_in(data):
    """Return all types that occur in a thought or in plain data."""
    if isinstance(data, Thought):
        data = {name: getattr(data, name) for name in Thought.__slots__}
    if isinstance(data, Proof):
        data = vars(data)
    if isinstance(data, dict):
        return {type(each) for each in data} | types_in(list(data.values()))
    if isinstance(data, list | tuple):
        return set().union(*map(types_in, data)) if data else set()
    return {type(data)}


@pytest.fixture
def numpy_agent(tmp_path):
    path = tmp_path / "numbers.py"
    path.write_text(NUMPY)
    return str(path)


def test_numbers_of_numpy_become_pythons_wherever_an_agent_is_asked(numpy_agent, run):
    game = load_game("connect_n")
    record = play_game(game, [numpy_agent, "random"], policies=True)
    assert record.fault is None
    assert record.values[0] == 0.5
    assert record.policies[0] == ((0, 1.0),)
    assert Record.from_json(json.loads(json.dumps(record.to_json()))) == record
    agent = load_agent(numpy_agent)
    with Session(game.start(), [None, agent], adviser=agent) as session:
        hint = session.hint()
        session.play(3)
        reply = session.reply()
        assert json.dumps(session.record().to_json())
    for thought in (hint, reply, agent.think(game.start()), *agent.analyse(game.start())):
        assert types_in(thought) <= {int, float, str, type(None)}
        assert (thought.action, thought.depth, thought.nodes, thought.simulations) == (0, 3, 9, 4)
        assert thought.info["heat"] == [0, 1]
        assert thought.info["3"] is None
    code, out, err = run("analyse", "connect_n", "--agent", numpy_agent, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["value"] == 0.5


WRONG = {
    "a text": ("Thought('3')", "its action is '3' (str), not a whole number"),
    "a fraction": ("Thought(3.5)", "its action is 3.5 (float), not a whole number"),
    "a float": ("Thought(np.float64(3))", "(float64), not a whole number"),
    "a truth": ("Thought(True)", "its action is True (bool), not a whole number"),
    "nothing": ("Thought(None)", "its action is None (NoneType), not a whole number"),
    "a list": ("Thought([3])", "its action is [3] (list), not a whole number"),
    "an array": ("Thought(np.arange(2))", "its action is array([0, 1]) (ndarray), not a whole"),
    "too much": ("Thought(10**30)", "not a whole number of 64 bits"),
    "far too much": ("Thought(10**5000)", "its action is what cannot be written (int)"),
    "a value in words": ("Thought(3, 'good')", "its value is 'good' (str), not a number"),
    "a true value": ("Thought(3, np.True_)", "not a number"),
    "values": ("Thought(3, np.zeros(2))", "its value is array([0., 0.]) (ndarray), not a number"),
    "a policy in a list": ("Thought(3, 0.0, [1.0])", "its policy is [1.0] (list), not a mapping"),
    "a policy of words": ("Thought(3, 0.0, {'a': 1.0})", "its policy's action is 'a' (str)"),
    "info in words": ("Thought(3, info='note')", "its info is 'note' (str), not a mapping"),
    "a proof": ("Thought(3, proof=1.0)", "its proof is 1.0 (float), not a Proof"),
    "a depth": ("Thought(3, depth=2.5)", "its depth is 2.5 (float), not a whole number"),
    "a line": ("Thought(3, line='33')", "its line is '33' (str), not a sequence of actions"),
    "solutions": ("Thought(3, values={3: 1.0})", "its values' entry is 1.0 (float), not a Sol"),
    "time": ("Thought(3, seconds=-1.0)", "its seconds are -1.0, not 0 or more"),
    "no time": ("Thought(3, seconds=float('nan'))", "its seconds are None, not 0 or more"),
    "no thought": ("np.int64(3)", "its answer is np.int64(3), not a Thought"),
}


class Answering(Agent):
    """Answers whatever is evaluated here, with the names of this file."""

    name = "answering"
    answer: str = ""

    def choose(self, position, limit, seed):
        return eval(self.answer, {"np": np, "Thought": Thought})


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_answer_is_the_players_fault(case):
    answer, reason = WRONG[case]
    record = play_game("connect_n", [Answering(answer=answer), "random"])
    assert (record.ending, record.fault) == ("failed", 0)
    assert reason in record.reason
    with pytest.raises(AgentError) as caught:
        Answering(answer=answer).think(load_game("connect_n").start())
    assert str(caught.value) == record.reason
    with pytest.raises(AgentError):
        list(Answering(answer=answer).analyse(load_game("connect_n").start()))


def test_a_wrong_answer_is_one_line_of_analyse(run, tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text(NUMPY.replace("np.float32(0.5), {", "'good', {"))
    for more in ((), ("--json",)):
        code, _, err = run("analyse", "connect_n", "--agent", str(path), *more)
        assert code == 2
        assert err == "error: its value is 'good' (str), not a number\n"


def test_numbers_that_are_not_finite_are_left_out_and_values_are_cut():
    nan, inf = float("nan"), float("inf")
    assert checked(Thought(1, nan)).value is None
    assert checked(Thought(1, -inf)).value is None
    assert checked(Thought(1, 10**400)).value is None
    assert checked(Thought(1, np.float32(7))).value == 1.0
    assert checked(Thought(1, policy={1: nan, 2: 0.5})).policy == {}
    assert checked(Thought(1, proof=Proof(nan))).proof is None
    assert checked(Thought(1, info={"a": [inf, {"b": {1}}]})).info == {"a": [None, {"b": "{1}"}]}
    solution = Solution(np.float64(1), np.int8(2), np.int8(3), [np.int8(4)], np.int8(5), 0.5)
    solved = checked(Thought(1, values={np.int8(1): solution})).values[1]
    assert [type(each) for each in vars(solved).values()] == [float, int, int, tuple, int, float]
    assert solved.line == (4,)
