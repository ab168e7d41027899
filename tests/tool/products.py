"""lay gemm and lay contract on files that NumPy wrote, against NumPy's product in float64.

usage: products.py LAY
"""

import os
import shlex
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    print("1..0 # SKIP this Python has no NumPy")
    sys.exit(0)

from tap import LAY, expect, lay, open_terminal, run

RANDOM = np.random.default_rng(1)
MATRIX2 = "A=[2][2][{0}][{1}]; [[#A_0][#A_2]][[#A_1][#A_3]]"


def matrix(rows, columns, dtype, order="C"):
    return np.asarray(RANDOM.standard_normal((rows, columns)), dtype=dtype, order=order)


def to_blocks(m):
    """The storage of a matrix in 2 x 2 blocks, as a flat array."""
    rows, columns = m.shape[0] // 2, m.shape[1] // 2
    return np.ascontiguousarray(m.reshape(2, rows, 2, columns).transpose(0, 2, 1, 3)).ravel()


def from_blocks(flat, rows, columns):
    return flat.reshape(2, 2, rows // 2, columns // 2).transpose(0, 2, 1, 3).reshape(rows, columns)


def multiply(a, b, *options, quiet=True):
    """What lay gemm makes of two arrays."""
    np.save("a.npy", a)
    np.save("b.npy", b)
    status, out, said = lay("gemm", "a.npy", "b.npy", "-o", "c.npy", *options)
    expect(status == 0 and out == "", options, status, out, said)
    expect(not quiet or said == "", options, said)
    expect(sorted(n for n in os.listdir(".") if n.startswith("c.npy")) == ["c.npy"], os.listdir("."))
    return np.load("c.npy")


def within_bound(c, a, b, alpha=1.0, beta=0.0, c0=None):
    """Componentwise, with the bound of a sum of k products in any order."""
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    true = alpha * (wide_a @ wide_b)
    size = abs(alpha) * (abs(wide_a) @ abs(wide_b))
    if c0 is not None:
        true = true + beta * c0.astype(np.float64)
        size = size + abs(beta) * abs(c0.astype(np.float64))
    unit = np.finfo(c.dtype).eps / 2
    # NumPy's own float64 product is not exact either: in float64 both errors count.
    steps = (a.shape[1] + 4) * (2 if c.dtype == np.float64 else 1)
    expect(c.shape == true.shape, c.shape, true.shape)
    expect(c.dtype == a.dtype, c.dtype, a.dtype)
    expect(np.all(abs(c - true) <= steps * unit * size), "element", np.argmax(abs(c - true) - steps * unit * size))


def test_every_order_and_type_gives_numpys_product():
    for dtype in (np.float32, np.float64):
        for m, n, k in ((1, 1, 1), (3, 5, 7), (64, 96, 128), (129, 65, 200), (1, 70, 3), (70, 1, 3)):
            for orders in ("CC", "CF", "FC", "FF"):
                a, b = matrix(m, k, dtype, orders[0]), matrix(k, n, dtype, orders[1])
                c = multiply(a, b)
                within_bound(c, a, b)
                expect(c.flags.c_contiguous, m, n, k, orders)


def complex_tensor(shape, dtype, order="C"):
    return np.asarray(RANDOM.standard_normal(shape) + 1j * RANDOM.standard_normal(shape), dtype=dtype, order=order)


def expect_complex(c, true, size, steps):
    """Each part off by no more than the terms of a sum of 2 k products of parts."""
    unit = np.finfo(c.dtype).eps * (2 if c.dtype == np.complex128 else 1)
    expect(c.dtype.kind == "c" and c.shape == true.shape, c.dtype, c.shape, true.shape)
    worst = np.max(np.maximum(abs((c - true).real), abs((c - true).imag)) / size) if c.size else 0
    expect(worst <= (2 * steps + 8) * unit, worst)


def test_complex_files_give_numpys_product():
    for dtype in (np.complex64, np.complex128):
        for m, n, k in ((1, 1, 1), (3, 5, 7), (64, 96, 128), (96, 64, 65), (1, 70, 3), (70, 1, 3), (2, 3, 0)):
            a, b = complex_tensor((m, k), dtype), complex_tensor((k, n), dtype, "F")
            wide_a, wide_b = a.astype(np.complex128), b.astype(np.complex128)
            c = multiply(a, b, "--alpha=0.5-2j")
            size = 5 * (abs(wide_a) @ abs(wide_b)) + 1e-300
            expect(c.dtype == dtype and c.flags.c_contiguous, c.dtype)
            expect_complex(c, (0.5 - 2j) * (wide_a @ wide_b), size, k)


def test_complex_contractions_are_numpys():
    for dtype in (np.complex64, np.complex128):
        for labels in ("aecf,fbed->abcd", "ik,kj->ji", "bik,bjk->bij", "ii,i->i", "ab,ab->", ",->", "ij,k->kij"):
            extents = dict(zip("abcdefijk", (4, 3, 5, 2, 3, 4, 6, 7, 8)))
            of_a, of_b = labels.split("->")[0].split(",")
            a, b = (complex_tensor([extents[x] for x in of], dtype, "F") for of in (of_a, of_b))
            np.save("a.npy", a), np.save("b.npy", b)
            status, out, said = lay("contract", labels, "a.npy", "b.npy", "-o", "c.npy", "--conj=b")
            expect(status == 0 and out == "" and said == "", labels, status, out, said)
            wide = [x.astype(np.complex128) for x in (a, b.conj())]
            size = np.einsum(labels, *map(abs, wide)) + 1e-300
            expect_complex(np.load("c.npy"), np.einsum(labels, *wide), size, 64)


def test_every_order_gives_the_same_bits():
    a, b = matrix(70, 90, np.float32), matrix(90, 50, np.float32)
    first = multiply(a, b)
    expect(np.array_equal(first, multiply(np.asfortranarray(a), np.asfortranarray(b), "--fortran")))
    expect(np.array_equal(first, multiply(a, b, "--threads=2")))


def test_fortran_order_is_written_as_such():
    a, b = matrix(30, 20, np.float64), matrix(20, 10, np.float64)
    c = multiply(a, b, "--fortran")
    expect(c.flags.f_contiguous and not c.flags.c_contiguous)
    within_bound(c, a, b)


def test_blocked_storage_is_read_and_written_in_place():
    for dtype in (np.float32, np.float64):
        a, b = matrix(128, 96, dtype), matrix(96, 64, dtype)
        plain = multiply(a, b)
        layouts = [f"--layout-{name}=" + MATRIX2.format(r // 2, c // 2)
                   for name, r, c in (("a", 128, 96), ("b", 96, 64), ("c", 128, 64))]
        flat = multiply(to_blocks(a), to_blocks(b), *layouts)
        expect(flat.shape == (128 * 64,), flat.shape)
        within_bound(from_blocks(flat, 128, 64), a, b)
        expect(np.array_equal(from_blocks(flat, 128, 64), plain))
        shaped = multiply(to_blocks(a).reshape(2, 2, 64, 48), b, layouts[0])
        expect(np.array_equal(shaped, plain))


def test_alpha_and_beta_scale():
    for dtype in (np.float32, np.float64):
        for order in "CF":
            a, b, c0 = matrix(33, 40, dtype), matrix(40, 29, dtype), matrix(33, 29, dtype, order)
            np.save("c0.npy", c0)
            for alpha, beta in ((1, 1), (-0.5, 2), (0, 3), (2.25, 0), (0, 0)):
                for options in ((), ("--fortran",)):
                    c = multiply(a, b, f"--alpha={alpha}", "--beta", beta, "--c-in=c0.npy", *options)
                    within_bound(c, a, b, alpha, beta, c0)


def test_a_layout_of_c_keeps_what_it_leaves_out():
    a, b = matrix(6, 5, np.float32), matrix(5, 4, np.float32)
    c0 = matrix(1, 60, np.float32).ravel()
    np.save("c0.npy", c0)
    c = multiply(a, b, "--c-in=c0.npy", "--beta=1", "--layout-c=[6:8][4:2]")
    at = np.array([[8 * i + 2 * j for j in range(4)] for i in range(6)])
    within_bound(c[at], a, b, 1, 1, c0[at])
    rest = np.setdiff1d(np.arange(60), at)
    expect(c.shape == (60,) and np.array_equal(c[rest], c0[rest]))
    fresh = multiply(a, b, "--layout-c=[6:8][4:2]")
    expect(fresh.shape == (47,) and not np.any(fresh[np.setdiff1d(np.arange(47), at)]))
    within_bound(fresh[at], a, b)


def test_negative_strides_start_at_the_files_end():
    a, b = matrix(7, 5, np.float64), matrix(5, 3, np.float64)
    plain = multiply(a, b)
    np.save("turned.npy", a[::-1, ::-1])
    np.save("b.npy", b)
    status, _, said = lay("gemm", "turned.npy", "b.npy", "-o", "c.npy", "--layout-a=[7:-5][5:-1]")
    expect(status == 0 and "element 34" in said and said.count("\n") == 1, status, said)
    expect(np.array_equal(np.load("c.npy"), plain))
    turned = multiply(a, b, "--layout-c=[7:-3][3:-1]", quiet=False)
    expect(np.array_equal(turned.reshape(7, 3)[::-1, ::-1], plain))


def test_empty_matrices_have_products():
    for m, n, k in ((0, 3, 2), (3, 0, 2), (3, 4, 0), (0, 0, 0)):
        c = multiply(matrix(m, k, np.float32), matrix(k, n, np.float32))
        expect(c.shape == (m, n) and not np.any(c), m, n, k)


def test_every_version_of_the_format_is_read():
    a, b = matrix(9, 8, np.float32), matrix(8, 7, np.float32)
    plain = multiply(a, b)
    for version in ((1, 0), (2, 0), (3, 0)):
        with open("v.npy", "wb") as file:
            np.lib.format.write_array(file, a, version=version)
        status, _, said = lay("gemm", "v.npy", "b.npy", "-o", "c.npy")
        expect(status == 0 and np.array_equal(np.load("c.npy"), plain), version, said)


def test_an_input_may_be_the_output():
    a, b = matrix(20, 20, np.float32), matrix(20, 20, np.float32)
    plain = multiply(a, b)
    status, _, said = lay("gemm", "a.npy", "b.npy", "-o", "a.npy")
    expect(status == 0 and np.array_equal(np.load("a.npy"), plain), said)


def test_a_pipe_is_read_too():
    a, b = matrix(20, 30, np.float32), matrix(30, 20, np.float32)
    plain = multiply(a, b)
    with open("a.npy", "rb") as file:
        done = subprocess.run(f"cat | {shlex.quote(LAY)} gemm /dev/stdin b.npy -o c.npy", shell=True, stdin=file)
    expect(done.returncode == 0 and np.array_equal(np.load("c.npy"), plain))


def test_a_lone_dash_is_standard_input_and_output():
    for order in ("", "--fortran"):
        a, b = matrix(20, 30, np.float32), matrix(30, 20, np.float32)
        plain = multiply(a, b, *order.split())
        with open("a.npy", "rb") as file:
            done = subprocess.run([LAY, "gemm", "-", "b.npy", "-o", "-", *order.split()], stdin=file,
                                  capture_output=True)
        expect(done.returncode == 0 and done.stderr == b"", done.stderr)
        with open("c.npy", "rb") as file:
            expect(done.stdout == file.read(), "other bytes than in the file")
        expect(np.array_equal(np.load("c.npy"), plain) and not os.path.exists("-"), os.listdir("."))


def gemm_on_a_terminal(*arguments):
    """The exit status and what a terminal shows of stderr."""
    hidden, visible = open_terminal()
    shown = b""
    with subprocess.Popen([LAY, "gemm", *arguments], stderr=visible) as running:
        os.close(visible)
        try:
            while part := os.read(hidden, 4096):
                shown += part
        except OSError:  # how Linux tells that the other side is closed
            pass
    os.close(hidden)
    return running.returncode, shown


def test_a_long_product_shows_how_far_it_is_and_keeps_its_bits():
    slow = ("--isa=c", "--threads=1", "--backend=cpu")
    for k in (500, 2000, 8000, 32000):  # until it takes longer than a second here
        np.save("a.npy", matrix(3000, k, np.float32))
        np.save("b.npy", matrix(k, 1200, np.float32))
        status, shown = gemm_on_a_terminal("a.npy", "b.npy", "-o", "d.npy", *slow)
        expect(status == 0, status, shown)
        if shown:
            break
    expect(b"100 %" in shown and shown.endswith(b"\x1b[K"), shown)
    status, _, said = lay("gemm", "a.npy", "b.npy", "-o", "c.npy", *slow)
    expect(status == 0 and said == "", status, said)
    expect(np.array_equal(np.load("c.npy"), np.load("d.npy")), "the bar changed the product")


run(globals())
