"""lay bench --devices: a team's products beside one place's, here in rooms of host memory.

usage: devices.py LAY
"""

import csv

from tap import expect, lay, run

QUICK = ("--rounds=3", "--min-time=0")


def bench(*arguments):
    """The rows of the CSV file, and the text."""
    status, out, said = lay("bench", *arguments, *QUICK, "--csv=devices.csv")
    expect(status == 0 and said == "", arguments, status, said)
    with open("devices.csv", newline="") as file:
        return list(csv.DictReader(file)), out


def test_two_places_have_layouts_beside_one_place():
    rows, out = bench("--devices=host,host", "--type=f32,f64,bf16,c64", "150", "300")
    few = ["one", "by rows", "by columns"]
    expect([row["layout"] for row in rows] == 4 * (few + ["matrix2"] + few + ["block-cyclic 128", "matrix2"]), rows)
    for row in rows:
        is_one = row["layout"] == "one"
        expect(row["places"] == ("1" if is_one else "2") and float(row["ms"]) > 0, row)
        expect((float(row["times"]) == 1) == is_one or float(row["times"]) > 0, row)
        expect(is_one == (int(row["bytes"]) == 0), row)
    expect(out.count("by columns") == 8, out)


def test_four_places_have_a_grid_and_one_has_rows_alone():
    rows, _ = bench("--devices=host,host,host,host", "300")
    expect([row["layout"] for row in rows] == ["one", "by rows", "by columns", "grid", "block-cyclic 128", "matrix2"],
           rows)
    # Of a square grid each place takes half of its rows of A and of its columns of B
    expect(int(rows[3]["bytes"]) == 4 * 2 * 150 * 150 * 4, rows[3])
    rows, _ = bench("--devices=host", "40")
    expect([row["layout"] for row in rows] == ["one", "by rows"], rows)


def test_bad_lists_and_sizes_are_refused():
    for arguments, word in ((("--devices=host,x", "8"), "'host,x'"), (("--devices=", "8"), "needs a value"),
                            (("--devices=-3", "8"), "'-3'"), (("--devices=host,", "8"), "'host,'"),
                            (("--devices=" + 65 * "host,", "8"), "64"),
                            (("--devices=host", "8x9"), "sizes"), (("--devices=host", "0"), "sizes"),
                            (("--devices=host,0", "8"), "all devices or all host memory"),
                            (("--devices=host", "--report=scale"), "report"),
                            (("--devices=host", "--against=cublasxt", "8"), "computes on devices"),
                            (("--devices=host", "--memory=device", "8"), "memory"),
                            (("--devices=0,1,x", "--memory=host", "8"), "'0,1,x'"),
                            (("--devices=0,host", "--memory=host", "8"), "a place of a team"),
                            (("--devices=0,1", "--memory=pinned", "8x9"), "sizes")):
        status, out, said = lay("bench", *arguments)
        expect(status == 2 and not out and word in said, arguments, status, said)
    for devices, word in (("0,x", "'0,x'"), ("0,1000", "options.devices[1] is 1000, but")):
        status, out, said = lay("explain", "8x8x8", "--devices=" + devices)
        expect(status == 2 and not out and word in said, devices, status, said)


run(globals())
