"""What is passed on, and to whom: the library that LAY_BLAS_NEXT names, and sentences where it names none.

passing.py PROGRAM LIBRARY LACKING MATH: test_blas_passing, liblayblas, a library that has dgemm_ and a dgemv_ that says
-77, one without.
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

PROGRAM, LIBRARY, LACKING, MATH = sys.argv[1:]
count = failures = 0


def run(what, named, **more):
    environment = dict(os.environ, LAY_BLAS_NEXT=named, LC_ALL="C", **more)
    return subprocess.run([PROGRAM, what], env=environment, capture_output=True, text=True, timeout=60)


def report(is_ok, name, done):
    global count, failures
    count += 1
    failures += not is_ok
    print(f"{'ok' if is_ok else 'not ok'} {count} - {name}")
    if not is_ok:
        print(f"# status {done.returncode}: {done.stdout!r} {done.stderr!r}")


def answers(what, named, wanted, name):
    done = run(what, named)
    report(done.returncode == 0 and done.stdout == wanted + "\n" and not done.stderr, name, done)


def ends(what, named, words, name):
    done = run(what, named)
    report(done.returncode == -signal.SIGABRT and done.stderr.startswith("layblas: ") and
           all(word in done.stderr for word in words), name, done)


def main():
    has_next = run("daxpy", "").returncode == 0
    if has_next:
        answers("daxpy", "", "daxpy 16 32", "a routine is passed on")
        answers("dots", "", "dots 5 5 -2 9", "results arrive, of every kind")
        answers("dgbmv", "", "dgbmv 33 72", "arguments on the stack arrive")
        answers("dtrmm", "", "dtrmm 60 240", "a small call of what is computed here is passed on")
        done = run("dtrmm", "", LAY_BLAS_LEVEL3="some")
        report(done.returncode == 0 and done.stdout == "dtrmm 60 240\n" and "LAY_BLAS_LEVEL3=some" in done.stderr,
               "LAY_BLAS_LEVEL3 that is no number is told of, and the measured limits taken", done)
        done = run("dgemm", "", LAY_ISA="none")
        report(done.stdout == "dgemm 3 6 6 12\n" and "passed on" in done.stderr and "LAY_ISA" in done.stderr,
               "a wrong environment is told, and the product passed on", done)
    answers("dgemm", "/no/such/library.so", "dgemm 3 6 6 12", "what is ours needs no other library")
    answers("dgemv", "/no/such/library.so", "dgemv 2 1024 2", "without another library every gemv is ours")
    answers("dgemv", LACKING, "dgemv -77 1024 2", "small real calls of gemv are passed on, large and complex ones not")
    for asked, wanted in (("own", "dgemv 2 1024 2"), ("next", "dgemv -77 -77 2")):
        done = run("dgemv", LACKING, LAY_BLAS_GEMV=asked)
        report(done.returncode == 0 and done.stdout == wanted + "\n" and not done.stderr, f"LAY_BLAS_GEMV={asked}",
               done)
    done = run("dgemv", LACKING, LAY_BLAS_GEMV="some")
    report(done.stdout == "dgemv -77 1024 2\n" and done.stderr.count("LAY_BLAS_GEMV=some") == 1,
           "LAY_BLAS_GEMV that is neither is told of, once", done)
    ends("daxpy", "/no/such/library.so", ["daxpy_", "LAY_BLAS_NEXT=/no/such/library.so", "cannot be loaded"],
         "a library that there is not")
    ends("dtrmm", LIBRARY, ["dtrmm", "layblas itself"], "layblas itself")
    with tempfile.TemporaryDirectory() as folder:
        link = pathlib.Path(folder) / "libblas.so.3"
        link.symlink_to(pathlib.Path(LIBRARY).resolve())
        ends("dtrmm", str(link), ["dtrmm", "layblas itself"], "layblas by another name")
    ends("dtrmm", MATH, ["is no BLAS"], "a library that is no BLAS")
    ends("dtrmm", LACKING, ["dtrmm", "no such routine"], "a library without the routine")
    done = run("wrong", LACKING)
    report(done.returncode == 0 and done.stdout == "dgemm 0 0 0 0\n" and "On entry to DGEMM" in done.stderr and
           "parameter number  3" in done.stderr, "a library without xerbla: a line of our own, and the call returns",
           done)
    print(f"1..{count}")
    if not has_next:
        print("# no BLAS is installed to pass anything on to")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
