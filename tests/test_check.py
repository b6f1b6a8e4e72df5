"""The laws of `check`: a good game passes, and each broken one fails exactly where it is broken."""

import json
import subprocess
import sys
from inspect import getfile
from pathlib import Path

import pytest

from plyground import check, load_game
from plyground.errors import GameError
from plyground.game.check import COMPILED, SEEDED, _Trial, random_game
from plyground.game.laws import LAWS
from plyground.game.mutants import MUTANTS
from plyground.game.streams import Streams
from plyground.registry import load_file

FOLDER = Path(__file__).parent / "games"
RULES, VIEWS, ADVICES, PLAY_OUTS, SMALL = (
    load_file(FOLDER / f"{file}.py")
    for file in (
        "broken_rules", "broken_views", "broken_advice", "broken_play_outs", "small_games",
    )
)  # fmt: skip

(
    LEGAL, ENDED, UNTOUCHED, RETURNS, TEXT, ACTIONS_TEXT, KEYS, VALUES, SYMMETRIES, PLANES, POLICY,
    CLICKS, HIDDEN, ADVICE, BOUNDS, FINISH,
) = LAWS  # fmt: skip

CHECK_CROWDED = """
import sys
from pathlib import Path
from plyground import check
from plyground.registry import load_file
game = load_file(Path(sys.argv[1])).CrowdedBranching()
print(*(law.name for law in check(game, games=5) if law.failure), sep="\\n")
"""


TRY = """
import json, sys
from pathlib import Path
from plyground.game.trial import Trial
from plyground.registry import load_file
for text in sys.argv[1:]:
    file, name = text.rsplit(":", 1)
    trial = Trial(getattr(load_file(Path(file)), name)(), Path(file).parent, timeout=60.0)
    trial.game.prepare()
    for seed in range(12):
        trial.play(seed)
    broken = [law.name for law in trial.laws.values() if law.failure]
    print(json.dumps([name, [broken, trial.streams.words()]]))
"""

READ = """
import json, sys
from pathlib import Path
from plyground.game.trial import Trial
from plyground.registry import load_file
games = load_file(Path(sys.argv[1]))
for name in sys.argv[2:]:
    law = Trial(getattr(games, name)(), Path(), 60.0).try_mutants(0, 100, lambda text: None)
    print(json.dumps([name, law.failure]))
"""


def broken(game, games=12):
    """Return the names of the laws that a game breaks."""
    return {law.name for law in check(game, games) if law.failure}


BROKEN = [
    (RULES.DescendingActions, {LEGAL}),
    (RULES.UndeclaredAction, {LEGAL}),
    (RULES.NeverFull, {ENDED}),
    (RULES.TooLong, {ENDED}),
    (RULES.ThirdPlayer, {ENDED}),
    (RULES.WritesSetup, {UNTOUCHED}),
    (RULES.DoubledReturns, {RETURNS}),
    (RULES.UnbalancedReturns, {RETURNS}),
    (VIEWS.ForgetfulText, {TEXT}),
    (VIEWS.TwoLines, {TEXT}),
    (VIEWS.AmbiguousActions, {TEXT, ACTIONS_TEXT, CLICKS}),  # the texts of lines and clicks, too
    (VIEWS.TwoWords, {TEXT, ACTIONS_TEXT}),
    (VIEWS.WeakKey, {KEYS}),
    (VIEWS.CertainHeuristic, {VALUES}),
    (VIEWS.WrongMirror, {SYMMETRIES}),
    (VIEWS.LoudPlanes, {PLANES}),
    (VIEWS.TalkativePlanes, {PLANES}),
    (VIEWS.ShiftedPlanes, {PLANES}),
    (VIEWS.CrowdedHead, {POLICY}),
    (VIEWS.NarrowHead, {POLICY}),
    (VIEWS.ShuffledHead, {POLICY}),
    (VIEWS.KnowingHead, {POLICY}),
    (VIEWS.SameClicks, {CLICKS}),
    (VIEWS.HastyClicks, {CLICKS}),
    (VIEWS.OutsideClicks, {CLICKS}),
    (VIEWS.ImpossibleGuess, {HIDDEN}),
    (VIEWS.BlindObserver, {HIDDEN}),
    (ADVICES.FiniteNever, {ADVICE}),
    (ADVICES.LoudBackwards, {ADVICE}),
    (ADVICES.LoudOutside, {ADVICE}),
    (ADVICES.NothingWise, {ADVICE}),
    (ADVICES.PlaysTaken, {ADVICE}),
    (ADVICES.GloomyBound, {BOUNDS}),
    (ADVICES.StaysOn, {ADVICE}),
    (PLAY_OUTS.GivesAll, {FINISH}),
    (PLAY_OUTS.ForgetsDiagonals, {FINISH}),
    (PLAY_OUTS.StopsEarly, {FINISH}),
    (VIEWS.Whimsical, {TEXT, SEEDED}),  # a text of a start is read by starting again
]
GOOD = (VIEWS.Mirrored, SMALL.Race, SMALL.Secret, SMALL.Ring, PLAY_OUTS.Finished)
STREAMS = [
    (PLAY_OUTS.VisibleStream, [4]),
    (PLAY_OUTS.RollsByItself, [4]),
    (PLAY_OUTS.HiddenStream, []),
    (PLAY_OUTS.Remembers, []),
    *((game, []) for game in GOOD),
]


