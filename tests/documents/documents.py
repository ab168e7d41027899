"""README's program is the example that is tested; every relative link in the documents leads to a file, every suite
that they name has tests, or problems of a bench, and each decision stands once in their index.

documents.py SOURCE_ROOT
"""
import pathlib
import re
import sys


def check_decisions(folder):
    listed = re.findall(r"^- \[(\d+)\]\((\S+?)\): ", (folder / "README.md").read_text(), re.M)
    names = [name for _, name in listed]
    records = {path.name for path in folder.glob("*.md")} - {"README.md"}
    return [f"docs/decisions/README.md: {name} stands there {names.count(name)} times"
            for name in sorted(records) if names.count(name) != 1] + [
                f"docs/decisions/README.md: {name} under the number {number}" for number, name in listed
                if not name.startswith(f"{number}-")]


def main():
    root = pathlib.Path(sys.argv[1])
    documents = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]
    suites = {suite for path in (root / "tests").rglob("meson.build")
              for suite in re.findall(r"suite: '(\w+)'", path.read_text())}
    timed = set(re.findall(r'\.name = "(\w+)"', (root / "bench" / "problems" / "suites.c").read_text()))
    wrong, links = [], 0
    for document in documents:
        for link in re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text()):
            if "://" not in link:
                links += 1
                if not (document.parent / link).exists():
                    wrong.append(f"{document.relative_to(root)}: {link} leads nowhere")
        wrong += [f"{document.relative_to(root)}: nothing is of suite {suite}"
                  for sign, suite in re.findall(r"--(?:no-)?suite([ =])(\w+)", document.read_text())
                  if suite not in suites and not (sign == "=" and suite in timed)]
    wrong += check_decisions(root / "docs" / "decisions")
    program = re.search(r"```c\n(.*?)```", documents[0].read_text(), flags=re.S)
    if not program or program[1] != (root / "examples" / "row_major.c").read_text():
        wrong.append("README.md: its first program is not examples/row_major.c")
    print("\n".join(wrong) if wrong else f"{links} links, one program")
    return 1 if wrong or not links else 0


sys.exit(main())
