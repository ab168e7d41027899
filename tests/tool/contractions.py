"""lay contract on NumPy files, against sums written out; integers, so that every sum is exact.

usage: contractions.py LAY
"""

import itertools
import os
import random
import re
import string
import struct
import subprocess

from tap import LAY, expect, lay, run

RANDOM = random.Random(1)
LETTER = {"<f4": "f", "<f8": "d", "<f2": "e", "<c8": "f", "<c16": "d"}
NAME = {"<f4": "float32", "<f8": "float64", "<f2": "float16", "<c8": "complex64", "<c16": "complex128"}


def is_complex(descr):
    return descr[1] == "c"


def some_number(descr):
    return complex(RANDOM.randint(-4, 4), RANDOM.randint(-4, 4)) if is_complex(descr) else RANDOM.randint(-4, 4)


class Array:
    """Values by index, in C order."""

    def __init__(self, shape, values=None, descr="<f4"):
        self.shape = tuple(shape)
        indices = list(itertools.product(*map(range, self.shape)))
        self.at = dict(zip(indices, values)) if values is not None else {i: some_number(descr) for i in indices}

    def conjugate(self):
        return Array(self.shape, [self.at[i].conjugate() for i in sorted(self.at)])

    def __eq__(self, other):
        return self.shape == other.shape and self.at == other.at


def save(path, array, descr="<f4", fortran=False):
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {array.shape!r}, }}".ljust(117) + "\n"
    order = sorted(array.at, key=lambda i: i[::-1]) if fortran else sorted(array.at)
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        values = [array.at[i] for i in order]
        if is_complex(descr):
            values = [part for x in values for part in (x.real, x.imag)]
        file.write(struct.pack(f"<{len(values)}{LETTER[descr]}", *values))
    return path


def load(path):
    with open(path, "rb") as file:
        whole = file.read()
    length, = struct.unpack("<H", whole[8:10])
    expect(whole[:8] == b"\x93NUMPY\x01\x00" and (10 + length) % 64 == 0, whole[:80])
    header = eval(whole[10:10 + length])
    array, descr = Array(header["shape"], [0] * len(whole)), header["descr"]
    order = sorted(array.at, key=lambda i: i[::-1]) if header["fortran_order"] else sorted(array.at)
    values = struct.unpack(f"<{len(order) * (2 if is_complex(descr) else 1)}{LETTER[descr]}", whole[10 + length:])
    if is_complex(descr):
        values = [complex(*pair) for pair in zip(values[::2], values[1::2])]
    array.at = dict(zip(order, values))
    return array, header


def einsum(labels, a, b, alpha=1, beta=0, c=None):
    """The sum, written out."""
    of_a, of_b, of_c = labels.replace(" ", "").replace("->", ",").split(",")
    extent = dict(zip(of_a + of_b, a.shape + b.shape))
    names = sorted(extent)
    out = Array([extent[x] for x in of_c])
    out.at = {i: beta * c.at[i] if c else 0 for i in out.at}
    for values in itertools.product(*(range(extent[x]) for x in names)):
        value = dict(zip(names, values))
        at = [tuple(value[x] for x in of) for of in (of_a, of_b, of_c)]
        out.at[at[2]] += alpha * a.at[at[0]] * b.at[at[1]]
    return out


def contract(labels, *options):
    status, out, said = lay("contract", labels, "a.npy", "b.npy", "-o", "c.npy", *options)
    expect(status == 0 and out == "" and said == "", labels, options, status, out, said)
    expect(sorted(n for n in os.listdir(".") if n.startswith("c.npy")) == ["c.npy"], os.listdir("."))
    return load("c.npy")


def shaped(labels, extents, descr="<f4"):
    """Operands of labels whose extents are those of a, b, c, ..."""
    of_a, of_b = labels.replace(" ", "").split("->")[0].split(",")
    return [Array([extents["abcdefijk".index(x)] for x in of], descr=descr) for of in (of_a, of_b)]


LABELS = ("ik,kj->ij", "ik,kj->ji", "aecf,fbed->abcd", "ai,aj->aij", "ab,ab->ab", "i,i->", "i,j->ij", "ij,->ji",
          ",->", "ii,i->i", "iij,jk->ik", "ijk,j->", "ab,c->ac", "a e c, f e->f c a", "abc,cba->b")