@pytest.fixture(scope="module")
def broken_laws():
    """Return the laws that the compiled rules of each game break, by the game's name.

    All games are tried in one child process: two processes each, as in `check`, take a minute.
    """
    played = dict.fromkeys((*(game for game, _ in BROKEN), *(game for game, _ in STREAMS)))
    games = [f"{getfile(game)}:{game.__name__}" for game in played]
    done = subprocess.run([sys.executable, "-c", TRY, *games], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(map(json.loads, done.stdout.splitlines()))


@pytest.mark.parametrize(("game", "laws"), BROKEN)
def test_a_broken_game_fails_exactly_the_law_it_breaks(game, laws, broken_laws):
    assert set(broken_laws[game.__name__][0]) == laws


@pytest.mark.parametrize(("game", "words"), STREAMS)
def test_good_games_break_no_law_and_visible_random_streams_are_found(game, words, broken_laws):
    assert broken_laws[game.__name__] == [[], words]


@pytest.mark.parametrize(
    "spec",
    [
        "connect_n", "tron(map=small_room)", "sheep(size=5, cells=16, sheep=6)", "expendibots",
        "robots(rounds=3, board=maze, width=5, height=5, robots=2, cap=4)",
    ],
)  # fmt: skip
def test_the_games_of_the_package_show_no_random_stream(spec):
    game, streams = load_game(spec), Streams()
    for seed in range(3):
        for position in random_game(game, seed):
            streams.watch(position)
    assert streams.words() == []


def test_texts_that_the_rules_cannot_bear_must_be_refused(fresh_python):
    names = ("AnyWords", "Careless", "Checked", "Finished")
    done = fresh_python(READ, PLAY_OUTS.__file__, *names, NUMBA_DISABLE_JIT="1")
    assert done.returncode == 0, done.stderr
    words, careless, checked, finished = (json.loads(line)[1] for line in done.stdout.splitlines())
    assert words.endswith("refuse it in `read` or `check_words`")
    assert "must be refused by TextError, but gives ValueError" in careless
    assert (checked, finished) == ("", "")


def test_a_text_that_lets_the_rules_run_for_ever_is_quoted():
    trial = _Trial(PLAY_OUTS.NeverEnds(), 2.0)
    failure = trial.run(0, 1, compiled=False, mutants=200)["mutants"]["failure"]
    assert "is accepted: broken_play_outs.py" in failure
    assert "an endless loop?" in failure


def test_a_game_that_differs_with_the_compiler_on_and_off_breaks_that_law_alone():
    assert broken(VIEWS.WrapsInCompiledCode()) == {COMPILED}


def test_a_check_in_processes_of_its_own_finds_the_same():
    for game, laws in (BROKEN[0], BROKEN[-1]):
        assert broken(game()) == laws


def test_every_law_has_a_game_that_breaks_it():
    assert set().union(*(laws for _, laws in BROKEN)) == {*LAWS, SEEDED}


def test_more_legal_actions_than_declared_are_noticed(fresh_python):
    done = fresh_python(CHECK_CROWDED, RULES.__file__)
    assert LEGAL in done.stdout.splitlines(), f"exit status {done.returncode}"


def test_a_failure_quotes_the_position():
    (law,) = (law for law in check(RULES.DoubledReturns(), games=3) if law.name == RETURNS)
    assert law.failure.startswith(
        "returns (-2.0, 2.0) are not within -1..1, in doubled_returns at "
    )


def test_a_law_that_was_never_tried_does_not_hold(tic_tac_toe):
    laws = {law.name: law for law in check(tic_tac_toe, games=0)}
    assert not laws[LEGAL].holds
    assert laws[LEGAL].untested == "no random position met its condition"


def test_cases_count_positions_and_watch_is_called_after_every_game(tic_tac_toe):
    seen = []
    laws = {law.name: law for law in check(tic_tac_toe, games=4, watch=seen.append)}
    assert seen == [1, 2, 3, 4]
    assert laws[SEEDED].cases == 4
    assert 4 * 6 <= laws[LEGAL].cases <= 4 * 10


def test_an_error_in_a_games_own_python_is_a_broken_law_with_its_line():
    laws = {law.name: law for law in check(RULES.Stumbling(), games=1)}
    assert laws[TEXT].failure.startswith("broken_rules.py:")
    assert "KeyError" in laws[TEXT].failure


def test_warnings_name_what_is_allowed_but_probably_not_intended(tic_tac_toe):
    (heuristic,) = check(tic_tac_toe, games=2).warnings
    assert heuristic.startswith("no heuristic")
    report = check(RULES.LargeState(), games=2)
    laws = {law.name: law for law in report}
    assert (laws[VALUES].holds, laws[VALUES].untested) == (False, "no heuristic")
    assert laws[MUTANTS].holds
    _, key = report.warnings
    assert key.startswith("no kernel `key`")


def test_a_class_that_no_other_process_can_find_is_refused(tic_tac_toe):
    class Local(type(tic_tac_toe)):
        name = "local"

    with pytest.raises(GameError, match="a class at the top level of its module"):
        check(Local(), games=1)
