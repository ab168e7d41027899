"""Every block of Python in README and the pages runs, one after the other, in a frame that has the names that it speaks
of. README's, and a page's that imports the package, are whole: who pastes them has no names."""

import pathlib
import re

import layoutgemm as lay
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
BLOCKS = [pytest.param(path.name, text, id=f"{path.name}-{number}") for path in PAGES
          for number, text in enumerate(re.findall(r"```python\n(.*?)```", path.read_text(), re.S), 1)]


def frame():
    """Arrays for the products of the documents, f32 and f64."""
    rng = np.random.default_rng(7)
    names = {"lay": lay, "np": np, "a": rng.standard_normal((300, 400)), "b": rng.standard_normal((300, 200)),
             "x": rng.standard_normal((2, 3, 4, 5)), "y": rng.standard_normal((5, 6, 3, 7))}
    return names


def test_there_are_blocks():
    assert len(BLOCKS) >= 6


@pytest.mark.parametrize("name, text", BLOCKS)
def test_a_block_runs(name, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if "import layoutgemm" in text:
        exec(text, {})
        return
    names = frame()
    if "torch." in text:
        torch = pytest.importorskip("torch")
        if not torch.cuda.is_available():
            pytest.skip("there is no GPU; test_pytorch.py captures a graph where there is one")
        names.update(torch=torch, stream=torch.cuda.Stream(), graph=torch.cuda.CUDAGraph())
        names.update({letter: torch.ones((64, 64), device="cuda") for letter in ("a", "b", "out")})
    if "opt_einsum." in text:
        names["opt_einsum"] = pytest.importorskip("opt_einsum")
        names.update({letter: np.ones((3, 3)) for letter in "xyz"})
    if "blocks.f32" in text:
        np.arange(1024 * 1024, dtype=np.float32).tofile("blocks.f32")
    if "plan.layout(" in text:
        names.update(a=np.ones((6, 4)), b=np.ones((4, 5)), out=np.empty((6, 5)))
        names["plan"] = lay.Plan(names["a"], names["b"], names["out"])
    if "lay.Ending(" in text:
        names.update(a=np.ones((6, 4)), b=np.ones((4, 5)))
    if "lay.Plan(a, b, out)" in text:
        names.update(a=np.ones((6, 4)), b=np.ones((4, 5)), out=np.empty((6, 5)), many_a=[np.ones((6, 4))] * 3,
                     many_b=[np.ones((4, 5))] * 3, many_out=[np.empty((6, 5)) for _ in range(3)], handle=0)
        names.update(other=lay.Plan(np.ones((3, 4)), np.ones((4, 2)), np.empty((3, 2))), a2=[np.ones((3, 4))],
                     b2=[np.ones((4, 2))], out2=[np.zeros((3, 2))])
    names.setdefault("storage", np.zeros(1024 * 1024, np.float32))
    names.setdefault("blocked", lay.Layout("A=[2][2][512][512]; [[#A_0][#A_2]][[#A_1][#A_3]]"))
    exec(text, names)
