"""Random products and redistributions by liblaypblas on 1 to 6 ranks, beside a loaded ScaLAPACK that computes none.

trials.py MPIRUN PROGRAM [--all]      --all: 300 products and 300 redistributions on each number of ranks, else a few
"""
import sys

from mpirun import SKIP, starts
from scalapack import find_library, run_with


def main():
    mpirun, program = sys.argv[1:3]
    is_all = "--all" in sys.argv
    library = find_library(mpirun)
    if not library or not starts(mpirun):
        print("ScaLAPACK is not installed, or mpirun starts nothing here")
        return SKIP
    failures = 0
    for ranks in (1, 2, 3, 4, 5, 6) if is_all else (1, 2, 4, 6):
        for what, trials in (("gemm", 300 if is_all else 40), ("gemr2d", 300 if is_all else 40)):
            done = run_with(mpirun, ranks, [program, library, what, trials, ranks], LAY_VERBOSE="1")
            passed_on = done.stderr.count("is passed on")
            is_right = done.returncode == 0 and f"{ranks} ranks: {trials} right" in done.stdout and not passed_on
            failures += not is_right
            print(f"{ranks} ranks, {what}: {trials} {'right' if is_right else 'WRONG'}", flush=True)
            if not is_right:
                told = [line for line in done.stderr.splitlines() if "passed on" in line or "trial" in line]
                print("\n".join(told[:20]) or done.stderr[-3000:])
    return 1 if failures else 0


sys.exit(main())
