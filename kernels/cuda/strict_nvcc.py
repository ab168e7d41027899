"""Runs a compiler, and fails where ptxas says that it made matrix products wait for each other, ignored a register
budget or spilled: nvcc has no option that makes errors of these remarks. What ptxas says of each kernel is shown only
then, with the kernel's name; everything else that the compiler prints is passed on."""
import re
import subprocess
import sys

SERIOUS = re.compile(r"\(C75(?!19)\d\d\)|[1-9]\d* bytes spill")  # C7519: a fence that we have written already
REMARK = re.compile(r"ptxas info\b|\s*\d+ bytes (stack frame|gmem)")
NAMED = re.compile(r"Function properties for (\S+)")


def read(text):
    """(serious lines, each behind its function's name where the line does not say it; lines that are no remarks)"""
    serious, others, function = [], [], None
    for line in text.splitlines():
        found = NAMED.search(line)
        function = found[1] if found else function
        if SERIOUS.search(line):
            serious.append(f"{function}: {line.strip()}" if function and line[:1].isspace() else line)
        elif not REMARK.match(line):
            others.append(line)
    return serious, others


def main():
    run = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    serious, others = read(run.stdout)
    if serious or others:
        print("\n".join(others + serious), file=sys.stderr)
    return run.returncode or bool(serious)


sys.exit(main())
