"""What the loader writes into each file is read-only before its code runs: full RELRO.

relro.py FILE...
"""
import re
import shutil
import subprocess
import sys

SKIP = 77


def check(path):
    """What is missing, in words."""
    text = subprocess.run(["readelf", "-ldW", path], check=True, capture_output=True, text=True).stdout
    wrong = []
    if not re.search(r"^\s+GNU_RELRO\s", text, re.M):
        wrong.append(f"{path} has no segment that becomes read-only")
    if not re.search(r"\((BIND_NOW|FLAGS)\).*BIND_NOW|\(BIND_NOW\)|\(FLAGS_1\).*\bNOW\b", text):
        wrong.append(f"{path} binds symbols when they are first called")
    return wrong


def main():
    if not shutil.which("readelf"):
        print("readelf is not installed")
        return SKIP
    wrong = [reason for path in sys.argv[1:] for reason in check(path)]
    print("\n".join(wrong) or f"{len(sys.argv) - 1} files with full RELRO")
    return 1 if wrong or len(sys.argv) == 1 else 0


sys.exit(main())
