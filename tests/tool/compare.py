"""lay bench --compare: two files of rows, CSV and JSON, and what is said of them.

usage: compare.py LAY
"""

import json
import os

from tap import expect, lay, run

USUAL = {"problem": "8 row", "type": "f32", "memory": "host", "threads": 1, "who": "lay", "median_seconds": 1e-3,
         "lowest_seconds": 1e-3, "spread": 0.01, "caches": "warm"}


def write(path, *rows, without=()):
    """Rows that differ from the usual one, in the form that the name ends in."""
    rows = [{key: value for key, value in {**USUAL, **row}.items() if key not in without} for row in rows]
    with open(path, "w") as file:
        if path.endswith("json"):
            json.dump({"format": "lay bench 1", "rows": rows, "more": [{"rows": [[1, {}]]}, None, "\u00e9\n"]}, file)
        else:
            quoted = [['"%s"' % str(value).replace('"', '""') for value in row.values()] for row in rows]
            file.write("\n".join(",".join(line) for line in [rows[0], *quoted]) + "\n")
    return path


def compare(*rows, **keywords):
    """(exit status, the verdicts) of a change of the usual row, in every pair of forms the same."""
    told = set()
    for old, new in (("old.csv", "new.csv"), ("old.json", "new.json"), ("old.csv", "new.json")):
        write(old, *[row[0] for row in rows], **keywords), write(new, *[row[1] for row in rows], **keywords)
        status, out, said = lay("bench", "--compare", old, new)
        expect(said == "" and max(map(len, out.split("\n"))) <= 80, out, said)
        told.add((status, tuple(line.split()[-1] for line in out.split("\n")[2:] if line.startswith("  "))))
    expect(len(told) == 1, told)
    return told.pop()


def times(median, **more):
    return {"median_seconds": median, "lowest_seconds": median, **more}


def test_the_verdict_is_that_of_the_documented_rule():
    expect(compare(({}, {})) == (0, ("same",)))
    expect(compare(({}, times(1.019e-3))) == (0, ("same",)) and compare(({}, times(0.985e-3))) == (0, ("same",)))
    expect(compare(({}, times(1.021e-3))) == (1, ("SLOWER",)))
    expect(compare(({}, times(0.979e-3))) == (0, ("faster",)))
    for wide in (0, 1):
        spreads = [{"spread": 0.1 if i == wide else 0.0} for i in range(2)]
        expect(compare((spreads[0], times(1.09e-3, **spreads[1]))) == (0, ("same",)), wide)
        expect(compare((spreads[0], times(1.11e-3, **spreads[1]))) == (1, ("SLOWER",)), wide)


def test_without_spreads_the_lowest_times_are_asked():
    old = {"lowest_seconds": 0.9e-3}
    without = ("spread", "caches", "memory")
    expect(compare((old, times(1.09e-3)), without=without) == (0, ("same",)))
    expect(compare((old, times(1.12e-3)), without=without) == (1, ("SLOWER",)))


def test_only_lines_of_lay_decide_on_the_exit_status():
    slow = times(2e-3)
    expect(compare(({}, {}), ({"who": "OpenBLAS"}, {"who": "OpenBLAS", **slow})) == (0, ("same", "SLOWER")))
    expect(compare(({"who": "lay, plan kept"}, {"who": "lay, plan kept", **slow})) == (1, ("SLOWER",)))
    expect(compare(({"who": "layer"}, {"who": "layer", **slow})) == (0, ("SLOWER",)))


def test_rows_go_together_where_all_that_names_them_is_the_same():
    others = ({"problem": '9 "a",b'}, {"type": "f64"}, {"memory": "device"}, {"threads": 2}, {"caches": "cold"})
    rows = [(dict(other), {**other, **times(2e-3)}) for other in others]
    expect(compare(({}, {}), *rows) == (1, ("same",) + 5 * ("SLOWER",)), compare(({}, {}), *rows))
    write("old.csv", {}, {"type": "f64"}), write("new.csv", {}, {"threads": 2}, {"threads": 3})
    expect("only in the old file: 1, only in the new one: 2" in lay("bench", "--compare", "old.csv", "new.csv")[1])


def test_what_lay_bench_writes_can_be_compared():
    for name in ("rows.csv", "rows.json"):
        done = lay("bench", "8", "8:[8:-8][8:1]", "--rounds=2", "--min-time=0", f"--{name[5:]}={name}")
        expect(done[0] == 0, done)
        status, out, said = lay("bench", "--compare", name, name)
        expect(status == 0 and said == "" and out.count("same") == 3, status, out, said)


def refused(*words, about):
    status, out, said = lay("bench", *words)
    expect(status == 2 and out == "" and said.startswith("lay: ") and said.count("\n") == 1, words, status, out, said)
    expect(about in said, words, said, "without", about)


def test_files_that_are_none_of_lay_bench_are_refused():
    good = write("good.json", {}, {"type": "f64"})
    os.mkdir("folder")
    for text in ("", "problem\n8\n", "a,b\n1,2\n", "{", "{}", "[]", "\n", '{"rows": [', '{"rows": [{}]}',
                 '{"rows": []}',
                 '{"rows": [{"problem": 1}]}', "{" * 1000, '{"a": ' + "[" * 100000, '{"rows": {}}', '{"a": "\\u12"}',
                 '{"a": "b', '{"rows": [1]}', "a\0b", '{"a" 1}', "problem,type\n8,f32,1\n", '{"a": \x01}', '"', ","):
        with open("bad", "w") as file:
            file.write(text)
        refused("--compare", "bad", good, about="bad: ")
        refused("--compare", good, "bad", about="bad: ")
    with open(good) as file:
        whole = file.read()
    for end in range(0, len(whole), 7):
        with open("cut.json", "w") as file:
            file.write(whole[:end])
        refused("--compare", good, "cut.json", about="cut.json: ")
    for key, bad in (("median_seconds", "fast"), ("median_seconds", -1), ("median_seconds", "nan"), ("spread", "1e999"),
                     ("median_seconds", ""), ("median_seconds", 0)):
        refused("--compare", good, write("bad.csv", {key: bad}), about=key)
    refused("--compare", good, "no-such-file", about="no-such-file: ")
    refused("--compare", good, "folder", about="folder: ")
    refused("--compare", good, write("other.csv", {"type": "c64"}), about="no row in common")


def test_compare_has_two_files_and_nothing_else():
    good = write("good.csv", {})
    for words in (("--compare",), ("--compare", good), ("--compare", good, good, good), ("--compare=",)):
        refused(*words, about="--compare")
    refused("--compare", good, good, "--type=f32", about="--type")
    refused("--compare", good, good, "--compare", good, about="--compare")
    expect(lay("bench", f"--compare={good}", good)[0] == 0)


run(globals())
