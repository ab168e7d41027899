"""Matrix products and contractions on views, whatever the layout: no array is copied on its way.

    import layoutgemm as lay
    lay.matmul(a, b)                            # arrays of any strides
    lay.einsum("aecf,fbed->abcd", x, y)         # two tensors
    lay.matmul(a, b, out=c, layouts=(lay.Layout("A=[2][2][512][512]; [[#A_0][#A_2]][[#A_1][#A_3]]"),))
"""

from ._core import Layout, LayoutError, Options, Packed, cache_clear, cache_info, cache_limit, copies, copy, machine
from ._core import matmul, tuning_forget, tuning_load, tuning_save
from ._core import commit as _commit
from ._core import version as _version
from ._array import Array
from ._einsum import einsum, tensordot, transpose
from ._ending import Ending
from ._plan import Plan, implementations, pack, run_groups, run_many
from ._show import Drawing, show

__version__ = _version()
__commit__ = _commit()
__all__ = [
    "Array",
    "Drawing",
    "Ending",
    "Layout",
    "LayoutError",
    "Options",
    "Packed",
    "Plan",
    "cache_clear",
    "cache_info",
    "cache_limit",
    "copies",
    "copy",
    "einsum",
    "implementations",
    "machine",
    "matmul",
    "pack",
    "run_groups",
    "run_many",
    "show",
    "tensordot",
    "transpose",
    "tuning_forget",
    "tuning_load",
    "tuning_save",
]
