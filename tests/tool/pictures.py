"""The drawings of the documents are what their commands make today.

usage: pictures.py LAY SOURCE_ROOT
"""

import pathlib
import re
import shlex
import subprocess
import sys

from tap import LAY, expect, lay, run

DOCS = pathlib.Path(sys.argv[2]).resolve() / "docs"


def commands():
    """[(document, words behind lay)] of each `lay show ... --svg docs/pictures/...` in a document."""
    return [(path.name, shlex.split(line)) for path in sorted(DOCS.glob("*.md"))
            for line in re.findall(r"^lay (show .* --svg docs/pictures/\S+)$", path.read_text(), re.M)]


def plots():
    """{picture: words} of each `build/bench/PROGRAM --plot=PICTURE` in a document."""
    text = "".join(path.read_text() for path in DOCS.glob("*.md"))
    found = re.findall(r"^build/bench/(\S+ --plot=(\S+\.svg))$", text, re.M)
    return {picture: shlex.split(line) for line, picture in found}


def test_each_picture_is_what_its_command_makes():
    for document, words in commands():
        kept = DOCS.parent / words[-1]
        status, _, said = lay(*words[:-1], "made.svg")
        expect(status == 0 and kept.exists(), document, words, said)
        expect(pathlib.Path("made.svg").read_text() == kept.read_text(), document, words, "makes another picture now")


def test_each_plot_is_what_its_program_makes():
    for picture, (program, *words) in plots().items():
        done = subprocess.run([pathlib.Path(LAY).parent / program, *words], capture_output=True, text=True, check=False)
        expect(done.returncode == 0, program, done.stderr)
        made, kept = pathlib.Path(picture).read_text(), (DOCS / "pictures" / picture).read_text()
        expect(made == kept, picture, "is another now")


def test_each_picture_has_a_command_and_is_shown():
    made = {words[-1].split("/")[-1] for _, words in commands()} | plots().keys()
    expect(made and made == {path.name for path in (DOCS / "pictures").iterdir()}, made)
    text = "".join(path.read_text() for path in DOCS.glob("*.md"))
    for name in made:
        expect(f"](pictures/{name})" in text, name, "is shown nowhere")


run(globals())
