"""The logbook's index is true: its files and names are in the tree, its sections are there and speak of what it says.
And every file of results is named by a page.

logbook.py SOURCE_ROOT
"""
import fnmatch
import itertools
import pathlib
import re
import sys

CODE = {".c", ".h", ".cu", ".cuh", ".py"}


def read_sections(text):
    """number -> text, in lower case and with single blanks"""
    parts = re.split(r"^## (\d+)\.", text, flags=re.M)[1:]
    return {int(number): " ".join(part.lower().split()) for number, part in zip(parts[::2], parts[1::2])}


def check_row(root, where, words, numbers, sections):
    """What is wrong with one row: | files and names in backticks | words | sections |"""
    wrong, files = [], []
    for name in re.findall(r"`([^`]+)`", where):
        if "/" in name:
            files = sorted(root.glob(name)) # names behind a file are that file's
            wrong += [] if files else [f"{name} is not there"]
        elif not any(re.search(rf"\b{re.escape(name)}\b", file.read_text()) for file in files if file.is_file()):
            wrong.append(f"{name} does not stand in the files named before it")
    asked = [word.strip().lower() for word in words.split(";")]
    for number in (int(number) for number in re.findall(r"\d+", numbers)):
        if number not in sections:
            wrong.append(f"{where}: there is no section {number}")
        elif not any(word in sections[number] for word in asked):
            wrong.append(f"{where}: section {number} has none of: {words}")
    return wrong


def expand(pattern):
    """Braces as a shell has them."""
    found = re.search(r"\{([^}]*)\}", pattern)
    if not found:
        return [pattern]
    return list(itertools.chain.from_iterable(
        expand(pattern[:found.start()] + word + pattern[found.end():]) for word in found[1].split(",")))


def find_unnamed(root):
    """Results that no page names, by themselves or by a pattern."""
    pages = "\n".join(page.read_text() for page in
                      [root / "README.md", root / "bench" / "LOG.md", *(root / "docs").rglob("*.md")])
    names = [name for found in re.findall(r"results/([\w*{},.-]+)", pages) for name in expand(found)]
    return [path.name for path in sorted((root / "bench" / "results").iterdir())
            if not any(fnmatch.fnmatch(path.name, name.rstrip(".,")) for name in names)]


def main():
    root = pathlib.Path(sys.argv[1])
    text = (root / "bench" / "LOG.md").read_text()
    sections = read_sections(text)
    index = text.partition("## Index\n")[2].partition("\n## ")[0]
    rows = [row for row in re.findall(r"^\|(.+)\|(.+)\|(.+)\|$", index, flags=re.M) if "`" in row[0]]
    wrong = [line for row in rows for line in check_row(root, *(cell.strip() for cell in row), sections)]
    missing = sections.keys() - {int(number) for row in rows for number in re.findall(r"\d+", row[2])}
    wrong += [f"no row leads to section {number}" for number in sorted(missing)]
    wrong += [f"bench/results/{name}: no page names it" for name in find_unnamed(root)]
    print("\n".join(wrong) if wrong else f"{len(rows)} rows, {len(sections)} sections")
    return 1 if wrong or not rows else 0


sys.exit(main())
