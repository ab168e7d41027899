"""Bad arguments and files: one sentence on stderr, nothing on stdout, exit status 2, no output file.

usage: arguments.py LAY PEER
"""

import os
import resource
import shlex
import struct
import subprocess
import sys

from tap import LAY, Skip, expect, lay, run

PEER = os.path.abspath(sys.argv[2])


def write(path, shape=(2, 2), descr="'<f4'", fortran="False", version=1, elements=None, header=None):
    """A NumPy file as bytes, so that broken ones can be written too."""
    count = 1
    for extent in shape:
        count *= extent
    if header is None:
        inner = "".join(f"{extent}, " for extent in shape)
        header = f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': ({inner}), }}\n"
    header = header.encode()
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    size = 8 if "f8" in descr else 4
    data = bytes(size * (count if elements is None else elements))
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY" + bytes([version, 0]) + length + header + data)
    return path


def refused(status, *arguments, about=""):
    """One sentence that says what it is about."""
    got, out, said = lay(*arguments)
    expect(got == status, arguments, "exit status", got, said)
    expect(out == "", arguments, "printed", out)
    expect(said.startswith("lay: ") and said.count("\n") == 1 and said.endswith("\n"), arguments, "said", said)
    expect(about in said, arguments, "said", said, "without", about)


def test_commands_that_do_not_exist_are_refused():
    refused(2, "shwo", about="'shwo'")
    refused(2, "help", "shwo", about="'shwo'")
    status, out, said = lay()
    expect(status == 2 and out == "" and "usage" in said, status, out, said)


def test_options_that_do_not_exist_are_refused():
    for command in ("show", "gemm", "contract", "bench", "explain", "info"):
        refused(2, command, "--colour", about="--colour")
        refused(2, command, "-q", about="-q")


def test_every_command_explains_itself():
    for command in ("show", "gemm", "contract", "bench", "explain", "info"):
        for words in (("help", command), (command, "--help")):
            status, out, said = lay(*words)
            expect(status == 0 and out.startswith(f"usage: lay {command}") and said == "", words, status, out, said)


def test_help_is_given_where_it_is_asked_for():
    overview = lay("help")
    expect(overview[0] == 0 and overview[1].startswith("usage: lay COMMAND"), overview)
    for words in (("-h",), ("--help",), ("help", "help"), ("help", "-h")):
        expect(lay(*words) == overview, words)
    for command in ("show", "gemm", "contract", "bench", "explain", "info"):
        expect(lay(command, "-h") == lay("help", command), command)


def test_words_behind_the_version_are_refused():
    refused(2, "--version", "show", about="'show'")


def test_options_without_their_value_are_refused():
    write("a.npy")
    for option in ("--against", "--layouts", "--csv", "--threads", "--suite", "--report", "--min-time", "--kernel"):
        refused(2, "bench", "8", f"{option}=", about=option)
    for option in ("--output", "--alpha", "--layout-a", "--c-in"):
        refused(2, "gemm", "a.npy", "a.npy", f"{option}=", about=option)


def test_options_that_contradict_each_other_are_refused():
    refused(2, "bench", "8", "--picture=x.svg", about="--picture")
    refused(2, "bench", "8", "--picture=x.svg", "--report=errors", about="--report=roof")
    refused(2, "bench", "--suite=small", "--latency", about="--latency")
    refused(2, "bench", "--suite=small", "--report=errors", about="--report")
    refused(2, "bench", "8", "--copies", "--no-copies", about="--no-copies")
    refused(2, "bench", "8", "--device=0", "--backend=cpu", about="--device")
    refused(2, "bench", "8", "--cold", "--memory=device", about="--cold")
    refused(2, "bench", "8", "--lock=held", about="--memory=device")
    for option in ("--cold", "--repro", "--json=x.json", "--plot=term"):
        refused(2, "bench", "--report=errors", option, about=option.split("=")[0])
    expect(not os.path.exists("x.svg"), os.listdir("."))


def test_a_report_that_does_not_exist_is_refused():
    refused(2, "bench", "--report=nonsense", about="'nonsense'")


