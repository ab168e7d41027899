"""Refuses, with a sentence, architectures that nvcc or the kernels would refuse after minutes.

check_archs.py NVCC ARCH...: 80, 90a and the like, the lowest first; prints what is to be warned of.
"""
import re
import subprocess
import sys

LEAST = 80
FIRST_WITH_LETTER = 90  # 90a has what 9.0 alone has


def main():
    nvcc, archs = sys.argv[1], sys.argv[2:]
    listed = subprocess.run([nvcc, "--list-gpu-arch"], capture_output=True, text=True).stdout.split()
    known = sorted({int(name) for name in re.findall(r"compute_(\d+)\b", " ".join(listed))} - set(range(LEAST)))
    last = 0
    for arch in archs:
        match = re.fullmatch(r"(\d+)([af]?)", arch)
        number = int(match[1]) if match else 0
        if match and number < LEAST:
            sys.exit(f"-Dcuda-archs: {arch} is too old, the kernels need {LEAST}")
        if not match or known and number not in known or match[2] and number < FIRST_WITH_LETTER:
            sys.exit(f"-Dcuda-archs: '{arch}' is none of what nvcc and the kernels know: "
                     f"{', '.join(map(str, known or [LEAST]))}, 90a and the like")
        if number < last:
            sys.exit(f"-Dcuda-archs: {arch} stands behind {last}: the lowest comes first")
        last = number
    if "90" in archs and "90a" not in archs:
        print("-Dcuda-archs: 90 has no kernels for 16-bit types and limbs on compute capability 9.0, 90a has them")


main()
