"""NumPy's own tests of linear algebra, with liblayblas preloaded and without: what passes without passes with it.

with_numpy.py LIBRARY
"""
import os
import pathlib
import re
import subprocess
import sys

LIBRARY = pathlib.Path(sys.argv[1]).resolve()
PYTHON = "/usr/bin/python3"  # the system's, whose NumPy takes the system's BLAS
WHERE = "import numpy, pytest; print(numpy.__path__[0], numpy.core._multiarray_umath.__file__)"


def run(*command, **more):
    return subprocess.run(command, env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1", **more), capture_output=True,
                          text=True, timeout=1200)


def failed_tests(folder, **more):
    done = run(PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rfE", f"{folder}/linalg/tests", **more)
    passed = re.search(r"(\d+) passed", done.stdout)
    return set(re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.M)), int(passed[1]) if passed else 0


def main():
    found = run(PYTHON, "-c", WHERE)
    if found.returncode or "libblas" not in run("ldd", found.stdout.split()[1]).stdout:
        print("1..0 # SKIP there is no NumPy of the system's with its libblas, or no pytest")
        return 0
    folder = found.stdout.split()[0]
    a_product = "import numpy; numpy.ones((50, 50)) @ numpy.ones((50, 50))"
    is_ours = "run,LAY_OK" in run(PYTHON, "-c", a_product, LD_PRELOAD=str(LIBRARY), LAY_VERBOSE="1").stderr
    print(f"{'ok' if is_ours else 'not ok'} 1 - NumPy's products are computed here")
    without, _ = failed_tests(folder)
    having, passed = failed_tests(folder, LD_PRELOAD=str(LIBRARY))
    is_ok = passed > 100 and not having - without
    print(f"{'ok' if is_ok else 'not ok'} 2 - numpy.linalg: {passed} tests passed")
    for name in sorted(having - without):
        print(f"# {name}")
    print("1..2")
    return not (is_ours and is_ok)


if __name__ == "__main__":
    sys.exit(main())
