"""What options ask of a plan, and what a plan says of itself: ways left out, grids, alignment, layouts, the commit."""

import re

import layoutgemm as lay
import numpy as np
import pytest


def test_what_is_skipped_is_not_taken():
    rng = np.random.default_rng(51)
    a, b = rng.standard_normal((40, 50)), rng.standard_normal((50, 60))
    wanted = lay.matmul(a, b)
    listed = lay.implementations()
    assert {"packed", "in place", "vector, widened"} <= {row["name"] for row in listed if row["kind"] == "way"}
    assert any(row["kind"] == "kernel" and row["type"] == "f64" and row["needs"] == "c" for row in listed)
    for skip in ("in place; swept", ["in place", "swept"], (name for name in ("in place", "swept"))):
        how = lay.Options(skip=skip, backend="cpu")
        assert np.array_equal(lay.matmul(a, b, options=how), wanted)
        assert re.search("in place +refused: options.skip names it", lay.Plan(a, b, wanted, options=how).explain())
    with pytest.raises(lay.LayoutError, match="options.skip leaves no way") as caught:
        ways = [row["name"] for row in listed if row["kind"] == "way"]
        lay.matmul(a, b, options=lay.Options(backend="cpu", skip=ways))
    assert caught.value.status == "LAY_ERR_UNSUPPORTED"
    with pytest.raises(lay.LayoutError, match='options.skip has "nothing"') as caught:
        lay.matmul(a, b, options=lay.Options(skip="nothing"))
    assert caught.value.status == "LAY_ERR_OPTION"
    for wrong in (3, [3], b"packed"):
        with pytest.raises(TypeError):
            lay.Options(skip=wrong)


def test_a_grid_is_asked_for():
    a = np.ones((400, 300), np.float32)
    out = np.empty((400, 400), np.float32)
    how = lay.Options(threads=2, backend="cpu", grid=(2, 1))
    plan = lay.Plan(a, a.T[:, :400], out, options=how)
    assert re.search("grid +(2 x 1|1 x 2) tasks", plan.explain())
    assert (plan(a, a.T[:, :400], out) == 300).all()
    with pytest.raises(lay.LayoutError, match="has no grid of threads"):
        lay.matmul(a, a[0], options=how)
    for wrong in (3, (1,), (1, 2, 3), ("a", 1)):
        with pytest.raises(TypeError):
            lay.Options(grid=wrong)
    with pytest.raises(lay.LayoutError, match="grid_n is -1"):
        lay.matmul(a.T, a, options=lay.Options(grid=(1, -1)))


def test_lists_of_devices_are_judged_by_the_library():
    a = np.ones((4, 4), np.float32)
    for devices, why in (([0, -1], r"options.devices\[1\] is -1, which is no device"),
                         ((0, 99), r"options.devices\[1\] is 99, but "),
                         (range(98, 100), r"options.device.* is 9[89], but ")):
        with pytest.raises(lay.LayoutError, match=why):
            lay.matmul(a, a, options=lay.Options(devices=devices))
    with pytest.raises(lay.LayoutError, match="options.device is 1 but options.devices begins with 0"):
        lay.Plan(a, a, a.copy(), options=lay.Options(devices=[0, 2], device=1))
    with pytest.raises(lay.LayoutError, match=r"devices\[0\] is 4294967296, which is no device"):
        lay.Options(devices=[1 << 32])
    for wrong in (3, "01", [0.5], {0, 1}, range(65)):
        with pytest.raises(TypeError):
            lay.Options(devices=wrong)


def test_a_list_of_devices_is_no_matter_to_the_cpu():
    a = np.ones((4, 4), np.float32)
    devices = [98, 99]
    how = lay.Options(devices=devices, backend="cpu")
    devices.clear()
    assert (lay.matmul(a, a, options=how) == 4).all()
    assert (lay.matmul(a, a, options=lay.Options(devices=[])) == 4).all()


def test_aligned_addresses_are_promised():
    room = np.zeros(2000, np.float32)
    first = -room.ctypes.data // 4 % 64
    a, b = room[first:first + 256].reshape(16, 16), room[first + 256:first + 512].reshape(16, 16)
    out = room[first + 512:first + 768].reshape(16, 16)
    how = lay.Options(alignment=256, backend="cpu")
    lay.matmul(a, b, out=out, options=how)
    with pytest.raises(lay.LayoutError, match="b is no multiple of 256 bytes, as options.alignment promises"):
        lay.matmul(a, room[first + 257:first + 513].reshape(16, 16), out=out, options=how)
    with pytest.raises(lay.LayoutError, match="no power of two"):
        lay.matmul(a, b, options=lay.Options(alignment=24))
    with pytest.raises(lay.LayoutError, match="alignment is -1"):
        lay.Options(alignment=-1)


def test_an_operand_is_copied_to_the_layout_that_a_plan_likes():
    rng = np.random.default_rng(52)
    a, out = rng.standard_normal((96, 200)), np.empty((96, 128))
    b = rng.standard_normal((200, 128, 7))[..., 3]  # gathered, element by element
    plan = lay.Plan(a, b, out)
    liked = plan.layout("b")
    assert liked.extents == (200, 128) and liked != lay.Layout.of(b) and liked.is_injective
    storage = np.zeros(liked.span[1] + 1)
    lay.copy(b, storage, layouts=(None, liked))
    assert np.array_equal(lay.Plan(a, liked, out, dtype="float64")(a, storage, np.zeros_like(out)), plan(a, b, out))
    with pytest.raises(lay.LayoutError, match="'c' is no operand that has a layout"):
        plan.layout("c")
    with pytest.raises(lay.LayoutError, match="'disk' is no memory"):
        plan.layout("b", "disk")
    with pytest.raises(lay.LayoutError, match="of a contraction"):
        lay.Plan(a, b, out, labels="ij,jk->ik").layout("a")


def test_the_commit_is_told():
    assert re.fullmatch(r"[0-9a-f]{12}\+?|unknown", lay.__commit__)
    assert f"{lay.__version__}, commit {lay.__commit__}" in lay.machine()
