"""An installed layoutgemm serves programs in C, C++ and Fortran by CMake's find_package; what is not there is refused.

consumer_cmake.py BUILD_ROOT SOURCE_ROOT VERSION MESON -- COMPONENT... -- COMPILER...

Compiled by COMPILER, the library's own: a static library needs the OpenMP that it was compiled with.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from installed import installed, require, run

# A question to find_package; a part of the answer, where it is a refusal.
QUESTIONS = {
    "VERSION": None,
    "VERSION EXACT": None,
    "0.0.1": None,
    "0.0...0.9": None,
    "9.0": "refused",
    "0.99": "refused",
    "0.0...<0.0.9": "refused",
    "0.0.1 EXACT": "refused",
    "NEWER 1.1": None,
    "NEWER 0.1": "refused",
    "NEWER 0.1...2": "refused",
    "VERSION COMPONENTS mpi": "layoutgemm is installed without the component mpi; there is COMPONENTS",
    "VERSION COMPONENTS FIRST OPTIONAL_COMPONENTS mpi": None,
}
PROJECT = """cmake_minimum_required(VERSION 3.13)
project(consumer LANGUAGES {languages})
foreach(question IN ITEMS {questions})
  separate_arguments(words UNIX_COMMAND "${{question}}")
  set(layoutgemm_DIR "{folder}")
  if(words MATCHES "^NEWER")
    set(layoutgemm_DIR "${{CMAKE_SOURCE_DIR}}/newer")
    list(REMOVE_AT words 0)
  endif()
  set(layoutgemm_NOT_FOUND_MESSAGE refused)
  find_package(layoutgemm ${{words}} QUIET CONFIG NO_DEFAULT_PATH)
  message(STATUS "<${{question}}> ${{layoutgemm_FOUND}} ${{layoutgemm_NOT_FOUND_MESSAGE}}")
endforeach()
unset(layoutgemm_DIR)
find_package(layoutgemm {version} REQUIRED COMPONENTS {components})
{targets}"""
TARGET = "add_executable({name} {file})\ntarget_link_libraries({name} PRIVATE layoutgemm::{kind})\n"


def check_answers(text, questions, components):
    for question, wanted in questions.items():
        answer = next((line for line in text.splitlines() if f"<{question}> " in line), "")
        said = (wanted or "").replace("COMPONENTS", ", ".join(components))
        is_found = f"<{question}> 1" in answer
        if is_found == bool(wanted) or said not in answer:
            sys.exit(f"find_package(layoutgemm {question}): {answer or 'no answer'}")


def write_newer(folder, to):
    """The package as version 1.2 will be."""
    shutil.copytree(folder, to)
    file = to / "layoutgemmConfigVersion.cmake"
    text = re.sub(r"(set\(PACKAGE_VERSION) [0-9.]+\)", r"\1 1.2.0)", file.read_text())
    file.write_text(re.sub(r"(set\(layoutgemm_major) \d+\)", r"\1 1)", text))


def main():
    build, root, version, meson = sys.argv[1:5]
    rest = sys.argv[sys.argv.index("--") + 1 :]
    components, compiler = rest[: rest.index("--")], rest[rest.index("--") + 1 :]
    require("cmake")
    require("ninja")
    examples = pathlib.Path(root) / "examples"
    programs = [(kind, "row_major.c", kind) for kind in ("shared", "static") if kind in components]
    languages = ["C"]
    if shutil.which("c++"):
        languages.append("CXX")
        programs.append(("cxx", "views.cpp", "layoutgemm"))
    if "fortran" in components and shutil.which("gfortran"):
        languages.append("Fortran")
        programs.append(("fortran", "views.f90", "fortran"))
    with installed(build, meson) as place:
        questions = {question.replace("VERSION", version).replace("FIRST", components[0]): answer
                     for question, answer in QUESTIONS.items()}
        cmake_folder = place.folder / "cmake" / "layoutgemm"
        write_newer(cmake_folder, place.work / "newer")
        targets = "".join(TARGET.format(name=name, file=examples / file, kind=kind) for name, file, kind in programs)
        (place.work / "CMakeLists.txt").write_text(PROJECT.format(
            languages=" ".join(languages), questions=" ".join(f'"{question}"' for question in questions),
            folder=cmake_folder, version=version, components=" ".join(components),
            targets=targets))
        said = run(["cmake", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={place.prefix}", "-B", "made", "-S", "."],
                   cwd=place.work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                   env=dict(os.environ, CC=" ".join(compiler))).stdout
        check_answers(said, questions, components)
        run(["cmake", "--build", "made"], cwd=place.work, stdout=subprocess.PIPE)
        for name, _, kind in programs:
            place.run_program(f"made/{name}", is_told=False)  # CMake notes where the library is
            if kind == "static" and any("layoutgemm" in line for line in place.needed(f"made/{name}")):
                sys.exit("layoutgemm::static is the shared library")
    print(f"{len(QUESTIONS)} questions, {len(programs)} programs in {', '.join(languages)}")


main()
