"""The benches of kernels at the command line: help, and one sentence for what they cannot do.

usage: benches.py BENCH...
"""

import os
import subprocess
import sys

from tap import expect, run

BENCHES = [os.path.abspath(path) for path in sys.argv[1:]]


def started(path, *arguments):
    done = subprocess.run([path, *arguments], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def test_every_bench_explains_itself():
    for path in BENCHES:
        for word in ("-h", "--help"):
            status, out, said = started(path, word)
            expect(status == 0 and said == "" and out.startswith(f"usage: {os.path.basename(path)} "), path, out, said)


def test_what_is_too_much_is_refused_by_name():
    for path in BENCHES:
        for words in (("--colour",), ("-q",), ("one", "two"), ("--sizes=", "--check")):
            status, out, said = started(path, *words)
            expect(status == 2 and out == "" and said.count("\n") == 1, path, words, status, out, said)
            expect(said.startswith(os.path.basename(path) + ": "), path, said)


def test_values_out_of_range_are_refused():
    for path in BENCHES:
        if "cuda" not in os.path.basename(path):
            continue
        for words in ((), ("--time", "--rounds=0"), ("--time", "--rounds=9x"), ("--check", "--beta=one")):
            status, out, said = started(path, *words)
            expect(status == 2 and out == "" and said.count("\n") == 1, path, words, status, out, said)


run(globals())
