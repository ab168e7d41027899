"""The table and the files of lay bench agree, and are of the form that its help promises.

usage: rows.py LAY PEER WRONG_PEER
"""

import csv
import json
import os
import re
import shlex
import shutil
import statistics
import struct
import subprocess
import sys
import xml.etree.ElementTree

from tap import LAY, expect, lay, open_terminal, run

PEER, WRONG = map(os.path.abspath, sys.argv[2:4])
QUICK = ("--rounds=5", "--min-time=0", "--pause=0")
KEYS = ("problem m n k layout_a layout_b layout_c type memory threads who kernels rounds calls median_seconds "
        "lowest_seconds gflops peak_gflops share_of_peak speedup speedup_at_best of_row unit_gflops spread "
        "caches roof_gflops roof_gbytes").split()


def bench(*words):
    status, out, said = lay("bench", *words, *QUICK, "--csv=rows.csv", "--json=rows.json", errors="replace")
    expect(status == 0 and said == "", words, status, said)
    with open("rows.json", encoding="utf-8") as file:
        whole = json.load(file)
    with open("rows.csv", newline="", errors="replace") as file:
        return whole, list(csv.DictReader(file)), out


def test_both_files_have_the_same_rows_under_the_keys_of_the_help():
    whole, rows, _ = bench("8..16", "12:matrix2", f"--against={PEER}", "--each-layout", "--type=f32,f64")
    expect(whole["format"] == "lay bench 1" and whole["complete"] is True and whole["rounds"] == 5, whole)
    words = [word for word in shlex.split(whole["command"]) if not word.startswith("LAY_")]
    expect(words[1:4] == ["bench", "8..16", "12:matrix2"], whole["command"])
    expect(len(whole["rows"]) == len(rows) >= 18, len(rows))
    for one, row in zip(whole["rows"], rows):
        expect(list(one) == KEYS + ["seconds"], list(one))
        expect([key.replace("speedup_", "lay_is_").replace("speedup", "lay_is") for key in KEYS] == list(row), row)
        for key, name in zip(KEYS, row):
            if isinstance(one[key], (int, float)):
                expect(abs(one[key] - float(row[name])) <= 1e-4 * abs(one[key]) + 1e-4, key, one, row)
            else:
                expect((one[key] or "") == row[name], key, one, row)
    text = lay("bench", "--help")[1]
    expect(all(key in text for key in KEYS + ["seconds", "complete", "warnings"]), KEYS)


def test_the_spread_is_that_between_the_quartiles():
    whole, _, _ = bench("8", "33")
    for row in whole["rows"]:
        times = row["seconds"]
        first, middle, third = statistics.quantiles(times, n=4, method="inclusive")
        expect(len(times) == 5 and abs(row["median_seconds"] - middle) <= 1e-6 * middle, row)
        expect(abs(row["spread"] - (third - first) / middle) <= 1e-4, row)
        expect(row["lowest_seconds"] == min(times), row)
    whole = json.loads(lay("bench", "8", "--rounds=1", "--min-time=0", "--json=/dev/stderr")[2])
    expect(whole["rows"][0]["spread"] is None, whole)


def test_every_text_is_escaped():
    for name in (b'a"b.so', b"a\\b.so", b"a\nb\x01.so", b"\xff\xc3(\xe2\x82.so", "\u00e9\u20ac\U0001d11e.so".encode()):
        shutil.copy(PEER, name)
        whole, _, _ = bench("8", "--against=./" + os.fsdecode(name))
        who, wanted = whole["rows"][1]["who"], name.decode(errors="replace")
        expect(re.sub("\ufffd+", "?", who) == re.sub("\ufffd+", "?", wanted), name, who)


def test_a_run_that_breaks_off_leaves_a_file_that_says_so():
    status, _, said = lay("bench", "8", f"--against={WRONG}", *QUICK, "--json=rows.json")
    expect(status == 1 and "wrong product" in said, status, said)
    with open("rows.json") as file:
        whole = json.load(file)
    expect(whole["complete"] is False and whole["rows"] == [], whole)


def test_the_table_has_80_columns_and_a_unit_for_each():
    long = "188x300x32:[[4:94][47:1]][[2:47][16:376]],[[2:4800][16:1]][[20:240][5:48][3:16]],[[4:1][47:4]][300:188]"
    _, _, out = bench("8..64:x8", long, f"--against={PEER}", "--each-layout")
    table = out[out.index("problem, type, threads"):]
    expect(table.split("\n")[0].split()[3:] == ["us", "GFLOP/s", "%", "%", "speedup", "at", "best"], table)
    expect(max(map(len, table.split("\n"))) <= 80, table)
    expect("lay is" not in table and "8 row, f32, 1 thread\n  lay  " in out, out)
    _, _, alone = bench("8")
    expect("speedup" not in alone and "\n8 row, f32, 1 thread  " in alone, alone)


