"""clang-format 14 would change no file of C or CUDA, and no line has more than 120 columns.

format.py SOURCE_ROOT
"""
import pathlib
import re
import shutil
import subprocess
import sys

SKIP = 77
VERSION = "14"  # others break lines elsewhere
FOLDERS = ["include", "lib", "kernels", "bench", "tests", "examples", "fortran", "pkgconfig", "python"]
SUFFIXES = {".c", ".h", ".cpp", ".hpp", ".cu", ".cuh"}
AT_A_TIME = 100
COLUMNS = 120
WRITTEN = {".build", ".in", ".f90", ".py", ".pyi", ".md", ".c", ".h", ".cpp", ".hpp", ".cu", ".cuh"}
OTHERS = [".ci/run", "docs/imports.txt", "meson_options.txt"]
FREE = {"bench/LOG.md"}


def find_formatter():
    for name in (f"clang-format-{VERSION}", "clang-format"):
        if shutil.which(name):
            version = subprocess.run([name, "--version"], capture_output=True, text=True).stdout
            if re.search(rf"version {VERSION}\.", version):
                return name
    return None


def find_long_lines(root):
    """Lines of more columns, but for tables of Markdown."""
    files = [root / name for name in OTHERS]
    for folder in [*FOLDERS, "docs", "."]:
        paths = (root / folder).rglob("*") if folder != "." else root.glob("*")
        files += [path for path in sorted(paths) if path.suffix in WRITTEN]
    wrong = []
    for path in files:
        name = path.relative_to(root).as_posix()
        for number, line in enumerate(path.read_text().splitlines(), 1):
            is_table = path.suffix == ".md" and line.startswith("|")
            if len(line) > COLUMNS and not is_table and name not in FREE:
                wrong.append(f"{name}:{number}: {len(line)} columns, {COLUMNS} at most")
    return wrong


def main():
    root = pathlib.Path(sys.argv[1])
    wrong = find_long_lines(root)
    if wrong:
        print("\n".join(wrong))
        return 1
    formatter = find_formatter()
    if not formatter:
        print(f"clang-format {VERSION} is not installed")
        return SKIP
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
