"""An installed layoutgemm serves a program outside of the tree that knows only pkg-config.

consumer.py KIND BUILD_ROOT SOURCE_ROOT VERSION MESON -- COMPILER...
Installs the build into a folder of its own, builds an example there from the flags that pkg-config gives, and runs it.
KIND: c, as strict C99; static, without the shared library; c++; fortran; mpi, for which the compiler is mpicc.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from installed import installed, require, run


def build_c(place, sources, version, compiler):
    if shutil.which("readelf"):
        library = str(place.folder / "liblayoutgemm.so.0")
        if sys.argv[2] in run(["readelf", "-dW", library], stdout=subprocess.PIPE).stdout:
            sys.exit("the installed library looks for others in the build folder")
    if place.ask("--modversion") != [version]:
        sys.exit("pkg-config knows another version")
    for wanted, is_there in ((version, True), ("9.0", False)):
        done = subprocess.run(["pkg-config", f"--atleast-version={wanted}", "layoutgemm"],
                              env=dict(os.environ, PKG_CONFIG_LIBDIR=str(place.folder / "pkgconfig")))
        if (done.returncode == 0) != is_there:
            sys.exit(f"pkg-config --atleast-version={wanted}: exit status {done.returncode}")
    shutil.copy(sources / "row_major.c", place.work / "program.c")
    flags = place.ask("--cflags"), place.ask("--libs")
    strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"]
    run([*compiler, *strict, *flags[0], "program.c", "-o", "program", *flags[1]], cwd=place.work)
    place.run_program("program")

    # What README says: in such a place the loader looks only where the program says.
    libdir = place.ask("--variable=libdir")[0]
    if libdir != str(place.folder):
        sys.exit("the variable libdir is not where the library is")
    run([*compiler, *flags[0], "program.c", "-o", "noted", *flags[1], f"-Wl,-rpath,{libdir}"], cwd=place.work)
    place.run_program("noted", is_told=False)


def build_static(place, sources, _version, compiler):
    """Into a program, and into a shared library of the program's: the objects are such that both can be."""
    for library in place.folder.glob("liblayoutgemm.so*"):
        library.unlink()
    flags, libraries = place.ask("--static", "--cflags"), place.ask("--static", "--libs")
    shutil.copy(sources / "row_major.c", place.work / "program.c")
    run([*compiler, *flags, "program.c", "-o", "program", *libraries], cwd=place.work)
    place.run_program("program", is_told=False)
    run([*compiler, *flags, "-fPIC", "-shared", "-Wl,-z,defs", "program.c", "-o", "plugin.so", *libraries],
        cwd=place.work)
    for name in ("program", "plugin.so"):
        if any("layoutgemm" in line for line in place.needed(name)):
            sys.exit(f"{name} needs the shared library")
    if shutil.which("nm"):
        archive = str(place.folder / "liblayoutgemm.a")
        text = run(["nm", "-g", "--defined-only", archive], stdout=subprocess.PIPE).stdout
        names = [line.split()[-1] for line in text.splitlines() if len(line.split()) == 3]
        # The mangled ones of kernels name a type of ours.
        foreign = sorted({name for name in names if not re.match(r"lay_|_Z\w*lay_", name)})
        if foreign or not names:
            sys.exit(f"the static library has names that may be the program's: {', '.join(foreign)}")


def build_cxx(place, sources, _version, compiler):
    shutil.copy(sources / "views.cpp", place.work / "program.cpp")
    strict = ["-std=c++17", "-pedantic", "-Wall", "-Wextra", "-Werror"]
    run([*compiler, *strict, *place.ask("--cflags"), "program.cpp", "-o", "program", *place.ask("--libs")],
        cwd=place.work)
    place.run_program("program")


def build_mpi(place, sources, _version, compiler):
    """The core library does not ask for MPI. A program that nobody started is the only rank that there is."""
    if any("mpi" in line for line in place.needed(str(place.folder / "liblayoutgemm.so.0"))):
        sys.exit("liblayoutgemm needs MPI")
    shutil.copy(sources / "ranks.c", place.work / "program.c")
    flags = [place.ask(question, package="layoutgemm_mpi") for question in ("--cflags", "--libs")]
    run([*compiler, *flags[0], "program.c", "-o", "program", *flags[1]], cwd=place.work)
    place.run_program("program", "[240][240]")


def build_fortran(place, sources, _version, compiler):
    shutil.copy(sources / "views.f90", place.work / "program.f90")
    module = place.ask("--variable=fortran_source")
    run([*compiler, *module, "program.f90", "-o", "program", *place.ask("--libs")], cwd=place.work)
    place.run_program("program")


KINDS = {"c": build_c, "static": build_static, "c++": build_cxx, "fortran": build_fortran, "mpi": build_mpi}


def main():
    kind, build, root, version, meson = sys.argv[1:6]
    compiler = sys.argv[sys.argv.index("--") + 1 :]
    require("pkg-config")
    require(compiler[0] if compiler else None, f"a compiler of {kind}")
    with installed(build, meson) as place:
        KINDS[kind](place, pathlib.Path(root) / "examples", version, compiler)


main()
