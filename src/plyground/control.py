"""What all searches obey: how many nodes they may visit, and when they are to stop."""

from __future__ import annotations

import numpy as np

from plyground.compile import Words, clock, helper

STOP, NODES, NODE_LIMIT, CLOCK, DEADLINE = range(5)
"""The words of `control`. Setting STOP to 1 ends the search; it does so itself when its CLOCK has
reached the DEADLINE, unless that is 0."""

CONTROL_SIZE = 5

UNLIMITED = int(np.iinfo(np.int64).max)

BETWEEN = 127
"""Nodes between two looks at the clock, a mask: some 30 microseconds where nodes are fast."""


def new_control(nodes: int | None = None) -> Words:
    """Make the control of a search that may visit so many nodes; None: any number."""
    control = np.zeros(CONTROL_SIZE, np.int64)
    control[NODE_LIMIT] = UNLIMITED if nodes is None else nodes
    return control


@helper
def is_late(control):
    """Return whether the time is up."""
    return control[DEADLINE] != 0 and clock(control[CLOCK]) >= control[DEADLINE]


@helper
def count_node(control):
    """Count a node; at the limit of nodes, or when the time is up, the search is to stop."""
    control[NODES] += 1
    late = control[NODES] & BETWEEN == 0 and is_late(control)
    if late or control[NODES] >= control[NODE_LIMIT]:
        control[STOP] = 1
