"""Other people's test suites of a BLAS, by the reference BLAS and by liblayblas: how many tests passed, failed, were
skipped. From Debian's libblas-test, liblapack-test, hpcc and scalapack-mpi-test, whose MPI is openmpi-bin's.

suites.py [--cut] [--only=netlib,lapack,hpcc,pblas] [--types=sdcz] AS_BLAS: liblayblas's copy called libblas.so.3

The whole of it takes some ten minutes and prints a table. --cut takes what one minute allows, by liblayblas alone, and
prints TAP. liblayblas comes twice: as it is, and with LAY_BLAS_LEVEL3=16 and LAY_BLAS_GEMV=own, so that it computes
small matrices, too.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

LIBRARIES = pathlib.Path(f"/usr/lib/{os.uname().machine}-linux-gnu")
NETLIB, LAPACK, PBLAS = LIBRARIES / "blas", LIBRARIES / "lapack", LIBRARIES / "scalapack/openmpi-tests/PBLAS"
HPCC = pathlib.Path("/usr/bin/hpcc")
MPI = ["mpiexec.openmpi", "--oversubscribe", "-n"]
EIGENVALUES = ["nep", "sep", "se2", "svd", "{}ec", "{}ed", "{}gg", "{}gd", "{}sb", "{}sg", "{}bb", "glm", "gqr", "gsv",
               "csd", "lse"]
# HPL's input; hpcc multiplies, transposes and transforms beside it, all sizes by N.
HPL = """HPL
HPL
HPL.out
8
1
{n} Ns
1
{nb} NBs
0
1
{p} Ps
{q} Qs
16.0
1
2
1
4
1
2
1
1
1
1
1
0
2
64
0
0
1
8
-
0
1200
0
40
"""


def run(command, environment, given="", files=(), keep=()):
    """What a program printed, and wrote into files of these names. Empty where it failed to run."""
    with tempfile.TemporaryDirectory() as place:
        for name, text in files:
            (pathlib.Path(place) / name).write_text(text)
        try:
            done = subprocess.run([str(word) for word in command], input=given, cwd=place, env=environment,
                                  capture_output=True, text=True, errors="replace", timeout=3000)
        except subprocess.TimeoutExpired:
            return "FAILED: it took too long\n"
        text = done.stdout + "".join(path.read_text(errors="replace") for path in sorted(pathlib.Path(place).iterdir())
                                     if path.name not in dict(files) or path.name in keep)
    return text + (f"FAILED with status {done.returncode}: {done.stderr[-300:]}\n" if done.returncode else "")


def count_lines(passed, failed, skipped, text):
    return [len(re.findall(pattern, text, re.M)) if pattern else 0 for pattern in (passed, failed, skipped)]


def netlib(letter, environment, _):
    """Input of larger matrices than the package's: cut into blocks where LAY_BLAS_LEVEL3 says so."""
    def enlarge(name):
        return re.sub(r"(?m)^[\d ]+(?=VALUES OF N\s*$)", "1 2 7 33 65 9   ", (NETLIB / name).read_text())

    runs = [(f"xblat{level}{letter}", (NETLIB / f"{letter}blat{level}.in").read_text() if level > 1 else "")
            for level in (1, 2, 3)]
    runs += [(f"x{letter}cblat{level}", (NETLIB / f"{letter}in{level}").read_text() if level > 1 else "")
             for level in (1, 2, 3)]
    runs += [(f"xblat3{letter}", enlarge(f"{letter}blat3.in")), (f"x{letter}cblat3", enlarge(f"{letter}in3"))]
    text = "".join(run([NETLIB / program], environment, given) for program, given in runs)
    return count_lines(r"PASSED|-- PASS --", r"FAIL|\*\*\*\*\*|ABANDONED|FATAL", r"NOT TESTED", text)


def lapack(letter, environment, is_cut):
    names = [(f"xlintst{letter}", f"{letter}test")]
    if not is_cut:
        names += [(f"xeigtst{letter}", name.format(letter)) for name in EIGENVALUES]
        names += [(f"xlintstrf{letter}", f"{letter}test_rfp")]
        names += [(f"xlintst{pair}", f"{pair}test") for pair in ("ds", "zc") if pair[0] == letter]
    files = [(LAPACK / program, LAPACK / f"{given}.in") for program, given in names]
    text = "".join(run([program], environment, given.read_text()) for program, given in files
                   if program.exists() and given.exists())
    some = [(int(wrong), int(of)) for wrong, of in re.findall(r"(\d+) out of\s+(\d+) tests failed", text)]
    exits = count_lines(r"passed the tests of the error", r"failed the tests of the error|^FAILED", "", text)
    passed = sum(map(int, re.findall(r"passed the threshold \(\s*(\d+) tests run", text)))
    return [passed + sum(of - wrong for wrong, of in some) + exits[0], sum(wrong for wrong, _ in some) + exits[1], 0]


