"""Limits of a search that compiled code checks: nodes, a deadline, a stop flag, and signals."""

from __future__ import annotations

import time

import numpy as np

from plyground.compile import HAS_CLOCKS, Words, clock, handle_signals, helper

STOP, NODES, NODE_LIMIT, CLOCK, DEADLINE, LOOK = range(6)
"""The words of a control array. Setting STOP to 1 ends the search. The search itself sets it when
NODES reaches NODE_LIMIT or CLOCK reaches DEADLINE, where 0 means no deadline. When CLOCK reaches
LOOK, the search looks for signals, which only Python's main thread can handle."""

CONTROL_SIZE = 6

UNLIMITED = int(np.iinfo(np.int64).max)

BETWEEN = 127
"""Bit mask of the node count: the clock is read every 128 nodes, some 30 microseconds."""

LOOKS = 50_000_000
"""Nanoseconds between two looks for signals: Ctrl-C ends a search so soon."""


def new_control(nodes: int | None = None) -> Words:
    """Return the control array of a search that may visit so many nodes; None: any number."""
    control = np.zeros(CONTROL_SIZE, np.int64)
    control[NODE_LIMIT] = UNLIMITED if nodes is None else nodes
    control[CLOCK] = time.CLOCK_MONOTONIC if HAS_CLOCKS else 0
    control[LOOK] = UNLIMITED
    return control


@helper
def is_late(control):
    """Return whether the deadline has passed; raise what the handler of a signal raises."""
    now = clock(control[CLOCK])
    if now >= control[LOOK]:
        control[LOOK] = now + LOOKS
        handle_signals()
    return control[DEADLINE] != 0 and now >= control[DEADLINE]


@helper
def must_stop(control):
    """Return whether the search must end; set STOP after the deadline."""
    if is_late(control):
        control[STOP] = 1
    return control[STOP] != 0


@helper
def count_node(control):
    """Count a node; set STOP at the limit of nodes or after the deadline."""
    control[NODES] += 1
    late = control[NODES] & BETWEEN == 0 and is_late(control)
    if late or control[NODES] >= control[NODE_LIMIT]:
        control[STOP] = 1
