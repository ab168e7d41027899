"""Code in the documents: blocks between fences, and commands within lines."""
import pathlib
import re
from typing import NamedTuple

FENCE = re.compile(r"^```(\w*)\n(.*?)^```", flags=re.S | re.M)


class Block(NamedTuple):
    place: str  # "README.md:27"
    language: str
    text: str


def documents(root):
    """README, CONTRIBUTING and the pages; decisions tell of the past."""
    root = pathlib.Path(root)
    return [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]


def blocks(root):
    for path in documents(root):
        text = path.read_text()
        for found in FENCE.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            yield Block(f"{path.relative_to(root)}:{line}", found[1], found[2])


def shell_lines(block):
    """Logical lines: one that ends in a backslash or && goes on; of a block without a language those behind "$ "."""
    text = block.text if block.language else "\n".join(re.findall(r"^\$ (.*)$", block.text, re.M))
    return [line for line in re.sub(r"(\\|(&&))\n\s*", r"\2 ", text).splitlines() if line.strip()]


def inline_commands(root):
    """(place, command) of `program word...` within lines."""
    for path in documents(root):
        text = FENCE.sub(lambda found: "\n" * found[0].count("\n"), path.read_text())
        for found in re.finditer(r"`([^`]+)`", text):
            command = " ".join(found[1].split())
            if re.match(r"((LAY_\w+=\S+ )*(build/bench/)?(lay|[a-z-]+-bench)|meson|ninja|pip|python3|cc) \S", command):
                yield f"{path.relative_to(root)}:{text.count(chr(10), 0, found.start()) + 1}", command


def manual_examples(root):
    for path in sorted((pathlib.Path(root) / "docs" / "man").iterdir()):
        for part in re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed", path.read_text(), re.S | re.M):
            for line in part.splitlines():
                if re.match(r"(LAY_\w+=\S+ )*lay ", line):
                    yield path.name, line.replace("\\e", "\\")