def test_every_kind_of_label_gives_the_sum_that_it_says():
    for labels in LABELS:
        for descr in LETTER:
            a, b = shaped(labels, (2, 3, 2, 4, 3, 2, 3, 4, 5), descr)
            save("a.npy", a, descr), save("b.npy", b, descr)
            for order in ((), ("--sum-by-storage",)):
                got, header = contract(labels, *order)
                expect(got == einsum(labels, a, b) and header["descr"] == descr, labels, descr, got.at)


def test_every_order_of_storage_gives_the_same():
    labels = "aecf,fbed->abcd"
    a, b = shaped(labels, (4, 3, 5, 2, 3, 4, 0, 0, 0))
    expected = einsum(labels, a, b)
    for orders in itertools.product((False, True), repeat=3):
        save("a.npy", a, fortran=orders[0]), save("b.npy", b, fortran=orders[1])
        got, header = contract(labels, *(["--fortran"] if orders[2] else []))
        expect(got == expected and header["fortran_order"] == orders[2], orders, got.at)


def test_zero_extents_have_contractions():
    for extents in ((0, 2, 3, 4, 2, 2, 2, 2, 2), (2, 2, 2, 2, 0, 2, 2, 2, 2)):
        a, b = shaped("aecf,fbed->abcd", extents)
        save("a.npy", a), save("b.npy", b)
        got, _ = contract("aecf,fbed->abcd")
        expect(got == einsum("aecf,fbed->abcd", a, b), extents)


def test_alpha_and_beta_scale():
    for descr in LETTER:
        for fortran in (False, True):
            a, b = shaped("aik,kj->jia", (2, 0, 0, 0, 0, 0, 3, 4, 5))
            c = Array((4, 3, 2))
            save("a.npy", a, descr), save("b.npy", b, descr), save("c0.npy", c, descr, fortran)
            for alpha, beta in ((2, 1), (-0.5, 2), (0, 1), (1, 0)):
                for order in ((), ("--fortran",)):
                    got, _ = contract("aik,kj->jia", f"--alpha={alpha}", f"--beta={beta}", "--c-in=c0.npy", *order)
                    expect(got == einsum("aik,kj->jia", a, b, alpha, beta, c), descr, alpha, beta, got.at)


def test_complex_factors_and_conjugates_are_served():
    a, b = shaped("aik,kj->jia", (2, 0, 0, 0, 0, 0, 3, 4, 5), "<c8")
    for descr in ("<c8", "<c16"):
        c = Array((4, 3, 2), descr=descr)
        save("a.npy", a, descr), save("b.npy", b, descr), save("c0.npy", c, descr, True)
        for which, x, y in (("a", a.conjugate(), b), ("b", a, b.conjugate()), ("ab", a.conjugate(), b.conjugate())):
            got, _ = contract("aik,kj->jia", f"--conj={which}")
            expect(got == einsum("aik,kj->jia", x, y), descr, which, got.at)
        for alpha, beta in (("1+2j", "0"), ("-2j", "1-1j"), ("0.5", "+3j"), ("2-0.5j", "0")):
            got, _ = contract("aik,kj->jia", f"--alpha={alpha}", f"--beta={beta}", "--c-in=c0.npy")
            expect(got == einsum("aik,kj->jia", a, b, complex(alpha), complex(beta), c), descr, alpha, beta, got.at)


WIDER = {("<f2", "<f2"): "<f2", ("<f2", "<f4"): "<f4", ("<f4", "<f8"): "<f8", ("<f2", "<f8"): "<f8",
         ("<f2", "<c8"): "<c8", ("<c8", "<f8"): "<c16", ("<f4", "<c16"): "<c16", ("<c8", "<c16"): "<c16"}


def test_files_of_two_types_have_a_result_of_the_wider_one():
    for pair, wider in WIDER.items():
        for of_a, of_b in (pair, pair[::-1]):
            a, b = Array((2, 3), descr=of_a), Array((3, 4), descr=of_b)
            save("a.npy", a, of_a), save("b.npy", b, of_b)
            factor = 1 - 2j if is_complex(wider) else -2
            got, header = contract("ik,kj->ij", f"--alpha={factor}".replace("(", "").replace(")", ""))
            expect(got == einsum("ik,kj->ij", a, b, factor) and header["descr"] == wider, of_a, of_b, header, got.at)
            status, out, _ = lay("contract", "ik,kj->ij", "a.npy", "b.npy")
            expect(status == 0 and out.startswith(NAME[wider] + ","), out)


