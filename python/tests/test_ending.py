"""Endings: scales, a bias, an activation, by einsum and by plans, against NumPy."""

import layoutgemm as lay
import ml_dtypes
import numpy as np
import pytest
from arrays import assert_close, view

ACTIVATIONS = {
    "none": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "gelu_tanh": lambda x: x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "clamp": lambda x: np.clip(x, -0.5, 1.25),
}
REAL = [np.dtype("float32"), np.dtype("float64"), np.dtype("float16"), np.dtype(ml_dtypes.bfloat16)]


def wanted_of(a, b, c, row, column, bias, activation):
    a, b, c, row, column, bias = (x.astype(np.float64) for x in (a, b, c, row, column, bias))
    sums = row[:, None] * column * (2 * (a @ b) + 0.5 * c)
    bound = np.abs(row[:, None] * column) * (2 * (np.abs(a) @ np.abs(b)) + np.abs(c)) + np.abs(bias)
    return ACTIVATIONS[activation](sums + bias), 4 * bound + 1


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_scales_bias_and_activation(dtype, activation):
    rng = np.random.default_rng(31)
    for _ in range(8):
        m, n, k = (int(x) for x in rng.integers(1, 40, 3))
        a, b, c = view(rng, (m, k), dtype), view(rng, (k, n), dtype), view(rng, (m, n), dtype)
        row, column, bias = view(rng, (m,), dtype), view(rng, (n,), dtype), view(rng, (n,), dtype)
        wanted, bound = wanted_of(a, b, c, row, column, bias, activation)
        ending = lay.Ending(scales=[(row, "i"), column], bias=bias, activation=activation, low=-0.5, high=1.25)
        planned = c.copy()
        found = lay.einsum("ik,kj->ij", a, b, out=c, alpha=2, beta=0.5, ending=ending)
        assert found is c
        assert_close(c, wanted, bound, dtype)
        plan = lay.Plan(a, b, planned, labels="ik,kj->ij", ending=ending)
        plan(a, b, planned, alpha=2, beta=0.5, scales=(row, column), bias=bias)
        assert np.array_equal(planned.view(np.uint8), np.ascontiguousarray(c).view(np.uint8))


def test_an_ending_is_numpys_broadcast_at_the_end():
    rng = np.random.default_rng(32)
    x, w = rng.random((3, 4, 5)), rng.random((5, 6))
    for bias in (rng.random(()), rng.random(6), rng.random((4, 6)), rng.random((3, 4, 6))):
        found = lay.einsum("bik,kj->bij", x, w, ending=lay.Ending(bias=bias))
        assert np.allclose(found, x @ w + bias)


def test_packed_weights_with_a_bias():
    rng = np.random.default_rng(33)
    x, w, y, bias = rng.random((30, 70)), rng.random((70, 50)), np.empty((30, 50)), rng.random(50)
    plan = lay.Plan(x, w, y, labels="ik,kj->ij", ending=lay.Ending(bias=bias, activation="relu"))
    packed = plan.pack("b", w)
    plan(x - 0.5, packed, y, bias=-bias)
    assert np.allclose(y, np.maximum((x - 0.5) @ w - bias, 0))


def test_an_activation_alone_needs_nothing_of_a_run():
    x = np.linspace(-1, 1, 12).reshape(3, 4)
    out = np.empty((3, 3))
    lay.Plan(x, x.T, out, labels="ik,kj->ij", ending=lay.Ending(activation="relu"))(x, x.T, out)
    assert np.allclose(out, np.maximum(x @ x.T, 0))


def test_refusals():
    x, out = np.ones((3, 3), np.float32), np.full((3, 3), 7, np.float32)
    bias = np.ones(3, np.float32)

    def refused(error, match, **of):
        with pytest.raises(error, match=match):
            lay.einsum("ik,kj->ij", x, x, out=out, ending=lay.Ending(**of))
        assert np.all(out == 7)

    refused(ValueError, "3 scales", scales=[bias] * 3)
    refused(ValueError, "no activation", activation="tanh")
    refused(ValueError, "3 dimensions", bias=np.ones((3, 3, 3), np.float32))
    refused(lay.LayoutError, "label 'k'", bias=(bias, "k"))
    refused(lay.LayoutError, "label 'j' has extent 3", bias=np.ones(4, np.float32))
    refused(lay.LayoutError, "ending.bias is f64", bias=bias.astype(np.float64))
    refused(lay.LayoutError, "ending.low", activation="clamp", low=2, high=1)
    refused(TypeError, "bias is no array", bias=([1, 1, 1], "j"))
    plan = lay.Plan(x, x, out, labels="ik,kj->ij", ending=lay.Ending(bias=bias))
    with pytest.raises(lay.LayoutError, match="bias is missing"):
        plan(x, x, out)
    with pytest.raises(lay.LayoutError, match=r"the plan has no scales\[0\]"):
        plan(x, x, out, bias=bias, scales=(bias,))
    with pytest.raises(lay.LayoutError, match="bias has the shape"):
        plan(x, x, out, bias=np.ones(6, np.float32)[::2])
    with pytest.raises(ValueError, match="needs labels"):
        lay.Plan(x, x, out, ending=lay.Ending(bias=bias))
    assert np.all(out == 7)
