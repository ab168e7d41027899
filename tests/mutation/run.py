#!/usr/bin/env python3
"""Plants each fault of faults/ in a copy of the tree, one at a time, and says by name which the tests catch.

run.py [--check] [--sample KEY] [--keep FOLDER] [WORD...]: only faults whose names and files contain all words; --sample
plants about one in 100 of them, other ones for each KEY (the name of a tree in git, say); FOLDER keeps copy and build
for the next time; --check only asks whether the faults' texts still stand in the sources, under names of their own, and
the names of tests in the build's files. Tests that caught one run once more at the end, without any fault. Exit status
0 when every fault is caught, and those tests pass then.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from faults import FAULTS

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["include", "kernels", "lib", "tests", "bench", "examples", "docs", "fortran", "pkgconfig", "python"]
# Dear ones last: the first that fails ends a fault's run.
TESTS = ["cxx/throwing", "cxx/returning",
         "product/refusals", "process/ordinary", "product/inputs", "product/plans", "product/queries",
         "product/special", "product/guard",
         "tuning/damage", "tuning/together", "tuning/follow",
         "product/random_1", "product/random_streamed",
         "contractions/refusals", "contractions/running", "contractions/many",
         "contractions/groups", "contractions/many_shared", "contractions/order", "contractions/mixed",
         "contractions/bits", "contractions/random_1", "product/complex", "product/copies", "product/axpby",
         "product/ending_calls", "product/endings_1", "product/endings_cut",
         "kernels/pack",
         "kernels/interleaved", "kernels/tile", "kernels/numbers", "kernels/strided", "kernels/whole", "kernels/sweep",
         "kernels/dots",
         "kernels/partials", "kernels/half", "product/partials", "product/exact", "kernels/split", "cuda/accumulator",
         "cuda/producers", "cuda/lines", "cuda/strict", "cuda/parray_threads", "cuda/batch_kernels",
         "cuda/batch_boxes", "cuda/expanded", "cuda/thin", "cuda/numbers", "cuda/numbers_simt", "cuda/kept",
         "cuda/narrow_boxes", "cuda/narrow_staying", "cuda/narrow_sums", "cuda/runs", "cuda/mixed_there",
         "cuda/stream_share", "cuda/changed", "cuda/split_paths",
         "layout/algebra", "layout/dlpack", "layout/places", "team/moves", "team/products", "team/refusals",
         "team/distributions", "team/ranks", "team/room_ranks", "team/room_faults", "team/boxes", "team/devices",
         "team/devices_storage", "team/contractions", "team/reach", "team/order",
         "product/threads", "product/memory", "product/bits", "product/large",
         "product/packed", "product/packed_by_others", "product/batch", "product/lanes", "product/lanes_put",
         "product/images", "product/costs", "product/pieces", "cpu/visits", "cpu/axes", "cpu/split", "process/models",
         "process/log", "process/log_function", "process/lending", "blas/refusals", "blas/alike", "blas/calls",
         "blas/passed_on", "blas/tuned", "blas/groups_3", "blas/level3_refusals", "blas/level3", "blas/level3_alone",
         "product/asked", "product/preferred", "blas/pieces", "pblas/trials", "cuda/streamed", "cuda/streamed_plans",
         "cuda/crossings", "process/remembering", "contracted", "tapp/bad_input", "process/starving"]
TOOL = ["sweeps", "compare", "rows", "show_drawings", "pages"]  # of lay
# Kernels' texts as C++, for faults in kernels/cuda alone: half a minute's work for a compiler.
TEXTS = {"cuda/producers", "cuda/lines", "cuda/strict", "cuda/parray_threads", "cuda/batch_kernels", "cuda/batch_boxes",
         "cuda/expanded", "cuda/thin", "cuda/numbers", "cuda/numbers_simt", "cuda/narrow_staying", "cuda/narrow_sums",
         "cuda/runs"}
GENERAL = {"lib", "kernels", "c", "h", "cu", "cuh", "py"}  # words of files' names that say nothing of a subject
CASES = "2500"
PARTS = 100  # of the faults, of which a sample is one
SECONDS = 120  # of one test; a fault may make it wait for ever
UNBUILT = " (does not compile)"


def copy_tree(to):
    """Writes only files that differ, so that a kept build stays valid."""
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")) if path.is_file()]
    files += [path for path in ROOT.glob("*") if path.is_file()]
    for path in files:
        target = to / path.relative_to(ROOT)
        if not target.exists() or target.read_bytes() != path.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def replace_once(text, old, new):
    """None where old does not stand in text exactly once."""
    pattern = r"\s+".join(re.escape(word) for word in old.split())
    found = list(re.finditer(pattern, text))
    return text[:found[0].start()] + new + text[found[0].end():] if len(found) == 1 else None


def plant(path, edits):
    """The file's text before, or None where an edit does not apply."""
    before = text = path.read_text()
    for old, new in edits:
        text = replace_once(text, old, new)
        if text is None:
            return None
    path.write_text(text)
    return before