def test_the_results_type_can_be_asked_for():
    cases = (("<f2", "<f2", "<f4"), ("<f4", "<f4", "<f8"), ("<f8", "<f4", "<f2"), ("<f8", "<c8", "<c8"))
    for of_a, of_b, of_c in cases:
        a, b = Array((2, 3), descr=of_a), Array((3, 4), descr=of_b)
        c = Array((2, 4), descr=of_c)
        save("a.npy", a, of_a), save("b.npy", b, of_b), save("c0.npy", c, of_c)
        got, header = contract("ik,kj->ij", f"--type={NAME[of_c]}", "--c-in=c0.npy", "--beta=3", "--alpha=0.5")
        expect(got == einsum("ik,kj->ij", a, b, 0.5, 3, c) and header["descr"] == of_c, of_a, of_b, of_c, got.at)


def test_conjugating_real_numbers_has_no_effect():
    a, b = Array((2, 3)), Array((3, 4))
    save("a.npy", a), save("b.npy", b)
    expect(contract("ik,kj->ij", "--conj=ab")[0] == einsum("ik,kj->ij", a, b))


def test_layouts_read_and_write_blocks():
    a, b = Array((4, 6)), Array((6, 3))
    blocks = Array((24,), [a.at[2 * bi + i, 3 * bk + k] for bi in range(2) for bk in range(2)
                           for i in range(2) for k in range(3)])
    save("a.npy", blocks), save("b.npy", b)
    got, _ = contract("ik,kj->ij", "--layout-a=A=[2][2][2][3]; [[#A_0][#A_2]][[#A_1][#A_3]]")
    expect(got == einsum("ik,kj->ij", a, b), got.at)
    save("a.npy", a)
    flat, _ = contract("ik,kj->ij", "--layout-c=[4:8][3:2]")
    expected = einsum("ik,kj->ij", a, b)
    expect(flat.shape == (29,), flat.shape)
    expect(all(flat.at[8 * i + 2 * j,] == expected.at[i, j] for i in range(4) for j in range(3)), flat.at)
    expect(sum(map(abs, flat.at.values())) == sum(map(abs, expected.at.values())), flat.at)


def test_without_a_file_for_it_the_result_is_summed_up():
    a, b = Array((2, 3)), Array((3, 4))
    for descr in LETTER:
        save("a.npy", a, descr), save("b.npy", b, descr)
        norm = sum(abs(x) ** 2 for x in einsum("ik,kj->ji", a, b).at.values()) ** 0.5
        status, out, said = lay("contract", "ik,kj->ji", "a.npy", "b.npy")
        match = re.fullmatch(r"(\w+), 4 x 2, norm (\S+)\n", out)
        expect(status == 0 and said == "" and match, status, out, said)
        expect(match[1] == NAME[descr] and abs(float(match[2]) - norm) < 1e-6 * norm, out, norm)
        status, out, _ = lay("contract", "ik,kj->", "a.npy", "b.npy")
        total = einsum("ik,kj->", a, b).at[()]
        value = f"{total}+0j" if is_complex(descr) else f"{total}"
        expect(status == 0 and f"value is {value}\n" in out and "no dimensions" in out, out, total)
    expect(sorted(os.listdir(".")) == ["a.npy", "b.npy"], os.listdir("."))


def test_a_norm_does_not_overflow_where_the_result_does_not():
    save("a.npy", Array((2,), [3e300, 4e300]), "<f8"), save("b.npy", Array((), [1]), "<f8")
    expect("norm 5e+300" in lay("contract", "i,->i", "a.npy", "b.npy")[1])


def test_the_plan_is_printed_when_asked_for():
    save("a.npy", Array((2, 3))), save("b.npy", Array((3, 4)))
    status, out, _ = lay("contract", "ik,kj->ij", "a.npy", "b.npy", "--explain")
    expect(status == 0 and "rows 'i'; columns 'j'; summed 'k'" in out and "taken" in out and "norm" in out, out)


