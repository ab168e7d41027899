"""model-bench: the way taken, all others, and the regret.

usage: model.py MODEL_BENCH LAY
"""

import csv
import os
import re
import subprocess
import sys
import tempfile

from tap import Skip, expect, run

PROGRAM, LAY = (os.path.abspath(path) for path in sys.argv[1:3])
WAY = re.compile(r"(.+?/lay_gemm_\w+/\d+) predicted ([\d.]+) measured (about )?([\d.]+)")


def start(*arguments, program=PROGRAM):
    environment = dict(os.environ, OMP_WAIT_POLICY="passive")
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=100, env=environment)
    return done.returncode, done.stdout, done.stderr


def time_problems(*arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.csv")
        status, out, said = start(*arguments, "--seconds=0", f"--csv={path}")
        expect(status == 0 and said == "", status, said)
        with open(path, newline="") as file:
            return list(csv.DictReader(file)), out


def test_the_best_way_is_the_fastest_of_all_and_regret_is_measured_against_it():
    rows, out = time_problems("33", "20x30x50:col,tiles8,row", "40x24x6000", "1x60x900", "--type=f32,f64,bf16",
                              "--threads=1,2")
    expect(len(rows) == 24, len(rows))
    for row in rows:
        ways = WAY.findall(row["ways"].replace("; ", "\n"))
        times = {name: float(measured) for name, _, _, measured in ways}
        expect(ways and ways[0][0] == row["taken"] and row["best"] in times, row)
        expect(min(times.values()) == times[row["best"]] == float(row["best_us"]), row)
        ratio = float(row["measured_us"]) / float(row["best_us"]) if float(row["best_us"]) > 0.1 else None
        expect(ratio is None or abs(float(row["regret"]) - ratio) < 0.02 * ratio, row)
        expect(float(row["regret"]) >= 1 and float(row["predicted_us"]) > 0, row)
    expect("regret" in out and "predicted/measured" in out and "worst" in out, out)


def test_what_would_merely_be_slower_is_among_the_ways():
    rows, _ = time_problems("96", "--type=f32")
    names = [name.split("/")[0] for name, *_ in WAY.findall(rows[0]["ways"].replace("; ", "\n"))]
    for way in ("in place", "packed", "swept", "transposed packed"):
        expect(any(name.startswith(way) for name in names), way, names)
    expect(any("packed right" in name for name in names) and any("by rows" in name for name in names), names)


def test_complex_products_go_by_images_and_by_parts():
    rows, out = time_problems("33", "20x30x50:col,tiles8,row", "1x60x900", "50x40x2500", "--type=c32,c64",
                              "--threads=1,2")
    expect(len(rows) == 16, len(rows))
    for row in rows:
        ways = WAY.findall(row["ways"].replace("; ", "\n"))
        names = [name.split("/")[0] for name, *_ in ways]
        expect(ways[0][0] == row["taken"] and row["best"] in [name for name, *_ in ways], row)
        expect(any("complex, " in name for name in names), names)
        expect(row["product"] != "33" or {"complex, packed", "numbers, packed"} <= set(names), names)
        expect(float(row["regret"]) >= 1 and float(row["predicted_us"]) > 0, row)
        real = "f32" if row["type"] == "c32" else "f64"
        expect(all(f"/lay_gemm_{real}_" in name for name, *_ in ways), ways)
    expect("complex, packed" in out, out)
    with open("times.csv", "w") as file:
        names = [name for name, *_ in WAY.findall(rows[0]["ways"].replace("; ", "\n"))]
        told = "; ".join(f"{name} predicted 10.000 measured {30 if name == rows[0]['taken'] else 20}" for name in names)
        file.write(f'own,33,33,33,"{rows[0]["product"]}",{rows[0]["type"]},1,"",0,0,"",0,0,0,0,host,"{told}"\n')
    status, _, said = start("--replay=times.csv", "--csv=told.csv")
    expect(status == 0 and said == "", status, said)
    with open("told.csv", newline="") as file:
        again = list(csv.DictReader(file))
    expect(len(again) == 1 and again[0]["taken"] == rows[0]["taken"] and float(again[0]["regret"]) == 1.5, again)


def test_images_of_all_sets_of_operands_are_among_the_ways():
    rows, _ = time_problems("188x300x64:[[4:94][47:1]][[2:47][32:376]],col,row", "--type=f32")
    names = " ".join(name for name, *_ in WAY.findall(rows[0]["ways"].replace("; ", "\n")))
    for operands in ("A", "B", "C", "AB", "AC", "BC", "ABC"):
        expect(f"image of {operands}, " in names, operands, names)


def test_an_early_end_leaves_products_of_all_suites():
    rows, out = time_problems("--type=f32", "--each=2", "--isa=avx2")
    expect(len(rows) == 16 and len({row["suite"] for row in rows}) == 8, len(rows))
    rows, out = time_problems("--type=f32", "--limit=0.000001")
    expect(not rows and "0 products were timed" in out, rows, out)


def find_device():
    """None where there is a CUDA device that this build can use, else what the program says."""
    status, _, said = start("8", "--memory=device", "--seconds=0")
    expect(status == 0 or (status == 2 and "CUDA" in said and said.count("\n") == 1), status, said)
    return said.strip() if status else None


def test_without_a_device_its_memory_is_refused_in_a_sentence():
    if not find_device():
        raise Skip("there is a CUDA device")
    status, out, said = start("bench", "--report=model", "--memory=device", program=LAY)
    expect(status == 2 and out == "" and "CUDA" in said and said.count("\n") == 1, status, out, said)


def test_on_a_device_all_rows_slices_and_images_are_among_the_ways():
    if find_device():
        raise Skip(find_device())
    rows, out = time_problems("512", "300x500x200:tiles8,odd,row", "64x64x100000", "--type=f32,f64", "--memory=device")
    expect(len(rows) == 6, rows)
    for row in rows:
        ways = row["ways"].split("; ")
        expect(row["memory"] == "device" and len(ways) > 20 and ways[0].startswith(row["taken"]), row)
        expect(any("transposed launch/" in way for way in ways), ways)
        others = ["(another sum)" in way for way in ways]
        expect(any(others) and not all(others[1:]), ways)
        expect(float(row["regret"]) >= 1 and float(row["regret_of_sum"]) >= 1 and float(row["best_us"]) > 0, row)
        expect(float(row["regret"]) >= float(row["regret_of_sum"]), row)
    expect(any("image of " in row["ways"] for row in rows), rows)  # a product that images refuse has none
    expect("of equal bits" in out and "\ngemm_f32_" in out and "\ngemm_f64_" in out, out)
    rows, _ = time_problems("1024", "--memory=device", "--compute=f32_split")
    expect(len(rows) == 1 and rows[0]["type"] == "f32" and len(rows[0]["ways"].split("; ")) > 1, rows)


def test_a_run_on_a_device_is_replayed_where_there_is_none():
    if "no CUDA part" in (find_device() or ""):
        raise Skip(find_device())
    row = "launch/gemm_f64_{}/1{} predicted 10.000 measured {}{}"
    ways = [row.format("128x128x16_dmma", "", "", 40), row.format("16x256x32_parray", "", "", 30),
            row.format("of_another_build", "", "", 20),
            row.format("of_no_time", "", "about ", 5), row.format("32x32x16_dmma 2 x 16", " (another sum)", "", 10)]
    with open("times.csv", "w") as file:
        for suite in ("short", "thin"):
            file.write(f'{suite},2996,2350,3,"2996x2350x3 row",f64,1,"",0,0,"",0,0,0,0,device,"{"; ".join(ways)}"\n')
    status, out, said = start("--replay=times.csv", "--memory=device", "--csv=told.csv")
    expect(status == 0 and said == "", status, said)
    with open("told.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    expect([row["suite"] for row in rows] == ["short", "thin"], rows)
    for row in rows:  # beside the best one timed, whether or not it would be tried now
        taken = {"launch/gemm_f64_128x128x16_dmma/1": 40, "launch/gemm_f64_16x256x32_parray/1": 30}[row["taken"]]
        expect(float(row["regret_of_sum"]) == taken / 20 and float(row["regret"]) == taken / 10, row)
        expect(row["best"] == "launch/gemm_f64_32x32x16_dmma 2 x 16/1" and float(row["best_us"]) == 10, row)
    expect(re.search(r"^short +1 ", out, re.M) and re.search(r"^thin +1 ", out, re.M), out)


def test_the_same_seed_draws_the_same_products():
    drawn = [[row["product"] for row in time_problems("--suite=small", "--type=f32", f"--seed={seed}")[0]]
             for seed in (3, 3, 4)]
    expect(len(drawn[0]) >= 40 and drawn[0] == drawn[1] != drawn[2], drawn)


def test_what_cannot_be_is_refused_in_a_sentence():
    for arguments, about in ((("--suite=large",), "large"), (("--type=f32,f31",), "f31"), (("--threads=0",), "'0'"),
                             (("8", "--suite=small"), "together"), (("8x8",), "8x8"),
                             (("8", "--csv=/nowhere/x"), "/nowhere/x"), (("8", "--memory=pinned"), "pinned"),
                             (("8", "--memory=device", "--type=f32,c64"), "c64"),
                             (("8", "--compute=tf32"), "--memory=device"), (("--each=46",), "46")):
        status, out, said = start(*arguments)
        expect(status == 2 and out == "" and about in said and said.count("\n") == 1, arguments, status, out, said)
    for word, about in (("64", "takes no words"), ("--memory=pinned", "pinned")):
        status, _, said = start("bench", "--report=model", word, program=LAY)
        expect(status == 2 and about in said and said.count("\n") == 1, word, status, said)


run(globals())
