"""clang warns of nothing in the sources of the library and the benches that another compiler built without a word.

clang.py BUILD_ROOT FOLDER...       C files of these folders, by the commands of BUILD_ROOT/compile_commands.json
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

SKIP = 77
NEWEST = 18  # of those that CI has: later ones may warn of more
OURS = ["-fsyntax-only", "-Werror", "-Qunused-arguments", "-Wno-unknown-warning-option"]
DROPPED = {"-c": 1, "-MD": 1, "-o": 2, "-MQ": 2, "-MF": 2}  # and so many words with it


def version_of(clang):
    text = subprocess.run([clang, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"clang version (\d+)", text)
    return int(found[1]) if found else NEWEST + 1


def has_openmp(clang):
    return subprocess.run([clang, "-fopenmp", "-fsyntax-only", "-x", "c", "-"], input="#include <omp.h>\n", text=True,
                          capture_output=True, check=False).returncode == 0


def read_commands(build, folders):
    """{file: what follows the compiler in its command}; of a file that is compiled more than once the first one."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(os.path.normpath(pathlib.Path(entry["directory"]) / entry["file"]))
        if path.suffix != ".c" or path in found or not any(path.is_relative_to(folder) for folder in folders):
            continue
        words = shlex.split(entry["command"])
        at = next(i for i, word in enumerate(words) if word.startswith("-"))
        kept = []
        while at < len(words):
            drop = DROPPED.get(words[at], 0)
            kept += [] if drop else [words[at]]
            at += drop or 1
        found[path] = kept
    return found


def main():
    build, folders = pathlib.Path(sys.argv[1]), [pathlib.Path(folder).resolve() for folder in sys.argv[2:]]
    clang = shutil.which("clang")
    if not clang or version_of(clang) > NEWEST or not has_openmp(clang):
        print(f"no clang up to {NEWEST} with OpenMP")
        return SKIP
    commands = read_commands(build, folders)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(lambda words: subprocess.run([clang, *words, *OURS], cwd=build, capture_output=True,
                                                          text=True, check=False), commands.values()))
    wrong = [one.stderr for one in done if one.returncode]
    print("".join(wrong) if wrong else f"{len(done)} files")
    return 1 if wrong or not done else 0


sys.exit(main())
