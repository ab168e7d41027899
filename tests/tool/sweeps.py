"""Ranges of sizes and files of problems, as lay bench reads them.

usage: sweeps.py LAY
"""

import csv
import os

from tap import expect, lay, run

QUICK = ("--rounds=1", "--min-time=0", "--pause=0")


def problems(*words, **keywords):
    status, _, said = lay("bench", *words, *QUICK, "--csv=rows.csv", **keywords)
    expect(status == 0 and said == "", words, status, said)
    with open("rows.csv", newline="") as file:
        return [row["problem"] for row in csv.DictReader(file)]


def refused(*words, about, **keywords):
    status, out, said = lay("bench", *words, *QUICK, **keywords)
    expect(status == 2 and out == "" and said.startswith("lay: ") and said.count("\n") == 1, words, status, out, said)
    expect(about in said, words, said, "without", about)


def test_a_range_has_its_first_size_and_none_beyond_its_last():
    for word, sizes in (("4..32:x2", (4, 8, 16, 32)), ("4..31:x2", (4, 8, 16)), ("3..30:x3", (3, 9, 27)),
                        ("10..40:+10", (10, 20, 30, 40)), ("10..39:+10", (10, 20, 30)), ("5..5:x2", (5,)),
                        ("4..8", (4, 8)), ("0..2:+1", (0, 1, 2))):
        expect(problems(word) == [f"{n} row" for n in sizes], word, problems(word))


def test_each_of_three_sizes_may_be_a_range():
    expect(problems("8x4..16:x2x3") == ["8x4x3 row", "8x8x3 row", "8x16x3 row"])
    expect(problems("1..2:+1x7x4..8:x2") == ["1x7x4 row", "1x7x8 row", "2x7x4 row", "2x7x8 row"])
    expect(problems("1..2x7*4..8") == ["1x7x4 row", "1x7x8 row", "2x7x4 row", "2x7x8 row"])
    expect(problems("5 1..2:+1 3") == ["5x1x3 row", "5x2x3 row"])


def test_a_range_takes_layouts_as_a_size_does():
    expect(problems("4..8:x2:col") == ["4 col", "8 col"])
    expect(problems("4..8:col,row,row") == ["4 col,row,row", "8 col,row,row"])
    expect(problems("4..8 col", "--layouts=row") == ["4 col", "8 col"])
    expect(problems("4..8:x2", "--layouts=row,matrix2") == ["4 row", "4 matrix2", "8 row", "8 matrix2"])


def test_ranges_that_lead_nowhere_are_refused():
    for word in ("4..", "..8", "4..8:x", "4..8:+", "4..8:x0", "4..8:x1", "4..8:+0", "8..4:x2", "0..8:x2", "4..8:x2x",
                 "4..8x4..8", "4...8", "4..8:-2", "4..99999999999", "4..8x4x4x4", "4..8:x2.5", "-4..8", "a..b",
                 "4..8:x99999999999999999999"):
        refused(word, about="layout" if "-2" in word else word[:1])
    refused("1..9999:+1", about="1024 problems")
    refused("1..99:+1x1..99:+1x1..99:+1", about="1024 problems")
    refused("1..2147483647:+1", about="1024 problems")


def test_a_file_has_a_problem_in_each_line():
    with open("list.txt", "w") as file:
        file.write("# squares\n4\n\n  8:col  # by columns\r\n16..32:x2\n4x4x4:[#A_0][#A_1]\n\t5 6 7 row,col,row")
    wanted = ["4 row", "8 col", "16 row", "32 row", "4 [#A_0][#A_1]", "5x6x7 row,col,row"]
    refused("--problems=list.txt", about="list.txt:6: ")
    with open("list.txt") as file:
        text = file.read().replace("[#A_0][#A_1]", "A=[4][4]; [#A_1][#A_0]")
    with open("list.txt", "w") as file:
        file.write(text)
    wanted[4] = "4 A=[4][4]; [#A_1][#A_0]"
    expect(problems("--problems=list.txt") == wanted, problems("--problems=list.txt"))
    expect(problems("3", "--problems=list.txt") == ["3 row"] + wanted)
    for setting in ({}, {"OMP_DYNAMIC": "false"}):  # one that lay bench drops: it starts anew, and reads then
        with open("list.txt") as file:
            expect(problems("--problems=-", stdin=file, env=dict(os.environ, **setting)) == wanted, setting)


def test_what_is_wrong_in_a_file_is_told_with_its_line():
    for text, about in (("4\n4..\n", "2: '4..'"), ("\n\nrow\n", "3: 'row'"), ("4:rwo", "1: there is no layout 'rwo'"),
                        ("8..4", "1: '8..4'"), ("4\n1..9999:+1", "2: more than 1024"), ("4\n8\0\n", "2: a byte of 0")):
        with open("bad.txt", "w") as file:
            file.write(text)
        refused("--problems=bad.txt", about=f"bad.txt:{about}")
    with open("empty.txt", "w") as file:
        file.write("# nothing\n\n")
    refused("--problems=empty.txt", about="empty.txt has no problem")
    refused("--problems=no/such.txt", about="no/such.txt")
    os.mkdir("folder")
    refused("--problems=folder", about="folder: ")
    refused("--problems=", about="--problems")
    for option in ("--suite=small", "--contract=ik,kj->ij:i=2,j=2,k=2", "--report=errors"):
        refused("--problems=empty.txt", option, about="--problems")


def test_a_long_line_is_read_whole():
    with open("long.txt", "w") as file:
        file.write("4" + " " * 100000 + "# " + "x" * 100000 + "\n8")
    expect(problems("--problems=long.txt") == ["4 row", "8 row"])


run(globals())
