"""Prints the architectures to compile for, lowest first: those of the GPUs that the driver shows. Without one it says
why and fails. The driver is asked in a process of its own, which nobody waits for when it hangs.

find_gpus.py [NVCC [SECONDS]]
"""
import ctypes
import subprocess
import sys

SECONDS = 20  # a driver that nobody uses may take a few to begin
MAJOR, MINOR = 75, 76  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_*
LEAST = 80
TRIED = "80"  # as PTX it serves what nvcc does not know yet


def ask_driver():
    """One compute capability a line, as 90."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        sys.exit("no driver of a GPU here")
    count = ctypes.c_int()
    status = driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count))
    if status:
        sys.exit(f"no GPU (the driver answers {status})")
    for device in range(count.value):
        major, minor = ctypes.c_int(), ctypes.c_int()
        if not driver.cuDeviceGetAttribute(ctypes.byref(major), MAJOR, device) and \
                not driver.cuDeviceGetAttribute(ctypes.byref(minor), MINOR, device):
            print(10 * major.value + minor.value)


def find_capabilities(seconds):
    asker = subprocess.Popen([sys.executable, __file__, "--ask"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    try:
        found, reason = asker.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        asker.kill()
        asker.returncode = -9  # it may not die before the driver lets go: no one waits for it
        sys.exit(f"the driver did not answer in {seconds:g} s")
    if asker.returncode:
        sys.exit(reason.strip().splitlines()[-1] if asker.returncode > 0 else "asking the driver failed")
    return sorted({int(word) for word in found.split()})


def main():
    if sys.argv[1:] == ["--ask"]:
        return ask_driver()
    found = find_capabilities(float(sys.argv[2]) if len(sys.argv) > 2 else SECONDS)
    if not found:
        sys.exit("no GPU")
    able = [capability for capability in found if capability >= LEAST]
    if not able:
        sys.exit(f"GPUs of compute capability {found[-1] / 10}, and the kernels need {LEAST / 10}")
    known = subprocess.run([sys.argv[1], "--list-gpu-arch"], capture_output=True, text=True).stdout.split() \
        if len(sys.argv) > 1 else []
    # What 9.0 alone has, matrix products by a warpgroup, is in 90a.
    names = ["90a" if capability == 90 else str(capability) if not known or f"compute_{capability}" in known else TRIED
             for capability in able]
    print(" ".join(sorted(set(names), key=lambda name: int(name.rstrip("a")))))


main()
