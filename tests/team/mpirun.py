"""Runs a program on MPI's ranks, which share what CPUs there are; skipped where mpirun starts nothing.

mpirun.py MPIRUN RANKS PROGRAM [ARGUMENT...]
"""
import functools
import os
import subprocess
import sys

SKIP = 77


def run(mpirun, ranks, words, more=(), timeout=600):
    """The ended process. Open MPI wants to be told that more ranks than CPUs, and root, are meant; what it never gives
    back is no leak of ours, so that the address sanitizer looks for none."""
    asan = ":".join(filter(None, [os.environ.get("ASAN_OPTIONS"), "detect_leaks=0"]))
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMP_WAIT_POLICY="passive", LAY_NUM_THREADS="1", ASAN_OPTIONS=asan)
    start = [mpirun, *(["--oversubscribe"] if is_open(mpirun) else []), *more, "-np", str(ranks)]
    return subprocess.run([*start, *map(str, words)], env=environment, capture_output=True, text=True, timeout=timeout)


@functools.lru_cache
def is_open(mpirun):
    return "Open MPI" in subprocess.run([mpirun, "--version"], capture_output=True, text=True).stdout


def starts(mpirun):
    return run(mpirun, 1, ["true"]).returncode == 0


def main():
    if not starts(sys.argv[1]):
        print("mpirun starts nothing here")
        return SKIP
    done = run(sys.argv[1], sys.argv[2], sys.argv[3:])
    print(done.stdout + done.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
