"""Runs a compiler, and fails where ptxas says that it made matrix products wait for each other, ignored a register
budget or spilled: nvcc has no option that makes errors of these remarks."""
import re
import subprocess
import sys

SERIOUS = re.compile(r'\(C75(?!19)\d\d\)|[1-9]\d* bytes spill')  # C7519: a fence that we have written already

run = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
serious = [line for line in run.stdout.splitlines() if SERIOUS.search(line)]
if run.returncode or serious:
    print('\n'.join(serious) if serious else run.stdout, file=sys.stderr)
sys.exit(run.returncode or bool(serious))