def test_standard_input_and_output_carry_arrays():
    a, b = Array((2, 3)), Array((3, 4))
    save("a.npy", a), save("b.npy", b)
    plain, _ = contract("ik,kj->ij")
    with open("a.npy", "rb") as file:
        done = subprocess.run([LAY, "contract", "ik,kj->ij", "-", "b.npy", "-o", "-"], stdin=file, capture_output=True)
    with open("c.npy", "rb") as file:
        expect(done.returncode == 0 and done.stderr == b"" and done.stdout == file.read(), done.stderr)
    expect(plain == einsum("ik,kj->ij", a, b))


def test_as_many_dimensions_as_numpy_has():
    letters = string.ascii_letters[:40]
    a, b = Array((1,) * 40), Array(())
    save("a.npy", a), save("b.npy", b)
    out, header = contract(f"{letters},->{letters[::-1]}")
    expect(out == einsum(f"{letters},->{letters[::-1]}", a, b), header)
    save("a.npy", Array((1,) * 64)), save("b.npy", Array(()))
    out, _ = contract("a" * 64 + ",->a")
    expect(out.shape == (1,), out.shape)
    save("a.npy", Array((1,) * 65))
    os.remove("c.npy")
    refused(2, "a" * 65 + ",->a", "a.npy", "b.npy", "-o", "c.npy", about="at most 64 dimensions")


def refused(status, *arguments, about):
    got, out, said = lay("contract", *arguments)
    expect(got == status and out == "", arguments, got, out, said)
    expect(said.startswith("lay: ") and said.count("\n") == 1 and about in said, arguments, said, "without", about)
    expect(not os.path.exists("c.npy"), os.listdir("."))


def test_labels_that_cannot_be_read_are_refused():
    save("a.npy", Array((2, 3))), save("b.npy", Array((3, 4)))
    for labels, about in (("", "position 0"), ("ik,kj", "position 5"), ("ik", "position 2"),
                          ("ik,kj->ij->", "position 9"), ("ik,k1->i", "position 4"), ("ik,kj->ii", "'i' stands twice"),
                          ("ik,kj,j->i", "position 5")):
        refused(2, labels, "a.npy", "b.npy", "-o", "c.npy", about=about)


def test_labels_that_do_not_suit_the_files_are_refused():
    save("a.npy", Array((2, 3))), save("b.npy", Array((3, 4))), save("wide.npy", Array((3, 4)), "<f8")
    for labels, about in (("ik,jk->ij", "'k' is 3 in A but 4 in B"), ("iik,kj->ij", "A has rank 2 but 3 labels"),
                          ("ik,k->i", "B has rank 2 but 1 label"), ("ik,kj->ijx", "'x'"),
                          ("ii,ij->j", "'i' stands at two dimensions of A, of 2 and of 3")):
        refused(2, labels, "a.npy", "b.npy", "-o", "c.npy", about=about)
    save("wide0.npy", Array((2, 4)), "<f8")
    refused(2, "ik,kj->ij", "a.npy", "b.npy", "-o", "c.npy", "--c-in=wide0.npy", "--beta=1", about="of the result")
    refused(2, "ik,kj->ij", "a.npy", "b.npy", "-o", "c.npy", "--type=complex64", about="A and B are real")
    refused(2, "ik,kj->ij", "a.npy", "b.npy", "-o", "c.npy", "--type=f4", about="--type")
    save("complex.npy", Array((3, 4)), "<c8")
    refused(2, "ik,kj->ij", "a.npy", "complex.npy", "-o", "c.npy", "--type=float32", about="c32")
    refused(2, "ik,kj->ij", "a.npy", "complex.npy", "-o", "c.npy", "--type=complex64", "--alpha=1e99", about="--alpha")
    save("c0.npy", Array((2, 5)))
    refused(2, "ik,kj->ij", "a.npy", "b.npy", "-o", "c.npy", "--c-in=c0.npy", "--beta=1", about="2 x 5")
    refused(2, "ik,kj->", "a.npy", "b.npy", "-o", "c.npy", "--c-in=c0.npy", "--beta=1", about="no dimensions")


