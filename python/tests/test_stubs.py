"""The stubs: mypy --strict takes the package and a program, and finds mistakes in it; they name what there is."""

import ast
import importlib.util
import inspect
import pathlib
import subprocess
import sys

import layoutgemm as lay
import pytest

KINDS = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
SAMPLE = pathlib.Path(__file__).with_name("sample.py")


def run_mypy(folder, *what):
    pytest.importorskip("mypy")
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder), *what],
                          capture_output=True, text=True, check=False)


def test_a_program_is_taken_and_mistakes_are_found(tmp_path):
    for what in (["-p", "layoutgemm"], [str(SAMPLE)]):
        done = run_mypy(tmp_path / "cache", *what)
        assert done.returncode == 0, done.stdout + done.stderr
    wrong = tmp_path / "wrong.py"
    lines = ["lay.Layout(3)", "lay.Options(thread=2)", "lay.matmul(3, a)", "plan('a', b, out)", "layout.offset('x')"]
    wrong.write_text(SAMPLE.read_text() + "\n".join(lines) + "\n")
    done = run_mypy(tmp_path / "cache", str(wrong))
    before = SAMPLE.read_text().count("\n")
    for number in range(len(lines)):
        assert f":{before + 1 + number}: error" in done.stdout, f"{lines[number]}: {done.stdout}"


def test_the_stubs_name_what_there_is():
    folder = pathlib.Path(importlib.util.find_spec("layoutgemm").origin).parent
    tree = ast.parse((folder / "_core.pyi").read_text())
    assert (folder / "py.typed").exists()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            parameters = inspect.signature(getattr(lay._core, node.name)).parameters.values()
            names = [[one.name for one in parameters if one.kind is kind] for kind in KINDS]
            stub = node.args.posonlyargs, node.args.args, node.args.kwonlyargs
            assert names == [[one.arg for one in some] for some in stub], node.name
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            of = getattr(lay._core, node.name)
            stubbed = {inner.name for inner in node.body if isinstance(inner, ast.FunctionDef)}
            stubbed |= {inner.target.id for inner in node.body if isinstance(inner, ast.AnnAssign)}
            assert stubbed <= set(dir(of))
            there = {name for name in vars(of) if not name.startswith("__")}
            assert there <= stubbed, f"{node.name} lacks {there - stubbed}"
