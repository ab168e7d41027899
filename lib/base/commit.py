"""Prints the commit of the sources: twelve digits, with + behind them where files that git knows have been changed.

commit.py ROOT. Ends with 1, and prints nothing, where ROOT is not the top of a checkout of git, as a tarball's is not,
whatever checkout it may lie in.
"""
import os
import subprocess
import sys


def ask(root, *words):
    return subprocess.run(["git", "-C", root, *words], capture_output=True, text=True, check=True).stdout.strip()


def main():
    root = sys.argv[1]
    try:
        if os.path.realpath(ask(root, "rev-parse", "--show-toplevel")) != os.path.realpath(root):
            return 1
        print(ask(root, "describe", "--always", "--abbrev=12", "--exclude=*", "--dirty=+"))
    except (OSError, subprocess.CalledProcessError):
        return 1
    return 0


sys.exit(main())
