"""scale-bench and lay bench --report=scale: products on many places, predicted.

usage: scale.py LAY SCALE_BENCH
"""

import csv
import os
import subprocess
import sys
import time

from tap import expect, lay, run

PROGRAM = os.path.abspath(sys.argv[2])


def start(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_four_products_go_from_one_place_to_65536_in_seconds():
    before = time.monotonic()
    status, out, said = lay("bench", "--report=scale", "--csv=scale.csv")
    expect(status == 0 and not said, status, said)
    expect(time.monotonic() - before < 68, "a second a row, on a busy machine")
    rows = read("scale.csv")
    expect(len(rows) == 4 * 17 and out.count("65536 ") >= 4, len(rows))
    for row in rows:
        moved, least = float(row["bytes"]), float(row["summa"])
        expect(0 < float(row["efficiency"]) <= 1 and float(row["seconds"]) > 0, row)
        expect(moved >= float(row["bound"]) * (1 - 1e-6) and moved <= 1.05 * least + 1, row)
        expect(int(row["places"]) == int(row["grid_rows"]) * int(row["grid_columns"]), row)
        expect(float(row["k_cut"]) <= least * (1 + 1e-6), row)


def test_slow_networks_cost_time_and_move_no_other_bytes():
    expect(start("--most=64", "--csv=fast.csv", "--n=65536")[0] == 0)
    expect(start("--most=64", "--csv=slow.csv", "--n=65536", "--far-gbytes=0.5", "--far-us=100")[0] == 0)
    for fast, slow in zip(read("fast.csv"), read("slow.csv")):
        expect(fast["bytes"] == slow["bytes"], fast, slow)
        within = int(fast["places"]) <= 8
        expect((fast["seconds"] == slow["seconds"]) if within else float(slow["seconds"]) > float(fast["seconds"]),
               fast, slow)


def test_what_no_place_has_room_for_is_said():
    status, out, _ = start("--most=2", "--memory-gbytes=1")
    expect(status == 0 and out.count("no room\n") == 8, out)


def test_a_picture_has_a_line_for_each_product():
    status, _, said = start("--most=1024", "--plot=scale.svg")
    expect(status == 0 and not said, said)
    with open("scale.svg", encoding="utf-8") as file:
        drawn = file.read()
    expect(drawn.count("<polyline") == 4 and "contraction" in drawn and "1024" in drawn, drawn)


def test_bad_options_are_refused():
    for words, part in ((["--far-gbytes=0"], "above 0"), (["--hidden=2"], "at most 1"), (["--n=1"], "--n"),
                        (["word"], "too many"), (["--csv=/nowhere/scale.csv"], "cannot be written")):
        status, _, said = start("--most=1", *words)
        expect(status == 2 and part in said, words, status, said)
    status, _, said = lay("bench", "--report=scale", "128")
    expect(status == 2 and "takes no words" in said, said)


run(globals())