def test_every_problem_can_be_repeated_by_the_line_beneath_it():
    for words in (("4..8:x2", "6:col", "--type=f32,f64", "--threads=1,2", "--each-layout"),
                  ("5x6x7", "--layouts=row/col,row,matrix1", f"--against={PEER}", "--copies"),
                  ("4:[4:-4][4:1]", "--isa=c", "--cold", "--packed=ab"), ("--suite=small", "5", "--type=f64"),
                  ("--suite=choices", "96", "--type=f32"), ("--suite=small", "4", "--layouts=col", "--type=f32"),
                  ("--contract=ik,kj->ij:i=4,j=5,k=6", "--type=f32,f64", "--sum-by-storage")):
        whole, _, out = bench(*words, "--repro")
        lines = [line[10:] for line in out.split("\n") if line.startswith("  repeat: ")]
        again = []
        for line in lines:
            done = subprocess.run(line + " --json=one.json", shell=True, capture_output=True, text=True)
            expect(done.returncode == 0, line, done.stderr)
            with open("one.json") as file:
                again += json.load(file)["rows"]
        same = [[{key: row[key] for key in ("problem", "type", "threads", "who", "rounds", "caches", "layout_c")}
                 for row in rows] for rows in (whole["rows"], again)]
        expect(lines and same[0] == same[1], words, lines, same)


def test_cold_products_are_named_so():
    whole, rows, out = bench("1x256x256", "--cold")
    expect({row["caches"] for row in rows + whole["rows"]} == {"cold"} and int(rows[0]["calls"]) <= 4, rows)
    expect("\ncaches      cold: " in out and "--cold" in whole["command"], out)
    _, warm, _ = bench("1x256x256")
    expect(float(rows[0]["lowest_seconds"]) > float(warm[0]["lowest_seconds"]), rows, warm)


def on_terminal(**environment):
    ours, theirs = open_terminal()
    done = subprocess.run([LAY, "bench", "8..16", *QUICK], stdout=subprocess.PIPE, stderr=theirs,
                          env=dict(os.environ, TERM="xterm", **environment))
    os.close(theirs)
    said = b""
    try:
        while part := os.read(ours, 4096):
            said += part
    except OSError:
        pass
    os.close(ours)
    expect(done.returncode == 0, done)
    return said.decode()


def test_a_terminal_is_told_how_far_the_run_is():
    said = on_terminal()
    expect("\x1b[2m1 of 2: 8 row" in said and re.search("2 of 2: 16 row, about [0-9]+ s left", said), said)
    expect(all(len(line) < 80 + 8 for line in said.split("\r")) and said.endswith("\r"), said)
    expect("\x1b" not in on_terminal(NO_COLOR="1") and "2 of 2" in on_terminal(NO_COLOR="1"))


def plot(*words):
    status, out, said = lay("bench", *words, *QUICK, "--plot=term")
    expect(status == 0 and said == "" and max(map(len, out.split("\n"))) <= 200, words, out, said)
    drawn = out[out.index("\n   GFLOP/s\n") + 12:].split("\n")
    expect(max(map(len, drawn)) <= 80, out)
    return drawn


def test_a_plot_on_a_terminal_has_a_letter_for_each_line_and_size():
    drawn = plot("64", "4..32:x2", f"--against={PEER}", "--type=f32,f64")
    names = ("lay, f32", "libright_peer.so, f32", "lay, f64", "libright_peer.so, f64")
    expect(drawn[18:22] == [f"         {letter}  {name}" for letter, name in zip("abcd", names)], drawn)
    field = "".join(line[11:] for line in drawn[:16])
    expect(field.count("a") == 5 and set(field) <= set("abcd "), drawn)
    expect(drawn[16].split() == ["4", "8", "16", "32", "64"] and drawn[17].strip() == "n", drawn)
    expect(plot("3x4..16x5")[17].strip() == "n" and plot("3..6x4x5")[17].strip() == "m")
    drawn = plot("3x4..16x5..10", "0x1x1", "--layouts=row,col")
    expect(drawn[17].strip() == "cube root of m n k" and drawn[19].strip() == "b  lay, col", drawn)


def test_a_plot_as_svg_is_xml_by_itself():
    shutil.copy(PEER, "a<&b.so")
    status, _, said = lay("bench", "4..64:x2", "8:col", "--against=./a<&b.so", *QUICK, "--plot=x.svg")
    expect(status == 0, said)
    root = xml.etree.ElementTree.parse("x.svg").getroot()
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    expect({"lay, row", "lay, col", "a<&b.so, row", "GFLOP/s", "n", "64"} <= set(texts), texts)
    lines = [one.get("points").split() for one in root.iter("{http://www.w3.org/2000/svg}polyline")]
    expect(sorted(map(len, lines)) == [1, 1, 5, 5], lines)
    with open("x.svg") as file:
        text = file.read()
    expect("nan" not in text and "http" not in text.replace("http://www.w3.org/2000/svg", ""), text)
    expect('fill="#ffffff"/>' in text, "a ground of its own", text)


def test_a_plot_as_png_has_a_colour_for_each_line():
    def colours(*words):
        bench(*words, "--plot=x.png")
        with open("x.png", "rb") as file:
            data = file.read()
        expect(data[:8] == b"\x89PNG\r\n\x1a\n" and data[-8:-4] == b"IEND", data[:8])
        wide, high = struct.unpack(">II", data[16:24])
        at = data.index(b"PLTE")
        count = struct.unpack(">I", data[at - 4:at])[0] // 3
        return wide, high, {data[at + 4 + 3 * i:at + 7 + 3 * i] for i in range(count)}
    one, four = colours("8..16:x2"), colours("8..16:x2", "--layouts=row,col", "--type=f32,f64")
    expect(one[0] > 1000 and four[0] >= one[0] and four[1] > one[1], one[:2], four[:2])
    expect(len(four[2] - one[2]) == 3 and not one[2] - four[2], one[2], four[2])


run(globals())
