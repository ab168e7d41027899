"""Sphinx on what stage.py has put into a folder."""

import importlib.util

project = "layoutgemm"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4
html_theme = "furo" if importlib.util.find_spec("furo") else "alabaster"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = "layoutgemm"
html_show_copyright = False
html_show_sourcelink = False
pygments_style = "default"
highlight_language = "none"
