"""As a Meson subproject layoutgemm is the library alone: neither tests nor tools nor CUDA, and static where asked for.

consumer_subproject.py SOURCE_ROOT MESON
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from installed import run

PROJECT = """project('consumer', 'c')
layoutgemm = dependency('layoutgemm', version: '>=0.1', fallback: 'layoutgemm',
  default_options: ['default_library=static', 'highest-isa=c'])
if dependency('layoutgemm', version: '>=9', required: false, fallback: 'layoutgemm').found()
  error('a version that there is not')
endif
test('program', executable('program', 'program.c', dependencies: layoutgemm))
"""
TARGETS = {"commit.h", "kernel_tables", "kernels_c", "layoutgemm", "layoutgemm_inner", "program"}


def main():
    source, meson = pathlib.Path(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / "subprojects").mkdir()
        (work / "subprojects" / "layoutgemm").symlink_to(source)
        (work / "meson.build").write_text(PROJECT)
        shutil.copy(source / "examples" / "row_major.c", work / "program.c")
        # Not optimised: it is to be compiled soon, not to be fast. Nothing from the system in its place.
        run([meson, "setup", "made", "--buildtype=plain", "--force-fallback-for=layoutgemm"], cwd=work,
            stdout=subprocess.PIPE)

        def ask(what):
            return json.loads(run([meson, "introspect", "made", what], cwd=work, stdout=subprocess.PIPE).stdout)

        targets, tests = {target["name"] for target in ask("--targets")}, {test["name"] for test in ask("--tests")}
        if targets != TARGETS or tests != {"program"}:
            sys.exit(f"it has the targets {sorted(targets)} and the tests {sorted(tests)}")
        run(["ninja", "-C", "made", "-j2"], cwd=work, stdout=subprocess.PIPE)
        run(["made/program"], cwd=work)


main()
