"""Tuning: a search over an agent's numbers, whose candidates are scored by games.

A generation of candidates plays fixed opponents from the same random starts, or these and each
other in a tournament. The best play a final against the opponents from fresh starts, and its winner
is tested against the original agent. In a game of more than two players a candidate has opponents
in all other seats, and there is no test. Every step is a tournament and the search is a function of
its options, so that it can be resumed from stored games.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import cycle, islice
from typing import Any, NamedTuple

from plyground.agents import load_agent
from plyground.arena.match import start_seed
from plyground.arena.opening import RANDOM, RULES, check_rule
from plyground.arena.plan import CLOCKS, Tournament
from plyground.arena.ratings import Outcome, rate
from plyground.arena.record import Record
from plyground.arena.sprt import expected
from plyground.arena.tournament import Standing, Standings
from plyground.errors import OptionError, PlygroundError
from plyground.games import load_game
from plyground.options import Kind, Options, option
from plyground.tune.dials import Parameter, read_parameter

SAMPLERS = ("genetic", "cmaes")
FINALISTS = 5
LONGER = 5
"""Factor on the games of the final, as the best of many candidates was also the luckiest."""

TOURNAMENTS = ("gauntlet", "round_robin", "swiss")
"""Formats of a generation: a gauntlet against the opponents, or a tournament of all."""

SEARCH, FINAL, TEST = range(3)
"""Stages of tuning; each has its own random starts."""

Play = Callable[[Tournament], Iterable[Record]]
"""Function that yields a tournament's games, played here, by workers or read from a store."""


class Candidate(NamedTuple):
    """An agent with other numbers, and its score in its generation."""

    agent: str
    games: int
    score: float
    """Against the opponents; if all play each other, expected by Elo against the first of them."""


@dataclass
class Mirrors:
    """Counts starts from which agents played the same game twice, in other seats.

    Their different numbers did not change a move there. If that is common, the numbers hardly
    matter, or their ranges are too narrow.
    """

    starts: int = 0
    alike: int = 0
    _first: dict[Any, tuple[int, ...]] = field(default_factory=dict)

    def add(self, record: Record) -> None:
        """Count a game; the second one of the same agents from a start completes a pair."""
        key = record.seed, frozenset(record.agents)
        if key in self._first:
            self.starts += 1
            self.alike += self._first.pop(key) == record.actions
        else:
            self._first[key] = record.actions

    @property
    def share(self) -> float:
        return self.alike / self.starts if self.starts else 0.0


class Tuning(Options):
    """Everything that determines a search; its `repr` is its identity."""

    name = "tuning"

    game: str = option(kind=Kind.GAME, help="the game's spec")
    agent: str = option(kind=Kind.AGENT, help="the agent to tune")
    over: tuple[str, ...] = option(help="NAME, NAME=LOW..HIGH or NAME=LOW..HIGH,log, per number")
    opponents: tuple[str, ...] = option(
        (), kind=Kind.AGENT, help="opponents of the candidates; by default the agent itself"
    )
    sampler: str = option("genetic", choices=SAMPLERS, help="search method")
    trials: int = option(200, low=1, help="number of candidates to try")
    population: int = option(20, low=2, help="candidates per generation")
    tournament: str = option("gauntlet", choices=TOURNAMENTS, help="format of a generation's games")
    games: int = option(40, low=2, help="games per pairing")
    opening: int = option(4, low=0, help="random plies before the agents take over")
    opening_rule: str = option(
        RANDOM, choices=RULES, help="random openings: any, or only about even ones"
    )
    seconds: float | None = option(None, help="thinking time per move")
    seed: int = option(0, low=0, help="random seed: the same seed repeats the search")
    clock: str = option("wall", choices=CLOCKS, help="elapsed time, or the player's CPU time")
    ponder: bool = option(False, help="programs may compute while it is not their turn")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "game", repr(load_game(self.game)))
        object.__setattr__(self, "agent", repr(load_agent(self.agent)))
        others = tuple(repr(load_agent(spec)) for spec in self.opponents or (self.agent,))
        object.__setattr__(self, "opponents", others)
        if self.players == 1:
            raise OptionError(f"tuning needs a game of two or more players; {self.game} has 1")
        if self.players > 2 and self.tournament != "gauntlet":
            raise OptionError(f"tournament {self.tournament} needs a game of two players")
        if self.players > 2 and len(others) >= self.players:
            raise OptionError(f"{self.game} has seats for {self.players - 1} opponents at most")
        check_rule(load_game(self.game), self.opening_rule)
        if self.games % self.players:
            multiple = f"a multiple of {self.players}"
            raise OptionError(f"games must be {multiple}, so that all have each seat equally often")
        names = [parameter.name for parameter in self.parameters]
        if not names:
            raise OptionError("nothing to tune: name options by --over NAME=LOW..HIGH")
        if len(set(names)) < len(names):
            raise OptionError(f"{max(names, key=names.count)} is named twice")
        if self.sampler == "cmaes" and len(names) < 2:
            raise OptionError("cmaes needs two or more numbers; for one, use the sampler genetic")

    @cached_property
    def players(self) -> int:
        """The number of players in a game."""
        return load_game(self.game).facts.players

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The numbers to tune."""
        game, agent = load_game(self.game), load_agent(self.agent)
        return tuple(read_parameter(text, game, agent) for text in self.over)

    def candidate(self, values: dict[str, float]) -> str:
        """Return the agent with these numbers, by name, rounded to four digits."""
        game, agent = load_game(self.game), load_agent(self.agent)
        for parameter in self.parameters:
            value = values[parameter.name]
            rounded = value if parameter.whole else float(f"{value:.4g}")
            agent = parameter.set(game, agent, rounded)
        return repr(agent)

    def values(self, agent: str) -> dict[str, float | None]:
        """Return a candidate's numbers, by name."""
        game, loaded = load_game(self.game), load_agent(agent)
        return {parameter.name: parameter.get(game, loaded) for parameter in self.parameters}

    def meeting(
        self, stage: int, agents: Sequence[str], games: int, tournament: str = "gauntlet"
    ) -> Tournament:
        """Return a plan with the stage's starts; in a gauntlet the first agent plays the others."""
        return Tournament.make(
            {
                "game": self.game,
                "agents": tuple(agents),
                "format": tournament,
                "games": games,
                "opening": self.opening,
                "opening_rule": self.opening_rule,
                "seconds": self.seconds,
                "clock": self.clock,
                "ponder": self.ponder,
                "seed": start_seed(self.seed, stage),
            }
        )

    def plans(self, stage: int, agents: Sequence[str], games: int) -> list[Tournament]:
        """Return the plans of a stage; the final is always a gauntlet against each opponent.

        With more than two players each agent has a plan of its own, and meets the opponents in
        turn until all seats are taken.
        """
        if self.players > 2:
            others = tuple(islice(cycle(self.opponents), self.players - 1))
            return [self.meeting(stage, (agent, *others), games) for agent in agents]
        if self.tournament == "gauntlet" or stage == FINAL:
            return [self.meeting(stage, (other, *agents), games) for other in self.opponents]
        return [self.meeting(stage, (*self.opponents, *agents), games, self.tournament)]

    def compared(self, agents: Sequence[str], play: Play) -> list[Candidate]:
        """Play the games of a generation; return its agents with their scores, in their order.

        Scores of different generations can be compared, as all of them meet the same opponents.
        """
        if self.tournament == "gauntlet":
            standings = self.scored(SEARCH, agents, self.games, play)
            return [Candidate(row.agent, row.games, row.score) for row in standings]
        (plan,) = self.plans(SEARCH, agents, self.games)
        # Within a plan, the spec identifies an agent, even if two agents run the same file.
        results = (Outcome(record.agents, record.returns, record.agents) for record in play(plan))
        rows = {row.agent: row for row in rate(results, anchor=self.opponents[0]).rows}
        return [Candidate(agent, rows[agent].games, expected(rows[agent].elo)) for agent in agents]

    def scored(self, stage: int, agents: Sequence[str], games: int, play: Play) -> list[Standing]:
        """Play the agents' games against the opponents; return standings, in their order."""
        plans = self.plans(stage, agents, games)
        if self.players > 2:
            return [_first_of(plan, play) for plan in plans]
        table = Standings(("opponents", *agents))
        for plan in plans:
            for record in play(plan):
                table.add(record)
        return table.table[1:]