def test_tables_go_to_files_and_not_among_the_printed_ones():
    refused(2, "bench", "8", "--csv=-", about="--csv")
    refused(2, "bench", "8", "--json=-", about="--json")
    refused(1, "bench", "8", "--json=no/such.json", about="no/such.json")
    refused(1, "bench", "8", "--plot=no/such.svg", about="no/such.svg")
    refused(1, "bench", "8", "--plot=no/such.png", about="no/such.png")
    for bad in ("svg", "-", ".svg", ".png", "x.gif", "terminal"):
        refused(2, "bench", "8", f"--plot={bad}", about="--plot")
    expect(not os.path.exists("-"), os.listdir("."))


def test_problems_too_large_for_the_memory_are_refused_before_any_is_taken():
    for words in (("999999999",), ("2147483647", "--type=f64"), ("8", "99999999:col", f"--against={PEER}"),
                  ("16:tiles2147483647", "--type=f64"), ("99999999", "--type=bf16", "--each-layout")):
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        refused(2, "bench", *words, about="host memory")
        grown = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss - used
        expect(grown < 1 << 18, words, grown, "KiB")


def test_values_out_of_range_are_refused():
    for option, bad in (
        ("--threads", "0"),
        ("--threads", "two"),
        ("--threads", "1,,2"),
        ("--type", "f8"),
        ("--type", "f32,f64,f16,bf16,c32,c64,f32"),
        ("--rounds", "0"),
        ("--rounds", "9.5"),
        ("--min-time", "-1"),
        ("--min-time", "nan"),
        ("--isa", "sse"),
        ("--memory", "disk"),
        ("--launches", "all"),
        ("--suite", "none"),
        ("--peer-env", "=x"),
        ("--peer-env", "NAME"),
    ):
        refused(2, "bench", "8", f"{option}={bad}", about=option)
    refused(2, "bench", "8", "--latency=yes", about="--latency")
    refused(2, "bench", "8", "--rounds", about="--rounds")


def test_a_type_that_there_is_not_is_refused_with_all_that_there_are():
    for command in ("explain", "tune"):
        status, _, said = lay(command, "64", "--type=int8")
        expect(status == 2 and all(name in said for name in ("f32", "f64", "f16", "bf16", "c32", "c64")), said)


def test_the_options_of_the_library_are_those_of_every_command_that_multiplies():
    write("a.npy")
    for option, bad in (("--isa", "sse"), ("--backend", "gpu"), ("--device", "first"), ("--device", "-1"),
                        ("--device-memory", "2X"), ("--device-memory", "-1"), ("--device-memory", "")):
        for words in (("bench", "8"), ("explain", "8"), ("gemm", "a.npy", "a.npy", "-o", "c.npy"),
                      ("contract", "ik,kj->ij", "a.npy", "a.npy")):
            refused(2, *words, f"{option}={bad}", about=option)
    for words in (("explain", "8"), ("gemm", "a.npy", "a.npy", "-o", "c.npy")):
        refused(2, *words, "--kernel=smit", about="smit")


def test_suites_and_reports_have_their_own_problems():
    refused(2, "bench", "8", "--suite=skinny", about="'8'")
    refused(2, "bench", "8x8x8", "--report=errors", about="'8x8x8'")


def test_texts_that_are_no_problem_are_refused():
    for text in ("", "8x", "8x8", "8x8x8x8", "8x8x8:", "x8", "-8", "8x8x-8", "8 8", "row", "99999999999", "8;row"):
        refused(2, "explain", text, about=f"'{text}'")
    refused(2, "explain", "8:rwo", about="'rwo'")
    refused(2, "explain", "8:row,col", about="three")
    refused(2, "explain", "8:row,col,row,row", about="three")
    refused(2, "explain", "8:tiles0", about="'tiles0'")
    refused(2, "explain", "8:tiles4y4", about="'tiles4y4'")
    refused(2, "explain", "8:[8][9]", about="[8][9]")
    refused(2, "explain", "8:[8][8", about="[8][8")
    refused(2, "explain", about="problem")


def test_a_peer_that_is_none_is_refused():
    refused(2, "bench", "8", "--against=no-such-file.so", about="no-such-file.so")
    with open("text.so", "w") as file:
        file.write("no library")
    refused(2, "bench", "8", "--against=./text.so", about="text.so")


