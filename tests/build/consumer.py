"""An installed layoutgemm serves a program outside of the tree that knows only pkg-config.

consumer.py BUILD_ROOT PROGRAM_SOURCE VERSION MESON -- COMPILER...
Installs the build into a temporary root, builds the program there as strict C99 from the flags that pkg-config gives,
and runs it.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIP = 77


def run(command, **more):
    print("+", *command, flush=True)
    result = subprocess.run(command, text=True, **more)
    if result.returncode:
        sys.exit(f"{command[0]}: exit status {result.returncode}")
    return result


def find_one(root, pattern):
    found = sorted(root.rglob(pattern))
    if len(found) != 1:
        sys.exit(f"{pattern}: {len(found)} installed, not 1")
    return found[0]


def main():
    build, source, version, meson = sys.argv[1:5]
    compiler = sys.argv[sys.argv.index("--") + 1 :]
    if not shutil.which("pkg-config"):
        print("pkg-config is not installed")
        return SKIP
    with tempfile.TemporaryDirectory() as folder:
        root, work = pathlib.Path(folder) / "root", pathlib.Path(folder) / "work"
        work.mkdir()
        run([meson, "install", "-C", build, "--no-rebuild", "--destdir", str(root)], stdout=subprocess.DEVNULL)
        library = find_one(root, "liblayoutgemm.so.0")
        search = find_one(root, "layoutgemm.pc").parent
        env = dict(os.environ, PKG_CONFIG_LIBDIR=str(search), PKG_CONFIG_SYSROOT_DIR=str(root))

        if shutil.which("readelf"):
            dynamic = run(["readelf", "-dW", str(library)], stdout=subprocess.PIPE).stdout
            if build in dynamic:
                sys.exit("the installed library looks for others in the build folder")

        def ask(*question):
            return run(["pkg-config", *question, "layoutgemm"], env=env, stdout=subprocess.PIPE).stdout.split()

        if ask("--modversion") != [version]:
            sys.exit("pkg-config knows another version")
        shutil.copy(source, work / "program.c")
        flags = ask("--cflags"), ask("--libs")
        strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"]
        run([*compiler, *strict, *flags[0], "program.c", "-o", "program", *flags[1]], cwd=work)
        run(["./program"], cwd=work, env=dict(os.environ, LD_LIBRARY_PATH=str(library.parent)))

        # What README says: in such a place the loader looks only where the program says.
        alone = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
        if not ask("--variable=libdir")[0].endswith(str(library.parent.relative_to(root))):
            sys.exit("the variable libdir is not where the library is")
        if subprocess.run(["./program"], cwd=work, env=alone, capture_output=True).returncode == 0:
            print("the system has the library, too: nothing to see")
        run([*compiler, *flags[0], "program.c", "-o", "noted", *flags[1], f"-Wl,-rpath,{library.parent}"], cwd=work)
        run(["./noted"], cwd=work, env=alone)
    return 0


sys.exit(main())
