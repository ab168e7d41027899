"""From routines.txt, the exported names: as a version script, or as the list of what is passed on.

names.py map|passed ROUTINES OUTPUT
"""
import pathlib
import sys


def fortran_and_c(word):
    """A passed routine's names."""
    name, _, own = word.partition(":")
    return [name + "_"] + ([] if own == "-" else [own or "cblas_" + name])


def read(path):
    ours, passed = [], []
    for line in path.read_text().splitlines():
        kind, *words = line.split("#")[0].split() or [""]
        if kind == "ours" and words[0] in ("data", "function"):
            ours += words[1:]
        elif kind == "ours":
            ours += [made for name in words for made in (name + "_", "cblas_" + name, name + "_64_",
                                                         "cblas_" + name + "_64")]
        elif kind == "next":
            passed += [made for word in words for made in fortran_and_c(word)]
        elif kind:
            sys.exit(f"{path}: {kind} is neither ours nor next")
    return ours, passed


def main():
    what, path, output = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    ours, passed = read(path)
    if what == "map":
        # Without a version: programs that were linked to another BLAS, or will be, ask for none.
        text = "{\n  global:\n" + "".join(f"    {name};\n" for name in sorted(ours + passed)) + "  local: *;\n};\n"
    else:
        text = "".join(f"PASSED({name})\n" for name in passed)
    output.write_text(text)


if __name__ == "__main__":
    main()