def _first_of(plan: Tournament, play: Play) -> Standing:
    """Play a plan; return the standing of its first agent."""
    table = Standings(plan.agents)
    for record in play(plan):
        table.add(record)
    return table.table[0]


def search(tuning: Tuning, play: Play) -> Iterator[list[Candidate]]:
    """Yield generation after generation of candidates, each with its score."""
    study, space = _study(tuning)
    for first in range(0, tuning.trials, tuning.population):
        count = min(tuning.population, tuning.trials - first)
        trials = [study.ask(space) for _ in range(count)]
        agents = [tuning.candidate(trial.params) for trial in trials]
        generation = tuning.compared(agents, play)
        for trial, candidate in zip(trials, generation, strict=True):
            study.tell(trial, candidate.score)
        yield generation


def first_plan(tuning: Tuning) -> Tournament:
    """Return the plan of a search's first games, which every started search has stored."""
    study, space = _study(tuning)
    trials = [study.ask(space) for _ in range(min(tuning.trials, tuning.population))]
    agents = [tuning.candidate(trial.params) for trial in trials]
    return tuning.plans(SEARCH, agents, tuning.games)[0]


def final(tuning: Tuning, candidates: Iterable[Candidate], play: Play) -> list[Standing]:
    """Play the final of the best candidates, with more games and fresh starts; winner first."""
    ranked = sorted(candidates, key=lambda candidate: candidate.score, reverse=True)
    agents = list(dict.fromkeys(candidate.agent for candidate in ranked))[:FINALISTS]
    standings = tuning.scored(FINAL, agents, LONGER * tuning.games, play)
    return sorted(standings, key=lambda row: row.score, reverse=True)


def confirmation(tuning: Tuning, winner: str, games: int) -> Tournament:
    """Return the plan of a sequential test of the winner against the original agent."""
    return tuning.meeting(TEST, (winner, tuning.agent), games)


def _study(tuning: Tuning) -> tuple[Any, dict[str, Any]]:
    """Return Optuna's study and its search space."""
    try:
        import cmaes  # noqa: F401
        import optuna
    except ImportError:
        raise PlygroundError(
            "tuning needs Optuna and cmaes: pip install 'plyground[tune]'"
        ) from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    seed, size = start_seed(tuning.seed) % 2**32, tuning.population
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        sampler: Any = (
            optuna.samplers.NSGAIISampler(
                population_size=size,
                crossover=optuna.samplers.nsgaii.BLXAlphaCrossover(),
                seed=seed,
            )
            if tuning.sampler == "genetic"
            else optuna.samplers.CmaEsSampler(popsize=size, seed=seed)
        )
    space = {
        number.name: (
            optuna.distributions.IntDistribution(
                int(number.low), int(number.high), number.logarithmic
            )
            if number.whole
            else optuna.distributions.FloatDistribution(number.low, number.high, number.logarithmic)
        )
        for number in tuning.parameters
    }
    return optuna.create_study(direction="maximize", sampler=sampler), space
