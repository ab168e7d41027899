"""matmul on NumPy's arrays of any strides, against NumPy in double."""

import array

import layoutgemm as lay
import numpy as np
import pytest
from arrays import TYPES, assert_close, exact, view


def check(a, b, **more):
    found = lay.matmul(a, b, **more)
    # A bound of the sum's error: k eps |A| |B|.
    bound = np.matmul(np.abs(exact(a)), np.abs(exact(b))) * max(1, a.shape[-1]) ** 0.5
    assert_close(found, np.matmul(exact(a), exact(b)), np.asarray(bound), a.dtype)
    return found


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_matrices_of_any_strides(dtype):
    rng = np.random.default_rng(3)
    for _ in range(60):
        m, n, k = (int(x) for x in rng.integers(0, 30, 3))
        check(view(rng, (m, k), dtype, True), view(rng, (k, n), dtype, True))


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_vectors_and_batches_are_numpys(dtype):
    rng = np.random.default_rng(4)
    shapes = [((7,), (7,)), ((7,), (7, 3)), ((5, 7), (7,)), ((4, 5, 7), (7, 3)), ((5, 7), (4, 7, 3)),
              ((4, 5, 7), (4, 7, 3)), ((1, 5, 7), (4, 7, 3)), ((2, 1, 5, 7), (4, 7, 3)), ((2, 4, 5, 7), (7,)),
              ((7,), (2, 4, 7, 3)), ((2, 3, 4, 5, 7), (1, 4, 7, 3)), ((0, 5, 7), (7, 3)), ((3, 5, 0), (0, 2)),
              ((1, 1), (1, 1)), ((2, 1, 1), (1, 1))]
    for left, right in shapes:
        for _ in range(4):
            check(view(rng, left, dtype, True), view(rng, right, dtype, True))


def test_out_of_any_strides_is_written_where_it_is_alone():
    rng = np.random.default_rng(5)
    for dtype in TYPES:
        for _ in range(20):
            m, n, k = (int(x) for x in rng.integers(1, 20, 3))
            a, b, out = view(rng, (m, k), dtype), view(rng, (k, n), dtype), view(rng, (m, n), dtype)
            base = out.base
            before = base.copy()
            found = check(a, b, out=out)
            assert found is out
            after = base.copy()
            out[...] = 0
            kept = base.copy()
            out[...] = np.ones((), dtype)
            touched = base != kept
            assert np.array_equal(after[~touched], before[~touched])


def test_alpha_and_beta():
    rng = np.random.default_rng(6)
    for dtype in TYPES:
        a, b, c = (view(rng, (9, 9), dtype) for _ in range(3))
        is_complex = dtype.kind == "c"
        alpha, beta = (1.5 - 0.5j, 0.25 + 2j) if is_complex else (1.5, -0.5)
        wanted = alpha * (exact(a) @ exact(b)) + beta * exact(c)
        bound = abs(alpha) * (np.abs(exact(a)) @ np.abs(exact(b))) * 3 + abs(beta) * np.abs(exact(c))
        assert_close(lay.matmul(a, b, out=c, alpha=alpha, beta=beta), wanted, bound, dtype)
    with pytest.raises(TypeError):
        lay.matmul(np.ones((2, 2)), np.ones((2, 2)), alpha=1j)


def test_operands_of_several_types():
    rng = np.random.default_rng(9)
    for _ in range(60):
        left, right, to = (TYPES[i] for i in rng.integers(0, 6, 3))
        is_complex = "c" in (left.kind, right.kind)
        if is_complex != (to.kind == "c"):
            to = np.dtype(np.complex64 if is_complex else np.float32)
        a, b, c = view(rng, (6, 7), left), view(rng, (7, 5), right), view(rng, (6, 5), to)
        alpha, beta = (1.5 - 1j, 2j) if is_complex else (1.5, -0.5)
        wanted = alpha * (exact(a) @ exact(b)) + beta * exact(c)
        bound = 4 * (np.abs(exact(a)) @ np.abs(exact(b)) + np.abs(exact(c)))
        # Sums are float32's where no type is wider, and the result has its own type's.
        loose = np.dtype(np.complex64 if is_complex else np.float32) if to.itemsize > 2 else to
        for found in (lay.matmul(a, b, out=c.copy(), alpha=alpha, beta=beta),
                      lay.Plan(a, b, c)(a, b, c, alpha=alpha, beta=beta)):
            assert_close(found.astype(loose), wanted, bound, loose)
    half, single = np.ones((3, 3), np.float16), np.ones((3, 3), np.float32)
    assert lay.matmul(half, single).dtype == np.float32
    assert lay.matmul(half.astype(TYPES[5]), single).dtype == np.float32
    assert lay.matmul(single, single.astype(complex)).dtype == np.complex128
    assert np.array_equal(lay.einsum("ab,cb->ac", half, single, alpha=2), np.full((3, 3), 6))


