"""Limits of a search that compiled code checks: the number of nodes, a deadline, a stop flag."""

from __future__ import annotations

import numpy as np

from plyground.compile import Words, clock, helper

STOP, NODES, NODE_LIMIT, CLOCK, DEADLINE = range(5)
"""The words of a control array. Setting STOP to 1 ends the search. The search itself sets it when
NODES reaches NODE_LIMIT or CLOCK reaches DEADLINE, where 0 means no deadline."""

CONTROL_SIZE = 5

UNLIMITED = int(np.iinfo(np.int64).max)

BETWEEN = 127
"""Bit mask of the node count: the clock is read every 128 nodes, some 30 microseconds."""


def new_control(nodes: int | None = None) -> Words:
    """Return the control array of a search that may visit so many nodes; None: any number."""
    control = np.zeros(CONTROL_SIZE, np.int64)
    control[NODE_LIMIT] = UNLIMITED if nodes is None else nodes
    return control


@helper
def is_late(control):
    """Return whether the deadline has passed."""
    return control[DEADLINE] != 0 and clock(control[CLOCK]) >= control[DEADLINE]


@helper
def count_node(control):
    """Count a node; set STOP at the limit of nodes or after the deadline."""
    control[NODES] += 1
    late = control[NODES] & BETWEEN == 0 and is_late(control)
    if late or control[NODES] >= control[NODE_LIMIT]:
        control[STOP] = 1
