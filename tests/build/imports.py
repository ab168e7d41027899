"""Every quoted #include respects docs/imports.txt: a file includes only what stands above or beside it.

imports.py SOURCE_ROOT. `closed` after a line: nobody outside of it may include from it.
`opens X` after a line: closed or not, it may include from X.
`only X` after a line: of what stands above, it may include X alone, and what it opens.
"""
import pathlib
import re
import sys

# A header that the build writes stands in the tree as NAME.in.
SEARCH = ("include", "lib", "kernels", ".", "tests")  # the compiler's search path, after the file's own folder
SKIPPED = {".git", "subprojects"}


def read_lines(path):
    """[(place, rank, closed, only, opens)], rank growing upwards."""
    rows = []
    for text in path.read_text().splitlines():
        words = text.split("#")[0].split()
        if words:
            only, opens = (words[words.index(key) + 1] if key in words else None for key in ("only", "opens"))
            rows.append((words[0], len(rows), "closed" in words, only, opens))
    return rows


def find_row(rows, file):
    """The most specific row that file (relative, posix) belongs to."""
    owners = [row for row in rows if file == row[0] or file.startswith(row[0] + "/")]
    return max(owners, key=lambda row: len(row[0])) if owners else None


def resolve(root, file, name):
    for folder in (file.parent, *(root / place for place in SEARCH)):
        for target in ((folder / name).resolve(), (folder / f"{name}.in").resolve()):
            if target.is_file() and root in target.parents:
                return target.relative_to(root).as_posix()
    return None


def check(rows, file, target):
    """None, or why file must not include target."""
    here, there = find_row(rows, file), find_row(rows, target)
    if here is None or there is None:
        return "belongs to no line of docs/imports.txt"
    if here == there:
        return None
    if there[1] > here[1]:
        return f"{there[0]} stands below {here[0]} in docs/imports.txt"
    if there[2] and here[4] != there[0]:
        return f"{there[0]} is closed"
    if here[3] and there[0] not in here[3:]:
        return f"{here[0]} may include only {here[3]}"
    return None


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    rows = read_lines(root / "docs" / "imports.txt")
    count, wrong = 0, []
    for file in sorted(found for pattern in ("*.[ch]", "*.cpp", "*.cu", "*.cuh") for found in root.rglob(pattern)):
        inside = file.relative_to(root)
        if inside.parts[0] in SKIPPED or inside.parts[0].startswith("build"):
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
            if not found:
                continue
            target = resolve(root, file, found[2])
            if target is None:
                if found[1] == '"':
                    wrong.append(f'{inside}:{number}: "{found[2]}" is no file of this project')
                continue
            count += 1
            reason = check(rows, inside.as_posix(), target)
            if reason:
                wrong.append(f"{inside}:{number}: {target}: {reason}")
    print("\n".join(wrong) if wrong else f"{count} includes, each from above or beside")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
