"""A public header alone compiles without a warning and needs only <stddef.h>, <stdint.h> and layoutgemm.h.

header.py HEADER LANGUAGE STANDARD -- COMPILER...
"""
import pathlib
import re
import shutil
import subprocess
import sys

SKIP = 77
WARNINGS = ["-pedantic", "-Wall", "-Wextra", "-Wundef", "-Wshadow", "-Wconversion", "-Werror"]


def main():
    header, language, standard = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    compiler = sys.argv[sys.argv.index("--") + 1 :]
    if not shutil.which(compiler[0]):
        print(f"{compiler[0]} is not installed")
        return SKIP
    includes = set(re.findall(r"^\s*#\s*include\s*(\S+)", header.read_text(), flags=re.M))
    if includes - {'"layoutgemm.h"'} != {"<stddef.h>", "<stdint.h>"}:
        print(f"{header.name} includes {sorted(includes)}")
        return 1
    # Twice, so that the guard is used, and with the initialiser, which only expands in use.
    source = (
        f'#include "{header.name}"\n#include "{header.name}"\n'
        "int use(void);\n"
        "int use(void) { lay_options options = LAY_OPTIONS_INIT;"
        " return options.threads + (lay_version() != NULL) + (LAY_NO_OFFSET < 0); }\n"
    )
    command = [*compiler, "-x", language, f"-std={standard}", *WARNINGS, f"-I{header.parent}", "-fsyntax-only", "-"]
    return subprocess.run(command, input=source, text=True).returncode


sys.exit(main())
