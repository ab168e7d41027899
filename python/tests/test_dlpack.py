"""Arrays that only __dlpack__ shows: their memory, their stream, their refusals. JAX's where it is; PyTorch has a file
of its own."""

import ctypes
import sys
import types

import layoutgemm as lay
import numpy as np
import pytest
from layoutgemm import _arrays


class Tensor:
    """Host memory of an ndarray, by DLPack alone; remembers what it was asked."""

    def __init__(self, array, device=(1, 0), versions=True):
        self.array, self.device, self.versions, self.asked = array, device, versions, []
        self.shape, self.dtype = array.shape, array.dtype

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **keywords):
        if not self.versions and keywords.keys() - {"stream"}:
            raise TypeError("unexpected keyword")
        self.asked.append(keywords)
        return self.array.__dlpack__(**{key: keywords[key] for key in keywords if key != "stream"})


@pytest.mark.parametrize("versions", [True, False])
def test_products_are_those_of_the_array(versions):
    rng = np.random.default_rng(61)
    for dtype in (np.float32, np.float64, np.complex64, np.complex128, np.float16):
        a, b = rng.standard_normal((5, 7)).astype(dtype)[::-1], rng.standard_normal((4, 7)).astype(dtype).T[::-1]
        out = np.zeros((8, 5), dtype).T[:, ::2]
        tensors = [Tensor(x, versions=versions) for x in (a, b[::-1], out)]
        before = lay.copies()
        assert lay.matmul(tensors[0], tensors[1], out=tensors[2]) is tensors[2]
        assert np.array_equal(out, lay.matmul(a, b[::-1]))
        assert lay.copies() == before
        wanted = {"max_version": (1, 1), "copy": False} if versions else {}
        assert all(tensor.asked == [wanted] for tensor in tensors)  # no stream is named to host memory
        assert lay.Layout.of(tensors[2]) == lay.Layout.of(out)
        lay.einsum("ab,bc->ac", tensors[0], tensors[1], out=tensors[2])
        plan = lay.Plan(*tensors)
        plan(*tensors, beta=1)
        assert np.array_equal(out, lay.matmul(a, b[::-1], out=lay.matmul(a, b[::-1]), beta=1))


def test_what_cannot_be_written_is_no_output():
    fixed = np.zeros((3, 3))
    fixed.flags.writeable = False
    with pytest.raises(lay.LayoutError, match="read-only"):
        lay.matmul(np.eye(3), np.eye(3), out=Tensor(fixed))
    assert np.array_equal(lay.matmul(np.eye(3), Tensor(fixed)), fixed)


# ---- capsules of our own making ----------------------------------------------------------------------------


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", DELETER), ("flags", ctypes.c_uint64), ("tensor", DLTensor)]


class Legacy(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Producer:
    """A 4 x 3 matrix of float32, by a capsule in which everything can be changed."""

    def __init__(self, legacy=False, major=1, minor=9, flags=0, name=None, device=(1, 0), offset=0, strides=(3, 1),
                 shape=(4, 3), code=2, bits=32, lanes=1):
        self.data = np.arange(24, dtype=np.float32)
        self.shape, self.deleted, self.device, self.asked = shape, 0, device, []
        self.extents = (ctypes.c_int64 * len(shape))(*shape)
        self.strides = (ctypes.c_int64 * len(strides))(*strides) if strides else None
        self.deleter = DELETER(self.delete)
        tensor = DLTensor(self.data.ctypes.data, device[0], device[1], len(shape), code, bits, lanes, self.extents,
                          self.strides, offset)
        self.managed = Legacy(tensor, None, self.deleter) if legacy else Versioned(major, minor, None, self.deleter,
                                                                                   flags, tensor)
        self.name = name or (b"dltensor" if legacy else b"dltensor_versioned")

    def delete(self, _):
        self.deleted += 1

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **keywords):
        self.asked.append(keywords)
        return new_capsule(ctypes.addressof(self.managed), self.name, None)


@pytest.mark.parametrize("legacy", [True, False])
def test_the_owner_is_told_once_when_the_product_is_done(legacy):
    for more, view in (({}, slice(0, 12)), ({"offset": 8}, slice(2, 14)), ({"strides": None}, slice(0, 12))):
        of = Producer(legacy, **more)
        found = lay.matmul(of, np.ones((3, 2), np.float32), out=np.empty((4, 2), np.float32))
        assert np.array_equal(found[:, 0], of.data[view].reshape(4, 3).sum(1)) and of.deleted == 1
        lay.Layout.of(of)
        assert of.deleted == 2


def test_a_copy_of_the_producers_is_counted_and_never_written():
    before = lay.copies()
    lay.matmul(Producer(flags=2), np.ones((3, 2), np.float32), out=np.empty((4, 2), np.float32))
    assert lay.copies() == before + 1
    with pytest.raises(lay.LayoutError, match="out is read-only"):
        lay.matmul(np.ones((4, 2), np.float32), np.ones((2, 3), np.float32), out=Producer(flags=2))


def test_an_exception_on_its_way_passes_the_producers_own_code():
    of = Producer()
    with pytest.raises(TypeError, match="give out"):
        lay.matmul(of, np.ones((3, 2), np.float32))
    assert of.deleted == 1


