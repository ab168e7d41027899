"""A build's installation in a folder of its own, for tests that are consumers of it."""
import contextlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

SKIP = 77


def run(command, **more):
    print("+", *command, flush=True)
    result = subprocess.run(command, text=True, **more)
    if result.returncode:
        sys.exit(f"{command[0]}: exit status {result.returncode}\n{result.stdout or ''}{result.stderr or ''}")
    return result


def require(program, what=""):
    """Ends the test as one that this machine cannot run."""
    if not program or not shutil.which(program):
        print(f"{program or what} is not installed")
        sys.exit(SKIP)


class Installed:
    """prefix: what /usr/local would be; work: an empty folder beside it."""

    def __init__(self, folder, build, meson):
        self.root, self.work = pathlib.Path(folder) / "root", pathlib.Path(folder) / "work"
        self.work.mkdir()
        run([meson, "install", "-C", build, "--no-rebuild", "--destdir", str(self.root)], stdout=subprocess.DEVNULL)
        self.prefix = self.find_one("layoutgemm.h").parent.parent
        self.folder = self.find_one("layoutgemm.pc").parent.parent

    def find_one(self, pattern):
        found = sorted(self.root.rglob(pattern))
        if len(found) != 1:
            sys.exit(f"{pattern}: {len(found)} installed, not 1")
        return found[0]

    def ask(self, *question, package="layoutgemm"):
        """What pkg-config says, in words; the place is told by a variable, as the library may need others elsewhere."""
        env = dict(os.environ, PKG_CONFIG_LIBDIR=str(self.folder / "pkgconfig"))
        prefix = re.sub(r"([\s'\"\\])", r"\\\1", str(self.prefix))  # as it stands in a file of pkg-config's
        done = run(["pkg-config", f"--define-variable=prefix={prefix}", *question, package], env=env,
                   stdout=subprocess.PIPE, errors="surrogateescape")  # pkg-config escapes each byte of a letter
        return [os.fsencode(word).decode() for word in shlex.split(done.stdout)]

    def run_program(self, name, *arguments, is_told=True):
        """is_told: where the library is."""
        env = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
        told = dict(env, LD_LIBRARY_PATH=str(self.folder)) if is_told else env
        run([f"./{name}", *arguments], cwd=self.work, env=told)

    def needed(self, name):
        """The libraries that a program or library asks the loader for."""
        if not shutil.which("readelf"):
            return []
        text = run(["readelf", "-dW", name], cwd=self.work, stdout=subprocess.PIPE).stdout
        return [line for line in text.splitlines() if "NEEDED" in line]


@contextlib.contextmanager
def installed(build, meson):
    with tempfile.TemporaryDirectory() as folder:
        yield Installed(folder, build, meson)