def test_a_peer_that_is_not_installed_is_refused_with_what_was_tried():
    peers = ("blis", "mkl", "openblas")
    missing = next((name for name in peers if lay("bench", "1", f"--against={name}", "--rounds=1")[0]), None)
    if missing is None:
        raise Skip("openblas, blis and mkl are all here")
    status, out, said = lay("bench", "8", f"--against={missing}")
    first = {"openblas": "libopenblas.so.0", "blis": "libblis.so.4", "mkl": "libmkl_rt.so.3"}[missing]
    expect(status == 2 and out == "" and first in said and "Debian" in said and said.count("\n") == 1, said)
    os.mkdir("broken")
    with open(f"broken/{first}", "w") as file:
        file.write("no library")
    environment = dict(os.environ, LD_LIBRARY_PATH=os.path.abspath("broken"))
    status, out, said = lay("bench", "8", f"--against={missing}", env=environment)
    expect(status == 2 and out == "" and f"broken/{first}" in said and said.count("\n") == 1, said)


def test_layouts_that_cannot_be_read_are_refused():
    refused(2, "show", about="layout")
    refused(2, "show", "[2][3]", "[2][3]", about="layout")
    for text in ("[2][3", "", "[2]x", "[-1]", "[#A_0]", "[9999999999][9999999999]"):
        status, out, said = lay("show", text)
        expect(status == 2 and out == "" and said.startswith("lay: at character "), text, status, out, said)


def refused_product(*arguments, about):
    refused(2, "gemm", *arguments, about=about)
    expect(not [name for name in os.listdir(".") if name.startswith("c.npy")], "left", os.listdir("."))


def test_a_product_needs_two_files_and_a_name():
    write("a.npy")
    refused_product("a.npy", "-o", "c.npy", about="two files")
    refused_product("a.npy", "a.npy", "a.npy", "-o", "c.npy", about="two files")
    refused_product("a.npy", "a.npy", about="-o")
    refused_product("a.npy", "a.npy", "-o", about="--output")
    refused_product("a.npy", "b.npy", "-o", "c.npy", about="b.npy")
    refused_product("a.npy", "a.npy", "-o", "c.npy", "--alpha=one", about="--alpha")
    refused_product("a.npy", "a.npy", "-o", "c.npy", "--beta=1", about="--c-in")
    refused_product("a.npy", "a.npy", "-o", "c.npy", "--fortran", "--layout-c=[2][2]", about="--fortran")
    refused_product("a.npy", "a.npy", "-o", "c.npy", "--alpha=1e999", about="--alpha")
    refused_product("a.npy", "a.npy", "-o", "c.npy", "--alpha=-1e300", about="--alpha")
    refused_product(".", "a.npy", "-o", "c.npy", about="directory")
    refused_product("-", "-", "-o", "c.npy", about="standard input")


def test_products_too_large_for_the_memory_are_refused():
    tall, wide = write("tall.npy", shape=(3 << 17, 1)), write("wide.npy", shape=(1, 3 << 17))
    refused_product(tall, wide, "-o", "c.npy", about="576.0 GiB of host memory")
    refused_product(tall, tall, "-o", "c.npy", f"--layout-b=[1:1][{1 << 62}:0]", about="c.npy")


def test_files_that_are_no_matrices_of_floats_are_refused():
    write("a.npy")
    bad = {
        "big-endian": write("b1.npy", descr="'>f4'"),
        "'<i4'": write("b2.npy", descr="'<i4'"),
        "'<c4'": write("b3.npy", descr="'<c4'"),
        "records": write("b4.npy", descr="[('x', '<f4')]"),
        "1 dimension,": write("b5.npy", shape=(4,)),
        "3 dimensions": write("b6.npy", shape=(2, 2, 1)),
        "0 dimensions": write("b7.npy", shape=()),
        "16 bytes": write("b8.npy", elements=3),
        "version 4": write("b9.npy", version=4),
        "types": write("b10.npy", descr="'<f8'"),
        "3 x 2": write("b11.npy", shape=(3, 2)),
        "fit any memory": write("b12.npy", shape=(1 << 31, 1 << 31), elements=0),
    }
    for words, path in bad.items():
        refused_product("a.npy", path, "-o", "c.npy", about=words)


