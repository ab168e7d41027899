"""ScaLAPACK's own testers of PBLAS, level 3 (Debian's scalapack-mpi-test), on 4 ranks, with liblaypblas before the
library that they were made for: what they count is what they count without it. Twice: with their own input, and with
blocks, sources and places that differ between A, B and C.

testers.py MPIRUN LIBRARY
"""
import pathlib
import re
import subprocess
import sys
import tempfile

from mpirun import SKIP, starts
from scalapack import find_testers, run_with

RANKS = 4
# By name: what other values of it are, for A, B and C.
OTHER = {"IMB": "3 4 2 7", "INB": "5 1 3 2", "MB": "2 3 6 4", "NB": "4 2 5 3"}
SOURCES = "0 1 1 0"


def vary(text):
    """The input with other blocks for B and C, and with sources but 0 on grids that have them; the grids are those of
    two rows and two columns."""
    def change(line):
        found = re.match(r"\s*[-\d ]+?\tvalues of (IMB|INB|MB|NB|RSRC|CSRC)_([ABC])\s*$", line)
        if not found:
            return line
        name, matrix = found.groups()
        values = (SOURCES if "SRC" in name else OTHER[name]).split()
        turn = "ABC".index(matrix)
        return " ".join((values[turn:] + values[:turn]) * 2) + f"\tvalues of {name}_{matrix}"

    lines = [change(line) for line in text.splitlines()]
    lines = [re.sub(r"^4(\s+number of process grids)", r"1\1", line) for line in lines]
    return "\n".join("2" + line[1:] if re.search(r"values of [PQ]\s*$", line) else line for line in lines) + "\n"


def count(mpirun, tester, name, text, environment):
    """Rows of the summary, by routine; the error exits' words; and lines of the log of products computed here."""
    with tempfile.TemporaryDirectory() as place:
        pathlib.Path(place, name).write_text(text)
        try:
            done = run_with(mpirun, RANKS, ["sh", "-c", f"cd {place} && exec {tester}"], OPENBLAS_NUM_THREADS="1",
                            LAY_VERBOSE="1", **environment)
        except subprocess.TimeoutExpired:
            return {}, [], 0
    rows = re.findall(r"^\s+\|\s+(P\w+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)", done.stdout, re.M)
    exits = re.findall(r"(?:rror-exit|Input-only).*", done.stdout)
    return {row[0]: tuple(map(int, row[1:])) for row in rows}, exits, done.stderr.count("run,LAY_OK")


def main():
    mpirun, library = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    folder = find_testers(mpirun)
    if not folder or not starts(mpirun):
        print("scalapack-mpi-test is not installed, or mpirun starts nothing here")
        return SKIP
    failures = 0
    print("tester, input: tests of all routines, passed, failed, skipped; error exits; local products here")
    for letter in "sdcz":
        name = f"P{letter.upper()}BLAS3TST.dat"
        own = (folder / name).read_text()
        for words, text in (("its own", own), ("other blocks", vary(own))):
            tester = folder / f"{letter}pb3tst"
            rows, exits, _ = count(mpirun, tester, name, text, {})
            ours, our_exits, products = count(mpirun, tester, name, text, {"LD_PRELOAD": library})
            total = [sum(row[i] for row in ours.values()) for i in range(4)]
            gemm = ours.get(f"P{letter.upper()}GEMM", (0, 0, 0, 0))
            is_right = ours == rows and exits == our_exits and gemm[1] > 0 and gemm[2] == 0 and products > 0
            failures += not is_right
            print(f"{letter}pb3tst, {words}: {total}, {len(our_exits)}, {products}: "
                  f"{'as without' if is_right else 'OTHERWISE than without: ' + str((rows, ours))}", flush=True)
    return 1 if failures else 0


sys.exit(main())
