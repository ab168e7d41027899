"""Every program and fragment in README and the pages is compiled without a warning and run: whole programs as they are,
fragments in the frames of frames.py. What stands in a comment behind the last bracket is what a program prints. What
is in a language that is not compiled stands below with where it is tried.

programs.py SOURCE_ROOT LIBRARY FORTRAN_MODULE C++ FORTRAN -- COMPILER...     "none" for a compiler that is not there
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import frames
from blocks import blocks

ELSEWHERE = {
    "sh": "commands",
    "python": "the package's own suite, test_documents.py",
    "cmake": "consumer_cmake",
    "ini": "consumer_subproject",
    "meson": "consumer_subproject",
    "": "text, output, drawings; commands runs lines that begin with $",
}
STRICT = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"]


def find_frame(table, block):
    return next((frame for line, frame in table.items() if line in block.text.splitlines()), None)


def write_c(block):
    """A program's text, or None where no frame fits."""
    if "int main(" in block.text:
        return block.text
    frame = find_frame(frames.C_FRAMES, block)
    if not frame:
        return None
    functions = re.match(r"(static .*?^}\n)?(.*)", block.text, re.S | re.M)
    return (f"{frames.C_HEAD}{functions[1] or ''}int main(void)\n{{\n{frame[0]}{functions[2]}{frame[1]}"
            "return *lay_last_error() != 0;\n}\n")


def write_cxx(block):
    frame = find_frame(frames.CXX_FRAMES, block)
    if not frame:
        return None
    text = re.sub(r"^#include.*\n", "", block.text, flags=re.M)
    return f"{frames.CXX_HEAD}int main()\n{{\n{frame[0]}{text}{frame[1]}}}\n"


def write_fortran(block):
    text = block.text
    used = re.match(r"(use .*\n)+", text)[0]
    return frames.FORTRAN_BEFORE + used + frames.FORTRAN_DECLARED + text[len(used):] + frames.FORTRAN_BEHIND


class Builder:
    def __init__(self, root, library, module, cxx, fortran, compiler):
        include, link = f"-I{root / 'include'}", [str(library), f"-Wl,-rpath,{library.parent}", "-lm"]
        self.words = {"c": [*compiler, "-std=gnu11", *STRICT, include], "cpp": [cxx, "-std=c++17", *STRICT, include],
                      "fortran": [fortran, str(module)]}
        self.link = link

    def run(self, language, text):
        """What went wrong, or "", or None where there is no such compiler."""
        words = self.words[language]
        if not shutil.which(words[0]):
            return None
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, {"c": "program.c", "cpp": "program.cpp", "fortran": "program.f90"}[language])
            source.write_text(text)
            done = subprocess.run([*words, str(source), "-o", "program", *self.link], cwd=folder, capture_output=True,
                                  text=True, check=False)
            if done.returncode:
                return done.stderr[-2000:]
            done = subprocess.run(["./program"], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
        wanted = re.search(r"^\} /\* (.*) \*/\n*\Z", text, re.M)
        is_wrong = done.returncode or (wanted and done.stdout.strip() != wanted[1])
        return f"exit status {done.returncode}: {done.stdout}{done.stderr}" if is_wrong else ""


def main():
    root, library, module = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    builder = Builder(root, library, module, *sys.argv[4:6], sys.argv[sys.argv.index("--") + 1:])
    write = {"c": write_c, "cpp": write_cxx, "fortran": write_fortran}
    wrong, counts = [], {}
    for block in blocks(root):
        if block.language in ELSEWHERE:
            continue
        text = write[block.language](block) if block.language in write else None
        said = builder.run(block.language, text) if text else "no frame, or no such language, in frames.py"
        kind = f"of {block.language}" + (" (no compiler)" if said is None else "")
        counts[kind] = counts.get(kind, 0) + 1
        if said:
            wrong.append(f"{block.place}: {said}\n{text or block.text}")
    print("\n".join(wrong + [", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))]))
    return 1 if wrong or counts.get("of c", 0) < 10 else 0


sys.exit(main())
