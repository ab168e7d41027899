"""Layout: its algebra is that of arrays of the offsets which it gives."""

import copy
import pickle

import layoutgemm as lay
import numpy as np
import pytest

TEXTS = ["[6][4]", "[100:1][7:100]", "[4:-8][8:1]", "[5:0][3:1]", "[7]", "[0][3]", "[[3][2]][4]", "[2][3][4]",
         "A=[2][3][4][5]; [[#A_0][#A_2]][[#A_1][#A_3]]", "A=[2][4][3]; [#A_1][[#A_0][#A_2]]", "[1][1]",
         "[5[2][3]][4]", "A=[4][6]; [[2][2]#A_0][[3][2]#A_1]", "S=[4][7]; [#S_0][2@3#S_1]"]


def offsets(layout):
    """The array of them, by asking for each."""
    return np.array([layout.offset(*index) for index in np.ndindex(layout.extents)], dtype=int).reshape(layout.extents)


@pytest.mark.parametrize("text", TEXTS)
def test_a_layout_answers_as_its_offsets_do(text):
    layout = lay.Layout(text)
    all_of = offsets(layout)
    assert layout.rank == all_of.ndim and layout.size == all_of.size == layout.extent()
    assert layout.span == ((all_of.min(), all_of.max()) if all_of.size else (0, -1))
    assert layout.is_injective == (len(set(all_of.flat)) == all_of.size)
    assert np.array_equal(offsets(layout.T), all_of.T)
    for axis, stride in enumerate(layout.strides):
        steps = np.diff(all_of, axis=axis)
        assert (stride is None) == (len(set(steps.flat)) > 1)
        assert stride is None or not steps.size or stride == steps.flat[0]
    assert lay.Layout(str(layout)) == layout and eval(repr(layout), {"Layout": lay.Layout}) == layout
    assert hash(lay.Layout(str(layout))) == hash(layout)
    assert pickle.loads(pickle.dumps(layout)) == layout == copy.deepcopy(layout)
    assert layout != str(layout) and not layout == 3


@pytest.mark.parametrize("text", TEXTS)
def test_indexing_is_that_of_arrays(text):
    layout, rng = lay.Layout(text), np.random.default_rng(21)
    all_of = offsets(layout)
    if not all_of.size:
        return
    for _ in range(60):
        keys = []
        for extent in all_of.shape[: rng.integers(0, all_of.ndim + 1)]:
            start, stop = (int(x) for x in rng.integers(-extent - 1, extent + 2, 2))
            keys.append(int(rng.integers(-extent, extent)) if rng.random() < 0.4 else
                        slice(start, stop, int(rng.integers(1, 4))))
        if rng.random() < 0.3:
            keys.insert(rng.integers(0, len(keys) + 1), Ellipsis)
        if ... in keys and len(keys) - 1 > all_of.ndim:
            continue
        key = tuple(keys)
        try:
            wanted = all_of[key]
        except IndexError:  # the ellipsis moved an index to a shorter dimension
            with pytest.raises(IndexError):
                layout[key]
            continue
        found = layout[key]
        if np.ndim(wanted) == 0:
            assert isinstance(found, int) and found == wanted, f"{text} at {key}"
        else:
            assert found.extents == wanted.shape and np.array_equal(offsets(found), wanted), f"{text} at {key}"
    assert layout[-1] == (offsets(layout)[-1] if all_of.ndim == 1 else layout[layout.extents[0] - 1])


def test_bad_indices_are_refused():
    layout = lay.Layout("[6][4]")
    for key in (6, -7, (0, 4), (0, 0, 0), (..., ...), slice(None, None, -1), (slice(None), slice(3, 0, -2))):
        with pytest.raises(IndexError):
            layout[key]
    with pytest.raises(ValueError):
        layout[::0]
    for key in ("a", 1.5, None):
        with pytest.raises(TypeError):
            layout[key]
    with pytest.raises(TypeError):
        iter(layout)


