"""The library says which commit it is of, and that it does not know where there is no git.

commit.py SCRIPT HEADER LIBRARY: lib/base/commit.py, the header that the build wrote of it, the shared library.
"""
import ctypes
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77


def git(root, *words):
    subprocess.run(["git", "-C", root, "-c", "user.name=x", "-c", "user.email=x@x", *words], check=True,
                   capture_output=True)


def find(script, root):
    done = subprocess.run([sys.executable, script, root], capture_output=True, text=True)
    return done.returncode, done.stdout.strip()


def check_script(script):
    """Of a checkout as it is, of one with a change, of a tarball, and of one unpacked in somebody's checkout."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder, "root")
        inside = root / "inside"
        inside.mkdir(parents=True)
        assert find(script, root) == (1, ""), "sources without git have no commit"
        git(root, "init", "-q")
        (root / "file").write_text("one")
        git(root, "add", "file")
        git(root, "commit", "-q", "-m", "first")
        git(root, "tag", "-a", "v1", "-m", "a tag is no commit")
        status, clean = find(script, root)
        assert status == 0 and re.fullmatch("[0-9a-f]{12}", clean), clean
        (root / "other").write_text("git does not know it")
        assert find(script, root) == (0, clean)
        (root / "file").write_text("two")
        assert find(script, root) == (0, clean + "+"), "changed files are told"
        assert find(script, inside) == (1, ""), "the commit of another project is none of ours"


def main():
    script, header, library = sys.argv[1:]
    if not shutil.which("git"):
        print("git is not installed")
        return SKIP
    check_script(script)
    loaded = ctypes.CDLL(library)
    loaded.lay_version_commit.restype = loaded.lay_version.restype = ctypes.c_char_p
    told, version = loaded.lay_version_commit().decode(), loaded.lay_version().decode()
    assert re.fullmatch(r"[0-9a-f]{12}\+?|unknown", told), told
    assert f'LAY_COMMIT "{told}"' in pathlib.Path(header).read_text(), told
    major, minor, patch = map(int, version.split("."))
    assert loaded.lay_version_number() == major * 10000 + minor * 100 + patch
    print(f"{version}, commit {told}")
    return 0


sys.exit(main())
