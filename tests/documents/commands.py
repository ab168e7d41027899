"""Every command line of README, CONTRIBUTING, the pages and the manual is run, against an installation of the build, or
stands below with the reason why not.

commands.py SOURCE_ROOT BUILD_ROOT MESON -- COMPILER...     which is what they call cc: the static library wants its own
"""
import math
import os
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import sys

from blocks import blocks, inline_commands, manual_examples, shell_lines
from installed import installed, require

# What begins so, or is the whole line, is not run; a reason that names a test is where it is.
EXCEPTIONS = {
    "apt-get ": "installs packages: .ci/run does, and the stranger's path in its chroot",
    "meson setup": "builds: the first step of .ci/run",
    "ninja": "builds or installs: .ci/run, and consumer_c into a folder of its own",
    "env/bin/pip": "builds the package: step python of .ci/run",
    "python3 -m venv env": "builds the package: step python of .ci/run",
    "pip install": "builds the package: step python of .ci/run",
    "update-alternatives ": "changes the machine; consumer_blas loads the same library",
    "ldconfig": "changes the machine",
    "LD_PRELOAD=/usr/local/lib/x86_64-linux-gnu/liblayblas": "blas/with_numpy preloads it",
    "LD_LIBRARY_PATH=/usr/local/lib/x86_64-linux-gnu/layblas program": "consumer_blas runs such a program",
    "pytest": "the package's own suite: step python of .ci/run",
    "meson test -C build cuda/": "such tests are there with CUDA alone",
    "lay bench --report=errors": "half a minute of measuring",
    "build/bench/kernel-bench --check-rates f32_8x32": "the row is the reader's, who adds it",
    "cuda-": "needs a GPU and a build with CUDA",
    "kernel-bench --check-rates": "a minute of measuring: benchmark declared_rates",
    "meson test tapp/planted": "the same as with -C, and runs for minutes",
    "lay bench --suite=tccg": "minutes; tool/contests runs parts of suites",
    "lay bench --report=model --memory=device": "needs a GPU",
    "lay bench --memory=device": "needs a GPU",
    "lay bench --report=scale": "a program beside the tool, which nobody installs: test scale runs it",
    "lay bench --devices=0,1": "needs two GPUs",
    "build/examples/places": "test examples/places, where there are tests",
    "build/examples/evolution": "test examples/evolution, where there are tests",
    "mpirun ": "test team/ranks runs such a program, with what MPI wants of root and of few CPUs",
    "lay rates": "seconds of measuring, by a program beside the tool; tool/show runs it",
    "build/bench/lay bench --against=openblas": "a minute of measuring; its parts are run with other words",
}
FORM = re.compile(r"\.\.\.|(?<![\w-])[A-Z]{2,}\b(?!=)|=[A-Z]+\b|\[--|'[A-Z]+'|"  # a word in capitals stands for others
                  r"^lay [a-z]+( --[a-z-]+)?$")  # and a command's or an option's name is no command yet
NAMED = {"lay bench", "lay info"}  # but for these, which are whole
QUICK = "--rounds=1 --min-time=0 --pause=0"
PROGRAMS = {"product.c": "row_major.c", "program.c": "row_major.c", "program.f90": "views.f90"}
SKIP = 77


def why_not(line):
    """The reason, or None."""
    return next((reason for begin, reason in EXCEPTIONS.items() if line.startswith(begin)), None)


def prepare(place, source, build, compiler):
    """A folder with what the commands name, and the environment in which they find the installation."""
    cc = place.work / "bin" / "cc"
    cc.parent.mkdir()
    cc.write_text(f'#!/bin/sh\nPATH={shlex.quote(os.environ["PATH"])} exec {shlex.join(compiler)} "$@"\n')
    cc.chmod(0o755)
    bin_folder = place.find_one("lay" if not (place.prefix / "bin" / "lay").exists() else "bin/lay").parent
    packages = place.work / "pkgconfig"
    packages.mkdir()
    for path in (place.folder / "pkgconfig").iterdir():
        packages.joinpath(path.name).write_text(re.sub(r"^prefix=.*$", f"prefix={place.prefix}", path.read_text(),
                                                       flags=re.M))
    for name, example in PROGRAMS.items():
        shutil.copy(source / "examples" / example, place.work / name)
    (place.work / "docs" / "pictures").mkdir(parents=True)
    return dict(os.environ, PKG_CONFIG_PATH=str(packages), LD_LIBRARY_PATH=str(place.folder), LC_ALL="C.UTF-8",
                PATH=f"{cc.parent}:{bin_folder}:{build}/bench:{os.environ['PATH']}")


