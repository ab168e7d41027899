"""Asking for GPUs at setup time: what it says of drivers that show some, show none, are not there, or hang.

gpus.py FIND_GPUS NVCC|none -- COMPILER...: NVCC is asked which architectures it knows, where there is one.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

DRIVER = """
#include <unistd.h>
static const int shown[] = { %s };
int cuInit(unsigned flags) { if (%s) sleep(100); return flags + %d; }
int cuDeviceGetCount(int *count) { *count = sizeof shown / sizeof *shown - 1; return 0; }
int cuDeviceGetAttribute(int *value, int which, int device)
{
    *value = which == 75 ? shown[device] / 10 : which == 76 ? shown[device] %% 10 : -1;
    return 0;
}
"""
# name, capabilities, cuInit hangs, cuInit's answer; what is printed, or a part of the reason
CASES = [
    ("one GPU is taken as it is", "80", 0, 0, "80"),
    ("9.0 is taken with what it alone has", "90", 0, 0, "90a"),
    ("two of a kind are one architecture", "90, 90", 0, 0, "90a"),
    ("the lowest of several stands first", "90, 80", 0, 0, "80 90a"),
    ("one too old is left out", "75, 86", 0, 0, "86"),
    ("only ones too old are none", "70, 75", 0, 0, "compute capability 7.5, and the kernels need 8.0"),
    ("a driver without a GPU is none", "", 0, 0, "no GPU"),
    ("a driver that refuses is none", "90", 0, 100, "the driver answers 100"),
    ("a driver that hangs is given up", "90", 1, 0, "did not answer in 1 s"),
]


def ask(script, arguments, folder):
    return subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "LD_LIBRARY_PATH": str(folder)})


def main():
    end = sys.argv.index("--")
    script, nvcc, compiler = sys.argv[1], sys.argv[2], sys.argv[end + 1:]
    wrong = []
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        for name, shown, hangs, answer, wanted in CASES:
            source = folder / "driver.c"
            source.write_text(DRIVER % (shown + ", 0" if shown else "0", hangs, answer))
            subprocess.run([*compiler, "-shared", "-fPIC", str(source), "-o", str(folder / "libcuda.so.1")], check=True)
            begin = time.monotonic()
            done = ask(script, ["false", "1" if hangs else "30"], folder)
            is_right = done.stdout.strip() == wanted if done.returncode == 0 else wanted in done.stderr
            if not is_right or (done.returncode == 0) != wanted[0].isdigit() or time.monotonic() - begin > 30:
                wrong.append(f"{name}: status {done.returncode}, {done.stdout}{done.stderr}")
        if nvcc != "none":  # 99 is no architecture: what is newer than nvcc runs the lowest one's PTX
            source.write_text(DRIVER % ("99, 0", 0, 0))
            subprocess.run([*compiler, "-shared", "-fPIC", str(source), "-o", str(folder / "libcuda.so.1")], check=True)
            done = ask(script, [nvcc], folder)
            if done.stdout.strip() != "80":
                wrong.append(f"a GPU that nvcc does not know: {done.stdout}{done.stderr}")
    print("\n".join(wrong) if wrong else f"{len(CASES)} drivers")
    return 1 if wrong else 0


sys.exit(main())
