"""Plans, packed operands and many runs: the bits of single calls, and refusals of arrays of another form."""

import layoutgemm as lay
import numpy as np
import pytest
from arrays import TYPES, view


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_a_plan_gives_the_bits_of_the_call(dtype):
    rng = np.random.default_rng(31)
    a, b, out = view(rng, (20, 30), dtype), view(rng, (30, 10), dtype), view(rng, (20, 10), dtype)
    plan = lay.Plan(a, b, out)
    out[...] = 1
    wanted = lay.matmul(a, b, out=out.copy(), alpha=2, beta=3)
    assert plan(a, b, out, alpha=2, beta=3) is out and np.array_equal(out, wanted)
    assert "product" in plan.explain() and plan.path in ("none", "strict")
    plan.reserve()


def test_a_plan_of_labels():
    rng = np.random.default_rng(32)
    x, y = rng.standard_normal((4, 5, 6)) + 1j, rng.standard_normal((6, 5, 7)) * 1j
    out = np.empty((7, 4), complex)
    plan = lay.Plan(x, y, out, labels="abc,cbd->da", conj=(True, False))
    assert np.array_equal(plan(x, y, out), lay.einsum("abc,cbd->da", x, y, conj=(True, False)))
    assert np.allclose(out, np.einsum("abc,cbd->da", x.conj(), y))
    lay.Plan(x, y, out, labels="abc,cbd->da", sum_order="storage")(x, y, out)
    assert np.allclose(out, np.einsum("abc,cbd->da", x, y))
    scalar = np.empty((), complex)
    lay.Plan(x, x, scalar, labels="abc,abc->")(x, x, scalar)
    assert np.allclose(scalar, np.sum(x * x))


def test_a_plan_of_a_batch():
    rng = np.random.default_rng(33)
    a, b, out = rng.standard_normal((2, 1, 4, 5)), rng.standard_normal((3, 5, 6)), np.empty((2, 3, 4, 6))
    assert np.allclose(lay.Plan(a, b, out)(a, b, out), a @ b)


def test_a_plan_of_layouts_takes_any_array_that_holds_them():
    blocks = lay.Layout("A=[2][2][3][3]; [[#A_0][#A_2]][[#A_1][#A_3]]")
    plan = lay.Plan(blocks, blocks.T, lay.Layout("[6][6]"), dtype="float32")
    rng = np.random.default_rng(34)
    flat, whole = rng.standard_normal(36).astype(np.float32), rng.standard_normal((2, 18)).astype(np.float32)
    out = np.empty(36, np.float32)
    plan(flat, whole, out)
    assert np.array_equal(out.reshape(6, 6), lay.matmul(flat, whole, layouts=(blocks, blocks.T)))
    with pytest.raises(lay.LayoutError, match="offsets from 0 to 35, and the array has those from 0 to 34"):
        plan(flat[:35], whole, out)
    with pytest.raises(TypeError, match="type must be given"):
        lay.Plan(blocks, blocks, blocks)
    for dtype in (np.float32, np.dtype("f4"), "float32"):
        lay.Plan(blocks, blocks, blocks, dtype=dtype)
    with pytest.raises(lay.LayoutError, match="no element type"):
        lay.Plan(blocks, blocks, blocks, dtype="int8")
    with pytest.raises(TypeError):
        lay.matmul(blocks, blocks, out=out)


def test_arrays_of_another_form_are_refused():
    a, b, out = np.ones((4, 5)), np.ones((5, 6)), np.empty((4, 6))
    plan = lay.Plan(a, b, out)
    for wrong in ((np.ones((4, 6)), b, out), (np.ones((5, 4)).T, b, out), (a, b, np.empty((6, 4)).T),
                  (a, np.ones((5, 12))[:, ::2], out), (np.ones(5), b, out)):
        with pytest.raises(lay.LayoutError, match="the plan was made for") as caught:
            plan(*wrong)
        assert caught.value.status == "LAY_ERR_SHAPE"
    with pytest.raises(lay.LayoutError, match="elements of float32, and the plan was made for float64"):
        plan(a.astype(np.float32), b, out)
    with pytest.raises(lay.LayoutError, match="clear of A") as caught:
        square = np.ones((4, 4))
        lay.Plan(square, square, square)(square, square, square)
    assert caught.value.status == "LAY_ERR_OVERLAP"
    with pytest.raises(TypeError):
        plan(a, b)
    with pytest.raises(lay.LayoutError, match="no value 'fast'"):
        lay.Plan(a, b, out, sum_order="fast")


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_packed_operands(dtype):
    rng = np.random.default_rng(35)
    a, b = view(rng, (40, 50), dtype), view(rng, (50, 30), dtype)
    out = np.empty((40, 30), dtype)
    plan = lay.Plan(a, b, out)
    wanted = lay.matmul(a, b)
    packed_a, packed_b = lay.pack(plan, "a", a), plan.pack("b", b)
    assert packed_a.nbytes >= a.size * dtype.itemsize and packed_b.nbytes > 0
    for left, right in ((packed_a, b), (a, packed_b), (packed_a, packed_b)):
        out[...] = 0
        assert np.array_equal(plan(left, right, out), wanted)
    other = np.empty((30, 40), dtype).T
    assert np.array_equal(lay.Plan(a, b, other)(packed_a, packed_b, other), wanted)
    with pytest.raises(lay.LayoutError) as caught:
        small = np.ones((3, 3), dtype)
        lay.Plan(small, small, small)(packed_a, small, np.empty_like(small))
    assert caught.value.status == "LAY_ERR_SHAPE"
    with pytest.raises(lay.LayoutError, match="'c' is no operand"):
        plan.pack("c", a)
    with pytest.raises(TypeError):
        plan(a, b, packed_a)
    with pytest.raises(TypeError):
        lay.Packed()


