"""einsum and its relatives, of one or two operands."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from . import _array, _core, _ending, _labels

CONJUGATED = (1, 2)  # LAY_CONJUGATED_A, LAY_CONJUGATED_B


def shape_of(operand: Any) -> tuple[int, ...]:
    shape = getattr(operand, "shape", None)
    if shape is None:
        raise TypeError(f"an array is needed, not {type(operand).__name__}")
    return tuple(shape)


def rank_of(operand: Any) -> int:
    if isinstance(operand, _core.Layout):
        return operand.rank
    return len(shape_of(operand))


def conjugated_bits(conj: Any, count: int) -> int:
    """A flag for all operands, or one for each."""
    try:
        flags = list(conj)
    except TypeError:
        flags = [conj] * count
    if len(flags) != count:
        raise ValueError(f"conj has {len(flags)} flags for {count} operands")
    return sum(bit for bit, flag in zip(CONJUGATED, flags) if flag)


def einsum(
    subscripts: str,
    /,
    *operands: Any,
    out: Any = None,
    alpha: complex | None = None,
    beta: complex | None = None,
    conj: Sequence[bool] | bool = False,
    layouts: tuple[_core.Layout | None, ...] | None = None,
    options: _core.Options | None = None,
    ending: _ending.Ending | None = None,
) -> Any:
    """alpha times NumPy's einsum of one or two operands, plus beta times out.

    conj: which operands are conjugated. layouts: (of each operand, of out), where strides cannot say how indices map
    to storage. ending: what is done to the sums before they are written. The output is implicit without "->", as NumPy
    has it.
    """
    if not isinstance(subscripts, str):
        raise TypeError("subscripts come first, as text: NumPy's form of operands with lists of numbers is not taken")
    if len(operands) > 2:
        raise ValueError(f"{len(operands)} operands, and one or two are taken: {_labels.HINT}")
    if layouts is None and any(isinstance(one, _array.Array) for one in operands):
        operands, layouts = _array.taken_apart(operands)
    of_ranks = operands if layouts is None else [x or y for x, y in zip(layouts + (None, None), operands)]
    labels = _labels.read(subscripts, tuple(map(rank_of, of_ranks)))
    more: dict[str, Any] = {} if alpha is None else {"alpha": alpha}
    if beta is not None:
        more["beta"] = beta
    if layouts and len(operands) == 1:  # B is a scalar
        layouts = (layouts[0], None, *layouts[1:])
    return _core.contract(
        labels,
        operands[0],
        operands[1] if len(operands) == 2 else None,
        out,
        conjugated=conjugated_bits(conj, len(operands)) if conj is not False else 0,
        layouts=layouts,
        options=options,
        ending=_ending.read(ending, labels),
        **more,
    )


def _axes_of(axes: Any, ranks: tuple[int, int]) -> tuple[list[int], list[int]]:
    try:
        count = operator.index(axes)  # NumPy's numbers, too
    except TypeError:
        pass
    else:
        if count > min(ranks):
            raise ValueError(f"{count} axes of operands of {ranks[0]} and {ranks[1]} dimensions")
        return list(range(ranks[0] - count, ranks[0])), list(range(count))
    if len(axes) != 2:
        raise ValueError(f"axes {axes} are neither a number nor those of a and those of b")
    left, right = (list(map(operator.index, one if hasattr(one, "__len__") else [one])) for one in axes)
    if len(left) != len(right):
        raise ValueError(f"{len(left)} axes of a and {len(right)} of b")
    for one, rank in zip((left, right), ranks):
        if any(not -rank <= axis < rank for axis in one):
            raise ValueError(f"axes {one} of an operand of {rank} dimensions")
    left, right = [axis % ranks[0] for axis in left], [axis % ranks[1] for axis in right]
    for one in (left, right):
        if len(set(one)) < len(one):
            raise ValueError(f"axes {one} have one twice")
    return left, right


def tensordot(a: Any, b: Any, axes: int | Sequence[Any] = 2, *, out: Any = None,
              options: _core.Options | None = None) -> Any:
    """numpy.tensordot: the sum over axes of a and b, of which `axes` says how many, or which."""
    ranks = rank_of(a), rank_of(b)
    left, right = _axes_of(axes, ranks)
    if sum(ranks) - len(left) > len(_labels.LETTERS):
        raise ValueError(f"operands of {ranks[0]} and {ranks[1]} dimensions have more than 52 labels")
    for i, j in zip(left, right):
        if shape_of(a)[i] != shape_of(b)[j]:
            raise ValueError(f"axis {i} of a has {shape_of(a)[i]} indices, axis {j} of b {shape_of(b)[j]}")
    of_a = list(_labels.LETTERS[: ranks[0]])
    of_b = list(_labels.LETTERS[ranks[0] : ranks[0] + ranks[1]])
    for i, j in zip(left, right):
        of_b[j] = of_a[i]
    output = [of_a[i] for i in range(ranks[0]) if i not in left] + [of_b[j] for j in range(ranks[1]) if j not in right]
    return _core.contract(f"{''.join(of_a)},{''.join(of_b)}->{''.join(output)}", a, b, out, options=options)


def transpose(a: Any, axes: Sequence[int] | None = None) -> Any:
    """A view with its dimensions in another order, by a's own library; in reverse order without axes."""
    order = tuple(range(rank_of(a)))[::-1] if axes is None else tuple(axes)
    return a.permute(order) if hasattr(a, "permute") else a.transpose(order)
