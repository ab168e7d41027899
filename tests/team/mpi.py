"""Products and copies of MPI's ranks, 1 to 9 of them, and what happens when one is late, asks for something else, or is
killed.

mpi.py MPIRUN PROGRAM [--all]      --all: 500 products, 2000 copies, 20 moments to be killed at; else a few of each
"""
import sys

from mpirun import SKIP, is_open, run, starts


def main():
    mpirun, program = sys.argv[1:3]
    is_all = "--all" in sys.argv
    failures = 0
    if not starts(mpirun):
        print("mpirun starts nothing here")
        return SKIP
    for ranks in range(1, 10) if is_all else (1, 2, 4, 6, 9):
        products, copies = (56, 223) if is_all else (8, 12)
        done = run(mpirun, ranks, [program, products, copies, ranks])
        is_right = done.returncode == 0 and f"{ranks} ranks" in done.stdout
        failures += not is_right
        print(f"{ranks} ranks: {products} products, {copies} copies {'right' if is_right else 'WRONG'}", flush=True)
        if not is_right:
            print(done.stderr[-3000:])
    for word in ("late", "other"):
        done = run(mpirun, 4, [program, word])
        failures += done.returncode != 0
        print(f"{word}: {'right' if done.returncode == 0 else done.stderr[-2000:]}", flush=True)
    recovery = ["--mca", "orte_enable_recovery", "1", "--mca", "orte_abort_on_non_zero_status", "0"]
    for seed in range(1, (21 if is_all else 3) if is_open(mpirun) else 1):
        done = run(mpirun, 4, [program, "killed", seed], recovery)
        alive = done.stdout.count(" lives: ")
        is_right = alive == 3 and "not so" not in done.stderr
        failures += not is_right
        print(f"killed, moment {seed}: {alive} of 3 others say so{'' if is_right else ': ' + done.stderr[-2000:]}",
              flush=True)
    return 1 if failures else 0


sys.exit(main())
