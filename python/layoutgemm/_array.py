"""Storage with the layout by which it is read."""

from __future__ import annotations

from typing import Any

from . import _core
from ._arrays import empty


def _is_index(key: Any) -> bool:
    return not isinstance(key, slice) and key is not Ellipsis


class Array:
    """Elements of storage, which is not copied, in the order of a layout: Array(storage, layout), or Array(array), as
    its strides have them. a @ b multiplies, with arrays on either side, and makes a new array."""

    __slots__ = ("layout", "storage")
    __array_ufunc__ = None  # numpy_array @ this is this class's

    def __init__(self, storage: Any, layout: _core.Layout | str | None = None) -> None:
        if isinstance(layout, str):
            layout = _core.Layout(layout)
        self.storage = storage
        self.layout: _core.Layout = _core.Layout.of(storage) if layout is None else layout

    @property
    def shape(self) -> tuple[int, ...]:
        return self.layout.extents

    @property
    def ndim(self) -> int:
        return self.layout.rank

    @property
    def dtype(self) -> Any:
        return self.storage.dtype

    @property
    def T(self) -> Array:
        return Array(self.storage, self.layout.T)

    def permute(self, *axes: Any) -> Array:
        return Array(self.storage, self.layout.permute(*axes))

    def tile(self, *extents: Any) -> Array:
        return Array(self.storage, self.layout.tile(*extents))

    def __getitem__(self, key: Any) -> Any:
        """A view, or an element where every index is a number."""
        keys = key if isinstance(key, tuple) else (key,)
        if len(keys) < self.ndim or not all(map(_is_index, keys)):
            return Array(self.storage, self.layout[key])
        self.layout[key]  # refuses what is no index
        whole = [int(one) % extent for one, extent in zip(keys, self.shape)]
        one = self.layout[tuple(slice(at, at + 1) for at in whole)]
        return Array(self.storage, one).dense()[(0,) * self.ndim]

    def dense(self) -> Any:
        """The elements, copied into a new array: row-major."""
        out = empty(self.storage, self.shape)
        return _core.copy(self.storage, out, layouts=(self.layout,))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if copy is False:
            raise ValueError("an Array becomes one of NumPy's by a copy")
        made = self.dense()
        return made if dtype is None else made.astype(dtype, copy=False)

    def __matmul__(self, other: Any) -> Any:
        return _multiply(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return _multiply(other, self)

    def __repr__(self) -> str:
        return f"Array(<{getattr(self.storage, 'dtype', '?')}>, {self.layout!r})"


def taken_apart(operands: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[_core.Layout | None, ...]]:
    """Storage and layouts; an array that is none of this class stays, and has no layout."""
    storage = tuple(one.storage if isinstance(one, Array) else one for one in operands)
    return storage, tuple(one.layout if isinstance(one, Array) else None for one in operands)


def _multiply(a: Any, b: Any) -> Any:
    (of_a, of_b), layouts = taken_apart((a, b))
    return _core.matmul(of_a, of_b, layouts=layouts)
