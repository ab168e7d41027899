"""Pages in headless Chromium, at the widths of a desk and of a phone: what is wider than the window, is clipped, or
lies on something else."""

import html
import json
import os
import re
import shutil
import subprocess

from tap import Skip

WIDTHS = (1280, 390)

# Looks at the page in a frame, which may be narrower than Chromium's least window. Boxes of text are as high as lines
# are: two overlap where their middle parts do.
PROBE = """
function look(frame) {
  const of = frame.contentDocument, wide = of.documentElement.clientWidth, found = [];
  const tell = (what, one) => found.push(what + ": <" + one.tagName + "> " + one.textContent.trim().slice(0, 60));
  if (of.documentElement.scrollWidth > wide) tell("wider than the window", of.body);
  for (const one of of.body.querySelectorAll("*")) {
    const at = one.getBoundingClientRect();
    if (at.width && (at.right > wide + 1 || at.left < -1)) tell("out of the window", one);
    if (one.clientWidth && one.scrollWidth > one.clientWidth + 1 && !one.closest("svg")) tell("clipped", one);
  }
  let texts = 0;
  for (const svg of of.querySelectorAll("svg")) {
    const edge = svg.getBoundingClientRect(), boxes = [];
    for (const one of svg.querySelectorAll("text")) {
      const at = one.getBoundingClientRect(), high = at.height / 4;
      texts++;
      if (at.left < edge.left - 1 || at.right > edge.right + 1 || at.top < edge.top - 2 || at.bottom > edge.bottom + 2)
        tell("out of its drawing", one);
      for (const [other, where] of boxes)
        if (at.left + 0.5 < where.right && where.left + 0.5 < at.right && at.top + high < where.bottom - high &&
            where.top + high < at.bottom - high)
          tell("on '" + other.textContent + "'", one);
      boxes.push([one, at]);
    }
  }
  return { width: wide, texts: texts, found: found };
}
"""


def find_chromium():
    for name in ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell"):
        if shutil.which(name):
            return name
    raise Skip("no chromium, which shows whether anything overlaps")


def dump(program, path):
    """The document after its scripts have run."""
    home = os.path.abspath("chromium")
    words = [program, "--headless", "--disable-gpu", f"--user-data-dir={home}", "--dump-dom"]
    if os.geteuid() == 0:
        words.append("--no-sandbox")
    return subprocess.run(words + ["file://" + os.path.abspath(path)], capture_output=True, text=True, timeout=120,
                          check=False).stdout


def look(page):
    """[{width, texts, found}] of a page's text, a row for each width."""
    program, rows = find_chromium(), []
    for width in WIDTHS:
        with open("frame.html", "w", encoding="utf-8") as file:
            file.write("<!DOCTYPE html><meta charset='utf-8'><body>"
                       f"<iframe style='border:0;width:{width}px;height:900px' onload='document.title=JSON.stringify("
                       f"look(this))' srcdoc=\"{html.escape(page)}\"></iframe><script>{PROBE}</script></body>")
        title = re.search(r"<title>(\{.*?\})</title>", dump(program, "frame.html"), re.S)
        if not title:
            raise Skip(f"{program} starts, and shows no page here")
        rows.append(json.loads(html.unescape(title[1])))
    return rows
