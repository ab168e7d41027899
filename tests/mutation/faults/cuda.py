"""Faults of the CUDA kernels' text that runs on the host, and of whose memory an address is."""

SIMT90_FEED = "kernels/cuda/simt90/feed.cuh"

FAULTS = [
    # memory that is the host's without a question
    ("a heap without an end", "lib/cuda/memory/ordinary.c", "low >= start && high < (uintptr_t)sbrk(0);",
     "low >= start;"),
    ("a heap that starts where the program's data do", "lib/cuda/memory/ordinary.c", "START_BRK = 47,",
     "START_BRK = 45,"),
    ("all that lies below a stack's end taken for it", "lib/cuda/memory/ordinary.c", "low >= frame ?", "1 ?"),
    ("a coroutine's frame taken for one on the thread's stack", "lib/cuda/memory/ordinary.c",
     "frame >= stack.first && high < stack.end;", "high < stack.end;"),
    # what a GPU's producers fetch
    ("lines fetched by strides though k has a table", SIMT90_FEED, "!of.steady.table && !of.across.table &&",
     "!of.across.table &&"),
    ("lines of stride 0 taken for lines by pointers", SIMT90_FEED, "of.across.stride != 0 &&", ""),
    ("segments that turns straddle fetched by strides", SIMT90_FEED, "offsets.run % bk == 0 &&", ""),
    # how lanes write C
    ("a cut vector read to its end", SIMT90_FEED, "bytes[v] = 4 * max(0, min(left - v * apart, 4));",
     "bytes[v] = 16;"),
    ("pointers of a tile at the edge that stand still", SIMT90_FEED,
     "const int64_t stride = along.table ? 0 : along.stride * 4 * every;\n#pragma",
     "const int64_t stride = 0;\n#pragma"),
    ("what is left of a vector taken for a line", SIMT90_FEED, "return !across.table && across.stride == 1;",
     "return true;"),
    ("lanes down columns that share rows", "kernels/cuda/element.cuh",
     "lanes = min(static_cast<int>(down & 15), log - apart);", "lanes = static_cast<int>(down & 15);"),
    ("lanes down columns as far apart as there are", "kernels/cuda/element.cuh",
     "(rank & inner) << apart", "(rank & inner) << lanes"),
    # split operands: the path
    ("wide lines counted among those to be mended", "kernels/cuda_split.h", "of.tailed - of.wide <=", "of.tailed <="),
    ("no line mended", "kernels/cuda_split.h", "of.tailed - of.wide <= (unsigned)",
     "of.tailed - of.wide <= 0 * (unsigned)"),
    ("right's tiny elements not looked for", "kernels/cuda_split.h", "lay_cuda_split_is_mended(of->n, right)", "1"),
    ("wide lines of small products left to the patch", "kernels/cuda_split.h",
     "left.wide <= few * (m / LAY_SPLIT_FEW_WIDE)", "left.wide <= m / LAY_SPLIT_FEW_WIDE"),
]