def write_arrays(folder, line):
    """a.npy and b.npy as the command wants them."""
    shapes = ((1024, 1024), (1024, 1024))
    if " contract " in line:
        shapes = ((2, 3, 4, 5), (5, 6, 3, 7))
    for name, shape in zip("ab", shapes):
        head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".encode()
        head += b" " * (-(len(head) + 11) % 64) + b"\n"
        data = struct.pack("<f", 1) * math.prod(shape)
        (folder / f"{name}.npy").write_bytes(b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head + data)


def complete(line):
    """Benches take little time here."""
    line = re.sub(r"\bbuild/bench/", "", line)
    return f"{line} {QUICK}" if re.search(r"\blay bench\b", line) and "--compare" not in line else line


def run(line, place, env):
    """What went wrong, or ""."""
    if ".npy" in line:
        write_arrays(place.work, line)
    done = subprocess.run(["bash", "-ec", complete(line)], cwd=place.work, env=env, capture_output=True, text=True,
                          timeout=120, check=False)
    return f"exit status {done.returncode}: {done.stderr.strip()[-300:]}" if done.returncode else ""


def lacks(line, env):
    """Whether the machine has no Fortran, no MPI when the library was built, or OpenMP only as a shared library, as
    clang's on Debian is, and the line wants it."""
    if line.startswith("meson test -C build pblas/"):
        return not pathlib.Path(env["LD_LIBRARY_PATH"], "liblaypblas.so.0").exists()
    if line.startswith("cc -static"):
        probe = ["cc", "-static", "-fopenmp", "-x", "c", "-", "-o", os.devnull]
        program = "int main(void)\n{\n    int n = 0;\n#pragma omp parallel\n    n = 1;\n    return !n;\n}\n"
        done = subprocess.run(probe, input=program, env=env, text=True, capture_output=True, check=False)
        return done.returncode != 0
    return line.startswith("gfortran") and not shutil.which("gfortran")


def check_tests(line, build, meson):
    """That the tests that a line would run are there."""
    words = line.split()[2:]
    words = [word for i, word in enumerate(words) if word not in ("-C", "--list") and words[i - 1] != "-C"]
    done = subprocess.run([meson, "test", "-C", build, "--no-rebuild", "--list", *words], capture_output=True,
                          text=True, check=False)
    return "" if done.returncode == 0 and done.stdout.strip() else f"no such test: {done.stdout}{done.stderr}"


def check_form(line, env):
    """That a form's command has its options."""
    words = re.sub(r"^(LAY_\w+=\S+ )*(build/bench/)?", "", line).split()
    if words[0] != "lay" or len(words) < 2 or not words[1].islower():
        return ""
    text = subprocess.run(["lay", "help", words[1]], env=env, capture_output=True, text=True, check=False).stdout
    options = re.findall(r"--[a-z][a-z-]*", line)
    missing = [word for word in options if f"{word}=" not in text and f"{word} " not in text]
    return f"lay {words[1]} has no {', '.join(missing)}" if missing or not text else ""


def collect(root):
    """[(place, line)]; parts of a line joined by && are lines of their own, as exceptions are."""
    found = [(block.place, line) for block in blocks(root) if block.language in ("sh", "bash", "console", "")
             for line in shell_lines(block)]
    found += [*inline_commands(root), *manual_examples(root)]
    whole = [(place, re.sub(r"\s+# .*$", "", line).strip()) for place, line in found]
    return [(place, part.strip()) for place, line in whole
            for part in (line.split("&&") if why_not(line) or "build" in line else [line])]


def main():
    root, build, meson = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
    require("pkg-config")
    require("bash")
    wrong, counts, used = [], {"run": 0, "forms": 0, "tests": 0, "exceptions": 0}, set()
    done = {}
    with installed(build, meson) as place:
        env = prepare(place, root, build, sys.argv[sys.argv.index("--") + 1:])
        for where, line in collect(root):
            reason = why_not(line)
            used |= {begin for begin in EXCEPTIONS if line.startswith(begin)}
            if reason:
                kind, said = "exceptions", ""
            elif lacks(line, env):
                kind, said = "exceptions", ""
            elif line.startswith("meson test"):
                kind, said = "tests", check_tests(line, build, meson)
            elif line not in NAMED and FORM.search(re.sub(r"'[^A-Z]*[^']{5,}'|LAY_\w+=", "", line)):
                kind, said = "forms", check_form(line, env)
            else:
                kind = "run"
                said = done[line] = done[line] if line in done else run(line, place, env)
            counts[kind] += 1
            if said:
                wrong.append(f"{where}: {line}\n    {said}")
    wrong += [f"the exception '{begin}' is of no command" for begin in EXCEPTIONS if begin not in used]
    print("\n".join(wrong + [", ".join(f"{count} {kind}" for kind, count in counts.items())]))
    return 1 if wrong or counts["run"] < 20 else 0


sys.exit(main())
