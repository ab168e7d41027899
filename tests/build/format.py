"""clang-format 14 would change no file of C or CUDA.

format.py SOURCE_ROOT
"""
import pathlib
import re
import shutil
import subprocess
import sys

SKIP = 77
VERSION = "14"  # others break lines elsewhere
FOLDERS = ["include", "lib", "kernels", "bench", "tests", "examples"]
SUFFIXES = {".c", ".h", ".cu", ".cuh"}
AT_A_TIME = 100


def find_formatter():
    for name in (f"clang-format-{VERSION}", "clang-format"):
        if shutil.which(name):
            version = subprocess.run([name, "--version"], capture_output=True, text=True).stdout
            if re.search(rf"version {VERSION}\.", version):
                return name
    return None


def main():
    formatter = find_formatter()
    if not formatter:
        print(f"clang-format {VERSION} is not installed")
        return SKIP
    root = pathlib.Path(sys.argv[1])
    files = [str(path.relative_to(root)) for folder in FOLDERS for path in sorted((root / folder).rglob("*"))
             if path.suffix in SUFFIXES]
    unclean = {}
    for first in range(0, len(files), AT_A_TIME):
        done = subprocess.run([formatter, "--dry-run", "--style=file", *files[first:first + AT_A_TIME]], cwd=root,
                              capture_output=True, text=True)
        for name, line in re.findall(r"^(\S+?):(\d+):\d+: (?:warning|error): .*clang-format", done.stderr, flags=re.M):
            unclean.setdefault(name, line)
        if done.returncode:
            print(done.stderr)
            return 1
    for name, line in unclean.items():
        print(f"{name}:{line}: {formatter} -i would change it, from here on")
    print(f"{len(files)} files, {len(unclean)} of them not as {formatter} has them")
    return 1 if unclean or not files else 0


sys.exit(main())
