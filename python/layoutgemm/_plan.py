"""Plans: a product planned once, for arrays of one form."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from . import _core, _ending, _labels
from ._einsum import conjugated_bits, rank_of


class Plan(_core.Plan):
    """Plan(a, b, out): the product of such arrays, or of storage in such Layouts, to be called many times.

    With labels, "ab,bc->ac", it is a contraction. An operand may be a Layout: then runs take any array that holds it,
    and dtype says what its elements are. ending: its scales and bias are each run's, here their form counts. Runs on a
    device go into the stream that was current here.
    """

    def __new__(
        cls,
        a: Any,
        b: Any,
        out: Any,
        *,
        labels: str | None = None,
        conj: Sequence[bool] | bool = False,
        layouts: tuple[_core.Layout | None, ...] | None = None,
        dtype: Any = None,
        sum_order: str = "labels",
        options: _core.Options | None = None,
        ending: _ending.Ending | None = None,
    ) -> Plan:
        if ending is not None and labels is None:
            raise ValueError("a plan with an ending needs labels, 'ik,kj->ij' for matrices")
        if labels is not None:
            given = (layouts or ()) + (None, None)
            labels = _labels.read(labels, (rank_of(given[0] or a), rank_of(given[1] or b)))
        return super().__new__(
            cls, a, b, out, labels=labels, conjugated=conjugated_bits(conj, 2), layouts=layouts, dtype=dtype,
            sum_order=sum_order, options=options, ending=_ending.read(ending, labels or ""))


def pack(plan: Plan, operand: str, array: Any) -> _core.Packed:
    """What the plan does to its operand "a" or "b" before it multiplies, done once."""
    return plan.pack(operand, array)


def implementations() -> list[dict[str, str]]:
    """Ways and kernels: kind ("way", "kernel"), name, order of the sum, type and what it needs, for Options."""
    return list(csv.DictReader(io.StringIO(_core.implementations())))


def run_many(plan: Plan, a: Sequence[Any], b: Sequence[Any], out: Sequence[Any], *, alpha: complex = 1,
             beta: complex = 0) -> None:
    """As many products as the sequences have arrays, in this order."""
    plan.run_many(a, b, out, alpha=alpha, beta=beta)


def run_groups(groups: Iterable[tuple[Any, ...]]) -> None:
    """The products of all groups, each (plan, a, b, out) as run_many takes them, and perhaps alpha, beta behind it.

    Threads share the products of all groups, whatever their plans.
    """
    _core.run_groups(groups)
