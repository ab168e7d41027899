"""Each library exports the names of routines.txt and nothing else, unversioned, and needs liblayoutgemm and libc alone.

symbols.py MAP LIBRARY SONAME [LIBRARY SONAME]...
"""
import pathlib
import re
import shutil
import subprocess
import sys

SKIP = 77
ALLOWED = re.compile(r"(liblayoutgemm|libc|ld-linux-[\w-]+)\.so(\.\d+)?$")


def printed(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def check(listed, library, soname):
    exported = {line.split()[-1] for line in printed("nm", "-D", "--defined-only", library).splitlines()}
    dynamic = printed("readelf", "-dW", library)
    wrong = [f"{library}: {name} is not exported" for name in sorted(listed - exported)]
    wrong += [f"{library}: {name} is exported" for name in sorted(exported - listed) if not name.startswith("__asan")]
    wrong += [f"{library} needs {name}" for name in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
              if not ALLOWED.match(name) and not re.match(r"lib[atu]+b?san", name)]
    if re.findall(r"\(SONAME\).*\[(.*)\]", dynamic) != [soname]:
        wrong.append(f"{library}: its name is not {soname}")
    return wrong


def main():
    if not shutil.which("nm") or not shutil.which("readelf"):
        print("nm or readelf is not installed")
        return SKIP
    listed = set(re.findall(r"^\s+(\w+);", pathlib.Path(sys.argv[1]).read_text(), re.M))
    wrong = []
    for library, soname in zip(sys.argv[2::2], sys.argv[3::2]):
        wrong += check(listed, library, soname)
    print("\n".join(wrong) or f"{len(listed)} names")
    return 1 if wrong or len(listed) < 300 else 0


if __name__ == "__main__":
    sys.exit(main())
