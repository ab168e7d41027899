"""Arrays in a CUDA device's memory, by DLPack: products there, in the stream that is named. Needs CUDA's runtime alone;
skipped without it, without a device, or where this build has no CUDA part. Also a program: test_device.py."""

import ctypes
import os

import layoutgemm as lay
import numpy as np
import pytest
from test_dlpack import DELETER, DLTensor, Versioned, new_capsule

NAMES = ["libcudart.so", "libcudart.so.13", "libcudart.so.12", "/usr/local/cuda/lib64/libcudart.so"]
TO_DEVICE, TO_HOST = 1, 2


def load_runtime():
    if "no CUDA part" in lay.machine():
        return None
    for name in NAMES:
        try:
            runtime, count = ctypes.CDLL(name), ctypes.c_int()
        except OSError:
            continue
        if runtime.cudaGetDeviceCount(ctypes.byref(count)) == 0 and count.value > 0:
            return runtime
    return None


CUDA = load_runtime()
pytestmark = pytest.mark.skipif(CUDA is None, reason="no CUDA runtime, no device, or no CUDA part in this build")


def call(name, *arguments):
    status = getattr(CUDA, name)(*arguments)
    assert status == 0, f"{name}: {status}"


class OnDevice:
    """A copy of a C-contiguous float array in device memory, seen with the strides that are given."""

    def __init__(self, array, transposed=False):
        self.array, self.asked, self.address = array, [], ctypes.c_void_p()
        call("cudaMalloc", ctypes.byref(self.address), ctypes.c_size_t(array.nbytes))
        call("cudaMemcpy", self.address, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes), TO_DEVICE)
        view = array.T if transposed else array
        self.shape = view.shape
        self.extents = (ctypes.c_int64 * view.ndim)(*view.shape)
        self.strides = (ctypes.c_int64 * view.ndim)(*(stride // view.itemsize for stride in view.strides))
        tensor = DLTensor(self.address, 2, 0, view.ndim, 2, 8 * view.itemsize, 1, self.extents, self.strides, 0)
        self.managed = Versioned(1, 0, None, DELETER(), 0, tensor)

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, **keywords):
        self.asked.append(keywords["stream"])
        return new_capsule(ctypes.addressof(self.managed), b"dltensor_versioned", None)

    def fetch(self):
        back = np.empty_like(self.array)
        call("cudaDeviceSynchronize")
        call("cudaMemcpy", ctypes.c_void_p(back.ctypes.data), self.address, ctypes.c_size_t(back.nbytes), TO_HOST)
        return back


def test_products_stay_on_the_device():
    rng = np.random.default_rng(81)
    for dtype, bound in ((np.float32, 1e-3), (np.float64, 1e-11)):
        x, y = rng.standard_normal((300, 200)).astype(dtype), rng.standard_normal((400, 200)).astype(dtype)
        wanted = x.astype(float) @ y.T.astype(float)
        a, b, out = OnDevice(x), OnDevice(y, transposed=True), OnDevice(np.zeros((300, 400), dtype))
        before = lay.copies()
        assert lay.matmul(a, b, out=out) is out and np.abs(out.fetch() - wanted).max() < bound
        lay.einsum("ij,jk->ik", a, b, out=out, alpha=2, beta=1)
        assert np.abs(out.fetch() - 3 * wanted).max() < 4 * bound
        plan = lay.Plan(a, b, out)
        plan.reserve()
        plan(a, b, out)
        plan(a, plan.pack("b", b), out, beta=1)
        assert np.abs(out.fetch() - 2 * wanted).max() < 4 * bound
        assert lay.copies() == before and set(out.asked) == {1}
        assert "cuda" in plan.explain().lower()


def test_the_stream_that_is_named_is_the_one():
    stream = ctypes.c_void_p()
    call("cudaStreamCreateWithFlags", ctypes.byref(stream), 1)  # beside the default stream
    x = np.random.default_rng(82).standard_normal((500, 500)).astype(np.float32)
    a, out = OnDevice(x), OnDevice(np.zeros_like(x))
    lay.matmul(a, a, out=out, options=lay.Options(stream=stream.value))
    call("cudaStreamSynchronize", stream)
    assert a.asked == [stream.value] * 2 and out.asked == [stream.value]
    assert np.abs(out.fetch() - x.astype(float) @ x.astype(float)).max() < 1e-3


def test_host_and_device_meet():
    x = np.random.default_rng(83).standard_normal((200, 200))
    out = np.empty_like(x)
    assert np.abs(lay.matmul(OnDevice(x), x, out=out) - x @ x).max() < 1e-11


if __name__ == "__main__":
    if CUDA is None:
        raise SystemExit("no CUDA runtime, no device, or no CUDA part in this build")
    for one in (test_products_stay_on_the_device, test_the_stream_that_is_named_is_the_one, test_host_and_device_meet):
        one()
        print("ok", one.__name__, os.getpid())