def test_files_that_are_damaged_are_refused():
    write("a.npy")
    with open("a.npy", "rb") as file:
        whole = file.read()
    for length in range(len(whole)):
        with open("cut.npy", "wb") as file:
            file.write(whole[:length])
        refused_product("a.npy", "cut.npy", "-o", "c.npy", about="cut.npy")
    good = "'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)"
    for header in (
        "",
        "{",
        "{}",
        good,
        "{" + good,
        "{" + good.replace("(2, 2)", "(2, -2)") + "}",
        "{" + good.replace("(2, 2)", "(2 2)") + "}",
        "{" + good.replace("(2, 2)", "(2, 2") + "}",
        "{" + good.replace("(2, 2)", "(99999999999, 99999999999)") + "}",
        "{" + good.replace("(2, 2)", "(" + "1, " * 65 + ")") + "}",
        "{" + good.replace("False", "0") + "}",
        "{" + good.replace("'<f4'", "<f4") + "}",
        "{" + good.replace("'<f4'", "'" + "f" * 100 + "'") + "}",
        "{" + good.replace("shape", "shap") + "}",
        "{" + good.replace(", 'shape'", " 'shape'") + "}",
        "{'descr': '<f4', 'shape': (2, 2)}",
    ):
        write("bad.npy", header=header)
        refused_product("a.npy", "bad.npy", "-o", "c.npy", about="header")


def test_layouts_that_do_not_fit_their_file_are_refused():
    write("a.npy", shape=(4, 4))
    for option in ("--layout-a", "--layout-b"):
        refused_product("a.npy", "a.npy", "-o", "c.npy", f"{option}=[4][5]", about="16 elements")
        refused_product("a.npy", "a.npy", "-o", "c.npy", f"{option}=[16]", about="2 dimensions")
        refused_product("a.npy", "a.npy", "-o", "c.npy", f"{option}=[4][4", about="[4][4")
        refused_product("a.npy", "a.npy", "-o", "c.npy", f"{option}=[4:5][4:1]", about="16 elements")
        refused_product("a.npy", "a.npy", "-o", "c.npy", f"{option}=[4:-5][4:1]", about="reaches over 19")
    refused_product("a.npy", "a.npy", "-o", "c.npy", "--layout-c=[4][5]", about="4 x 5")
    refused_product("a.npy", "a.npy", "-o", "c.npy", "--layout-c=[4:0][4:1]", about="the product")
    refused_product("a.npy", "a.npy", "-o", "c.npy", "--c-in=a.npy", "--layout-c=[4:5][4:1]", about="16 elements")
    write("c0.npy", shape=(4, 3))
    refused_product("a.npy", "a.npy", "-o", "c.npy", "--c-in=c0.npy", "--beta=1", about="4 x 3")
    write("d0.npy", shape=(4, 4), descr="'<f8'")
    refused_product("a.npy", "a.npy", "-o", "c.npy", "--c-in=d0.npy", "--beta=1", about="type")


def test_an_output_that_cannot_be_written_is_a_failure_of_its_own():
    write("a.npy")
    refused(1, "gemm", "a.npy", "a.npy", "-o", "no/such/c.npy", about="no/such/c.npy")
    os.mkdir("folder")
    refused(2, "gemm", "a.npy", "a.npy", "-o", "folder", about="regular file")
    refused(2, "gemm", "a.npy", "a.npy", "-o", "/dev/null", about="regular file")
    refused(1, "bench", "8", "--csv=no/such.csv", about="no/such.csv")


def told(done, about):
    said = done.stderr
    expect(done.returncode == 1 and about in said and said.count("\n") == 1, done.args, done.returncode, said)


def test_output_into_a_full_disk_is_a_failure():
    write("a.npy")
    for words in (["info"], ["gemm", "a.npy", "a.npy", "-o", "-"]):
        with open("/dev/full", "w") as full:
            told(subprocess.run([LAY, *words], stdout=full, stderr=subprocess.PIPE, text=True), "standard output")
    quick = ["--rounds=1", "--min-time=0"]
    told(subprocess.run([LAY, "bench", "8", *quick, "--csv=/dev/full"], stdout=subprocess.DEVNULL,
                        stderr=subprocess.PIPE, text=True), "/dev/full")


def test_output_that_is_closed_is_a_failure_and_no_file_takes_its_place():
    for words in ("info", "bench 8 --rounds=1 --min-time=0 --csv=rows.csv"):
        told(subprocess.run(f"{shlex.quote(LAY)} {words} >&-", shell=True, stderr=subprocess.PIPE, text=True),
             "standard output")
    with open("rows.csv") as file:
        lines = file.read().splitlines()
    expect(len(lines) == 2 and lines[0].startswith("problem,"), lines)


run(globals())
