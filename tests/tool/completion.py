"""What bash offers behind lay and a tab.

usage: completion.py LAY FILE_OF_COMPLETIONS
"""

import shutil
import subprocess
import sys

from tap import LAY, Skip, expect, run


def offered(*words):
    """The list of completions of the last of these words, behind lay."""
    if not shutil.which("bash"):
        raise Skip("bash is not installed")
    script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _lay 2>&1 || echo failed; '
              'printf "%s\\n" "${COMPREPLY[@]}"')
    done = subprocess.run(["bash", "-c", script, "bash", sys.argv[2], LAY, *words], capture_output=True, text=True)
    expect(done.returncode == 0 and not done.stderr, done.stderr)
    return done.stdout.split()


def test_commands_come_first():
    expect({"show", "gemm", "bench", "explain", "info", "help"} <= set(offered("")), offered(""))
    expect(offered("ex") == ["explain"], offered("ex"))
    expect(offered("help", "sh") == ["show"], offered("help", "sh"))
    expect(offered("--v") == ["--version"], offered("--v"))


def test_options_are_those_of_the_command():
    expect(offered("bench", "1024", "--ag") == ["--against="], offered("bench", "1024", "--ag"))
    expect(offered("explain", "--ag") == [], offered("explain", "--ag"))
    expect("--help" in offered("info", "-"), offered("info", "-"))
    expect("--sum-by-storage" in offered("explain", "--s"), offered("explain", "--s"))


def test_layouts_stand_behind_a_problems_colon():
    expect({"row", "col", "matrix2"} <= set(offered("explain", "512", ":")), offered("explain", "512", ":"))
    expect(offered("explain", "512", ":", "matrix") == ["matrix1", "matrix2"])


def test_all_else_is_a_file():
    open("a b.npy", "w").close()
    open("other", "w").close()
    expect(offered("gemm", "oth") == ["other"], offered("gemm", "oth"))
    expect(offered("gemm", "a") == ["a", "b.npy"], offered("gemm", "a"))


run(globals())
