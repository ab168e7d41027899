"""opt_einsum with backend="layoutgemm": many tensors, the order of their products found there."""

import pathlib
import re
import subprocess
import sys

import layoutgemm as lay
import numpy as np
import opt_einsum
import pytest


@pytest.mark.parametrize("text", ["ab,bc,cd->ad", "abc,cd,de,bef->af", "ab,bc,ca->", "a,b,ab->", "abc,abd,ce->de",
                                  "ab,ab,bc->ac", "aab,bc,c->a", "ab,cb,cd->da", "ijk,jil,lm->km"])
def test_contractions_of_many_tensors(text):
    rng = np.random.default_rng(71)
    terms = text.partition("->")[0].split(",")
    operands = [rng.standard_normal([4 + ord(letter) % 3 for letter in term]) for term in terms]
    wanted, before = np.einsum(text, *operands), lay.copies()
    assert np.allclose(opt_einsum.contract(text, *operands, backend="layoutgemm"), wanted)
    expression = opt_einsum.contract_expression(text, *(x.shape for x in operands))
    assert np.allclose(expression(*operands, backend="layoutgemm"), wanted)
    assert lay.copies() == before


def test_more_labels_than_there_are_letters():
    names = [opt_einsum.get_symbol(i) for i in range(100, 104)]
    text = f"{names[0]}{names[1]},{names[1]}{names[2]},{names[2]}{names[3]}->{names[0]}{names[3]}"
    x, y, z = (np.random.default_rng(72).standard_normal((5, 5)) for _ in range(3))
    assert np.allclose(opt_einsum.contract(text, x, y, z, backend="layoutgemm"), x @ y @ z)


@pytest.mark.parametrize("module", ["contract", "edge_cases", "input", "sharing", "blas"])
def test_its_own_tests_pass(module):
    pytest.importorskip(f"opt_einsum.tests.test_{module}", reason="opt_einsum is installed without its tests")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "opt_einsum_plugin", "--pyargs",
         f"opt_einsum.tests.test_{module}"],
        cwd=pathlib.Path(__file__).parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    counts = re.search(r"^layoutgemm: (\d+) einsum, (\d+) tensordot$", done.stdout, flags=re.M)
    assert int(counts[1]) + int(counts[2]) > 0, counts[0]