def find_stale(faults):
    """Names of the faults whose texts are not there any more."""
    stale = []
    for name, file, *edits in faults:
        text = (ROOT / file).read_text()
        for old, new in edits[0] if isinstance(edits[0], list) else [tuple(edits)]:
            text = text and replace_once(text, old, new)
        if text is None:
            stale.append(f"{name}: its text does not stand in {file} exactly once")
    return stale


def find_repeated(faults):
    counts = collections.Counter(name for name, *_ in faults)
    return [f"{name}: {count} faults have this name" for name, count in counts.items() if count > 1]


def find_unwritten():
    """Names of tests that no meson.build writes: not as they are, nor as a beginning in test() and a word for the
    rest."""
    texts = [path.read_text() for path in sorted((ROOT / "tests").rglob("meson.build"))]

    def is_written(name, text):
        words = set(re.findall(r"'([^'\n]*)'", text))
        begins = re.findall(r"\btest\('([^']*)' \+", text)
        return f"test('{name}'," in text or any(
            name.startswith(begin) and any(word == name[len(begin):] or word.endswith("/" + name[len(begin):])
                                           for word in words) for begin in begins)

    return [f"{name}: no meson.build has such a test" for name in TESTS + TOOL
            if not any(is_written(name, text) for text in texts)]


def is_sampled(fault, key):
    return int(hashlib.sha256(f"{key} {fault[0]}".encode()).hexdigest(), 16) % PARTS == 0


def build(folder, programs):
    """These and what they need."""
    if not programs:
        return subprocess.CompletedProcess([], 0, "")
    targets = [os.path.relpath(program, folder) for program in programs]
    return subprocess.run(["ninja", "-C", folder, *targets], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)


def find_tests(folder):
    found = {}
    for test in json.loads(subprocess.check_output(["meson", "introspect", "--tests", folder])):
        if test["name"] in TESTS + TOOL:
            found[test["name"]] = (test["cmd"], test["env"])
    missing = [name for name in TESTS + TOOL if name not in found]
    if missing:
        sys.exit("no such tests: " + ", ".join(missing))
    return [(name, *found[name]) for name in TESTS + TOOL]


def find_targets(folder):
    targets = json.loads(subprocess.check_output(["meson", "introspect", "--targets", folder]))
    return {os.path.realpath(name) for target in targets for name in target["filename"]}


def find_programs(folder, targets, tests):
    """What the tests' commands name of what is built."""
    return sorted(targets & {os.path.realpath(folder / word) for _, command, _ in tests for word in command})


def count_shared(file, name):
    """Words that a file's name shares with a test's, which may be more than one of the thing."""
    words = set(re.split("[/_.]", file)) - GENERAL
    words |= {"kernels"} if file.startswith("kernels/cpu/") else set()
    return len({word.rstrip("s") for word in words} & {word.rstrip("s") for word in re.split("[/_]", name)})


