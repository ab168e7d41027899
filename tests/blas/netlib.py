"""The reference BLAS's own test programs (Debian's libblas-test), with liblayblas before the BLAS they were made for,
and in its place.

netlib.py LIBRARY AS_BLAS: liblayblas, and its copy that is called libblas.so.3
"""
import glob
import os
import pathlib
import subprocess
import sys
import tempfile

LIBRARY, AS_BLAS = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
# What of 4 types each program has: its name and its input, if any.
PROGRAMS = [("xblat1{}", None), ("xblat2{}", "{}blat2.in"), ("xblat3{}", "{}blat3.in"),
            ("x{}cblat1", None), ("x{}cblat2", "{}in2"), ("x{}cblat3", "{}in3")]
BAD = ("FAIL", "*****", "ABANDONED", "FATAL")
# The routines that are passed in by this library must have run here: a line of its log each.
OURS = {"xblat3{}", "x{}cblat3", "xblat2{}", "x{}cblat2"}


def find_folder():
    found = glob.glob("/usr/lib/*/blas/xblat3d")
    return pathlib.Path(found[0]).parent if found else None


def run(folder, name, given, environment):
    """What a program prints, into its files too; None where it failed to run."""
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run([folder / name], input=(folder / given).read_text() if given else "", cwd=place,
                              env=dict(os.environ, LAY_VERBOSE="1", LAY_BLAS_GEMV="own", LC_ALL="C", **environment),
                              capture_output=True, text=True, timeout=300)
        written = "".join(path.read_text() for path in sorted(pathlib.Path(place).iterdir()))
    return done.returncode, done.stdout + written, done.stderr


def judge(status, text, log, is_ours):
    """What is wrong, in words; None where nothing is."""
    if status:
        return f"status {status}: {log[-300:]}"
    for line in text.splitlines():
        if any(word in line for word in BAD):
            return line.strip()
    if "PASS" not in text:
        return "nothing passed"
    if is_ours and "run,LAY_OK" not in log:
        return "no product was computed here"
    return None


def main():
    folder = find_folder()
    if not folder:
        print("1..0 # SKIP Debian's libblas-test is not installed")
        return 0
    reference = folder / "libblas.so.3"
    ways = [("preloaded", {"LD_PRELOAD": str(LIBRARY)}),
            ("as libblas.so.3", {"LD_LIBRARY_PATH": str(AS_BLAS.parent)})]
    if reference.exists():
        for _, environment in ways:
            environment["LAY_BLAS_NEXT"] = str(reference)
    count = failures = 0
    for way, environment in ways:
        for name, given in PROGRAMS:
            for letter in "sdcz":
                wrong = judge(*run(folder, name.format(letter), given and given.format(letter), environment),
                              name in OURS)
                count += 1
                failures += wrong is not None
                print(f"{'not ok' if wrong else 'ok'} {count} - {name.format(letter)}, {way}")
                if wrong:
                    print(f"# {wrong}")
    print(f"1..{count}")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
