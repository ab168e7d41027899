"""A plugin of pytest: opt_einsum's backend "numpy" is layoutgemm, and the end tells how often it was asked.

Used for opt_einsum's own tests. What opt_einsum does not order, einsum of three operands and more, and elements that
the package does not take, integers and objects, stay NumPy's.
"""

import layoutgemm as lay
import numpy as np
from opt_einsum.backends import dispatch

TYPES = ("float32", "float64", "complex64", "complex128")
asked = {"einsum": 0, "tensordot": 0}


def are_taken(operands):
    return len(operands) <= 2 and all(isinstance(one, np.ndarray) and str(one.dtype) in TYPES for one in operands)


def einsum(subscripts, *operands, **more):
    if not are_taken(operands) or more.keys() - {"out"}:
        return np.einsum(subscripts, *operands, **more)
    asked["einsum"] += 1
    return lay.einsum(subscripts, *operands, **more)


def tensordot(a, b, axes=2):
    if not are_taken((a, b)):
        return np.tensordot(a, b, axes)
    asked["tensordot"] += 1
    return lay.tensordot(a, b, axes)


def pytest_configure():
    dispatch._cached_funcs["einsum", "numpy"] = einsum
    dispatch._cached_funcs["tensordot", "numpy"] = tensordot
    dispatch._cached_funcs["transpose", "numpy"] = lay.transpose


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"layoutgemm: {asked['einsum']} einsum, {asked['tensordot']} tensordot")
