"""The numbers of docs/testing.md are what there is at least, and not far from it.

counts.py SOURCE_ROOT
"""
import pathlib
import re
import subprocess
import sys

from blocks import blocks

NEAR = 0.7  # of what there is: a number that has fallen behind is to be mended


def count(folder, suffix, sign):
    return sum(len(re.findall(sign, path.read_text(), re.M)) for path in folder.rglob(f"*{suffix}"))


def count_faults(root):
    said = subprocess.run([sys.executable, root / "tests" / "mutation" / "run.py", "--check"], capture_output=True,
                          text=True, check=False).stdout
    found = re.search(r"(\d+) faults can be planted", said)
    return int(found[1]) if found else 0


def count_random(root, folder, program):
    text = (root / "tests" / folder / "meson.build").read_text()
    seeds = re.search(r"foreach seed : \[(.*?)\]", text)
    return len(seeds[1].split(",")) * int(re.search(program + r", args: \[seed, '(\d+)'\]", text)[1])


COUNTS = {
    "tests of C": lambda root: count(root / "tests", ".c", r"cmocka_unit_test\w*\("),
    "tests of Python": lambda root: count(root / "tests", ".py", "^def test_") + count(root / "python", ".py",
                                                                                     "^def test_"),
    "programs of examples": lambda root: sum(path.suffix in (".c", ".cpp", ".f90")
                                             for path in (root / "examples").iterdir()),
    "faults": count_faults,
    "programs and fragments": lambda root: sum(block.language in ("c", "cpp", "fortran") for block in blocks(root)),
    "random products": lambda root: count_random(root, "product", "random_products"),
    "random contractions": lambda root: count_random(root, "contractions", "random_contractions"),
    "fuzzed readers": lambda root: len(list((root / "tests").rglob("fuzz_*.c"))),
}


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    rows = re.findall(r"^\| ([^|]+?) \| (\d+) \|", (root / "docs" / "testing.md").read_text(), re.M)
    wrong, seen = [], set()
    for what, number in rows:
        kind = next((kind for kind in COUNTS if what.startswith(kind)), None)
        seen.add(kind)
        there = COUNTS[kind](root) if kind else 0
        if not int(number) <= there <= int(number) / NEAR:
            wrong.append(f"docs/testing.md: '{what}' says {number}, there are {there}")
    wrong += [f"docs/testing.md has no line '{kind}'" for kind in COUNTS if kind not in seen]
    print("\n".join(wrong) if wrong else f"{len(rows)} numbers")
    return 1 if wrong else 0


sys.exit(main())
