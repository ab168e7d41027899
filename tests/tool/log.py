"""A problem that LAY_VERBOSE reports is one that lay explain and lay bench take as it stands.

usage: log.py LAY
"""

import csv
import os

from tap import expect, lay, run

PROBLEMS = ("6x8x4:row,col,tiles2", "5x7x3:A=[5][9]; [#A_0][3@2#A_1],[3:-7][7:1],[5:14][7:2]", "64:matrix2")


def reported(*arguments):
    """{event: row} of what the tool reports."""
    status, out, said = lay(*arguments, env=dict(os.environ, LAY_VERBOSE="1"))
    expect(status == 0, arguments, out, said)
    rows = list(csv.DictReader(line for line in said.splitlines() if line.startswith("layoutgemm,")))
    return {row["event"]: row for row in rows}


def test_problems_come_back_from_explain_as_they_went_there():
    for text in PROBLEMS:
        first = reported("explain", text, "--type=f64")["plan"]
        again = reported("explain", first["problem"], "--type=" + first["type"])["plan"]
        expect(first == again, first, again)


def test_bench_takes_them_too():
    problem = reported("explain", PROBLEMS[1])["plan"]["problem"]
    rows = reported("bench", problem, "--rounds=1", "--min-time=0.0001")
    expect(rows["run"]["problem"] == problem and rows["run"]["status"] == "LAY_OK", problem, rows)


def test_a_line_has_the_chain_of_ways():
    row = reported("explain", "2x5x3:row,row,col", "--type=c32")["plan"]
    expect(row["way"].startswith(("complex, ", "numbers, ")), row)


run(globals())