def pblas(letter, environment, is_cut):
    """The summary behind the last of a tester's process grids."""
    total = [0, 0, 0]
    for level in (3,) if is_cut else (1, 2, 3):
        name = f"P{letter.upper()}BLAS{level}TST.dat"
        tester = PBLAS / f"{letter}pb{level}tst"
        text = run(MPI + ["4", tester], environment, files=[(name, (PBLAS / name).read_text())])
        rows = re.findall(r"^\s+\|\s+P\w+\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)", text, re.M)
        for i in range(3):
            total[i] += sum(int(row[i + 1]) for row in rows)
        total[1] += not rows or "FAILED with status" in text
    return total


def hpcc(_, environment, is_cut):
    """HPL on one process and on four, with DGEMM as hpcc tests it."""
    total = [0, 0, 0]
    for n, nb, p, q in [(300, 32, 2, 2)] if is_cut else [(1000, 80, 1, 1), (1500, 96, 2, 2), (2000, 128, 1, 4)]:
        text = run(MPI + [str(p * q), HPCC], environment, files=[("hpccinf.txt", HPL.format(n=n, nb=nb, p=p, q=q))])
        found = [int(number) for number in re.findall(r"^\s+(\d+) tests (?:completed|skipped)", text, re.M)]
        total = [a + b for a, b in zip(total, found + [0] * 3)]
        ours = re.findall(r"(?s)Begin of (?:Star|Single)DGEMM.*?Node\(s\) with error (\d+)", text)
        total[0] += sum(number == "0" for number in ours)
        total[1] += sum(number != "0" for number in ours) + (len(ours) < 2) + ("FAILED with status" in text)
    return total


# A suite's name, what tells that it is there, whether it comes in four types, and how it is run.
SUITES = [("netlib", NETLIB / "xblat3d", "sdcz", netlib), ("lapack", LAPACK / "xlintstd", "sdcz", lapack),
          ("pblas", PBLAS / "dpb3tst", "sdcz", pblas), ("hpcc", HPCC, "d", hpcc)]


def environments(as_blas):
    common = dict(os.environ, LC_ALL="C", LAY_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1",
                  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_btl_vader_single_copy_mechanism="none")
    reference = NETLIB / "libblas.so.3"
    ours = dict(common, LD_LIBRARY_PATH=f"{as_blas.parent}:{LAPACK}",
                **({"LAY_BLAS_NEXT": str(reference)} if reference.exists() else {}))
    return [("reference", dict(common, LD_LIBRARY_PATH=f"{NETLIB}:{LAPACK}")), ("layblas", ours),
            ("layblas, blocks of 16", dict(ours, LAY_BLAS_LEVEL3="16", LAY_BLAS_GEMV="own"))]


def main():
    given = argparse.ArgumentParser()
    given.add_argument("--cut", action="store_true")
    given.add_argument("--only", default="netlib,lapack,hpcc,pblas")
    given.add_argument("--types", default="sdcz")
    given.add_argument("as_blas")
    given = given.parse_args()
    ways = environments(pathlib.Path(given.as_blas).resolve())[1 if given.cut else 0:]
    count = failures = 0
    if not given.cut:
        print("| suite | " + " | ".join(f"{way}: passed, failed, skipped" for way, _ in ways) + " |")
        print("|---" * (len(ways) + 1) + "|")
    for suite, sign, letters, runner in SUITES:
        if suite not in given.only.split(","):
            continue
        for letter in (letter for letter in letters if sign.exists() and letter in given.types):
            results = [runner(letter, environment, given.cut) for _, environment in ways]
            if not given.cut:
                counts = " | ".join("{}, {}, {}".format(*of) for of in results)
                print(f"| {suite}, {letter} | {counts} |", flush=True)
            for (way, _), (passed, failed, _) in zip(ways, results):
                count += 1
                failures += failed > 0 or passed == 0
                if given.cut:
                    print(f"{'not ok' if failed or not passed else 'ok'} {count} - {suite}, {letter}, {way}: "
                          f"{passed} passed, {failed} failed", flush=True)
        if not sign.exists():
            print(f"# {suite}: {sign} is not installed" if given.cut else f"| {suite} | not installed |")
    if given.cut:
        print(f"1..{count}" if count else "1..0 # SKIP no suite is installed")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
