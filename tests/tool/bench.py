"""What lay bench prints and writes, with a peer built for the purpose.

usage: bench.py LAY RIGHT_PEER WRONG_PEER
"""

import csv
import fcntl
import os
import re
import subprocess
import sys

from tap import LAY, Skip, expect, lay, run

RIGHT, WRONG = os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3])
QUICK = ("--rounds=3", "--min-time=0", "--pause=0")
LAYOUTS = ("row", "col", "padded", "padcol", "odd", "oddcol", "reversed", "panels", "matrix1", "matrix2", "tiles4",
           "tiles16x8")


def bench(*arguments, **keywords):
    """The rows of the CSV file, and the text."""
    status, out, said = lay("bench", *arguments, *QUICK, "--csv=bench.csv", **keywords)
    expect(status == 0 and said == "", arguments, status, said)
    with open("bench.csv", newline="") as file:
        return list(csv.DictReader(file)), out


def test_every_layout_passes_its_oracle():
    problems = [f"{sizes}:{layout}" for sizes in ("33x17x25", "32", "1x40x3") for layout in LAYOUTS]
    mixed = ["24x40x56:col,matrix2,tiles16", "24x40x56:[24:1][56:24],row,[24:-40][40:1]"]
    rows, _ = bench(*problems, *mixed, f"--against={RIGHT}", "--type=f32,f64", "--threads=1,2", "--each-layout")
    expect({row["type"] for row in rows} == {"f32", "f64"} and {row["threads"] for row in rows} == {"1", "2"})
    expect(len([row for row in rows if row["who"] == "lay"]) == 4 * (len(problems) + 2))


def test_a_peer_reads_plain_layouts_as_they_are_and_others_through_copies():
    rows, _ = bench("16:row", "16:col", "16:row,col,row", "16:padded", "16:oddcol", "16:matrix2", "16:reversed",
                    f"--against={RIGHT}")
    who = {}
    for row in rows:
        who.setdefault(row["problem"], []).append(row["who"].replace("libright_peer.so", "peer"))
    for problem in ("16 row", "16 col", "16 row,col,row", "16 padded", "16 oddcol"):
        expect(who[problem] == ["lay", "peer"], problem, who[problem])
    for problem in ("16 matrix2", "16 reversed"):
        expect(who[problem] == ["lay", "peer, row-major", "peer + copies"], problem, who[problem])


def test_copies_are_timed_when_and_only_when_asked_for():
    rows, _ = bench("16:row", f"--against={RIGHT}", "--copies")
    expect(len([row for row in rows if "copies" in row["who"]]) == 1, rows)
    rows, _ = bench("16:matrix2", f"--against={RIGHT}", "--no-copies")
    expect(not [row for row in rows if "copies" in row["who"]], rows)


def test_every_type_is_judged_and_timed_beside_the_peak_of_its_arithmetic():
    rows, out = bench("33x17x25:row", "64:tiles16", "8x8x300000:row", "--type=f32,f64,f16,bf16", "--packed=a")
    expect({row["type"] for row in rows} == {"f32", "f64", "f16", "bf16"} and len(rows) == 24, rows)
    expect(re.search(r"^peak .*\n.*bf16 are multiplied as f32", out, re.M), out)
    peak = {row["type"]: float(row["peak_gflops"]) for row in rows}
    for kind in ("f16", "bf16"):
        expect(peak[kind] > 0.5 * peak["f32"] and peak[kind] > 1.2 * peak["f64"], peak)


def test_a_peer_without_a_product_of_a_type_is_refused():
    for kind in ("f16", "f32,bf16"):
        status, out, said = lay("bench", "8", f"--type={kind}", f"--against={RIGHT}", *QUICK)
        expect(status == 2 and out == "" and "libright_peer" in said and said.count("\n") == 1, status, said)


def test_a_wrong_product_is_not_timed():
    for problem in ("16:row", "2x1x1:col", "40x50x60:matrix2"):
        for kind in ("f32", "f64"):
            status, out, said = lay("bench", problem, f"--against={WRONG}", f"--type={kind}", *QUICK)
            expect(status == 1 and "wrong product" in said and "libwrong_peer" in said, status, said)
            expect("GFLOP/s" in out and "lay  " not in out.split("GFLOP/s")[1], out)


def test_figures_agree_with_each_other():
    rows, out = bench("24x16x8:tiles4", f"--against={RIGHT}", "--each-layout")
    for row in rows:
        seconds, gflops = float(row["median_seconds"]), float(row["gflops"])
        expect(abs(gflops - 2e-9 * 24 * 16 * 8 / seconds) <= 1e-3 * gflops, row)
        expect(row["memory"] == "host", row)
        share = float(row["share_of_peak"])
        expect(abs(share - gflops / float(row["peak_gflops"])) <= 1e-3 * share + 1e-4, row)
        expect(0 < float(row["lowest_seconds"]) <= seconds, row)
        expect((row["lay_is"] == "") == (row["who"] == "lay"), row)
        expect((row["of_row"] == "") == (row["who"] != "lay"), row)
        expect(row["layout_a"] == "A=[6][2][4][4]; [[#A_0][#A_2]][[#A_1][#A_3]]", row)
        expect(0 <= float(row["spread"]) and row["caches"] == "warm", row)
    expect(re.search(r"^24x16x8 tiles4, f32, 1 thread\n  lay  ", out, re.M), out)


