"""Where Debian's ScaLAPACK for the MPI of an mpirun is, and programs that are run with it."""
import os
import pathlib

from mpirun import is_open, run

FOLDER = pathlib.Path(f"/usr/lib/{os.uname().machine}-linux-gnu")


def find_library(mpirun):
    """None where it is not installed."""
    found = sorted(FOLDER.glob(f"libscalapack-{kind(mpirun)}.so.*"))
    return found[0] if found else None


def find_testers(mpirun):
    folder = FOLDER / "scalapack" / f"{kind(mpirun)}-tests" / "PBLAS"
    return folder if folder.exists() else None


def kind(mpirun):
    return "openmpi" if is_open(mpirun) else "mpich"


def run_with(mpirun, ranks, words, timeout=300, **environment):
    """The ended process, whose ranks have these variables."""
    return run(mpirun, ranks, ["env", *(f"{name}={value}" for name, value in environment.items()), *words],
               timeout=timeout)
