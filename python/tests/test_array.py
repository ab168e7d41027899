"""Arrays with layouts: what NumPy says of their dense copies."""

import layoutgemm as lay
import numpy as np
import pytest

BLOCKS = "A=[2][3][4][5]; [[#A_0][#A_2]][[#A_1][#A_3]]"  # 8 x 15


def blocked(dtype=np.float64):
    storage = (np.arange(120) % 7).astype(dtype)
    return lay.Array(storage, BLOCKS), storage.reshape(2, 3, 4, 5).transpose(0, 2, 1, 3).reshape(8, 15)


def test_an_array_has_the_elements_of_its_layout():
    array, dense = blocked()
    assert array.shape == (8, 15) and array.ndim == 2 and array.dtype == np.float64
    assert np.array_equal(array.dense(), dense) and np.array_equal(np.asarray(array), dense)
    assert np.asarray(array, np.float32).dtype == np.float32
    assert np.array_equal(array.T.dense(), dense.T) and np.array_equal(array.permute(1, 0).dense(), dense.T)
    assert np.array_equal(array[2:7, ::3].dense(), dense[2:7, ::3]) and np.array_equal(array[3].dense(), dense[3])
    assert all(array[i, j] == dense[i, j] for i, j in ((0, 0), (5, 11), (-1, -15), (7, 14)))
    assert np.array_equal(array.tile(4, 5).dense(), dense)
    assert np.array_equal(lay.Array(dense[::-1, ::2]).dense(), dense[::-1, ::2])
    assert repr(array).startswith("Array(<float64>, Layout(")
    for wrong in ((8, 0), (0, -16), (0, 0, 0)):
        with pytest.raises(IndexError):
            array[wrong]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_products_are_those_of_dense_arrays(dtype):
    (array, dense), copies = blocked(dtype), lay.copies()
    other = (np.arange(60).reshape(15, 4) % 5).astype(dtype)
    assert np.array_equal(array @ array.T, dense @ dense.T)
    assert np.array_equal(array @ other, dense @ other) and np.array_equal(other.T @ array.T, other.T @ dense.T)
    assert np.array_equal(array[1:7, 2:9] @ lay.Array(other)[2:9], dense[1:7, 2:9] @ other[2:9])
    assert np.array_equal(array @ other[:, 0], dense @ other[:, 0]) and lay.copies() == copies


def test_contractions_take_them_too():
    array, dense = blocked()
    other = np.arange(45.0).reshape(15, 3) % 4
    assert np.array_equal(lay.einsum("ij,jk->ki", array, other), (dense @ other).T)
    assert np.array_equal(lay.einsum("kj,ij", other.T, array[2:]), dense[2:] @ other)
    assert np.array_equal(lay.einsum("ij->ji", array), dense.T)


def test_what_does_not_fit_is_refused():
    array, _ = blocked()
    with pytest.raises(lay.LayoutError):
        array @ array
    with pytest.raises(lay.LayoutError):
        lay.Array(np.zeros(119), BLOCKS) @ np.zeros((15, 2))
    with pytest.raises(ValueError):
        np.array(array, copy=False)
    with pytest.raises(TypeError):
        array @ 3
