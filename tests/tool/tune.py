"""lay tune: what it measures, writes and refuses.

usage: tune.py LAY
"""

import os
import pathlib
import re

from tap import expect, lay, run

QUICK = ("-t", "0.01", "--threads=1")


def test_products_go_into_a_file_that_plans_follow():
    status, out, said = lay("tune", "40", "30x50x20:col", *QUICK)
    lines = out.splitlines()
    expect(status == 0 and len(lines) == 2, status, out, said)
    expect(all(re.fullmatch(r"\S.* us, the estimate's way .* us, [\d.]+ times as fast; measured here", line)
               for line in lines), out)
    expect("1 of 2: 40 row, at most 0.02 s left" in said, said)
    text = pathlib.Path("layoutgemm.tuning").read_text()
    expect(text.startswith("layoutgemm tuning 1\n") and text.endswith("\nend 2\n"), text)
    status, out, said = lay("explain", "40", "--threads=1", env={**os.environ, "LAY_TUNING": "layoutgemm.tuning"})
    expect(status == 0 and "tuning    of LAY_TUNING=layoutgemm.tuning, line 5: " in out, out, said)


def test_what_a_file_has_stays_and_is_not_measured_again():
    lay("tune", "40", "-o", "mine", *QUICK)
    before = pathlib.Path("mine").read_text().splitlines()
    status, out, said = lay("tune", "40", "41", "-o", "mine", *QUICK)
    after = pathlib.Path("mine").read_text().splitlines()
    expect(status == 0 and "of mine, line 5" in out.splitlines()[0], out, said)
    expect(before[4] == after[4] and after[-1] == "end 2", after)


def test_contractions_and_types_are_tuned():
    status, out, said = lay("tune", "--contract=ik,kj->ij:i=8,j=9,k=7", "--type=c32", *QUICK)
    expect(status == 0 and "times as fast" in out, out, said)
    expect("product c32,c32,c32,c32,c32 " in pathlib.Path("layoutgemm.tuning").read_text())


def test_it_can_go_to_standard_output():
    status, out, said = lay("tune", "40", "-o", "/dev/stdout", *QUICK)
    expect(status == 0 and "layoutgemm tuning 1\n" in out and out.endswith("end 1\n"), out, said)


def test_what_cannot_be_tuned_is_refused():
    pathlib.Path("damaged").write_text("layoutgemm tuning 1\nlibrary\n")
    cases = [
        ([], "tune needs a problem"),
        (["40", "-t", "0"], "--time is a number of seconds, more than 0"),
        (["40", "-t", "nan"], "--time is a number"),
        (["40", "-t", "x"], "--time"),
        (["40", "--type=f99"], "--type is f32"),
        (["4x"], "4x"),
        (["40", "-o", "damaged"], "damaged, line 2: the library's version is missing"),
        (["40", "-o", "/nowhere/at/all", *QUICK], "/nowhere/at/all cannot be written"),
        (["40", "--kernel=lay_gemm_f32_4x8_c", "--isa=c", *QUICK], "options.kernel names one"),
        (["40", "--threads=0"], "--threads"),
        (["5x0x3", *QUICK], "5x0x3 row: nothing was measured: there is nothing to multiply"),
        (["7x5x6:row,tiles4,row", *QUICK], "nothing was measured: radices do not divide"),
        (["1000000x1000000x4", *QUICK], "scratch operands would take more than a quarter of the memory"),
    ]
    for arguments, reason in cases:
        status, out, said = lay("tune", *arguments)
        expect(status == 2 and reason in said, arguments, status, out, said)


def test_help_names_the_variable():
    status, out, said = lay("tune", "--help")
    expect(status == 0 and "LAY_TUNING=FILE" in out and "-t" in out, out)


run(globals())
