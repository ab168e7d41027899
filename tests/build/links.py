"""Links run as includes do: an object uses what rooms above or beside its own in docs/imports.txt define, no matter
where it was declared.

links.py SOURCE_ROOT NM LIBRARY: the static library of all objects, whose names tell the sources they were made of.
"""
import collections
import pathlib
import re
import subprocess
import sys

from imports import find_row, read_lines

SOURCES = {".c", ".cu"}
# "library.a:folder/library.a.p/cpu_table.c.o: 0000000000000010 D lay_kernels"; of no thin archive, without folders
LINE = re.compile(r":([^:]*/)?([^:/]+):\s*[0-9a-f]*\s+(\w)\s+(\S+)$")


def name_objects(root):
    """{an object's name: [the sources that it may be of]}: the build's are paths below lib or kernels with _ for /."""
    names = collections.defaultdict(list)
    for folder in ("lib", "kernels"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SOURCES:
                inside = path.relative_to(root / folder)
                file = path.relative_to(root).as_posix()
                names[f"{folder}:{'_'.join(inside.parts)}.o"].append(file)
                if inside.parts[0] == "cuda" and folder == "kernels":  # made by nvcc alone
                    names[f"{folder}:{'_'.join(inside.parts[1:])[:-len(path.suffix)]}.o"].append(file)
                    names[f"{folder}:{'_'.join(inside.parts[1:])}.o"].append(file)  # of a library in that folder
    return names


def find_sources(names, name):
    """An archive without folders has the kernels' objects beside lib's; those of another folder's build begin with
    dots."""
    bare = re.sub(r"^(\.\._)*(kernels_)?", "", name.partition(":")[2])
    return names[name] or names["kernels:" + bare]


def read_symbols(nm, library):
    """{object: (defined, wanted)}, an object named as name_objects does."""
    text = subprocess.run([nm, "-A", library], check=True, capture_output=True, text=True).stdout
    objects = collections.defaultdict(lambda: (set(), set()))
    for line in text.splitlines():
        found = LINE.search(line)
        if not found:
            continue
        folder, name, kind, symbol = found.groups()
        of = objects[f"{'kernels' if 'kernels' in (folder or '') else 'lib'}:{name}"]
        if kind in "Uw":
            of[1].add(symbol)
        elif kind.isupper() or kind == "u":
            of[0].add(symbol)
    return objects


def main():
    root, nm, library = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
    rows, names = read_lines(root / "docs" / "imports.txt"), name_objects(root)
    objects, wrong, files, home = read_symbols(nm, library), [], {}, {}
    for name, (defined, _) in objects.items():
        sources = find_sources(names, name)
        if len(sources) != 1:
            wrong.append(f"{name.partition(':')[2]} is made of {' or '.join(sources) or 'no source of lib or kernels'}")
            continue
        files[name] = sources[0]
        for symbol in defined:
            home[symbol] = files[name]
    count = 0
    for name, file in files.items():
        here = find_row(rows, file)
        for symbol in sorted(objects[name][1] & home.keys()):
            there = find_row(rows, home[symbol])
            count += 1
            if here is None or there is None:
                wrong.append(f"{file}: belongs to no line of docs/imports.txt")
            elif there[1] > here[1]:
                wrong.append(f"{file} uses {symbol} of {home[symbol]}: {there[0]} stands below {here[0]} in "
                             "docs/imports.txt")
    print("\n".join(wrong) if wrong else f"{count} uses of symbols, each of a room above or beside")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