def run_tests(tests, folder, targets, file=""):
    """The name of a test that fails, or None: one a CPU at a time, none is begun after it. Those of the file's subject
    first. Texts are built when their turn comes: mostly the first one of the subject ends it."""
    def order(test):
        return (file.startswith("bench/") and test[0] not in TOOL, -count_shared(file, test[0]))

    ended, building = threading.Event(), threading.Lock()

    def is_built(test):
        with building:
            return ended.is_set() or build(folder, find_programs(folder, targets, [test])).returncode == 0

    def fails(test):
        name, command, env = test
        if name in TEXTS and not is_built(test):
            ended.set()
            return name + UNBUILT
        if ended.is_set():
            return None
        try:
            done = subprocess.run(command, cwd=folder, env={**os.environ, **env, "LAY_TEST_CASES": CASES},
                                  timeout=SECONDS, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            name, done = name + " (waits for ever)", None
        if done and done.returncode == 0:
            return None
        ended.set()
        return name

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        results = list(workers.map(fails, sorted(tests, key=order)))
    return next((name for name in results if name), None)


def find_levels(folder, tree):
    """Those that this machine runs, the best one last, as the library says. No others are compiled from then on."""
    tool = folder / "bench" / "lay"
    built = build(folder, [tool])
    if built.returncode != 0:
        sys.exit(built.stdout)
    told = subprocess.run([tool, "info"], check=True, stdout=subprocess.PIPE, text=True).stdout
    levels = re.search(r"^levels +(.*)", told, re.M)[1].split(", ")
    subprocess.check_call(["meson", "setup", "--reconfigure", folder, tree, "-Dhighest-isa=" + levels[-1]],
                          stdout=subprocess.DEVNULL)  # now, for what is asked about its tests and targets
    return levels


def find_missing_level(file, levels):
    """The level without which nothing here has file's code in it, or None. Headers in simd/ are of all but C."""
    found = re.match(r"kernels/cpu/(\w+)/", file)
    if not found or found[1] in levels or (found[1] == "simd" and len(levels) > 1):
        return None
    return found[1]


def without_texts(tests):
    return [test for test in tests if test[0] not in TEXTS]


def try_fault(fault, tree, folder, targets, tests, levels):
    """(verdict, detail)"""
    name, file, *edits = fault
    edits = edits[0] if isinstance(edits[0], list) else [tuple(edits)]
    missing = find_missing_level(file, levels)
    if missing:
        return "skipped", f"this machine does not run kernels of {missing}"
    path = tree / file
    before = plant(path, edits)
    if before is None:
        return "STALE", f"its text does not stand in {file} exactly once"
    try:
        if build(folder, find_programs(folder, targets, without_texts(tests))).returncode != 0:
            return "STALE", "it does not compile"
        killer = run_tests(tests if file.startswith("kernels/cuda") else without_texts(tests), folder, targets, file)
        if killer and killer.endswith(UNBUILT):
            return "STALE", "it does not compile"
        return ("caught", killer) if killer else ("SURVIVED", file)
    finally:
        path.write_text(before)


def control(folder, targets, tests):
    """Ends the program where a test fails without any fault."""
    built = build(folder, find_programs(folder, targets, without_texts(tests)))
    if built.returncode != 0:
        sys.exit(built.stdout)
    failed = run_tests(tests, folder, targets)
    if failed:
        sys.exit(f"without any fault {failed} fails, too: what it caught is not shown")
    print(f"{len(tests)} tests that caught one pass without any")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--sample", metavar="KEY")
    parser.add_argument("--keep")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    faults = [fault for fault in FAULTS if all(word in f"{fault[1]} {fault[0]}" for word in options.words)]
    stale = find_stale(faults) + find_repeated(FAULTS) + find_unwritten()
    if stale or options.check:
        print("\n".join(stale) or f"{len(faults)} faults can be planted")
        return 1 if stale else 0
    if options.sample:
        everything, faults = len(faults), [fault for fault in faults if is_sampled(fault, options.sample)]
        print(f"{len(faults)} of {everything} faults, chosen by {options.sample}", flush=True)
    place = pathlib.Path(options.keep or tempfile.mkdtemp(prefix="mutation_")).resolve()
    tree, folder = place / "tree", place / "build"
    counts = {}
    try:
        copy_tree(tree)
        if not (folder / "build.ninja").exists():
            subprocess.check_call(["meson", "setup", folder, tree, "-Dcuda=disabled", "-Doptimization=1",
                                   "-Db_ndebug=true"], stdout=subprocess.DEVNULL)
        levels = find_levels(folder, tree)
        tests = find_tests(folder)
        targets = find_targets(folder)
        built = build(folder, find_programs(folder, targets, without_texts(tests)))
        if built.returncode != 0:
            sys.exit(built.stdout)
        killers = set()
        for fault in faults:
            begin = time.monotonic()
            verdict, detail = try_fault(fault, tree, folder, targets, tests, levels)
            counts[verdict] = counts.get(verdict, 0) + 1
            if verdict == "caught":
                killers.add(detail.split(" (")[0])
            print(f"{verdict:9} {fault[0]}: {detail}, {time.monotonic() - begin:.0f} s", flush=True)
        control(folder, targets, [test for test in tests if test[0] in killers])
    finally:
        if not options.keep:
            shutil.rmtree(place)
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    return 0 if (counts or options.sample) and not counts.keys() - {"caught", "skipped"} else 1


if __name__ == "__main__":
    sys.exit(main())
