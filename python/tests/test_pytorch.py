"""PyTorch's tensors: their memory, their current stream, a captured CUDA graph; nothing is copied.

Skipped without PyTorch; those on a device without a device, or where this build has no CUDA part. Also a program, which
tells times beside PyTorch's: test_pytorch.py.
"""

import sys

import layoutgemm as lay
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
HAS_DEVICE = torch.cuda.is_available() and "no CUDA part" not in lay.machine()
on_device = pytest.mark.skipif(not HAS_DEVICE, reason="no device of PyTorch's, or no CUDA part in this build")
TYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64, torch.complex128)


def bound_of(tensor):
    return {torch.float64: 1e-11, torch.complex128: 1e-11, torch.float16: 0.2, torch.bfloat16: 1.0}.get(
        tensor.dtype, 1e-3)


def are_close(found, wanted):
    wide = torch.complex128 if found.is_complex() else torch.float64
    return bool(((found.to(wide) - wanted.to(wide)).abs() <= bound_of(found)).all())


def check_products(device):
    """Of any strides and type, new and given results, by calls and by a plan; how many results were right."""
    before, right = lay.copies(), 0
    for dtype in TYPES:
        a = torch.randn(60, 140, device=device, dtype=torch.float64).to(dtype)[:, ::2]
        b = torch.randn(50, 70, device=device, dtype=torch.float64).to(dtype).T
        wide = torch.complex128 if a.is_complex() else torch.float64
        wanted = a.to(wide) @ b.to(wide)
        found = lay.matmul(a, b)
        assert found.dtype == dtype and found.device == a.device and are_close(found, wanted)
        out = torch.zeros(50, 60, device=device, dtype=dtype).T
        assert lay.einsum("ab,bc->ac", a, b, out=out) is out and are_close(out, wanted)
        plan = lay.Plan(a, b, out)
        plan(a, b, out, alpha=2, beta=1)
        assert are_close(out, 3 * wanted)
        right += 3
    x = torch.randn(7, 8, 9, 10, device=device)
    y = torch.randn(10, 6, 8, device=device)
    assert are_close(lay.einsum("abcd,deb->eac", x, y), torch.einsum("abcd,deb->eac", x.double(), y.double()))
    batch = torch.randn(5, 20, 30, device=device)
    assert are_close(lay.matmul(batch, batch.transpose(1, 2)), batch.double() @ batch.transpose(1, 2).double())
    assert lay.copies() == before
    return right + 2


def test_tensors_in_host_memory():
    assert check_products("cpu") == 3 * len(TYPES) + 2
    with pytest.raises((RuntimeError, BufferError)):
        lay.matmul(torch.ones(2, 2, requires_grad=True), torch.ones(2, 2))


@on_device
def test_tensors_on_a_device():
    assert check_products("cuda") == 3 * len(TYPES) + 2


@on_device
def test_the_current_stream_is_the_one():
    """Its work comes behind what the stream has before it, and before what comes then."""
    before, stream = lay.copies(), torch.cuda.Stream()
    a = torch.randn(2000, 2000, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        x = a
        for _ in range(20):
            x = (x @ a) / 50
        found = lay.matmul(x, a)
        after = found + 1
    stream.synchronize()
    wanted = x.double() @ a.double()
    assert ((after.double() - 1 - wanted).abs() <= 1e-4 * wanted.abs().max()).all()
    assert lay.copies() == before


@on_device
def test_a_graph_is_captured_and_replayed():
    before, stream, graph = lay.copies(), torch.cuda.Stream(), torch.cuda.CUDAGraph()
    a, b = torch.randn(300, 400, device="cuda"), torch.randn(500, 400, device="cuda").T
    out, sums = torch.zeros(300, 500, device="cuda"), torch.zeros(300, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        plan = lay.Plan(a, b, out)
        plan.reserve()
        with torch.cuda.graph(graph, stream=stream):
            plan(a, b, out)
            torch.sum(out, 1, out=sums)
    assert not out.any(), "capturing computes nothing"
    for seed in range(3):
        torch.manual_seed(seed)
        a.normal_()
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            graph.replay()
        stream.synchronize()
        wanted = a.double() @ b.double()
        assert are_close(out, wanted) and torch.allclose(sums.double(), wanted.sum(1), atol=1e-2)
    assert lay.copies() == before


def time_of(call, rounds=7):
    """Milliseconds of a call on the device, the median."""
    times = []
    for _ in range(rounds):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(5):
            call()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) / 5)
    return sorted(times)[rounds // 2]


def compare_times():
    torch.backends.cuda.matmul.allow_tf32 = False
    for name, n, dtype in (("f32", 4096, torch.float32), ("f64", 4096, torch.float64), ("bf16", 4096, torch.bfloat16)):
        a, b = torch.randn(n, n, device="cuda").to(dtype), torch.randn(n, n, device="cuda").to(dtype)
        out = torch.empty_like(a)
        plan = lay.Plan(a, b, out)
        plan.reserve()
        for call in (lambda: plan(a, b, out), lambda: torch.matmul(a, b, out=out)):
            call()
        ours, theirs = time_of(lambda: plan(a, b, out)), time_of(lambda: torch.matmul(a, b, out=out))
        print(f"{name} {n}: layoutgemm {ours:.3f} ms, PyTorch {theirs:.3f} ms, ratio {theirs / ours:.3f}")
    x, y = torch.randn(48, 64, 48, 64, device="cuda"), torch.randn(64, 64, 48, 32, device="cuda")
    text = "abcd,dbef->ecfa"
    ours, theirs = time_of(lambda: lay.einsum(text, x, y)), time_of(lambda: torch.einsum(text, x, y))
    print(f"f32 {text}: layoutgemm {ours:.3f} ms, PyTorch {theirs:.3f} ms, ratio {theirs / ours:.3f}")


if __name__ == "__main__":
    print(f"layoutgemm {lay.__version__}, PyTorch {torch.__version__}, Python {sys.version.split()[0]}")
    if not HAS_DEVICE:
        raise SystemExit("no device of PyTorch's, or no CUDA part in this build")
    for one in (test_tensors_in_host_memory, test_tensors_on_a_device, test_the_current_stream_is_the_one,
                test_a_graph_is_captured_and_replayed):
        one()
        print("ok", one.__name__)
    compare_times()
    print(f"copies of arrays: {lay.copies()}")
