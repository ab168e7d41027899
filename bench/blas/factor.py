"""dgetrf and dpotrf of the reference LAPACK, and HPL as hpcc runs it, over several BLAS libraries in turns.

factor.py [--n=4000] [--rounds=5] [--threads=1] [--hpl] NAME=FOLDER...

FOLDER has the library as libblas.so.3; its LAPACK, if it has one, is not taken, but of NAME=FOLDER,own it is (from
FOLDER, as liblapack.so.3). OPENBLAS_CORETYPE holds, for OpenBLAS may take a new CPU for an old one. Seconds, the lowest
and the median of the rounds, each in a process of its own; and the first library's time / each one's. It takes Debian's
liblapack3, python3-numpy (for operands) and hpcc.
"""
import argparse
import ctypes
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

LAPACK = f"/usr/lib/{os.uname().machine}-linux-gnu/lapack"
HPL = ("HPL\nHPL\nHPL.out\n8\n1\n{n}\n1\n{nb}\n0\n1\n1\n1\n16.0\n1\n2\n1\n4\n1\n2\n1\n1\n1\n1\n1\n0\n2\n64\n0\n0\n1\n"
       "8\n-\n0\n1200\n0\n40\n")


def factor(n):
    """The child: seconds of a second dgetrf and dpotrf, after a first one that brings the shapes' plans."""
    import numpy
    lapack = ctypes.CDLL("liblapack.so.3")
    made = numpy.random.default_rng(1).standard_normal((n, n))
    spd = made @ made.T / n + numpy.eye(n)
    order, info, pivots = ctypes.c_int(n), ctypes.c_int(0), numpy.zeros(n, dtype=numpy.int32)

    def address(array):
        return array.ctypes.data_as(ctypes.c_void_p)

    for name, source in (("dgetrf", made), ("dpotrf", spd)):
        seconds = []
        for _ in range(2):
            work = numpy.asfortranarray(source)
            begin = time.perf_counter()
            if name == "dgetrf":
                lapack.dgetrf_(ctypes.byref(order), ctypes.byref(order), address(work), ctypes.byref(order),
                               address(pivots), ctypes.byref(info))
            else:
                lapack.dpotrf_(b"L", ctypes.byref(order), address(work), ctypes.byref(order), ctypes.byref(info),
                               ctypes.c_size_t(1))
            seconds.append(time.perf_counter() - begin)
            if info.value:
                sys.exit(f"{name}: info {info.value}")
        if name == "dpotrf":
            lower = numpy.tril(work)
            if abs(lower @ lower.T - spd).max() > 1e-10 * n:
                sys.exit("dpotrf: the factors' product is another matrix")
        print(f"{name}, first call: {seconds[0]}\n{name}: {seconds[1]}")


def hpl(n, environment):
    with tempfile.TemporaryDirectory() as place:
        (pathlib.Path(place) / "hpccinf.txt").write_text(HPL.format(n=n, nb=128))
        command = ["mpiexec.openmpi", "-n", "1", "--bind-to", "none", "hpcc"]
        subprocess.run(command, cwd=place, env=environment, check=True, capture_output=True)
        text = (pathlib.Path(place) / "hpccoutf.txt").read_text()
    if "0 tests completed and failed residual checks" not in text:
        sys.exit("HPL: a residual is too large")
    return [("HPL", float(re.search(r"HPL_time=([\d.e+-]+)", text)[1]))]


def main():
    given = argparse.ArgumentParser()
    given.add_argument("--n", type=int, default=4000)
    given.add_argument("--rounds", type=int, default=5)
    given.add_argument("--threads", default="1")
    given.add_argument("--hpl", action="store_true")
    given.add_argument("--child", action="store_true")
    given.add_argument("libraries", nargs="*")
    given = given.parse_args()
    if given.child:
        factor(given.n)
        return
    taken = {}
    for turn in range(given.rounds):
        for library in given.libraries[::-1] if turn % 2 else given.libraries:
            name, folder = library.split("=")
            folder, _, own = folder.partition(",")
            path = folder if own else f"{LAPACK}:{folder}"
            environment = dict(os.environ, LD_LIBRARY_PATH=path, LAY_NUM_THREADS=given.threads,
                               OPENBLAS_NUM_THREADS=given.threads, OMPI_ALLOW_RUN_AS_ROOT="1",
                               OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
            if given.hpl:
                found = hpl(given.n, environment)
            else:
                command = ["/usr/bin/python3", __file__, "--child", f"--n={given.n}"]
                done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
                found = [(line.split(": ")[0], float(line.split(": ")[1])) for line in done.stdout.splitlines()]
            for what, seconds in found:
                taken.setdefault(what, {}).setdefault(name, []).append(seconds)
    for what, by in taken.items():
        first = next(iter(by.values()))
        for name, seconds in by.items():
            print(f"{what:20} {name:12} lowest {min(seconds):.4f} s, median {statistics.median(seconds):.4f} s; "
                  f"{min(first) / min(seconds):.3f}, {statistics.median(first) / statistics.median(seconds):.3f}")


if __name__ == "__main__":
    main()
