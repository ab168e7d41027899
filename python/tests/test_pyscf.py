"""PySCF's coupled cluster with our contractions: the energy of NumPy's, and no array copied."""

import pathlib
import re
import subprocess
import sys

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "examples" / "coupled_cluster.py"


def test_coupled_cluster_has_the_energy_of_numpys_contractions():
    pytest.importorskip("pyscf", reason="PySCF is not installed (pip install pyscf)")
    done = subprocess.run([sys.executable, str(SCRIPT), "sto-3g"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    energies = dict(re.findall(r"^(\w+) +(-0\.\d{12}) ", done.stdout, flags=re.M))
    assert {"numpy", "layoutgemm"} <= set(energies)
    assert all(abs(float(energy) - float(energies["numpy"])) <= 1e-9 for energy in energies.values())
    assert abs(float(energies["numpy"]) + 0.0494) < 0.02  # hartree: a correlation energy of water
    assert "copies of arrays: 0\n" in done.stdout
