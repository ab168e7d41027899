"""Pictures: the elements' offsets are in them, and what cannot be drawn is refused."""

import re
import xml.etree.ElementTree as xml

import layoutgemm as lay
import numpy as np
import pytest

BLOCKS = "A=[2][2][2][3]; [[#A_0][#A_2]][[#A_1][#A_3]]"
SVG = "{http://www.w3.org/2000/svg}"


def texts(drawing, role):
    return [one.text for one in xml.fromstring(drawing.svg).iter(SVG + "text") if one.get("class") == role]


@pytest.mark.parametrize("text", ["[4][6]", BLOCKS, "[4:-6][6:1]", "[5]", "[2][3][4]"])
def test_every_offset_is_drawn(text, tmp_path):
    layout, drawing = lay.Layout(text), lay.show(text)
    wanted = [layout.offset(*index) for index in np.ndindex(layout.extents)]
    assert sorted(map(int, texts(drawing, "offset"))) == sorted(wanted)
    assert "".join(texts(drawing, "title")) == text
    assert drawing._repr_svg_() == drawing.svg
    drawing.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text() == drawing.svg


def test_layouts_and_arrays_are_drawn_too():
    array = np.zeros((4, 6), order="F")
    assert texts(lay.show(array), "offset") == texts(lay.show(lay.Layout.of(array)), "offset")
    assert texts(lay.show(lay.Array(np.zeros(24), BLOCKS)), "offset") == texts(lay.show(BLOCKS), "offset")


def test_colours_are_by_what_is_asked_for():
    def groups(*args, **keywords):
        return len(set(texts(lay.show(*args, **keywords), "group")))
    assert groups("[16][16]", by="line") == 16 and groups("[16][16]", by="line", type="float64") == 32
    assert groups(np.zeros((16, 16)), by="line") == 32  # the array's own type
    assert groups("[8][8]", by="owner", grid=(4, 2)) == 8
    assert groups("P=(2)(2); A=[4][4]; [[#P_0][#A_0]][[#P_1][#A_1]]") == 4
    assert groups("[16][256]", by="thread") > 4
    assert re.search(r"index \(40, 50\)", lay.show("[100][100]", zoom=(40, 50)).svg)


def test_what_cannot_be_drawn_is_refused():
    for keywords in ({"by": "colour"}, {"zoom": (4, 0)}, {"zoom": (-1, 0)}, {"grid": (0, 1)},
                     {"by": "thread", "type": "float16"}):
        with pytest.raises(lay.LayoutError):
            lay.show("[4][6]", **keywords)
    for wrong in ("[4", "tiles"):
        with pytest.raises(lay.LayoutError):
            lay.show(wrong)
    for by in ("owner", "thread"):
        with pytest.raises(lay.LayoutError, match="rank 1"):
            lay.show("[4]", by=by)
    with pytest.raises(lay.LayoutError, match="16 rows and 256 columns"):
        lay.show("[64][512]", by="thread", zoom=(16, 0))  # the threads' block alone is drawn
    with pytest.raises(TypeError):
        lay.show(3)
