"""Builds the site.

build.py SOURCE_ROOT FOLDER
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import stage


def main():
    root, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        stage.stage(root, pathlib.Path(folder))
        shutil.rmtree(out, ignore_errors=True)
        return subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-d",
                               str(pathlib.Path(folder, "doctrees")), folder, str(out)], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
