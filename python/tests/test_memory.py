"""Nothing leaks, no reference is lost, and threads run beside a product."""

import gc
import sys
import threading
import time

import layoutgemm as lay
import ml_dtypes
import numpy as np
import pytest


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def kinds_of_calls():
    a, b, out = np.ones((8, 9)), np.ones((9, 7)), np.empty((8, 7))
    half = np.ones((8, 8), ml_dtypes.bfloat16)
    text = "A=[2][3][4][5]; [[#A_0][#A_2]][[#A_1][#A_3]]"
    plan = lay.Plan(a, b, out)
    packed = plan.pack("b", b)

    class Tensor:
        __dlpack__, __dlpack_device__ = a.__dlpack__, a.__dlpack_device__

    def refused():
        for call in (lambda: lay.matmul(a, a), lambda: lay.matmul(a, b, out=a), lambda: lay.Layout("[["),
                     lambda: plan(a, a, out), lambda: lay.matmul(a, b, options=lay.Options(kernel="none"))):
            try:
                call()
            except lay.LayoutError:
                continue
            raise AssertionError

    def views():
        layout = lay.Layout(text)
        return [layout.T[2:, ::2], layout[1, 2], layout.tile(3, 4).tile_at(1, 1), hash(layout), str(layout),
                lay.Layout.join(layout, layout.part("0_1")), layout.strides, lay.Layout.of(a)]

    return [lambda: lay.matmul(a, b), lambda: lay.matmul(a, b, out=out), lambda: lay.matmul(half, half),
            lambda: lay.einsum("ab,bc->ca", a, b), lambda: lay.einsum("ab->b", a),
            lambda: lay.einsum("ab,bc->ca", a + 0j, b + 0j, conj=True), lambda: plan(a, packed, out),
            lambda: lay.Plan(a, b, out).explain(), lambda: plan.pack("a", a), lambda: plan.run_many([a], [b], [out]),
            lambda: lay.run_groups([(plan, [a], [b], [out], 2, 1), (plan, [], [], [])]),
            lambda: lay.copy(out, np.empty((8, 7), np.float32)), lambda: lay.matmul(Tensor(), b, out=out), refused,
            views, lambda: lay.matmul(np.ones((2, 3, 4, 5)), np.ones((3, 5, 6)))]


@pytest.mark.parametrize("number", range(len(kinds_of_calls())))
def test_memory_and_references_stay(number):
    call = kinds_of_calls()[number]
    for _ in range(300):
        call()
    gc.collect()
    counts, before, blocks = [sys.getrefcount(x) for x in (None, lay.Layout, lay.LayoutError)], resident(), \
        sys.getallocatedblocks()
    for _ in range(3000):
        call()
    gc.collect()
    after = [sys.getrefcount(x) for x in (None, lay.Layout, lay.LayoutError)]
    assert all(abs(x - y) < 100 for x, y in zip(counts, after)), (counts, after)
    assert sys.getallocatedblocks() - blocks < 500
    assert resident() - before < 1 << 20


def test_operands_are_let_go():
    a, b, out = np.ones((4, 4)), np.ones((4, 4)), np.empty((4, 4))
    counts = [sys.getrefcount(x) for x in (a, b, out)]
    plan = lay.Plan(a, b, out)
    plan(a, b, out)
    lay.matmul(a, b, out=out)
    packed = plan.pack("a", a)
    assert [sys.getrefcount(x) for x in (a, b, out)] == counts
    a.resize((2, 8), refcheck=False)  # no buffer is held
    del packed, plan


def test_other_threads_run_beside_a_product():
    n = 1500
    a = np.random.default_rng(51).standard_normal((n, n))
    out = np.empty_like(a)
    begun, ended = threading.Event(), threading.Event()

    def multiply():
        begun.set()
        for _ in range(3):
            lay.matmul(a, a, out=out, options=lay.Options(threads=1))
        ended.set()

    thread = threading.Thread(target=multiply)
    thread.start()
    begun.wait()
    turns = 0
    while not ended.is_set():
        time.sleep(0.001)
        turns += 1
    thread.join()
    # With the lock held this thread would have a turn between the calls at most.
    assert turns > 10


def test_threads_share_a_plan():
    rng = np.random.default_rng(52)
    a, b = rng.standard_normal((60, 80)), rng.standard_normal((80, 50))
    wanted = lay.matmul(a, b)
    plan, wrong = lay.Plan(a, b, wanted), []
    packed = plan.pack("b", b)

    def work():
        out = np.empty_like(wanted)
        for i in range(200):
            out[...] = 0
            plan(a, b if i % 2 else packed, out)
            if not np.array_equal(out, wanted) or not np.array_equal(lay.einsum("ab,bc->ac", a, b), wanted):
                wrong.append(i)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_what_the_library_says_of_itself():
    assert "threads" in lay.machine() and lay.__version__.count(".") == 2
    lay.cache_clear()
    assert set(lay.__all__) <= set(dir(lay))
