"""Plans that are measured, their files, and the limit of what is remembered."""

import layoutgemm as lay
import numpy as np
import pytest


def test_what_is_measured_is_saved_and_loaded(tmp_path, monkeypatch):
    a = np.ones((40, 30), np.float32)
    b = np.ones((30, 20), np.float32)
    out = np.empty((40, 20), np.float32)
    how = lay.Options(threads=1, backend="cpu")
    assert "measured here" not in lay.Plan(a, b, out, options=how).explain()
    plan = lay.Plan(a, b, out, options=lay.Options(threads=1, backend="cpu", effort="measure", time=0.05))
    assert "measured here" in plan.explain()
    assert (plan(a, b, out) == 30).all()
    file = tmp_path / "tuned"
    lay.tuning_save(file)
    assert file.read_text().startswith("layoutgemm tuning 1\n") and "m=40[" in file.read_text()
    lay.tuning_forget()
    assert "measured here" not in lay.Plan(a, b, out, options=how).explain()
    lay.tuning_load(str(file))
    monkeypatch.chdir(tmp_path)
    lay.tuning_load("tuned")
    assert "of tuned, line 5" in lay.Plan(a, b, out, options=how).explain()
    lay.tuning_forget()


def test_a_file_that_is_none_is_refused(tmp_path):
    wrong = tmp_path / "wrong"
    wrong.write_text("something else\n")
    for path in (wrong, str(tmp_path / "missing"), tmp_path):
        with pytest.raises(lay.LayoutError) as failed:
            lay.tuning_load(path)
        assert failed.value.status == "LAY_ERR_OPTION"
    with pytest.raises(lay.LayoutError):
        lay.tuning_save(tmp_path / "no" / "folder")
    with pytest.raises(TypeError):
        lay.tuning_load(3)
    with pytest.raises(ValueError):
        lay.tuning_load("a\0b")


@pytest.mark.parametrize("wrong", [{"effort": "patient"}, {"time": -1}, {"time": float("nan")}, {"time": 1e9}])
def test_an_effort_that_is_none_is_refused(wrong):
    a = np.ones((2, 2))
    with pytest.raises(lay.LayoutError) as failed:
        lay.matmul(a, a, options=lay.Options(**wrong))
    assert failed.value.status == "LAY_ERR_OPTION" and "effort" in str(failed.value)


def test_the_limit_of_remembered_plans():
    a = np.ones((2, 2))
    before = lay.cache_info()[1]
    lay.cache_limit(0)
    lay.matmul(a, a)
    assert lay.cache_info() == (0, 0)
    for wrong in (-1, 1025, 1 << 40, -(1 << 40)):
        with pytest.raises(lay.LayoutError) as failed:
            lay.cache_limit(wrong)
        assert failed.value.status == "LAY_ERR_ARGUMENT"
    for wrong in ("8", 2.5, None):
        with pytest.raises(TypeError):
            lay.cache_limit(wrong)
    lay.cache_limit(before)
    lay.matmul(a, a)
    assert lay.cache_info()[1] == before
