"""What lay bench makes of contractions, with peers built for the purpose.

usage: contests.py LAY RIGHT_BLAS RIGHT_TENSORS WRONG_TENSORS
"""

import csv
import ctypes
import os
import re
import sys

from tap import Skip, expect, lay, run

BLAS, RIGHT, WRONG = map(os.path.abspath, sys.argv[2:5])
QUICK = ("--rounds=2", "--min-time=0", "--pause=0")
PEERS = (f"--against={RIGHT}", f"--against={BLAS}")  # the first one must outlive the second


def bench(*arguments):
    status, out, said = lay("bench", *arguments, *QUICK, "--csv=bench.csv")
    expect(status == 0 and said == "", arguments, status, said)
    with open("bench.csv", newline="") as file:
        return list(csv.DictReader(file)), out


# Every kind of label; matrices that a BLAS can read and such that must be copied; extents of 1.
EINSUMS = ("aebf,dfce->abcd:a=4,b=3,c=5,d=2,e=6,f=7", "hik,khj->ihj:h=3,i=5,j=6,k=7", "ik,kj->ij:i=9,j=8,k=7",
           "ki,jk->ji:i=9,j=8,k=7", "k,k->:k=30", "i,j->ji:i=5,j=7", "ab,ab->ab:a=4,b=6", "ik,k->i:i=5,k=1",
           "xaby,yxc->cab:a=3,b=4,c=5,x=1,y=6")


def test_every_kind_of_contraction_is_judged_beside_its_peers():
    texts = [f"--contract={text}" for text in EINSUMS if "->:" not in text]
    rows, out = bench(*texts, *PEERS, "--type=f32,f64", "--threads=1,2")
    who = {row["who"] for row in rows}
    expect(who == {"lay, plan kept", "TBLIS", "libright_peer.so + copies"}, who)
    expect(len(rows) == 3 * 4 * len(texts), len(rows))
    expect(re.search(r"^lay against the best of all peers of each problem: ", out, re.M), out)


def test_complex_contractions_are_judged_too():
    texts = [f"--contract={text}" for text in EINSUMS if "->:" not in text]
    rows, _ = bench(*texts, f"--against={RIGHT}", "--type=c32,c64")
    expect(len(rows) == 2 * 2 * len(texts), len(rows))
    for kind in ("c32", "c64"):
        status, _, said = lay("bench", f"--contract={EINSUMS[0]}", f"--against={WRONG}", f"--type={kind}", *QUICK)
        expect(status == 1 and "TBLIS computes a wrong product" in said, status, said)


def has_device():
    return lay("bench", "8", "--memory=device", *QUICK)[0] == 0


def test_contractions_are_judged_in_device_memory():
    if not has_device():
        raise Skip("there is no CUDA device")
    texts = [f"--contract={text}" for text in EINSUMS if "->:" not in text]
    kinds = ("f32", "f64", "f16", "bf16", "c32", "c64")
    rows, _ = bench(*texts, "--memory=device", f"--type={','.join(kinds)}")
    expect([row["who"] for row in rows] == ["lay, plan kept"] * len(texts) * len(kinds), rows)
    rows, _ = bench("--suite=tccg", "ab-acd-dbc", "--memory=device", "--type=f32,bf16", "--rounds=1")
    expect([row["who"] for row in rows] == 2 * ["lay, plan kept", "lay, row-major + copies"], rows)


def test_both_notations_say_the_same_contraction():
    pairs = (("fbea,ecfd->dcba:a=4,b=3,c=5,d=2,e=6,f=7", "abcd-aebf-dfce:a=4,b=3,c=5,d=2,e=6,f=7"),)
    for einsum, tccg in pairs:
        rows, _ = bench(f"--contract={einsum}", f"--contract={tccg}", "--type=f32")
        expect([row["problem"] for row in rows] == [einsum, tccg], rows)
        expect({(row["m"], row["n"], row["k"]) for row in rows} == {("12", "10", "42")}, rows)


def test_a_wrong_contraction_is_not_timed():
    for text in EINSUMS[:3]:
        status, out, said = lay("bench", f"--contract={text}", f"--against={WRONG}", "--type=f64", *QUICK)
        expect(status == 1 and "TBLIS computes a wrong product" in said, status, said)
        expect("lay, plan kept" not in out, out)


