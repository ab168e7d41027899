"""The version that the header's macros tell is the project's.

version.py HEADER VERSION -- COMPILER...
"""
import pathlib
import subprocess
import sys


def main():
    header, version = pathlib.Path(sys.argv[1]), sys.argv[2]
    compiler = sys.argv[sys.argv.index("--") + 1 :]
    major, minor, patch = map(int, version.split("."))
    claims = {"_MAJOR": major, "_MINOR": minor, "_PATCH": patch, "": major * 10000 + minor * 100 + patch}
    source = f'#include "{header.name}"\n' + "".join(
        f"#if LAYOUTGEMM_VERSION{name} != {value}\n#error LAYOUTGEMM_VERSION{name} is not {value}\n#endif\n"
        for name, value in claims.items()
    )
    command = [*compiler, "-x", "c", f"-I{header.parent}", "-fsyntax-only", "-Werror", "-"]
    return subprocess.run(command, input=source, text=True).returncode


sys.exit(main())
