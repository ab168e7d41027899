"""What is asked of the libraries that arrays come from: a new array, and the stream that they work in."""

from __future__ import annotations

import sys
from typing import Any


def _library(array: Any) -> str:
    return type(array).__module__.partition(".")[0]


def empty(like: Any, extents: tuple[int, ...], other: Any = None) -> Any:
    """An uninitialised array of like's library and device; of other's type, too, by that library's rules."""
    if _library(like) == "numpy":
        numpy = sys.modules["numpy"]
        return numpy.empty(extents, like.dtype if other is None else numpy.result_type(like.dtype, other.dtype))
    if _library(like) == "torch":
        if other is None:
            return like.new_empty(extents)
        return like.new_empty(extents, dtype=sys.modules["torch"].promote_types(like.dtype, other.dtype))
    if _library(like) in ("jax", "jaxlib"):
        raise TypeError("give out: JAX's arrays are never written")
    if hasattr(like, "__array_namespace__"):
        space = like.__array_namespace__()
        dtype = like.dtype if other is None else space.result_type(like.dtype, other.dtype)
        return space.empty(extents, dtype=dtype, device=like.device)
    raise TypeError(f"give out: how to make an array like {type(like).__name__} is not known")


def current_stream(array: Any) -> int | None:
    """The number of the stream that array's library works in now, as DLPack has it; None for host memory."""
    kind, number = (int(word) for word in array.__dlpack_device__())
    if kind not in (2, 13):  # CUDA's memory, and memory that it manages
        return None
    stream = 0
    if _library(array) == "torch":
        stream = sys.modules["torch"].cuda.current_stream(number).cuda_stream
    elif _library(array) == "cupy":
        stream = sys.modules["cupy"].cuda.get_current_stream().ptr
    return int(stream) or 1  # the default stream, by CUDA's own number for it
