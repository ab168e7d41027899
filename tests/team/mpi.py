"""Products and copies of MPI's ranks, 1 to 9 of them, and what happens when one is late, asks for something else, or is
killed.

mpi.py MPIRUN PROGRAM [--all] [--rooms | --devices | --nccl]
--all: 500 products, 2000 copies, 20 moments to be killed at; else a few of each
--rooms: each rank has one to three rooms of host memory, moved as between devices; --devices: one or two devices;
  --nccl: one device of its own, linked by NCCL
"""
import sys

from mpirun import SKIP, is_open, run, starts


def try_words(mpirun, program, words):
    """How many of these go wrong, on four ranks."""
    failures = 0
    for word in words:
        done = run(mpirun, 4, [*program, word])
        failures += done.returncode != 0
        print(f"{word}: {'right' if done.returncode == 0 else done.stderr[-2000:]}", flush=True)
    return failures


def try_killed(mpirun, program, moments):
    recovery = ["--mca", "orte_enable_recovery", "1", "--mca", "orte_abort_on_non_zero_status", "0"]
    failures = 0
    for seed in range(1, moments + 1 if is_open(mpirun) else 1):
        done = run(mpirun, 4, [*program, "killed", seed], recovery)
        alive = done.stdout.count(" lives: ")
        is_right = alive == 3 and "not so" not in done.stderr
        failures += not is_right
        print(f"killed, moment {seed}: {alive} of 3 others say so{'' if is_right else ': ' + done.stderr[-2000:]}",
              flush=True)
    return failures


def try_random(mpirun, program, ranks, products, copies):
    done = run(mpirun, ranks, [*program, products, copies, ranks])
    is_right = done.returncode == 0 and f"{ranks} ranks" in done.stdout
    print(f"{' '.join(program[1:])} {ranks} ranks: {products} products, {copies} copies "
          f"{'right' if is_right else 'WRONG'}", flush=True)
    if not is_right:
        print(done.stderr[-3000:])
    return not is_right


def main():
    mpirun, program = sys.argv[1], [sys.argv[2]]
    is_all = "--all" in sys.argv
    if not starts(mpirun):
        print("mpirun starts nothing here")
        return SKIP
    kind = next((word for word in ("--devices", "--nccl", "--rooms") if word in sys.argv), "")
    if kind in ("--devices", "--nccl"):
        done = run(mpirun, 1 if kind == "--devices" else 2, [*program, f"{kind}=1"])
        if done.returncode != 0:
            print(done.stdout + done.stderr)
            return SKIP if "no device: " in done.stdout or "no NCCL: " in done.stdout else 1
    failures = 0
    if kind:
        each, ranks = {"--devices": ((1, 2), (1, 2, 4)), "--nccl": ((1,), (2, 4)),
                       "--rooms": ((1, 2, 3), (1, 2, 3, 4))}[kind]
        sizes = (60, 200) if is_all else (12, 18) if kind == "--rooms" else (6, 9)
        if kind == "--nccl" and "no device: " in run(mpirun, 4, [*program, "--nccl=1"]).stdout:
            print("four ranks by NCCL take four devices: two are tried alone")
            failures = try_random(mpirun, [*program, "--nccl=1"], 2, *sizes)
            return 1 if failures else 0
        for rooms in each:
            for count in ranks:
                if kind == "--rooms" and not is_all and (rooms + count) % 2 == 0:
                    continue  # to start ranks takes longer than what they do
                failures += try_random(mpirun, [*program, f"{kind}={rooms}"], count, *sizes)
        program += [f"{kind}={each[-1]}"]
    else:
        for ranks in range(1, 10) if is_all else (1, 2, 4, 6, 9):
            failures += try_random(mpirun, program, ranks, *((56, 223) if is_all else (8, 12)))
    failures += try_words(mpirun, program, ("late", "other", "unlike") if kind else ("late", "other"))
    failures += try_killed(mpirun, program, 20 if is_all else 2)
    return 1 if failures else 0


sys.exit(main())
