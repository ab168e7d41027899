"""Pictures of layouts, which a notebook shows."""

from __future__ import annotations

import pathlib
from os import PathLike
from typing import Any

from . import _core


class Drawing:
    """A picture: the text of an SVG."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the SVG into a file."""
        pathlib.Path(path).write_text(self.svg, encoding="utf-8")


def show(
    layout: Any,
    *,
    by: str | None = None,
    type: Any = None,
    zoom: tuple[int, int] = (0, 0),
    grid: tuple[int, int] = (2, 2),
) -> Drawing:
    """The picture that `lay show` draws of a Layout, of its text, of an Array or of a NumPy array's strides.

    by says what colours are: "block" (of a layout over places "place"), "line", "page", "bank", "owner" (of grid's
    threads, down and along) or "thread" (of the PARRAY paper's kernel); type is that of elements, for lines, pages and
    banks: the array's, else float32. Of a large layout the elements from index zoom on are drawn."""
    if isinstance(layout, str):
        of, title = _core.Layout(layout), layout
    else:
        drawn = getattr(layout, "layout", layout)
        of = drawn if isinstance(drawn, _core.Layout) else _core.Layout.of(drawn)
        title = str(of)
    if type is None:
        array = getattr(layout, "storage", layout)
        type = getattr(array, "dtype", "float32")
    return Drawing(_core.draw(of, title, by, type, zoom, grid))
