"""Puts the pages of the site into a folder for Sphinx: README as its front page, the files of navigation.txt, the
headers as reference pages. Links between pages lead from page to page; those to other files of the tree lead to
copies."""
import pathlib
import re
import shutil

import reference

FENCE = re.compile(r"^(```.*?^```)", flags=re.S | re.M)
LINK = re.compile(r"\]\(([^)\s#]+)(#[^)\s]*)?\)")


def read_navigation(root):
    """[(heading, [file])] with patterns resolved; a header is "reference:PATH"."""
    parts = []
    for line in (root / "docs" / "site" / "navigation.txt").read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            parts.append((line.strip(), []))
        elif "*" in line:
            parts[-1][1].extend(sorted(str(path.relative_to(root)) for path in root.glob(line.strip())))
        else:
            parts[-1][1].append(line.strip())
    return parts


def name_page(file):
    """The page of a file: "docs/decisions/0001-x.md" is decisions/0001-x, README the front page."""
    if file == "README.md":
        return "index"
    if file.startswith("reference:"):
        return pathlib.Path(file.partition(":")[2]).stem + "_h"
    return file.removeprefix("docs/").removesuffix(".md")


class Stage:
    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.navigation = read_navigation(root)
        files = ["README.md"] + [file for _, part in self.navigation for file in part]
        self.pages = {file.removeprefix("reference:"): name_page(file) for file in files}

    def lead(self, found, file):
        """A link of a file, as it is to be in its page."""
        target, anchor = found[1], found[2] or ""
        if "://" in target or target.startswith("mailto:"):
            return found[0]
        path = (self.root / file).parent.joinpath(target).resolve()
        inside = str(path.relative_to(self.root))
        up = "../" * self.pages[file].count("/")
        if inside in self.pages:
            return f"]({up}{self.pages[inside]}.md{anchor})"
        if path.is_dir():
            return f"]({up}{self.list_folder(inside)}.md)"
        there = self.folder / inside  # Sphinx copies what a link leads to, and complains where it is not there
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, there)
        return f"]({up}{inside})"

    def list_folder(self, inside):
        """A folder becomes a page of links to its files, outside of the navigation."""
        files = [f"{inside}/{path.name}" for path in sorted((self.root / inside).iterdir()) if path.is_file()]
        page, links = f"{inside}-files", ""
        up = "../" * page.count("/")
        (self.folder / inside).mkdir(parents=True, exist_ok=True)
        for file in files:
            if file not in self.pages:
                shutil.copy(self.root / file, self.folder / file)
            links += f"- [{pathlib.Path(file).name}]({up}{self.pages[file] + '.md' if file in self.pages else file})\n"
        (self.folder / f"{page}.md").write_text(f"---\norphan: true\n---\n\n# {inside}\n\n{links}")
        return page

    def write(self, file):
        parts = FENCE.split((self.root / file).read_text())
        text = "".join(part if part.startswith("```") else LINK.sub(lambda found: self.lead(found, file), part)
                       for part in parts)
        there = self.folder / f"{self.pages[file]}.md"
        there.parent.mkdir(parents=True, exist_ok=True)
        there.write_text(text + (self.write_tree() if file == "README.md" else ""))

    def write_tree(self):
        """The navigation, behind the front page's text."""
        return "".join("\n```{toctree}\n:hidden:\n:titlesonly:\n:caption: " + heading + "\n\n" +
                       "\n".join(self.pages[file.removeprefix("reference:")] for file in part) + "\n```\n"
                       for heading, part in self.navigation)


def stage(root, folder):
    made = Stage(root, folder)
    shutil.copy(root / "docs" / "site" / "conf.py", folder)
    (folder / "_static").mkdir()
    shutil.copy(root / "docs" / "site" / "site.css", folder / "_static")
    for file, page in made.pages.items():
        if file.endswith(".h"):
            (folder / f"{page}.md").write_text(reference.write(root / file))
        else:
            made.write(file)
