"""The programs of a document are compiled without a warning, and print what stands in their last comment.

tutorial.py DOCUMENT INCLUDE LIBRARY -- COMPILER...
"""
import pathlib
import re
import subprocess
import sys
import tempfile


def main():
    document, include, library = map(pathlib.Path, sys.argv[1:4])
    compiler = sys.argv[sys.argv.index("--") + 1:]
    programs = [text for text in re.findall(r"```c\n(.*?)```", document.read_text(), flags=re.S) if "int main(" in text]
    wrong = 0
    for number, text in enumerate(programs, 1):
        wanted = re.findall(r"/\* (.*?) \*/", text)[-1]
        with tempfile.TemporaryDirectory() as folder:
            source, program = pathlib.Path(folder, "program.c"), pathlib.Path(folder, "program")
            source.write_text(text)
            subprocess.run([*compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{include}", str(source), "-o",
                            str(program), str(library), f"-Wl,-rpath,{library.parent}"], check=True)
            done = subprocess.run([str(program)], capture_output=True, text=True, timeout=60, check=False)
        if done.returncode or done.stdout.strip() != wanted or done.stderr:
            print(f"program {number}: {done.stdout.strip()!r} {done.stderr.strip()!r}, not {wanted!r}")
            wrong += 1
    print(f"{len(programs)} programs, {wrong} wrong")
    return 1 if wrong or len(programs) < 4 else 0


sys.exit(main())
