"""Coupled cluster (CCSD) of a molecule by PySCF, its contractions by NumPy, pytblis (where it is) and layoutgemm.

    coupled_cluster.py [BASIS [ATOMS]]        the basis is cc-pVDZ, the molecule water, where nothing else is given
    coupled_cluster.py cc-pVTZ "N 0 0 0; N 0 0 1.1"

Prints the correlation energy of each and how far it is from NumPy's, the time that all contractions took, and how many
arrays were copied for layoutgemm. Needs PySCF (pip install pyscf).
"""

import sys
import time

import layoutgemm as lay
from pyscf import cc, gto, scf
from pyscf.lib import numpy_helper

WATER = "O 0 0 0.1173; H 0 0.7572 -0.4692; H 0 -0.7572 -0.4692"
ENOUGH = 1e-9  # hartree: what energies may differ by


def by_layoutgemm(subscripts, a, b, alpha=1, beta=0, out=None, **_):
    return lay.einsum(subscripts, a, b, out=out, alpha=alpha, beta=beta)


def list_ways():
    """{name: a function with the arguments of PySCF's contract}"""
    ways = {"numpy": numpy_helper.contract, "layoutgemm": by_layoutgemm}
    try:
        import pytblis
    except ImportError:
        return ways
    return ways | {"pytblis": pytblis.contract}


def run(molecule, contract):
    """The correlation energy, the seconds of all contractions and how many there were."""
    seconds, count = 0.0, 0

    def timed(*operands, **more):
        nonlocal seconds, count
        start = time.perf_counter()
        made = contract(*operands, **more)
        seconds += time.perf_counter() - start
        count += 1
        return made

    usual = numpy_helper.contract, numpy_helper.EINSUM_BACKEND
    numpy_helper.contract, numpy_helper.EINSUM_BACKEND = timed, None
    try:
        field = scf.RHF(molecule).run(conv_tol=1e-12)
        made = cc.rccsd.RCCSD(field)
        made.conv_tol, made.conv_tol_normt = 1e-11, 1e-8
        made.kernel()
    finally:
        numpy_helper.contract, numpy_helper.EINSUM_BACKEND = usual
    if not made.converged:
        sys.exit("the iterations do not converge")
    return made.e_corr, seconds, count


def main():
    basis = sys.argv[1] if len(sys.argv) > 1 else "cc-pVDZ"
    molecule = gto.M(atom=sys.argv[2] if len(sys.argv) > 2 else WATER, basis=basis, verbose=0)
    print(f"{molecule.nelectron} electrons, {molecule.nao} orbitals")
    print(f"{'contractions':12} {'energy':>16} {'from NumPy':>11} {'calls':>6} {'seconds':>8}")
    first, failed = None, False
    for name, contract in list_ways().items():
        before = lay.copies()
        energy, seconds, count = run(molecule, contract)
        first = energy if first is None else first
        failed |= abs(energy - first) > ENOUGH or lay.copies() != before or count == 0
        print(f"{name:12} {energy:16.12f} {energy - first:11.1e} {count:6} {seconds:8.3f}")
    print(f"copies of arrays: {lay.copies()}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