def test_run_many():
    rng = np.random.default_rng(36)
    a, b = rng.standard_normal((9, 4, 5)), rng.standard_normal((9, 5, 6))
    out = np.ones((9, 4, 6))
    plan = lay.Plan(a[0], b[0], out[0])
    assert lay.run_many(plan, a, list(b), tuple(out), alpha=2, beta=-1) is None
    assert np.allclose(out, 2 * (a @ b) - 1)
    lay.run_many(plan, [], [], [])
    with pytest.raises(lay.LayoutError, match="9 times a, 8 times b and 9 times out"):
        lay.run_many(plan, a, b[1:], out)
    before = out.copy()
    with pytest.raises(lay.LayoutError, match="b has the shape"):
        lay.run_many(plan, a, [*b[:8], np.ones((6, 5))], out)
    with pytest.raises(TypeError):
        lay.run_many(plan, a, 3, out)
    assert np.array_equal(out, before)


def test_run_groups():
    rng = np.random.default_rng(37)
    sizes = ((3, 4, 5, 6), (7, 2, 2, 2), (1, 30, 20, 10))
    groups, wanted = [], []
    for number, (count, m, k, n) in enumerate(sizes):
        a, b = rng.standard_normal((count, m, k)), rng.standard_normal((count, k, n))
        out = np.ones((count, m, n))
        plan = lay.Plan(a[0], b[0], out[0])
        groups.append((plan, a, b, out) if number == 0 else (plan, list(a), b, tuple(out), 2, -1))
        wanted.append(a @ b if number == 0 else 2 * (a @ b) - 1)
    assert lay.run_groups(groups) is None
    for group, right in zip(groups, wanted):
        assert np.allclose(np.array(group[3]), right)
    lay.run_groups([])
    lay.run_groups(iter(groups[:1]))
    before = [np.array(group[3]) for group in groups]
    plan, a, b, out = groups[0]
    for wrong, error in (((plan, a, b[1:], out), lay.LayoutError), ((plan, a, b), TypeError), (3, TypeError),
                         ((plan, a, [*b[:2], None], out), Exception), (("plan", a, b, out), TypeError)):
        with pytest.raises(error):
            lay.run_groups([*groups, wrong])
    with pytest.raises(TypeError):
        lay.run_groups(3)
    assert all(np.array_equal(group[3], old) for group, old in zip(groups, before))


def test_options():
    a = np.ones((8, 8), np.float32)
    for word, values in {"backend": ("auto", "cpu"), "compute": ("strict",), "isa": ("auto", "c")}.items():
        for value in values:
            assert lay.matmul(a, a, options=lay.Options(**{word: value}))[0, 0] == 8
    plan = lay.Plan(a, a, np.empty_like(a), options=lay.Options(threads=3))
    assert "product" in plan.explain()
    for wrong in ({"backend": "gpu"}, {"compute": "f32"}, {"isa": "sse"}, {"threads": -1}, {"kernel": "none such"},
                  {"threads": 1 << 20}):
        with pytest.raises(lay.LayoutError) as caught:
            lay.matmul(a, a, options=lay.Options(**wrong))
        assert caught.value.status == "LAY_ERR_OPTION"
    for wrong in ({"stream": "main"}, {"threads": "2"}, {"speed": 9}):
        with pytest.raises(TypeError):
            lay.Options(**wrong)
    with pytest.raises(TypeError):
        lay.Options(3)
    with pytest.raises(TypeError, match="must be an Options"):
        lay.matmul(a, a, options={"threads": 1})
