"""einsum against numpy.einsum in double: labels of every kind, and the rules of its text."""

import string

import layoutgemm as lay
import numpy as np
import pytest
from arrays import TYPES, assert_close, exact, view


def check(text, *operands, **more):
    found = lay.einsum(text, *operands, **more)
    absolute = np.einsum(text, *(np.abs(exact(x)) for x in operands))
    wanted = np.einsum(text, *(exact(x) for x in operands))
    terms = max(1, int(np.prod([max(x.shape, default=1) for x in operands])))
    assert_close(found, np.asarray(wanted), np.asarray(absolute) * terms**0.5, operands[0].dtype)
    return found


TEXTS = ["ab,bc->ac", "ab,bc", "ba,cb->ca", "aecf,fbed->abcd", "abc,abd->acd", "abc,cba->", "ab,ab->ab", "ab,cd->abcd",
         "a,a", "a,b", "aab,b->a", "aab,bb->a", "abc,c->b", "ab,->ba", ",ab->b", ",->", ",", "abcd,cd->ba", "ab,a->a",
         " a b , b c -> c a ", "ab,bc->b", "Ab,bC", "bA,Cb", "ij,jk->ki", "aa,aa->a", "abab,b->a", "ij->ji", "ij->i",
         "ii", "ii->i", "ijk->", "iji->j", "ij", "ji", "i->i", "->", ""]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_labels(text, dtype):
    rng = np.random.default_rng(len(text))
    left = text.replace(" ", "").partition("->")[0].split(",")
    for _ in range(3):
        extents = {letter: int(rng.integers(1, 6)) for letter in string.ascii_letters}
        check(text, *(view(rng, tuple(extents[letter] for letter in term), dtype, True) for term in left))


def test_random_labels():
    rng = np.random.default_rng(11)
    for _ in range(300):
        letters = rng.permutation(list("abcdef"))[: rng.integers(1, 7)]
        extents = {letter: int(rng.integers(1, 5)) for letter in letters}
        terms = ["".join(rng.choice(letters, rng.integers(0, 5))) for _ in range(2)]
        there = sorted(set("".join(terms)))
        output = "".join(rng.permutation([letter for letter in there if rng.random() < 0.6]))
        dtype = TYPES[rng.integers(0, 4)]
        check(f"{terms[0]},{terms[1]}->{output}",
              *(view(rng, tuple(extents[letter] for letter in term), dtype, True) for term in terms))


@pytest.mark.parametrize("text, left, right", [
    ("...ab,...bc->...ac", (2, 3, 4, 5), (2, 3, 5, 6)),
    ("...ab,...bc", (3, 4, 5), (2, 3, 5, 6)),
    ("...ab,bc->...ac", (2, 3, 4, 5), (5, 6)),
    ("...ab,...bc->...ac", (1, 4, 5), (3, 5, 6)),
    ("a...,a...", (4, 2, 3), (4, 3)),
    ("a...b,...->ba...", (4, 2, 3, 5), (2, 3)),
    ("...,...", (2, 3), (2, 3)),
    ("...a,ab->...b", (4,), (4, 3)),
])
def test_an_ellipsis_is_numpys(text, left, right):
    rng = np.random.default_rng(12)
    check(text, view(rng, left, np.dtype(np.float64)), view(rng, right, np.dtype(np.float64)))


def test_extents_of_1_are_stretched():
    rng = np.random.default_rng(13)
    check("ab,bc->ac", rng.standard_normal((4, 1)), rng.standard_normal((5, 3)))
    check("ab,ab->ab", rng.standard_normal((4, 1)), rng.standard_normal((1, 3)))


@pytest.mark.parametrize("text, shapes", [
    ("ii->", [(2, 1)]),
    ("iji,i->j", [(1, 3, 4), (4,)]),
    ("jj,j", [(1, 2), (2,)]),
])
def test_a_diagonal_has_one_extent(text, shapes):
    with pytest.raises(ValueError, match="a diagonal has one extent"):
        lay.einsum(text, *map(np.ones, shapes))
    with pytest.raises(ValueError):
        np.einsum(text, *map(np.ones, shapes))


def test_a_diagonal_of_one_index_is_stretched():
    rng = np.random.default_rng(17)
    check("ii,i->i", rng.standard_normal((1, 1)), rng.standard_normal(5))


def test_what_is_no_array_is_a_type_error():
    with pytest.raises(TypeError, match="not list"):
        lay.einsum("i,i", [1.0], np.ones(1))


