"""Resuming: the stored run that a plan continues, and runs that get further or other agents."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from plyground.arena.plan import Run, Tournament, digest, own_seconds
from plyground.arena.versions import Versions
from plyground.errors import OptionError

if TYPE_CHECKING:  # database drivers are imported only if a store is used
    from plyground.arena.store import Store

GROWING = ("round_robin", "gauntlet")
"""Formats whose games stay as they are if there are more agents."""


class Entrant(NamedTuple):
    """An agent of a plan as its options name it; nothing is loaded."""

    label: str
    agent: str
    seconds: str


def entrants_of(options: Mapping[str, Any]) -> list[Entrant]:
    """Return the agents of a plan's options, in their order."""
    agents = options["agents"]
    listed = zip(options.get("names") or agents, agents, own_seconds(options), strict=True)
    return [Entrant(*each) for each in listed]


def same_but_agents(options: Mapping[str, Any], others: Mapping[str, Any]) -> bool:
    """Return whether plans have the same game and options, whichever agents they have."""
    without = {"agents": (), "names": (), "seconds_of": ()}
    return digest({**options, **without}) == digest({**others, **without})


def find_run(
    store: Store, plan: Tournament, added: Collection[str] = ()
) -> tuple[Run, Tournament] | None:
    """Return the last run that a plan continues, and the plan with the run's order of agents.

    The run has the plan's agents, in any order, but those with labels in `added` may be new or may
    have been others. An agent that is new comes after the run's.
    """
    now = {each.label: each for each in entrants_of(plan.changed())}
    if len(now) < len(plan.agents):
        if added:
            raise OptionError(
                "--add needs agents of different names; give labels, as in LABEL=AGENT"
            )
        return None
    kept = {each for each in now.values() if each.label not in added}
    for run in reversed(store.runs()):
        before = entrants_of(run.tournament)
        if not same_but_agents(run.tournament, plan.changed()):
            continue
        if kept != {each for each in before if each.label not in added}:
            continue
        labels = dict.fromkeys([*(each.label for each in before), *now])
        ordered = [now[label] for label in labels]
        agents = {
            "agents": [each.agent for each in ordered],
            "names": [each.label for each in ordered],
        }
        return run, Tournament.make(plan.changed() | agents)
    return None


def extend(store: Store, run: Run, plan: Tournament) -> None:
    """Make a run that of a plan with further agents, or with others under the same labels.

    Games stay if their agents are the same by identity and have the same time to think. A kill in
    between leaves a run of the old or of the new plan.
    """
    before, now = entrants_of(run.tournament), entrants_of(plan.changed())
    if len(now) > len(before) and plan.format not in GROWING:
        growing = " and ".join(GROWING)
        raise OptionError(
            f"--add: run {run.id} cannot get further agents, as all pairings of the format "
            f"{plan.format} depend on their number; only {growing} can"
        )
    other_times = {
        entrant
        for entrant, (old, new) in enumerate(zip(before, now, strict=False))
        if old.seconds != new.seconds
    }
    Versions(plan).drop_outdated(store, run.id, other_times)
    moved = []  # the same programs at other paths
    if any(old.agent != new.agent for old, new in zip(before, now, strict=False)):
        for record in store.records(run.id):
            agents = tuple(plan.agents[entrant] for entrant in record.entrants)
            if agents != record.agents:
                moved.append(replace(record, agents=agents))
    store.change(run.id, plan, moved)