@pytest.mark.parametrize("more, status, words", [
    ({"major": 2}, "LAY_ERR_UNSUPPORTED", "version 2.9, and 1 is known"),
    ({"flags": 1}, "LAY_ERR_ARGUMENT", "read-only"),
    ({"device": (10, 0)}, "LAY_ERR_UNSUPPORTED", "a: DLPack's device 10"),
    ({"code": 0}, "LAY_ERR_TYPE", "a: DLPack's type of kind 0 with 32 bits"),
    ({"lanes": 4}, "LAY_ERR_TYPE", "4 lanes"),
    ({"offset": 2}, "LAY_ERR_ARGUMENT", "multiples of 4"),
    ({"strides": (2**62, 2**62)}, "LAY_ERR_OVERFLOW", ""),
    ({"shape": (-1, 3)}, "LAY_ERR_EXTENT", "-1"),
    ({"shape": (1,) * 65, "strides": None}, "LAY_ERR_RANK", "65"),
])
def test_tensors_of_another_kind_are_refused_and_let_go(more, status, words):
    of = Producer(**more)
    with pytest.raises(lay.LayoutError, match=words or None) as caught:
        if "flags" in more:
            lay.matmul(np.ones((4, 2), np.float32), np.ones((2, 3), np.float32), out=of)
        else:
            lay.matmul(of, np.ones((3, 2), np.float32), out=np.empty((4, 2), np.float32))
    assert caught.value.status == status and of.deleted == 1


def test_what_is_no_capsule_is_refused():
    used = Producer(name=b"used_dltensor")
    with pytest.raises(lay.LayoutError, match="nobody took"):
        lay.matmul(used, np.ones((3, 2), np.float32))
    assert used.deleted == 0

    class Text(Tensor):
        def __dlpack__(self, **_):
            return "capsule"

    with pytest.raises(lay.LayoutError, match="no capsule"):
        lay.matmul(Text(np.eye(3)), np.eye(3))

    class Failing(Tensor):
        def __dlpack__(self, **_):
            raise BufferError("it wants a gradient")

    with pytest.raises(BufferError, match="gradient"):
        lay.matmul(Failing(np.eye(3)), np.eye(3))

    class Lost(Tensor):
        def __dlpack_device__(self):
            raise RuntimeError("no device")

    with pytest.raises(RuntimeError, match="no device"):
        lay.matmul(np.eye(3), Lost(np.eye(3)))


# ---- streams: memory that says it lies on a device ---------------------------------------------------------


def asked_streams(options=None, **more):
    """The streams that the operands of a product heard of, which says it lies on device 3."""
    of = Producer(device=(2, 3), **more)
    try:
        lay.matmul(of, np.ones((3, 2), np.float32), out=np.empty((4, 2), np.float32), options=options)
    except lay.LayoutError:
        pass  # where a library with CUDA looks for such memory
    return [keywords.get("stream") for keywords in of.asked]


def test_the_default_stream_is_named_by_its_number():
    assert asked_streams() == [1]
    assert asked_streams(lay.Options(stream=0)) == [1]
    assert asked_streams(lay.Options(stream=1)) == [1]
    assert asked_streams(lay.Options(stream=0x7f00)) == [0x7f00]


def test_a_layout_of_device_memory_waits_for_nothing():
    of = Producer(device=(2, 3))
    assert lay.Layout.of(of) == lay.Layout("[4][3]") and of.asked[0]["stream"] == -1 and of.deleted == 1


def library(name, **members):
    module = types.ModuleType(name)
    vars(module).update(members)
    return module


def test_the_current_stream_is_asked_of_the_arrays_library(monkeypatch):
    def stream_of(number):
        return types.SimpleNamespace(cuda_stream=100 + number)

    torch = library("torch", cuda=types.SimpleNamespace(current_stream=stream_of))
    current = types.SimpleNamespace(ptr=0)
    cupy = library("cupy", cuda=types.SimpleNamespace(get_current_stream=lambda: current))
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    of = Producer(device=(2, 3))
    of.__class__ = type("Tensor", (Producer,), {"__module__": "torch"})
    assert _arrays.current_stream(of) == 103
    of.__class__ = type("ndarray", (Producer,), {"__module__": "cupy._core.core"})
    assert _arrays.current_stream(of) == 1
    current.ptr = 77
    assert _arrays.current_stream(of) == 77
    assert _arrays.current_stream(Producer(device=(13, 0))) == 1
    assert _arrays.current_stream(Producer(device=(3, 0))) is None


def test_a_new_array_is_asked_of_the_first_ones_library():
    made = types.SimpleNamespace(empty=lambda extents, dtype, device: (extents, dtype, device),
                                 result_type=lambda x, y: x + y)
    like = types.SimpleNamespace(__array_namespace__=lambda: made, dtype="float32", device="gpu")
    assert _arrays.empty(like, (2, 3)) == ((2, 3), "float32", "gpu")
    assert _arrays.empty(like, (2, 3), types.SimpleNamespace(dtype="64")) == ((2, 3), "float3264", "gpu")
    tensor = type("Tensor", (), {"__module__": "torch", "new_empty": lambda self, extents: extents})()
    assert _arrays.empty(tensor, (4,)) == (4,)


# ---- other libraries ---------------------------------------------------------------------------------------


def test_arrays_of_jax():
    jax = pytest.importorskip("jax")
    a = jax.numpy.arange(12.0, dtype="float32").reshape(4, 3)
    out = np.empty((4, 4), np.float32)
    assert np.allclose(lay.matmul(a, a.T, out=out), np.asarray(a) @ np.asarray(a).T)
    with pytest.raises(TypeError, match="JAX"):
        lay.matmul(a, a.T)
    for dtype in ("float32", "bfloat16"):  # by its buffer, and by a capsule that cannot say so
        with pytest.raises(lay.LayoutError, match="read-only"):
            lay.matmul(a.astype(dtype), a.T.astype(dtype), out=jax.numpy.zeros((4, 4), dtype))
