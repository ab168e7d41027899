"""What is refused, with its status and a sentence; then nothing was written and nothing is held."""

import layoutgemm as lay
import numpy as np
import pytest

A, B = np.ones((3, 4)), np.ones((4, 5))


def read_only(array):
    array.flags.writeable = False
    return array


def unaligned():
    return np.zeros(9, np.uint8)[1:].view(np.float64)[:, None]


class Wrapped:
    """Elements of two bytes, which are no bfloat16, by __array_struct__ alone."""

    array = np.ones((3, 4), np.float16)
    __array_struct__, dtype, shape = array.__array_struct__, array.dtype, array.shape


@pytest.mark.parametrize("call, status, words", [
    (lambda: lay.matmul(Wrapped(), B), "LAY_ERR_TYPE", "elements of float16"),
    (lambda: lay.matmul(A, A), "LAY_ERR_SHAPE", "A's columns are not B's rows"),
    (lambda: lay.matmul(A, B, out=np.empty((5, 3))), "LAY_ERR_SHAPE", r"out has the shape \(5, 3\)"),
    (lambda: lay.matmul(A, B, out=np.empty((1, 3, 5))), "LAY_ERR_SHAPE", "the product has"),
    (lambda: lay.matmul(np.ones((2, 3, 4)), np.ones((3, 4, 5))), "LAY_ERR_SHAPE", "2 matrices"),
    (lambda: lay.matmul(np.float64(1), B), "LAY_ERR_RANK", "a is a scalar"),
    (lambda: lay.matmul(A + 0j, B, out=np.empty((3, 5))), "LAY_ERR_TYPE", "C may be"),
    (lambda: lay.matmul(A, B, out=np.empty((3, 5), complex)), "LAY_ERR_TYPE", "."),
    (lambda: lay.matmul(A.astype(int), B), "LAY_ERR_TYPE", "elements of int64"),
    (lambda: lay.matmul(A.astype(">f8"), B), "LAY_ERR_TYPE", "byte order"),
    (lambda: lay.matmul(A.astype(object), B), "LAY_ERR_TYPE", "elements of object"),
    (lambda: lay.matmul(A.astype(np.longdouble), B), "LAY_ERR_TYPE", "elements of"),
    (lambda: lay.matmul(A.astype("M8[s]"), B), "LAY_ERR_TYPE", "datetime64"),
    (lambda: lay.matmul(bytearray(8), B), "LAY_ERR_TYPE", "format 'B'"),
    (lambda: lay.matmul(A, B, out=read_only(np.empty((3, 5)))), "LAY_ERR_ARGUMENT", "out is read-only"),
    (lambda: lay.matmul(A, B, out=np.broadcast_to(np.empty(5), (3, 5))), "LAY_ERR_ARGUMENT", "read-only"),
    (lambda: lay.matmul(A, B, out=np.lib.stride_tricks.as_strided(np.empty(5), (3, 5), (0, 8))), "LAY_ERR_INJECTIVE",
     "C"),
    (lambda: lay.matmul(unaligned(), np.ones((1, 1))), "LAY_ERR_ARGUMENT", "multiples of 8"),
    (lambda: lay.matmul(np.zeros(4, "f8,u4")["f0"][:, None], np.ones((1, 1))), "LAY_ERR_ARGUMENT", "12 bytes"),
    (lambda: lay.matmul(A, B, layouts=(lay.Layout("[3][5]"),)), "LAY_ERR_EXTENT", "from 0 to 14"),
    (lambda: lay.matmul(A[::-1], B, layouts=(lay.Layout("[3][4]"),)), "LAY_ERR_EXTENT", "from -8 to 3"),
    (lambda: lay.matmul(A, B, layouts=(lay.Layout("[12]"),)), "LAY_ERR_RANK", "rank 1"),
    (lambda: lay.einsum("ab,bc->ac", A, B, layouts=(lay.Layout("[12]"),)), None, "not the 1 dimensions"),
    (lambda: lay.einsum("ab,bc->ac", A, A), "LAY_ERR_SHAPE", "b"),
    (lambda: lay.einsum("ab,bc->ac", A, B, conj=(True,)), None, "1 flags for 2"),
    (lambda: lay._core.contract("abbc->ac", A, B), "LAY_ERR_SYNTAX", "of the form"),
    (lambda: lay._core.contract("ab,bc", A, B), "LAY_ERR_SYNTAX", "of the form"),
    (lambda: lay._core.contract("ab,bc->a\u00e4", A, B), "LAY_ERR_SYNTAX", "of the form"),
    (lambda: lay.copy(A, np.empty((4, 3))), "LAY_ERR_SHAPE", "."),
    (lambda: lay.copy(A, A), "LAY_ERR_OVERLAP", "."),
    (lambda: lay.copy(A + 1j, np.empty((3, 4))), "LAY_ERR_TYPE", "."),
])
def test_a_status_and_a_sentence(call, status, words):
    with pytest.raises(ValueError, match=words) as caught:
        call()
    if status:
        assert isinstance(caught.value, lay.LayoutError) and caught.value.status == status


def test_out_within_an_operand_is_refused_and_beside_it_is_not():
    store = np.arange(48.0).reshape(4, 12)
    for out in (store[:, 4:8], store[:, 3:7], store[::-1, 6:10]):
        before = store.copy()
        with pytest.raises(lay.LayoutError) as caught:
            lay.matmul(store[:, :4], store[:, 4:8], out=out)
        assert caught.value.status == "LAY_ERR_OVERLAP" and np.array_equal(store, before)
    wanted = store[:, :4] @ store[:, 4:8]
    assert np.array_equal(lay.matmul(store[:, :4], store[:, 4:8], out=store[:, 8:]), wanted)


@pytest.mark.parametrize("call", [
    lambda: lay.matmul(A),
    lambda: lay.matmul(A, B, 3, 4),
    lambda: lay.matmul(A, [1.0]),
    lambda: lay.matmul(A, None),
    lambda: lay.matmul(A, B, out="text"),
    lambda: lay.matmul(A, B, alpha="1"),
    lambda: lay.matmul(A + 0j, B + 0j, alpha="2"),
    lambda: lay.matmul(A, B, beta=None),
    lambda: lay.matmul(A, B, beta=1),
    lambda: lay.einsum("ab,bc", A, B, beta=0.5),
    lambda: lay.matmul(A, B, layouts=[None]),
    lambda: lay.matmul(A, B, layouts=(None,) * 4),
    lambda: lay.matmul(A, B, layouts=("[3][4]",)),
    lambda: lay.matmul(A, B, layouts=(None, None, lay.Layout("[3][5]"))),
    lambda: lay.matmul(A, B, speed=3),
    lambda: lay.copy(A),
])
def test_wrong_kinds_of_arguments(call):
    with pytest.raises(TypeError):
        call()


def test_copy_converts_scales_and_adds():
    rng = np.random.default_rng(41)
    x = rng.standard_normal((5, 6))
    out = np.empty((6, 5), np.float32).T
    assert lay.copy(x, out) is out and np.array_equal(out, x.astype(np.float32))
    lay.copy(x, out, alpha=2, beta=-1)
    assert np.allclose(out, x, atol=1e-6)
    y = np.empty((5, 6), complex)
    assert np.array_equal(lay.copy(x + 2j, y, conj=True), x - 2j)
    stored = np.empty(30)
    lay.copy(x, stored, layouts=(None, lay.Layout("[[5]][6]").T.T))
    assert np.array_equal(stored.reshape(5, 6), x)
    scalar = np.zeros(())
    assert lay.copy(np.float64(3), scalar) == 3
