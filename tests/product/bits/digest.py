"""digest prints the same line for a product whatever went before it, and refuses what it does not know.

digest.py DIGEST
"""
import subprocess
import sys

from itertools import zip_longest


def run(*words):
    return subprocess.run([sys.argv[1], *words], capture_output=True, text=True)


def main():
    whole, rest = run("--products=120", "--seed=7"), run("--products=70", "--first=50", "--seed=7")
    other = run("--products=120", "--seed=8")
    lines = whole.stdout.splitlines()
    wrong = []
    if whole.returncode or rest.returncode or len(lines) != 120:
        wrong.append(f"{len(lines)} lines of 120, exit status {whole.returncode}: {whole.stderr}")
    for here, there in zip_longest(lines[50:], rest.stdout.splitlines()):
        if here != there:
            wrong.append(f"'{here}' after 50 others, but alone '{there}'")
    if sum(" LAY_OK " in line for line in lines) < 90:
        wrong.append("fewer than 90 of 120 products were computed")
    if other.stdout == whole.stdout:
        wrong.append("another seed has the same products")
    for word in ("--products=0", "--products=x", "--isa=neon", "--first=-1", "nonsense"):
        refused = run(word)
        if refused.returncode != 2 or word not in refused.stderr:
            wrong.append(f"{word}: exit status {refused.returncode}: {refused.stderr}")
    print("\n".join(wrong) or "one line a product, whatever went before it")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
