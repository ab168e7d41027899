"""What lay show, explain, info and --version print.

usage: show.py LAY VERSION
"""

import os
import re
import sys
import tempfile

from tap import expect, lay, run


def shown(text):
    status, out, said = lay("show", text)
    expect(status == 0 and said == "", text, status, said)
    return out


def offsets(text):
    lines = shown(text).split("offsets\n")[1].splitlines()
    return [[int(word) for word in line.split()] for line in lines if not line.startswith("block")]


def fact(out, name):
    return re.search(rf"^{name} +(.*)$", out, re.M).group(1)


def test_offsets_are_those_of_the_notation():
    expect(offsets("[[3][2]][4]") == [[4 * i + j for j in range(4)] for i in range(6)])
    blocks = offsets("A=[2][2][3][5]; [[#A_0][#A_2]][[#A_1][#A_3]]")
    expect(blocks == [[i // 3 * 30 + j // 5 * 15 + i % 3 * 5 + j % 5 for j in range(10)] for i in range(6)], blocks)
    expect(offsets("[3:-5][4:1]") == [[-5 * i + j for j in range(4)] for i in range(3)])
    expect(offsets("[5]") == [[0, 1, 2, 3, 4]])
    expect(offsets("[2][2][3]") == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]])


def test_facts_are_those_of_the_layout():
    out = shown("S=[16][17]; [#S_0][16#S_1]")
    expect(fact(out, "extents") == "16 x 16, 256 elements", out)
    expect(fact(out, "span").startswith("0 .. 270, 271 elements"), out)
    expect(fact(out, "contiguous") == "no" and fact(out, "injective") == "yes", out)
    expect(fact(shown("[4:0][4:1]"), "injective") == "no")
    expect(fact(shown("[4][4]"), "contiguous") == "yes")
    expect(fact(shown("[0][4]"), "span") == "none")


def test_the_normal_form_is_a_layout_with_the_same_offsets():
    for text in ("A=[4][6][2]; [#A_1][[#A_0][#A_2]]", "T=[8][8]; [[2][4]#T_0][5#T_1]", "[6:-8][8:1]"):
        out = shown(text)
        expect(offsets(fact(out, "normal form")) == offsets(text), out)


def test_the_tree_has_a_line_for_each_dimension():
    out = shown("[[3][2]][4]")
    nodes = re.findall(r"^ *(all|\d+(?:_\d+)*) +(\S+) +(\S+)  (?:yes|no)$", out, re.M)
    expect([node[0] for node in nodes] == ["all", "0", "0_0", "0_1", "1"], out)
    expect([node[1] for node in nodes] == ["24", "6", "3", "2", "4"], out)
    expect([node[2] for node in nodes] == ["1", "4", "8", "4", "1"], out)


def test_large_layouts_are_shown_without_their_offsets():
    expect("offsets" not in shown("[4096][4096]"))
    expect("offsets" not in shown("[9223372036854775807:0]"))


def test_the_version_is_that_of_the_build():
    status, out, _ = lay("--version")
    commit = r", commit ([0-9a-f]{12}\+?|unknown)\n"
    expect(status == 0 and re.fullmatch("lay " + re.escape(sys.argv[2]) + commit, out), status, out)


def test_info_tells_what_the_library_found():
    status, out, said = lay("info")
    expect(status == 0 and said == "", status, said)
    for word in ("layoutgemm", "built       compiler ", "isa", "threads"):
        expect(word in out, word, out)


def test_rates_that_were_measured_are_taken():
    status, out, said = lay("rates", "--each=1", "--seconds=0")
    expect(status == 0 and said == "", status, said)
    named = [line.split()[0] for line in out.splitlines() if not line.startswith("#")]
    expect({"clock", "flops", "from_l2", "from_memory", "pack_copied", "pack_gathered", "staged"} <= set(named), named)
    with tempfile.NamedTemporaryFile("w", suffix=".rates") as file:
        file.write(out)
        file.flush()
        os.environ["LAY_RATES"] = file.name
        status, out, said = lay("info")
        _, plan, _ = lay("explain", "64")
        del os.environ["LAY_RATES"]
    expect(status == 0 and said == "" and file.name in out and "predicted" in plan, status, said, out)


def test_a_plan_is_explained_with_its_layouts_in_full():
    status, out, said = lay("explain", "96x64x32:row,matrix2,tiles16", "--type=f64", "--threads=1")
    expect(status == 0 and said == "", status, said)
    for line in ("A  [96][32]", "B  A=[2][2][16][32]; [[#A_0][#A_2]][[#A_1][#A_3]]",
                 "C  A=[6][4][16][16]; [[#A_0][#A_2]][[#A_1][#A_3]]"):
        expect(line in out.splitlines(), line, out)
    expect(len(out.splitlines()) > 5, out)


run(globals())