def test_figures_count_the_multiply_adds_of_a_batch():
    rows, _ = bench("--contract=hik,hkj->hij:h=10,i=20,j=30,k=40")
    for row in rows:
        gflops, seconds = float(row["gflops"]), float(row["median_seconds"])
        expect(abs(gflops - 2e-9 * 10 * 20 * 30 * 40 / seconds) <= 1e-3 * gflops, row)


def test_the_suites_have_their_contractions():
    rows, _ = bench("--suite=random-contractions", "--type=f32", "--rounds=1")
    problems = [row["problem"] for row in rows if row["who"] == "lay, plan kept"]
    expect(len(problems) == len(set(problems)) == 200 and len(rows) == 400, len(problems), len(rows))
    extents = [int(x) for text in problems for x in re.findall(r"=(\d+)", text)]
    expect(min(extents) == 2 and 150 < max(extents) <= 200, min(extents), max(extents))
    for kind, extents in (("f32", "a=24,b=20,c=20,d=24,e=20,f=20,g=24"), ("f64", "a=24,b=16,c=16,d=24,e=16,f=16,g=24")):
        rows, _ = bench("--suite=tccg", "abcdef-gfbc-dega", f"--type={kind}", "--rounds=1")
        expect({row["problem"] for row in rows} == {f"abcdef-gfbc-dega:{extents}"}, rows)
        expect([row["who"] for row in rows] == ["lay, plan kept", "lay, row-major + copies"], rows)


def test_the_plan_of_a_contraction_is_explained():
    status, out, said = lay("explain", "--contract=aebf,dfce->abcd:a=4,b=3,c=5,d=2,e=6,f=7", "--type=f64")
    expect(status == 0 and said == "" and "rows 'a' 'b'" in out and "taken" in out, status, out, said)
    _, other, _ = lay("explain", "--contract=ac,cda->d:a=8,c=9,d=70", "--sum-by-storage")
    expect(other.replace("by storage", "by labels") != other, other)


def refused(*arguments, about):
    status, out, said = lay("bench", *arguments, *QUICK)
    expect(status == 2 and out == "" and said.count("\n") == 1 and about in said, arguments, status, out, said)


def test_texts_that_are_no_contraction_are_refused():
    for text in ("ik,kj->ij", "ik,kj:i=1,j=1,k=1", "ik,kj->ij:", "ik,kj->ij:i=2", "ik,kj->ij:i=2,j=2,k=0",
                 "ik,kj->ij:i=2,j=2,k=2,k=3", "ik,kj->ij:i=2,j=2,k=2,z=3", "ik,kj->ijz:i=2,j=2,k=2,z=3",
                 "ij-ik:i=2,j=2,k=2", "iik,kj->ij:i=2,j=2,k=2", "ik,kj->ij:i=2 j=2 k=2",
                 "ik,kj->ij:i=1000000000,j=1000000000,k=1000000000", "k1,kj->1j:k=2,j=2",
                 "abcdefghijk,k->abcdefghij:a=1"):
        refused(f"--contract={text}", about="lay: ")


def has_cutensor():
    try:
        ctypes.CDLL("libcutensor.so.2")
    except OSError:
        return False
    return has_device()


def test_what_does_not_go_together_is_refused():
    text = "--contract=ik,kj->ij:i=2,j=2,k=2"
    for option in ("--suite=tccg", "--report=errors", "--latency", "--packed=a", "--layouts=row", "--each-layout",
                   "--no-copies"):
        refused(text, option, about="--contract")
    refused(text, "8", about="'8'")
    refused(text, "--type=f16", about="f32, f64, c32 and c64")
    refused(text, "--memory=pinned", about="device memory" if has_device() else "CUDA")
    found = "--memory=device" if has_cutensor() else "the loader finds none"
    refused(text, "--against=cutensor", about=found if has_device() else "CUDA")
    refused(text, "--memory=device", f"--against={RIGHT}", about="cuTENSOR is a peer" if has_device() else "CUDA")
    refused("8", f"--against={RIGHT}", about="TBLIS contracts tensors")
    refused("--report=errors", f"--against={RIGHT}", about="TBLIS contracts tensors")
    refused("--suite=tccg", "ab-ac-ad", about="'ab-ac-ad'")


run(globals())
