"""Endings: what is done to a product's elements before they are written."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

ACTIVATIONS = ("none", "relu", "gelu_tanh", "clamp")  # lay_activation


@dataclasses.dataclass(frozen=True)
class Ending:
    """activation(scales[0] scales[1] (alpha A B + beta C) + bias), docs/endings.md of the C library.

    Each of the scales, at most two, and the bias is an array whose dimensions are the last ones of the output, or
    (array, labels) with the output's labels that it has: (row_scale, "i"). "clamp" is to low .. high.
    """

    scales: Sequence[Any] = ()
    bias: Any = None
    activation: str = "none"
    low: float = -math.inf
    high: float = math.inf


def _term(given: Any, output: str) -> tuple[Any, str] | None:
    if given is None:
        return None
    if isinstance(given, tuple):
        array, labels = given
        return array, labels
    rank = len(given.shape)
    if rank > len(output):
        raise ValueError(f"a scale or bias of {rank} dimensions, and the output has {len(output)}")
    return given, output[len(output) - rank:]


def read(ending: Ending | None, labels: str) -> tuple[Any, ...] | None:
    """What the module in C takes, for labels as _labels.read makes them."""
    if ending is None:
        return None
    if len(ending.scales) > 2:
        raise ValueError(f"{len(ending.scales)} scales, and at most two are taken")
    if ending.activation not in ACTIVATIONS:
        raise ValueError(f"'{ending.activation}' is no activation: {', '.join(ACTIVATIONS)} are")
    output = labels.partition("->")[2]
    scales = [_term(one, output) for one in ending.scales] + [None, None]
    return (*scales[:2], _term(ending.bias, output), ACTIVATIONS.index(ending.activation), ending.low, ending.high)