def test_views():
    layout = lay.Layout("[6][4][5]")
    all_of = offsets(layout)
    assert np.array_equal(offsets(layout.permute(2, 0, 1)), all_of.transpose(2, 0, 1))
    assert layout.permute((-1, 0, 1)) == layout.permute(2, 0, 1) and layout.permute() == layout.T
    assert layout.split(0, (2, 3)).parts("0") == 2 and layout.split(-1, (5,)) == layout
    tiled = layout.tile(4, 2, 5)
    assert tiled == layout and tiled.extent("0_0") == 2 and tiled.parts("0_1") == 0
    tile, offset = tiled.tile_at(1, 1, 0)
    assert np.array_equal(offsets(tile) + offset, all_of[4:, 2:, :])
    assert layout.part("1") == lay.Layout("[4:5]") and layout.part("").extents == (120,)
    assert lay.Layout.join(layout.part("1"), layout.part("0")) == lay.Layout("[4:5][6:20]")
    assert lay.Layout.natural(6, 4, 5) == lay.Layout.strided((6, 4, 5), (20, 5, 1)) == layout
    assert layout.offset(7) == 7 and layout.offset(1, 2, 3) == layout.offset([1, 2, 3]) == 33
    assert layout.is_contiguous() and layout.stride("1") == 5 and layout.stride("") == 1


def test_more_dimensions_than_arrays_have():
    text = "[1]" * 100 + "[3][5]"
    layout = lay.Layout(text)
    assert layout.rank == 102 and layout.extents == (1,) * 100 + (3, 5) and len(layout.strides) == 102
    assert layout.T.extents == (5, 3) + (1,) * 100 and hash(layout) == hash(lay.Layout(str(layout)))
    with pytest.raises(IndexError):
        layout[0]


def test_of_an_array():
    x = np.empty((6, 4, 5), np.float32)
    assert lay.Layout.of(x) == lay.Layout("[6][4][5]")
    assert lay.Layout.of(x[::-2, 1, :]) == lay.Layout("[3:-40][5:1]")
    assert lay.Layout.of(np.broadcast_to(x[0, 0], (3, 5))) == lay.Layout("[3:0][5:1]")
    with pytest.raises(lay.LayoutError):
        lay.Layout.of(np.float32(3))
    with pytest.raises(TypeError, match="neither a buffer nor __dlpack__"):
        lay.Layout.of([1.0])


@pytest.mark.parametrize("make, status", [
    (lambda layout: lay.Layout("[6"), "LAY_ERR_SYNTAX"),
    (lambda layout: lay.Layout("A=[6]; [#A_2]"), "LAY_ERR_REFERENCE"),
    (lambda layout: lay.Layout("A=[6]; [7#A]"), "LAY_ERR_EXTENT"),
    (lambda layout: lay.Layout("[9223372036854775807][3]"), "LAY_ERR_OVERFLOW"),
    (lambda layout: lay.Layout.natural(), "LAY_ERR_RANK"),
    (lambda layout: lay.Layout.natural(-1), "LAY_ERR_EXTENT"),
    (lambda layout: lay.Layout.strided((1, 2), (3,)), "LAY_ERR_RANK"),
    (lambda layout: layout.permute(0, 0), "LAY_ERR_ARGUMENT"),
    (lambda layout: layout.permute(0, 7), "LAY_ERR_ARGUMENT"),
    (lambda layout: layout.permute(0), "LAY_ERR_RANK"),
    (lambda layout: layout.split(0, (4,)), "LAY_ERR_EXTENT"),
    (lambda layout: layout.tile(0, 1), "LAY_ERR_ARGUMENT"),
    (lambda layout: layout.tile(1), "LAY_ERR_RANK"),
    (lambda layout: layout.part("2"), "LAY_ERR_REFERENCE"),
    (lambda layout: layout.extent("x"), "LAY_ERR_REFERENCE"),
    (lambda layout: layout.stride("2"), "LAY_ERR_REFERENCE"),
    (lambda layout: layout.parts("2"), "LAY_ERR_REFERENCE"),
    (lambda layout: layout.is_contiguous("2"), "LAY_ERR_REFERENCE"),
    (lambda layout: layout.offset(6, 0), "LAY_ERR_EXTENT"),
])
def test_refusals_have_a_status_and_a_sentence(make, status):
    with pytest.raises(lay.LayoutError) as caught:
        make(lay.Layout("[6][4]"))
    assert caught.value.status == status and len(str(caught.value)) > 10
    assert isinstance(caught.value, ValueError)


def test_wrong_kinds_of_arguments():
    layout = lay.Layout("[6][4]")
    for call in (lambda: lay.Layout(), lambda: lay.Layout(3), lambda: lay.Layout.join(layout, "[3]"),
                 lambda: lay.Layout.join(None), lambda: lay.Layout.natural("a"), lambda: layout.permute(1.5, 0),
                 lambda: layout.split(0, 4), lambda: lay.Layout.natural(*[1] * 65)):
        with pytest.raises((TypeError, lay.LayoutError)):
            call()
    with pytest.raises(AttributeError):
        layout.size = 3
