"""The shared library exports the functions of the headers, all of them versioned, and nothing else.

symbols.py LIBRARY MAP VERSION HEADER...
"""
import pathlib
import re
import shutil
import subprocess
import sys

SKIP = 77


def exported(library):
    text = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in text.splitlines()]
    return {row[-1] for row in rows if row[-2] != "A"}  # A: the name of the version itself


def declared(header):
    text = re.sub(r"/\*.*?\*/|^\s*#.*?$", "", header.read_text(), flags=re.S | re.M)
    return set(re.findall(r"\bLAY_API\b[^;(]*?(\w+)\(", text))


def listed(symbols, version):
    found = re.search(rf"{version}\s*{{\s*global:(.*?)local:\s*\*;", symbols.read_text(), flags=re.S)
    return {name.strip() for name in found[1].split(";") if name.strip()} if found else set()


def main():
    if not shutil.which("nm"):
        print("nm is not installed")
        return SKIP
    library, symbols, version = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    headers = [pathlib.Path(name) for name in sys.argv[4:]]
    api = set().union(*map(declared, headers))
    names_of_headers = " or ".join(header.name for header in headers)
    wrong = [f"{name} does not start with lay_" for name in api if not name.startswith("lay_")]
    for place, names in (
        (symbols.name, {f"{name}@@{version}" for name in listed(symbols, version)}),
        (pathlib.Path(library).name, exported(library)),
    ):
        wanted = {f"{name}@@{version}" for name in api}
        wrong += [f"{name}: in {names_of_headers}, not in {place}" for name in sorted(wanted - names)]
        wrong += [f"{name}: in {place}, not in {names_of_headers}" for name in sorted(names - wanted)]
    print("\n".join(wrong) if wrong else f"{len(api)} functions, the same in headers, map and library")
    return 1 if wrong or not api else 0


sys.exit(main())
