"""The site has every page once and every function of the headers; it builds without a warning, and a dead link fails.

site_pages.py SOURCE_ROOT
"""
import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77


def check_navigation(root, stage):
    files = [file for _, part in stage.read_navigation(root) for file in part]
    pages = {str(path.relative_to(root)) for path in [*(root / "docs").glob("*.md"),
                                                      *(root / "docs" / "decisions").glob("*.md")]}
    wrong = [f"docs/site/navigation.txt: {file} stands there {files.count(file)} times"
             for file in pages | set(files) if files.count(file) != 1]
    return wrong + [f"docs/site/navigation.txt: there is no {file}" for file in files
                    if not (root / file.partition(":")[2 if ":" in file else 0]).is_file()]


def check_reference(root, reference):
    wrong, count = [], 0
    for name, sign in (("layoutgemm.h", "LAY_API"), ("layoutgemm_dlpack.h", "LAY_API"), ("tapp.h", "TAPP_EXPORT")):
        path = root / "include" / name
        page = reference.write(path)
        for function in re.findall(rf"^{sign} [^;]*?(\w+)\(", path.read_text(), re.M):
            count += 1
            if len(re.findall(rf"c:function:: .*\b{function}\(", page)) != 1:
                wrong.append(f"{name}: {function} is not in the reference once")
    return wrong + ([] if count > 80 else [f"only {count} functions were found"])


def build(root, folder):
    done = subprocess.run([sys.executable, str(root / "docs" / "site" / "build.py"), str(root), str(folder)],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def check_build(root):
    with tempfile.TemporaryDirectory() as folder:
        status, said = build(root, pathlib.Path(folder, "html"))
        if status:
            return [f"the site: {said[-2000:]}"]
        pages = list(pathlib.Path(folder, "html").rglob("*.html"))
        wrong = [] if len(pages) > 50 else [f"the site has {len(pages)} pages"]
        copy = pathlib.Path(folder, "copy")
        for name in ("docs", "include", "bench/results", "bench/LOG.md", "examples", "README.md", "CONTRIBUTING.md",
                     "LICENSE"):
            there = copy / name
            there.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if (root / name).is_dir() else shutil.copy)(root / name, there)
        for spoilt in ("[there](notation.md#no-such-heading)", "![picture](pictures/none.svg)", "[x](none.md)"):
            page = copy / "docs" / "slow.md"
            page.write_text((root / "docs" / "slow.md").read_text() + "\n" + spoilt + "\n")
            if build(copy, pathlib.Path(folder, "html"))[0] == 0:
                wrong.append(f"{spoilt} is built without complaint")
        return wrong


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    sys.path.insert(0, str(root / "docs" / "site"))
    import reference
    import stage
    wrong = check_navigation(root, stage) + check_reference(root, reference)
    there = all(importlib.util.find_spec(module) for module in ("sphinx", "myst_parser"))
    if there:
        wrong += check_build(root)
    print("\n".join(wrong) if wrong else "every page, every function" + ("" if there else "; no Sphinx to build it"))
    return 1 if wrong else 0 if there else SKIP


sys.exit(main())
