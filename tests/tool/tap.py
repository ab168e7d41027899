"""Runs the functions named test_... of a script and reports them as TAP; a name is a sentence."""

import os
import pty
import subprocess
import sys
import tempfile
import traceback

LAY = os.path.abspath(sys.argv[1])


def lay(*arguments, **keywords):
    """Runs the tool; returns (exit status, stdout, stderr)."""
    done = subprocess.run([LAY, *map(str, arguments)], capture_output=True, text=True, timeout=600, **keywords)
    return done.returncode, done.stdout, done.stderr


def expect(claim, *facts):
    if not claim:
        raise AssertionError(" | ".join(map(str, facts)))


class Skip(Exception):
    """Raised by a test that cannot run here, with the reason."""


def open_terminal():
    """Both sides of a terminal; a bare chroot or container has none."""
    try:
        return pty.openpty()
    except OSError as why:
        raise Skip(f"no terminal: {why}") from why


def run(names):
    """Each test in an empty folder of its own. names: the caller's globals()."""
    tests = [(name[5:].replace("_", " "), test) for name, test in names.items() if name.startswith("test_")]
    print(f"1..{len(tests)}")
    failed = 0
    for number, (name, test) in enumerate(tests, 1):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                test()
                print(f"ok {number} - {name}")
            except Skip as reason:
                print(f"ok {number} - {name} # SKIP {reason}")
            except Exception:
                failed += 1
                print(f"not ok {number} - {name}")
                for line in traceback.format_exc().splitlines():
                    print("# " + line)
            os.chdir("/")
    sys.exit(failed != 0)
