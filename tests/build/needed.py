"""The shared library needs libc, libm and the OpenMP runtime at run time, and nothing else: no CUDA. With CUDA's
static runtime in it, which has thread-locals of its own, it calls the dynamic loader as well.

needed.py LIBRARY SONAME
"""
import re
import shutil
import subprocess
import sys

SKIP = 77
ALLOWED = re.compile(r"(libc|libm|libgomp|libomp|ld-linux-[\w-]+)\.so(\.\d+)?$")  # libomp: what clang calls libgomp


def main():
    if not shutil.which("readelf"):
        print("readelf is not installed")
        return SKIP
    text = subprocess.run(["readelf", "-dW", sys.argv[1]], check=True, capture_output=True, text=True).stdout
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", text)
    soname = re.findall(r"\(SONAME\).*\[(.*)\]", text)
    wrong = [f"needs {name}" for name in needed if not ALLOWED.match(name)]
    if soname != [sys.argv[2]]:
        wrong.append(f"soname is {soname}, not {sys.argv[2]}")
    if "(TEXTREL)" in text:
        wrong.append("has text relocations")
    print("\n".join(wrong) if wrong else f"needs {' '.join(needed)}")
    return 1 if wrong or not needed else 0


sys.exit(main())
