"""Products and sums that are rounded apart stay apart, at every ISA level.

contracted.py OBJDUMP LIBRARY...: static libraries, compiled so that FMA may be used. Multiply-adds stand only in
members whose kernels are made of them; one that adds and subtracts in turn stands nowhere. gcc 12 makes such ones of
loops over parts of complex numbers, though -ffp-contract=off forbids it, in vectors and not in the steps behind them:
then bits differ between levels and layouts, and no test sees it on a machine without FMA (bench/LOG.md, 95, 105).
"""
import re
import subprocess
import sys

FUSED = re.compile(r"cpu_(avx2|avx512|amx)_(gemm|half|lanes|split)_|cpu_c_split_")  # members that are to have FMA
MEMBER = re.compile(r"^(\S.*):\s+file format")
FUNCTION = re.compile(r"^[0-9a-f]+ <([^>]*)>:$")
MULTIPLY_ADD = re.compile(r"\t(vf(?:n?m(?:add|sub)|m(?:addsub|subadd))\d*\w+)")
IN_TURN = re.compile(r"vfm(addsub|subadd)")


def find_contracted(listing):
    """(member, function, instruction) of each that should not be there, and how many members were read."""
    member, function, found, members = "", "", [], 0
    for line in listing.splitlines():
        if match := MEMBER.match(line):
            member = match[1]
            members += 1
        elif match := FUNCTION.match(line):
            function = match[1]
        elif (match := MULTIPLY_ADD.search(line)) and (IN_TURN.match(match[1]) or not FUSED.search(member)):
            found.append((member, function, match[1]))
    return found, members


def main(objdump, *libraries):
    found, members = [], 0
    for library in libraries:
        listing = subprocess.run([objdump, "-d", "--no-show-raw-insn", library], check=True, text=True,
                                 capture_output=True)
        own, read = find_contracted(listing.stdout)
        found += own
        members += read
    for member, function, instruction in sorted(set(found)):
        print(f"{member}: {function} has {instruction}")
    print(f"{members} members, {len(found)} instructions that should not be there")
    return 1 if found or not members else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