def test_beta_of_0_reads_nothing():
    c = np.full((3, 3), np.nan)
    assert np.array_equal(lay.matmul(np.eye(3), np.eye(3), out=c), np.eye(3))


def test_the_same_bits_whatever_the_strides():
    rng = np.random.default_rng(7)
    a, b = rng.standard_normal((50, 70)), rng.standard_normal((70, 60))
    wanted = lay.matmul(a, b)
    assert np.array_equal(lay.matmul(np.asfortranarray(a), b[:, ::-1].copy()[:, ::-1]), wanted)
    assert np.array_equal(lay.matmul(b.T, a.T).T, wanted)
    for threads in (1, 2, 5):
        assert np.array_equal(lay.matmul(a, b, options=lay.Options(threads=threads)), wanted)


def test_buffers_need_no_numpy():
    a = memoryview(array.array("d", range(6))).cast("B").cast("d", (2, 3))
    out = memoryview(array.array("d", [0] * 4)).cast("B").cast("d", (2, 2))
    lay.matmul(a, a, out=out, layouts=(None, lay.Layout("[3:1][2:3]")))
    assert out.tolist() == [[5, 14], [14, 50]]
    with pytest.raises(TypeError, match="give out"):
        lay.matmul(out, a)


def blocks(layout, storage):
    """The matrix that a layout makes of storage."""
    rows, columns = layout.extents
    flat = storage.reshape(-1)
    return np.array([[flat[layout.offset(i, j)] for j in range(columns)] for i in range(rows)]).reshape(rows, columns)


def test_layouts_of_storage():
    rng = np.random.default_rng(8)
    in_blocks = lay.Layout("A=[2][3][4][5]; [[#A_0][#A_2]][[#A_1][#A_3]]")  # 8 x 15
    panels = lay.Layout("A=[3][15][2]; [#A_1][[#A_0][#A_2]]")  # 15 x 6
    a, b = rng.standard_normal(120), rng.standard_normal((3, 30))
    c = np.zeros((2, 2, 4, 3))
    in_c = lay.Layout("A=[2][2][4][3]; [[#A_0][#A_2]][[#A_1][#A_3]]")
    assert lay.matmul(a, b, out=c, layouts=(in_blocks, panels, in_c)) is c
    assert np.allclose(blocks(in_c, c), blocks(in_blocks, a) @ blocks(panels, b))
    assert np.allclose(lay.matmul(a, b, layouts=(in_blocks, panels)), blocks(in_blocks, a) @ blocks(panels, b))
    assert np.allclose(lay.matmul(a, a, layouts=(in_blocks, in_blocks.T)),
                       blocks(in_blocks, a) @ blocks(in_blocks, a).T)
    batch = lay.Layout("A=[4][3][5]; [#A_1][#A_0][#A_2]")
    x = rng.standard_normal((4, 3, 5))
    assert np.allclose(lay.matmul(x, rng_b := rng.standard_normal((5, 2)), layouts=(batch,)),
                       x.transpose(1, 0, 2) @ rng_b)
    # Offset 0 is the first element of a view, wherever it lies in its storage.
    assert np.allclose(lay.matmul(x[1:], rng_b, layouts=(lay.Layout("[3][5]"),)), x[1] @ rng_b)


def test_no_array_was_copied():
    before = lay.copies()
    test_matrices_of_any_strides(np.dtype(np.float32))
    assert lay.copies() == before
