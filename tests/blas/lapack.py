"""LAPACK's own tests of linear equations and least squares (Debian's liblapack-test), by the reference LAPACK with
liblayblas before its BLAS.

lapack.py LIBRARY

Its tests of eigenvalues are left out: some compare two computations of one number, bit for bit all but, of products of
other shapes, and ask every BLAS's order of sums to be the same for both.
"""
import glob
import os
import pathlib
import re
import subprocess
import sys

LIBRARY = pathlib.Path(sys.argv[1]).resolve()


def main():
    found = glob.glob("/usr/lib/*/lapack/xlintstd")
    if not found or not (pathlib.Path(found[0]).parent / "liblapack.so.3").exists():
        print("1..0 # SKIP Debian's liblapack-test or liblapack3 is not installed")
        return 0
    folder = pathlib.Path(found[0]).parent
    environment = dict(os.environ, LD_PRELOAD=str(LIBRARY), LD_LIBRARY_PATH=str(folder), LC_ALL="C")
    reference = folder.parent / "blas" / "libblas.so.3"
    if reference.exists():
        environment["LAY_BLAS_NEXT"] = str(reference)
    failures = 0
    for number, letter in enumerate("sdcz", 1):
        with open(folder / f"{letter}test.in") as given:
            done = subprocess.run([folder / f"xlintst{letter}"], stdin=given, env=environment, capture_output=True,
                                  text=True, timeout=600)
        passed = len(re.findall(r"passed the (?:threshold|tests)", done.stdout))
        failed = re.findall(r".*(?:failed|\*\*\*).*", done.stdout)
        is_ok = done.returncode == 0 and passed > 50 and not failed
        failures += not is_ok
        print(f"{'ok' if is_ok else 'not ok'} {number} - xlintst{letter}: {passed} lines of passed tests")
        for line in failed:
            print(f"# {line.strip()}")
    print("1..4")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
