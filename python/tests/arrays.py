"""Random arrays of any strides, and how far a product may be from the exact one."""

import ml_dtypes
import numpy as np

TYPES = [np.dtype(name) for name in ("float32", "float64", "complex64", "complex128", "float16")]
TYPES.append(np.dtype(ml_dtypes.bfloat16))
# Of a product: sums of 16-bit types are float32's, and the result is rounded once.
EPSILON = {"float32": 2**-23, "float64": 2**-52, "complex64": 2**-22, "complex128": 2**-51, "float16": 2**-10,
           "bfloat16": 2**-7}


def view(rng, extents, dtype, may_repeat=False):
    """A view with axes in any order of storage, steps of either sign, gaps, and strides of 0 if it may."""
    order = rng.permutation(len(extents))
    steps = [int(rng.choice([1, 1, 1, 2, 3, -1, -2])) for _ in extents]
    repeated = [may_repeat and rng.random() < 0.1 for _ in extents]
    stored = [1 if repeats else extent * abs(step) + int(rng.integers(0, 3))
              for extent, step, repeats in zip(extents, steps, repeated)]
    base = rng.uniform(-1, 1, [stored[i] for i in order])
    if dtype.kind == "c":
        base = base + 1j * rng.uniform(-1, 1, base.shape)
    base = base.astype(dtype).transpose(np.argsort(order))
    slices = []
    for extent, step, repeats in zip(extents, steps, repeated):
        if repeats:
            slices.append(slice(0, 1))
        else:
            last = (extent - 1) * -step
            slices.append(slice(0, extent * step, step) if step > 0 else slice(last, None, step)
                          if extent else slice(0, 0))
    return np.broadcast_to(base[tuple(slices)], extents) if any(repeated) else base[tuple(slices)]


def exact(array):
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def assert_close(found, wanted, bound, dtype):
    """wanted and bound, the same product of absolute values, are computed in double."""
    assert found.dtype == dtype and found.shape == wanted.shape
    allowed = EPSILON[dtype.name] * (2 * bound + np.abs(wanted)) + 1e-300
    if dtype.name == "float16":
        allowed = allowed + 2**-24  # subnormal numbers
    error = np.abs(exact(found) - wanted)
    assert np.all(error <= allowed), f"{error.max()} where {allowed[error > allowed].min()} is allowed"
