from os import PathLike
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, SupportsComplex, SupportsFloat, SupportsIndex, TypeAlias, TypeVar
from types import EllipsisType
from typing_extensions import Buffer, Self

class _HasDLPack(Protocol):  # whatever its keywords are
    @property
    def __dlpack__(self) -> Callable[..., Any]: ...
    @property
    def __dlpack_device__(self) -> Callable[..., Any]: ...

_Array: TypeAlias = Buffer | _HasDLPack
_Out = TypeVar("_Out", bound=_Array)
_Number: TypeAlias = SupportsFloat | SupportsComplex | SupportsIndex
_Path: TypeAlias = str
_File: TypeAlias = str | bytes | PathLike[str] | PathLike[bytes]
_Key: TypeAlias = SupportsIndex | slice

class LayoutError(ValueError):
    status: str | None

class Layout:
    def __new__(cls, text: str) -> Self: ...
    @classmethod
    def of(cls, array: _Array, /) -> Layout: ...
    @classmethod
    def natural(cls, *extents: SupportsIndex) -> Layout: ...
    @classmethod
    def strided(cls, extents: Sequence[SupportsIndex], strides: Sequence[SupportsIndex]) -> Layout: ...
    @classmethod
    def join(cls, *layouts: Layout) -> Layout: ...
    @property
    def T(self) -> Layout: ...
    @property
    def extents(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int | None, ...]: ...
    @property
    def size(self) -> int: ...
    @property
    def rank(self) -> int: ...
    @property
    def span(self) -> tuple[int, int]: ...
    @property
    def is_injective(self) -> bool: ...
    def permute(self, *axes: SupportsIndex | Sequence[SupportsIndex]) -> Layout: ...
    def split(self, dim: int, extents: Sequence[SupportsIndex], /) -> Layout: ...
    def tile(self, *extents: SupportsIndex | Sequence[SupportsIndex]) -> Layout: ...
    def tile_at(self, *coords: SupportsIndex | Sequence[SupportsIndex]) -> tuple[Layout, int]: ...
    def part(self, path: _Path, /) -> Layout: ...
    def extent(self, path: _Path = "", /) -> int: ...
    def parts(self, path: _Path = "", /) -> int: ...
    def stride(self, path: _Path = "", /) -> int | None: ...
    def is_contiguous(self, path: _Path = "", /) -> bool: ...
    def offset(self, *index: SupportsIndex | Sequence[SupportsIndex]) -> int: ...
    # A layout, or the offset of an element where every index is a number.
    def __getitem__(self, key: _Key | EllipsisType | tuple[_Key | EllipsisType, ...], /) -> Any: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

class Options:
    def __new__(
        cls,
        *,
        threads: int = 0,
        backend: str = "auto",
        compute: str = "auto",
        isa: str = "auto",
        device: int = -1,
        stream: int | None = None,
        kernel: str | None = None,
        device_memory: int = 0,
        effort: str = "estimate",
        time: float = 0,
        skip: str | Iterable[str] | None = None,
        grid: tuple[int, int] = (0, 0),
        alignment: int = 0,
        devices: Sequence[int] | None = None,
    ) -> Self: ...

class Packed:
    @property
    def nbytes(self) -> int: ...

class Plan:
    def __new__(
        cls,
        a: _Array | Layout,
        b: _Array | Layout,
        out: _Array | Layout,
        /,
        *,
        labels: str | None = None,
        conjugated: int = 0,
        layouts: tuple[Layout | None, ...] | None = None,
        dtype: Any = None,
        sum_order: str = "labels",
        options: Options | None = None,
        ending: tuple[Any, ...] | None = None,
    ) -> Self: ...
    def __call__(
        self,
        a: _Array | Packed,
        b: _Array | Packed,
        /,
        out: _Out,
        *,
        alpha: _Number = 1,
        beta: _Number = 0,
        scales: tuple[_Array, ...] = (),
        bias: _Array | None = None,
    ) -> _Out: ...
    def run_many(
        self,
        a: Sequence[_Array],
        b: Sequence[_Array],
        out: Sequence[_Array],
        /,
        *,
        alpha: _Number = 1,
        beta: _Number = 0,
    ) -> None: ...
    def pack(self, operand: str, array: _Array, /) -> Packed: ...
    def explain(self) -> str: ...
    def layout(self, operand: str, memory: str = "host", /) -> Layout: ...
    def reserve(self) -> None: ...
    @property
    def path(self) -> str: ...

def matmul(
    a: _Array,
    b: _Array,
    /,
    out: Any = None,
    *,
    alpha: _Number = 1,
    beta: _Number = 0,
    layouts: tuple[Layout | None, ...] | None = None,
    options: Options | None = None,
) -> Any: ...
def contract(
    labels: str,
    a: _Array,
    b: _Array | None,
    /,
    out: Any = None,
    *,
    alpha: _Number = 1,
    beta: _Number = 0,
    conjugated: int = 0,
    layouts: tuple[Layout | None, ...] | None = None,
    options: Options | None = None,
    ending: tuple[Any, ...] | None = None,
) -> Any: ...
def copy(
    src: _Array,
    /,
    out: _Out,
    *,
    alpha: _Number = 1,
    beta: _Number = 0,
    conj: bool = False,
    layouts: tuple[Layout | None, ...] | None = None,
    options: Options | None = None,
) -> _Out: ...
def run_groups(groups: Iterable[tuple[Any, ...]], /) -> None: ...
def draw(
    layout: Layout,
    title: str,
    by: str | None,
    type: Any,
    zoom: tuple[int, int],
    grid: tuple[int, int],
    /,
) -> str: ...
def version() -> str: ...
def commit() -> str: ...
def machine() -> str: ...
def implementations() -> str: ...
def cache_clear() -> None: ...
def cache_limit(plans: int, /) -> None: ...
def cache_info() -> tuple[int, int]: ...
def tuning_load(path: _File, /) -> None: ...
def tuning_save(path: _File, /) -> None: ...
def tuning_forget() -> None: ...
def copies() -> int: ...
