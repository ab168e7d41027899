"""The loops of whole tiles keep their sums in registers: no vector is stored among their multiply-adds.

registers.py OBJDUMP LIBRARY...: static libraries whose members are named gemm_<type>_<mr>x<nr> and hold a function
compute_tile. What is looked at is each segment of code without a branch in it or into it that has the multiply-adds and
the elements of A in all lanes of a group of steps of the whole tile. There must be one. Few stores may be in it where a
sum's way through memory and the group's chain of multiply-adds take less time than all the group's multiply-adds, two a
cycle.

A compiler that puts sums of a loop in memory makes products slower by a third, and neither bits nor sizes that are read
in place show it (bench/LOG.md, 34).
"""
import re
import subprocess
import sys

WIDTHS = {"zmm": 64, "ymm": 32, "xmm": 16}  # bytes
BYTES = {"f32": 4, "f64": 8}
GROUP = 4  # steps, UNROLL of kernels/cpu/simd/tile.h
LATENCY, FORWARDING = 4, 10  # cycles: of a multiply-add, of a store that is loaded again
MEMBER = re.compile(r"^\S*?cpu_([a-z0-9]+)_gemm_(f32|f64)_(\d+)x(\d+)\S*:\s+file format")
FUNCTION = re.compile(r"^[0-9a-f]+ <([^>]*)>:$")
LINE = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$")
TARGET = re.compile(r"^j\S*\s+([0-9a-f]+)")


def read_tiles(objdump, library):
    """{(name, type, mr, nr): [(address, text)]} of the instructions of each member's compute_tile."""
    listing = subprocess.run([objdump, "-d", "--no-show-raw-insn", library], check=True, text=True, capture_output=True)
    tiles, member, function = {}, None, ""
    for line in listing.stdout.splitlines():
        if found := MEMBER.match(line):
            isa, of, mr, nr = found.groups()
            member = (f"{of}_{mr}x{nr}_{isa}", of, int(mr), int(nr))
            tiles[member] = []
        elif found := FUNCTION.match(line):
            function = found[1]
        elif member and function.startswith("compute_tile") and (found := LINE.match(line)):
            tiles[member].append((int(found[1], 16), f"{found[2]} {found[3].split('#')[0].strip()}"))
    return tiles


def cut_segments(code):
    """Runs of instructions that are entered at the first only and left after the last only."""
    targets = {int(found[1], 16) for _, text in code if (found := TARGET.match(text))}
    segment = []
    for address, text in code:
        if address in targets and segment:
            yield segment
            segment = []
        segment.append(text)
        if text.startswith(("j", "ret")):
            yield segment
            segment = []
    yield segment


def is_multiplying(text):
    return text.startswith("vfmadd")


def is_spread(text):
    """An element of memory in all lanes."""
    return ("vbroadcasts" in text and "(" in text) or "{1to" in text


def is_kept(text):
    """A vector stored: the last operand, the destination, is memory."""
    return text.startswith("v") and not text.startswith("vzero") and text.endswith(")") and "mm" in text


def count_lanes(of, code):
    """Of the widest registers that are multiplied."""
    used = {name for _, text in code if is_multiplying(text) for name in WIDTHS if f"%{name}" in text}
    return max((WIDTHS[name] for name in used), default=BYTES[of]) // BYTES[of]


def check(name, of, mr, nr, code):
    sums = mr * nr // count_lanes(of, code)
    steps = [segment for segment in cut_segments(code)
             if sum(map(is_multiplying, segment)) >= GROUP * sums and sum(map(is_spread, segment)) >= GROUP * mr]
    stored = [text for segment in steps for text in segment if is_kept(text)]
    if not steps:
        return f"{name}: no loop over {GROUP} steps of {sums} multiply-adds found"
    is_hidden = GROUP * LATENCY + FORWARDING < GROUP * sums / 2 and len(stored) < GROUP
    if stored and not is_hidden:
        return f"{name}: sums go to memory in the loop: " + "; ".join(stored[:4])
    return None


def main(objdump, libraries):
    tiles = {}
    for library in libraries:
        tiles.update(read_tiles(objdump, library))
    wrong = [reason for (name, of, mr, nr), code in tiles.items() if (reason := check(name, of, mr, nr, code))]
    if not tiles:
        wrong.append("no kernels found")
    print("\n".join(wrong) or f"{len(tiles)} kernels keep their sums in registers")
    return bool(wrong)


sys.exit(main(sys.argv[1], sys.argv[2:]))