def test_strict_products_are_timed_beside_others():
    for words in (("24x16x8:tiles4", "--compute=strict", "--beside-strict"),
                  ("--suite=split", "128x768x2880", "--memory=host", "--compute=strict")):
        rows, out = bench(*words)
        expect([row["who"].split(", ", 1)[-1] for row in rows][1:] == ["strict"], rows)
        expect(rows[0]["lay_is"] == "" and float(rows[1]["lay_is"]) > 0, rows)
        expect(re.search(r"^lay against its own strict product of each problem: ", out, re.M), out)


def test_layouts_apply_to_problems_that_name_none():
    rows, _ = bench("8", "12:col", "--layouts=row,matrix2")
    expect([row["problem"] for row in rows] == ["8 row", "8 matrix2", "12 col"], rows)
    rows, _ = bench("8 12 16", "8 12 16 col")
    expect([row["problem"] for row in rows] == ["8x12x16 row", "8x12x16 col"], rows)


def test_latency_compares_cached_and_kept_plans():
    rows, out = bench("--latency")
    expect([row["problem"] for row in rows] == [f"{n} row" for n in (4, 4, 8, 8, 16, 16, 32, 32, 64, 64)], rows)
    expect({row["who"] for row in rows} == {"lay", "lay, plan kept"}, rows)
    expect(re.search(r"^4 row, f32, 1 thread\n  lay +[0-9.]+ .*\n  lay, plan kept +[0-9.]+ ", out, re.M), out)


