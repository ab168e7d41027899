"""The manual pages are clean for mandoc, and name every command of the tool and every variable of the environment.

man.py SOURCE_ROOT LAY
"""
import pathlib
import re
import shutil
import subprocess
import sys

SKIP = 77
UNKNOWN = "referenced manual not found"  # ours may not be installed


def main():
    if not shutil.which("mandoc"):
        print("mandoc is not installed")
        return SKIP
    root, lay = pathlib.Path(sys.argv[1]), sys.argv[2]
    pages = sorted((root / "docs" / "man").iterdir())
    wrong = [] if len(pages) == 3 else [f"{len(pages)} pages, not 3"]
    for page in pages:
        said = subprocess.run(["mandoc", "-Tlint", page], capture_output=True, text=True).stdout
        wrong += [line for line in said.splitlines() if UNKNOWN not in line]
        own = {(other.stem, other.suffix[1:]) for other in pages}
        wrong += [f"{page.name}: no page {name}({section})"
                  for name, section in re.findall(r"^\.(?:Pq )?Xr (\S+) (\d)", page.read_text(), flags=re.M)
                  if (name, section) not in own]
    tool, library = (root / "docs" / "man" / "lay.1").read_text(), (root / "docs" / "man" / "layoutgemm.3").read_text()
    overview = subprocess.run([lay, "help"], check=True, capture_output=True, text=True).stdout
    commands = re.findall(r"^  (\w+) ", overview, flags=re.M)
    wrong += [f"lay.1 does not tell of {name}" for name in commands
              if not re.search(rf"^\.It Cm {name}\b", tool, flags=re.M)]
    header = (root / "include" / "layoutgemm.h").read_text()
    wrong += [f"layoutgemm.3 does not tell of {name}" for name in re.findall(r"^ \*   (LAY_[A-Z_]+) ", header, re.M)
              if f".It Ev {name}" not in library]
    wrong += [f"layoutgemm.3 tells of {name}, which there is not" for name in re.findall(r"\.?F[no] (lay_\w+)", library)
              if f" {name}(" not in header and f"*{name}(" not in header]
    print("\n".join(wrong) if wrong else f"{len(pages)} pages, {len(commands)} commands")
    return 1 if wrong or not commands else 0


sys.exit(main())
