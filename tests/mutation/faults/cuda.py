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
    # operands that pass through devices
    ("a launch that does not wait for its pieces", "lib/cuda/stream/stream_tiles.c", "if (now->used[i] &&", "if (0 &&"),
    ("a piece that comes while the one before it is read", "lib/cuda/stream/stream_pieces.c",
     "if (oldest->is_used >> i & 1 &&", "if (0 &&"),
    ("a buffer filled while it travels", "lib/cuda/stream/stream_move.c",
     "buffer->is_in_use ? lay_move_has_come(buffer->done, &is_free) : LAY_OK", "LAY_OK"),
    ("a tile made where another one has not left", "lib/cuda/stream/stream_tiles.c",
     "return taken->is_gone ? lay_stream_wait(stream, taken->gone) : LAY_OK;", "(void)stream; return LAY_OK;"),
    ("slices added before they are there", "lib/cuda/stream/stream_tiles.c", "now->sum->is_used >> i & 1 &&", "0 &&"),
    ("the last piece of a slot taken for the next", "lib/cuda/stream/stream_pieces.c", "if (other->piece == piece)",
     "if (other->piece >= 0)"),
    ("a device whose wait all others share", "lib/cuda/stream/stream_drive.c",
     "for (int i = 0; i < count; i++) { lay_turn turn;",
     "for (int i = 0; i < count; i++) { if (i > 0 && part[0].now.stage < LAY_STAGE_LEAVING) { going++; continue; } "
     "lay_turn turn;"),
    ("a run that ends before its copies", "lib/cuda/stream/stream_drive.c",
     "*turn = has_come ? LAY_TURN_ENDS : LAY_TURN_WAITS;", "*turn = LAY_TURN_ENDS;"),
    # several of them
    ("every part begins at C's first row", "lib/cuda/stream/stream_steps.c", "cut->first_m + rows.first", "rows.first"),
    ("a device named twice with all of its memory for each", "lib/cuda/stream/stream_share.c", "own.memory /= alike;",
     "(void)alike;"),
    ("parts that may be empty", "lib/cuda/stream/stream_share.c", "whole * (parts - 1) < extent ? whole : 0", "whole"),
    ("copies for other devices that cost nothing", "lib/cuda/stream/stream_share.c", "own.others = share->parts - 1;",
     "own.others = 0;"),
    ("parts of long sides", "lib/cuda/stream/stream_share.c", "rows + columns >= shortest", "0"),
    ("devices that add in several orders", "lib/cuda/stream/stream.c", "if (!has_same_sum(", "if (0 && !has_same_sum("),
    ("operands of one device given to others", "lib/cuda/stream/stream.c",
     "if (setting->place[i] == LAY_PLACE_DEVICE) return 1;", ""),
    ("a list that the plan does not own", "lib/plan/plan.c",
     "plan->options.devices = complete.devices ? copy_devices(&complete) : NULL;", ""),
]