def test_conjugation():
    rng = np.random.default_rng(14)
    for dtype in (np.dtype(np.complex64), np.dtype(np.complex128)):
        x, y = view(rng, (6, 5, 4), dtype), view(rng, (4, 5, 7), dtype)
        for conj in ((True, False), (False, True), (True, True), True, False, np.True_, np.array([False, True])):
            flags = [conj] * 2 if np.ndim(conj) == 0 else conj
            plain = [exact(z.conj() if flag else z) for z, flag in zip((x, y), flags)]
            found = lay.einsum("abc,cbd->da", x, y, conj=conj)
            assert np.allclose(found, np.einsum("abc,cbd->da", *plain), rtol=0, atol=1e-5 if dtype.itemsize == 8 else
                               1e-12)
    real = rng.standard_normal((3, 3))
    assert np.array_equal(lay.einsum("ab,bc", real, real, conj=True), lay.matmul(real, real))
    assert np.allclose(lay.einsum("ab->ba", x[0], conj=True), x[0].conj().T)


def test_out_alpha_beta_and_layouts():
    rng = np.random.default_rng(15)
    x, y, c = rng.standard_normal((3, 4, 5)), rng.standard_normal((5, 4, 6)), rng.standard_normal((6, 3))
    wanted = 2 * np.einsum("abc,cbd->da", x, y) - 0.5 * c
    assert lay.einsum("abc,cbd->da", x, y, out=c, alpha=2, beta=-0.5) is c
    assert np.allclose(c, wanted)
    stored = x.transpose(2, 0, 1).copy()  # c, a, b
    layout = lay.Layout("A=[5][3][4]; [#A_1][#A_2][#A_0]")
    assert np.allclose(lay.einsum("abc,cbd->da", stored, y, layouts=(layout,)), np.einsum("abc,cbd->da", x, y))
    assert np.allclose(lay.einsum("abc->b", stored, layouts=(layout,)), x.sum((0, 2)))


def test_labels_of_other_alphabets():
    x, y = np.ones((2, 3)), np.ones((3, 4))
    assert np.array_equal(lay.einsum("\u00e4\u00f6,\u00f6\u00fc->\u00fc\u00e4", x, y), np.full((4, 2), 3.0))


@pytest.mark.parametrize("text, count, words", [
    ("ab,bc,cd", 3, "opt_einsum"),
    ("ab,bc", 3, "opt_einsum"),
    ("ab,bc", 1, "2 operands, and 1"),
    ("ab,b->ac", 2, "not the 2 dimensions"),
    ("ab,bc->ad", 2, "'d' is no operand's"),
    ("ab,bc->aa", 2, "stands there 2 times"),
    ("ab,b1", 2, "'1' is no label"),
    ("a..,ab", 2, "full stop"),
    ("...a...,ab", 2, "ellipsis"),
    ("a...,ab->b", 2, "the output has none"),
])
def test_texts_that_say_nothing_are_refused(text, count, words):
    with pytest.raises(ValueError, match=words):
        lay.einsum(text, *[np.ones((2, 2))] * count)


def test_operands_come_behind_the_text():
    with pytest.raises(TypeError, match="subscripts come first"):
        lay.einsum(np.ones(3), [0], np.ones(3), [0])


def test_tensordot_and_transpose_are_numpys():
    rng = np.random.default_rng(16)
    x, y = rng.standard_normal((3, 4, 5)), rng.standard_normal((4, 5, 6))
    assert np.allclose(lay.tensordot(x, y), np.tensordot(x, y))
    assert np.allclose(lay.tensordot(x, y, 0), np.tensordot(x, y, 0))
    assert np.allclose(lay.tensordot(x, y, ((-1, 1), (1, 0))), np.tensordot(x, y, ((-1, 1), (1, 0))))
    assert np.allclose(lay.tensordot(x, y, (1, 0)), np.tensordot(x, y, (1, 0)))
    assert np.allclose(lay.tensordot(x, y, np.int64(2)), np.tensordot(x, y, np.int64(2)))
    assert np.allclose(lay.tensordot(x, y, np.array([[1, 2], [0, 1]])), np.tensordot(x, y, np.array([[1, 2], [0, 1]])))
    for axes, words in [(((0, 1), (0,)), "2 axes of a and 1"), (4, "4 axes"), (((0, 0), (0, 1)), "one twice"),
                        ((0, 0), "axis 0 of a has 3 indices, axis 0 of b 4"), (((0,),), "neither a number nor")]:
        with pytest.raises(ValueError, match=words):
            lay.tensordot(x, y, axes)
    with pytest.raises(ValueError, match="axis 1 of a has 1 indices"):  # which einsum would stretch
        lay.tensordot(np.ones((2, 1)), np.ones((3, 4)), 1)
    assert lay.transpose(x, (2, 0, 1)).shape == (5, 3, 4) and lay.transpose(x).shape == (5, 4, 3)
    assert np.shares_memory(lay.transpose(x), x)