def test_settings_that_hold_peers_back_are_dropped_and_named():
    theirs = ("OPENBLAS_", "GOTO_", "BLIS_", "MKL_", "OMP_", "GOMP_", "KMP_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(theirs)}
    environment.update(OPENBLAS_CORETYPE="Haswell", OMP_PROC_BIND="true")
    _, out = bench("8", env=environment)
    expect(re.search(r"^dropped +OPENBLAS_CORETYPE=Haswell OMP_PROC_BIND=true", out, re.M), out)
    _, out = bench("8", "--peer-env=OPENBLAS_CORETYPE=SkylakeX", env=environment)
    expect(re.search(r"^set +OPENBLAS_CORETYPE=SkylakeX", out, re.M), out)


def test_errors_are_told_for_every_kind_of_numbers():
    arguments = ("--report=errors", "1", "40", f"--against={RIGHT}", f"--against={WRONG}", "--threads=2")
    rows, out = bench(*arguments)
    ours, right, wrong = "lay strict", "libright_peer.so", "libwrong_peer.so"
    expect({row["k"] for row in rows} == {"1", "40"} and len({row["numbers"] for row in rows}) >= 20, rows)
    for row in rows:
        share = row["of_bound"]
        expect((share == "") == row["who"].startswith("lib"), row)
        expect(share == "" or 0 <= float(share) <= 1, row)
        expect((row["who"], row["numbers"]) != (wrong, "normal") or float(row["largest"]) > 1000, row)
        expect(row["who"] not in (ours, right) or row["numbers"] != "integers to 16" or float(row["largest"]) == 0, row)
    expect("within the bound" in out and "beyond" not in out, out)


def test_the_report_of_batches_has_everybodys():
    arguments = ("--report=host_batches", "1", "9", f"--against={RIGHT}", "--threads=2", *QUICK)
    status, out, said = lay("bench", *arguments)
    expect(status == 0, out, said)
    lines = [line.split() for line in out.splitlines() if re.match(r"(f32|f64|c32|c64|   ) +\d+ +\S+ ", line)]
    expect(len(lines) == 4 * 2 * 6, out)
    for how in ("batch", "lay_contract", "run_many", "last", "strided", "addressed"):
        expect(sum(how in line for line in lines) == 8, how, out)
    expect(all(float(line[-3]) > 0 for line in lines), out)


def test_a_wrong_batch_is_not_timed():
    status, out, said = lay("bench", "--report=host_batches", "9", f"--against={WRONG}", *QUICK)
    expect(status == 1 and "are wrong" in said, out, said)


def test_what_the_report_of_errors_cannot_do_is_refused():
    for arguments, about in ((("--type=f64",), "f32"), (("0",), "'0'"), (("8x8x8",), "'8x8x8'"),
                             (("--compute=tf32",), "tf32"), (("--kernel=nonsense",), "nonsense")):
        status, _, said = lay("bench", "--report=errors", *arguments, *QUICK)
        expect(status == 2 and about.lower() in said.lower() and said.count("\n") == 1, arguments, status, said)


def test_products_of_several_types_are_timed_beside_conversions():
    rows, out = bench("--report=mixed", "24", f"--against={RIGHT}")
    expect({(row["a"], row["b"], row["c"]) for row in rows} >= {("bf16", "bf16", "f32"), ("f32", "bf16", "f32")}, rows)
    expect({row["m"] for row in rows} == {"24", "16", "1"} and {row["n"] for row in rows} == {"24"}, rows)
    for row in rows:
        expect(all(float(row[name]) > 0 for name in ("ours_us", "first_us", "sgemm_us", "peer_us")), row)
    status, _, said = lay("bench", "--report=mixed", "24", f"--against={WRONG}", *QUICK)
    expect(status != 0 and "differs from that of operands converted first" in said, status, said)


PARTS = ("--suite=choices", "96", "128", "256", "188x300x32")


def test_each_part_of_a_suite_is_timed_on_its_own_terms():
    rows, out = bench(*PARTS, "--type=f32")
    who = {}
    for row in rows:
        who.setdefault((row["problem"].split(" [")[0], row["threads"]), set()).add(row["who"])
    ours = "lay, plan kept"
    beside_row, beside_copies = {ours, "lay, row-major"}, {ours, "lay, row-major + copies"}
    expect(who == {("96 row", "2"): {ours}, ("256 row", "2"): {ours},
                   ("128", "1"): beside_row, ("256", "1"): beside_row,
                   ("128 tiles8", "1"): beside_row, ("256 tiles8", "1"): beside_row, ("188x300x32", "1"): beside_copies,
                   ("128 row, isa c", "1"): {ours}, ("256 row, isa c", "1"): {ours}}, who)
    expect(re.search(r"^speedup ", out, re.M), out)


def test_what_is_asked_for_goes_before_the_terms_of_a_part():
    rows, _ = bench(*PARTS, "--type=f32", "--threads=3", "--isa=c")
    expect({row["threads"] for row in rows} == {"3"} and not [row for row in rows if "isa" in row["problem"]], rows)


def test_words_name_problems_of_a_suite_by_their_sizes():
    rows, _ = bench("--suite=small", "12", "127", "--type=f64")
    expect([row["problem"] for row in rows if row["who"].startswith("lay")] == ["12 row", "127 row"], rows)
    status, out, said = lay("bench", "--suite=small", "12", "1000", *QUICK)
    expect(status == 2 and out == "" and "'1000'" in said and said.count("\n") == 1, status, out, said)


def find_device():
    """None where there is a CUDA device that this build can use, else what the tool says."""
    status, _, said = lay("bench", "8", "--memory=device", *QUICK)
    expect(status == 0 or (status == 2 and "CUDA" in said), status, said)
    return said.strip() if status else None


def test_what_needs_a_device_is_refused_where_there_is_none():
    if not find_device():
        raise Skip("there is a CUDA device")
    for arguments in (("8", "--memory=device"), ("8", "--memory=pinned"), ("8", "--backend=cuda"), ("--suite=skinny",),
                      ("8", "--against=cublas"), ("8", "--against=cutensor"), ("--suite=tccg-large",),
                      ("--report=course",), ("--report=paper",)):
        status, out, said = lay("bench", *arguments, *QUICK)
        expect(status == 2 and out == "" and "CUDA" in said and said.count("\n") == 1, arguments, status, out, said)


def test_every_layout_passes_its_oracle_on_the_device():
    if find_device():
        raise Skip(find_device())
    problems = [f"{sizes}:{layout}" for sizes in ("33x17x25", "32", "1x40x3") for layout in LAYOUTS]
    mixed = ["24x40x56:col,matrix2,tiles16", "24x40x56:[24:1][56:24],row,[24:-40][40:1]"]
    for launches in ("graph", "plain"):
        rows, out = bench(*problems, *mixed, "--memory=device", "--type=f32,f64", "--each-layout",
                          f"--launches={launches}")
        expect({row["memory"] for row in rows} == {"device"} and "GPU" in out, out)
        expect(len([row for row in rows if row["who"].startswith("lay, row")]) == 2 * (len(problems) + 2), rows)


def test_who_has_the_lock_has_the_device():
    if find_device():
        raise Skip(find_device())
    with open("held", "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        words = (LAY, "bench", "8", "--memory=device", "--lock=held", *QUICK)
        waiting = subprocess.Popen(words, stdout=subprocess.PIPE)
        try:
            waiting.wait(timeout=5)
            expect(False, "did not wait", waiting.returncode)
        except subprocess.TimeoutExpired:
            fcntl.flock(held, fcntl.LOCK_UN)
        expect(b"lay" in waiting.communicate()[0] and waiting.returncode == 0, waiting.returncode)
    status, _, said = lay("bench", "8", "--memory=device", "--lock=no/such/folder", *QUICK)
    expect(status == 2 and "no/such/folder" in said, status, said)


run(globals())