def test_what_is_asked_for_must_make_sense():
    save("a.npy", Array((2, 3))), save("b.npy", Array((3, 4)))
    refused(2, "ik,kj->ij", "a.npy", about="2 words")
    refused(2, "ik,kj->ij", "a.npy", "none.npy", about="none.npy")
    refused(2, "ik,kj->ij", "a.npy", "b.npy", "--beta=1", about="--c-in")
    refused(2, "ik,kj->ij", "a.npy", "b.npy", "-o", "c.npy", "--fortran", "--layout-c=[2][4]", about="--fortran")
    refused(2, "ik,kj->ij", "-", "-", about="standard input")
    refused(2, "ik,kj->ij", "a.npy", "b.npy", "-o", "-", "--explain", about="--explain")
    refused(2, "ik,kj->ij", "a.npy", "b.npy", "--alpha=1e99", about="--alpha")
    refused(2, "ik,kj->ij", "a.npy", "b.npy", "--alpha=1+2j", about="imaginary part")
    refused(2, "ik,kj->ij", "a.npy", "b.npy", "--conj=c", about="--conj")
    for word in ("", "j", "1+", "1+2", "1+2jj", "1+2i", "1++2j", "1 2j", "1e999j", "0+1e999j"):
        refused(2, "ik,kj->ij", "a.npy", "b.npy", f"--alpha={word}", about="--alpha")
    save("a.npy", Array((2, 3)), "<c8"), save("b.npy", Array((3, 4)), "<c8")
    refused(2, "ik,kj->ij", "a.npy", "b.npy", "--alpha=1+1e99j", about="--alpha")
    refused(2, "ik,kj->ij", "a.npy", "b.npy", "--beta=1j", about="--c-in")
    save("a.npy", Array((2, 3))), save("b.npy", Array((3, 4)))
    refused(2, "ik,kj->ij", "a.npy", "b.npy", "-o", "c.npy", "--layout-a=[2][4]", about="6 elements")
    refused(2, "ik,kj->ij", "a.npy", "b.npy", "-o", "c.npy", "--layout-c=[2:0][4:1]", about="the contraction")
    refused(1, "ik,kj->ij", "a.npy", "b.npy", "-o", "no/such/c.npy", about="no/such")


def test_arrays_of_other_numbers_are_refused():
    save("a.npy", Array((2, 3)))
    with open("a.npy", "rb") as file:
        whole = file.read()
    for descr, about in ((b">f4", "big-endian"), (b"<i4", "'<i4'"), (b"<f16", "'<f16'"), (b"|b1", "'|b1'"),
                         (b">c8", "'>c8'"), (b"<U4", "'<U4'"), (b"<M8[ns]", "'<M8[ns]'"), (b"|O", "'|O'")):
        with open("bad.npy", "wb") as file:
            spaces = len(descr) - 3
            changed = whole.replace(b"<f4", descr, 1)
            file.write(changed.replace(b" " * 10, b" " * (10 - spaces), 1))
        refused(2, "ik,kj->ij", "bad.npy", "a.npy", "-o", "c.npy", about=about)


def test_damaged_files_are_read_whole_or_refused():
    """Bytes of the header changed, cut or added: a status, at most one sentence, and no crash."""
    whole = {}
    for descr in ("<f4", "<c16"):
        with open(save("a.npy", Array((2, 3)), descr), "rb") as file:
            whole[descr] = bytearray(file.read())
    seen = set()
    for trial in range(400):
        descr = "<c16" if trial % 3 == 0 else "<f4"
        save("b.npy", Array((3, 4)), descr)
        bad = bytearray(whole[descr])
        for _ in range(RANDOM.randint(1, 3)):
            at = RANDOM.randrange(90)
            kind = RANDOM.randrange(4)
            if kind == 0:
                bad[at] = RANDOM.randrange(256)
            elif kind == 1:
                bad[at] = RANDOM.choice(b"0123456789()[]{},:'<> -\x00\xff")
            elif kind == 2:
                del bad[at:at + RANDOM.randint(1, 20)]
            else:
                bad[at:at] = RANDOM.choice((b"9" * 30, b"(", b"'", b"-1, ", b"1, " * 40, b"\n"))
        with open("bad.npy", "wb") as file:
            file.write(bad)
        status, _, said = lay("contract", "ik,kj->ij", "bad.npy", "b.npy")
        expect(status in (0, 2) and said.count("\n") == (status == 2) and said.isascii(), trial, status, said)
        seen.add(status)
    expect(seen == {0, 2}, seen)


run(globals())
