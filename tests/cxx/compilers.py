"""g++ and clang++ take layoutgemm.hpp without a warning, with exceptions and without, and refuse misuse by a sentence.

compilers.py SOURCE_ROOT COMPILER...: those that are not installed are left out.
"""
import pathlib
import shutil
import subprocess
import sys

SKIP = 77
WARNINGS = "-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wundef -Werror".split()
GOOD = [("examples/views.cpp", "-std=c++20"), ("tests/cxx/returning.cpp", "-std=c++17 -fno-exceptions")]
DECLARED = """#include <layoutgemm.hpp>
lay::view<float> x; lay::view<double> y; lay::view<const float> z; lay::error failed;
"""
# What stands in a function of its own, a part of what the compiler says.
BAD = [
    ("lay::gemm(1, x, x, 0, z);", "the result is written: its elements are not const"),
    ("lay::gemm(1, x, y, 0, x);", "A, B and the result have elements of one type"),
    ("lay::copy(x, y);", "a copy keeps the type: lay::axpby converts"),
    ("lay::type_of<int>;", "elements are float, double, std::complex of them"),
    ("lay::view<float> w = z;", "conver"),
    ("lay::plan<float> p, q = p;", "delete"),
]
UNHEARD = ("lay::gemm(1, x, x, 0, x);", "gemm")  # without exceptions nobody would hear of an error
HEARD = "lay::gemm(1, x, x, 0, x, {}, &failed);"


def compile_text(compiler, flags, include, lines):
    """What the compiler says of lines, each in a function of its own; "" where it takes them."""
    functions = "".join(f"void use{i}();\nvoid use{i}() {{ {line} }}\n" for i, line in enumerate(lines))
    command = [compiler, "-x", "c++", "-std=c++17", *flags, f"-I{include}", "-fsyntax-only", "-"]
    done = subprocess.run(command, input=DECLARED + functions, text=True, capture_output=True)
    return done.stderr if done.returncode else ""


def find_wrong(compiler, root):
    include = root / "include"
    for name, flags in GOOD:
        done = subprocess.run([compiler, *flags.split(), *WARNINGS, f"-I{include}", "-fsyntax-only", root / name],
                              text=True, capture_output=True)
        if done.returncode:
            yield f"{compiler} {flags} {name}:\n{done.stderr}"
    said = compile_text(compiler, [], include, [line for line, _ in BAD])
    for line, words in BAD:
        if words not in said:
            yield f"{compiler}: nothing about {line}: \"{words}\""
    if UNHEARD[1] not in compile_text(compiler, ["-fno-exceptions"], include, UNHEARD[:1]):
        yield f"{compiler} -fno-exceptions takes {UNHEARD[0]}"
    if said := compile_text(compiler, ["-fno-exceptions"], include, [HEARD]):
        yield f"{compiler} -fno-exceptions: {HEARD}\n{said}"


def main():
    root, compilers = pathlib.Path(sys.argv[1]), [name for name in sys.argv[2:] if shutil.which(name)]
    if not compilers:
        print(f"none of {', '.join(sys.argv[2:])} is installed")
        return SKIP
    wrong = [line for compiler in compilers for line in find_wrong(compiler, root)]
    print("\n".join(wrong) if wrong else f"{', '.join(compilers)}: {len(GOOD)} sources, {len(BAD) + 1} misuses")
    return 1 if wrong else 0


sys.exit(main())
