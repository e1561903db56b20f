"""How long work waits for a processor: a queue whose customers leave after a while.

Arrivals are Poisson, the work of each is exponential, and who has waited `patience` leaves (M/M/1 with patience). That
has a closed form for any load, above saturation too, so that doubled load saturates what nobody declared to saturate.
Several cores are taken as one that is as many times faster.

>>> solve_queue(10, 10, 1).loss < 1e-9
True
>>> round(solve_queue(200, 10, 1).loss, 3)
0.5
"""

from __future__ import annotations

from math import exp, expm1
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

PATIENCE = 10_000.0
"""Milliseconds until a user gives up, and with him all that still works for him; wrk2 and most browsers wait longer
than any healthy answer takes, and mgo gives up after 10 s too."""

BACKLOG = 2_000.0
"""Milliseconds that a request waits in a server at most: accept queues and stream limits are finite, and what does not
fit into them is not answered at all."""

SMALL = 1e-9
"""Below this, load and capacity are equal, and the general formula would divide by about zero."""


class Queue(NamedTuple):
    """What a request meets that arrives at a processor.

    Attributes:
        wait: probability that a served request had to wait.
        slack: per ms, free capacity measured in works; negative when overloaded.
        loss: probability that a request is never served.
        mean: mean wait of the served ones, ms.
    """

    wait: float
    slack: float
    loss: float
    mean: float


def solve_queue(rate: float, work: float, cores: float, patience: float = BACKLOG) -> Queue:
    """The queue in front of a processor.

    Args:
        rate: arrivals per second.
        work: milliseconds of one core that each needs, on average.
        cores: how many there are; may be a fraction.
        patience: milliseconds after which a waiting request is lost.
    """
    if rate <= 0.0 or work <= 0.0:
        return Queue(0.0, 1.0, 0.0, 0.0)
    if cores <= 0.0:
        return Queue(1.0, -1.0, 1.0, patience)
    service, arrival = cores / work, rate / 1000.0
    load, slack = arrival / service, service - arrival
    if abs(slack) * patience < SMALL:
        loss = 1.0 / (2.0 + service * patience)
    elif slack * patience < -300.0:
        loss = 1.0 - 1.0 / load
    else:
        left = exp(max(-700.0, -slack * patience))
        loss = (1.0 - load) * load * left / (1.0 - load * load * left)
    idle = max(0.0, 1.0 - load * (1.0 - loss))
    wait = max(0.0, min(1.0, 1.0 - idle / (1.0 - loss))) if loss < 1.0 else 1.0
    return Queue(wait, slack, loss, wait * mean_wait(slack, patience))


def mean_wait(slack: float, patience: float = BACKLOG) -> float:
    """Mean of an exponential wait with rate `slack` (any sign) cut at `patience`, ms."""
    x = slack * patience
    if abs(x) < 1e-6:
        return patience / 2.0
    if x > 700.0:
        return 1.0 / slack
    if x < -700.0:
        return patience + 1.0 / slack
    return 1.0 / slack - patience / expm1(x)


def find_waits(u: NDArray[np.float64], slack: float) -> NDArray[np.float64]:
    """The waits (ms) below which the shares `u` of all waits lie.

    >>> find_waits(np.array([0.5]), 0.1).round(2), find_waits(np.array([0.5]), -0.1).round(2)
    (array([6.93]), array([1993.07]))
    """
    x = slack * BACKLOG
    found: NDArray[np.float64]
    if abs(x) < 1e-6:
        found = u * BACKLOG
    elif x < -700.0:
        found = np.maximum(0.0, BACKLOG - np.log(np.maximum(u, 1e-300)) / slack)
    else:
        found = np.minimum(BACKLOG, -np.log1p(u * np.expm1(-x)) / slack)
    return found
