"""Setup refuses what it cannot build with one sentence: options of the CUDA part, and ISA levels.

setup.py SOURCE_ROOT MESON CHECK_ARCHS
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

STAND_IN = "#!/bin/sh\nprintf 'compute_75\\ncompute_80\\ncompute_86\\ncompute_90\\ncompute_100\\n'\n"

# -Dcuda-archs; a part of the reason why not, or of the warning, or nothing
ARCHS = [
    ("80 90a", True, ""),
    ("90a", True, ""),
    ("86 90 90a 100a", True, ""),
    ("90", True, "90a has them"),
    ("nonsense", False, "'nonsense' is none of what nvcc and the kernels know: 80, 86, 90, 100, 90a and the like"),
    ("sm_90", False, "'sm_90' is none"),
    ("9.0", False, "'9.0' is none"),
    ("80a", False, "'80a' is none"),
    ("80 99", False, "'99' is none"),
    ("75", False, "75 is too old, the kernels need 80"),
    ("90a 80", False, "80 stands behind 90: the lowest comes first"),
]
NO_NVCC = "-Dcuda=enabled needs nvcc (CUDA 12 or newer), and there is none on the PATH"


def without_nvcc():
    """The environment with a PATH that has no nvcc, or None where that would hide the compiler, too."""
    folders = [folder for folder in os.environ["PATH"].split(":") if not (pathlib.Path(folder) / "nvcc").exists()]
    path = ":".join(folders)
    needed = "cc", "ninja"
    return dict(os.environ, PATH=path) if all(shutil.which(name, path=path) for name in needed) else None


def main():
    source, meson, check_archs = sys.argv[1:]
    wrong = []
    with tempfile.TemporaryDirectory() as place:
        nvcc = pathlib.Path(place) / "nvcc"
        nvcc.write_text(STAND_IN)
        nvcc.chmod(0o755)
        for archs, is_taken, wanted in ARCHS:
            done = subprocess.run([sys.executable, check_archs, nvcc, *archs.split()], capture_output=True, text=True)
            said = done.stdout if is_taken else done.stderr
            is_said = wanted in said and said.count("\n") == 1 if wanted else said == ""
            if (done.returncode == 0) != is_taken or not is_said or (done.stderr if is_taken else done.stdout):
                wrong.append(f"-Dcuda-archs={archs}: status {done.returncode}, {done.stdout}{done.stderr}")

        asked = [("-Dhighest-isa=avx3", os.environ, "-Dhighest-isa=avx3 is none of this CPU's levels")]
        if without_nvcc():
            asked.append(("-Dcuda=enabled", without_nvcc(), NO_NVCC))
        for option, environment, wanted in asked:
            more = [] if "cuda" in option else ["-Dcuda=disabled"]
            done = subprocess.run([meson, "setup", f"{place}/{option}", source, option, *more],
                                  capture_output=True, text=True, env=environment)
            errors = [line for line in (done.stdout + done.stderr).splitlines() if "ERROR" in line]
            if done.returncode == 0 or len(errors) != 1 or wanted not in errors[0]:
                wrong.append(f"{option}: status {done.returncode}, {errors or done.stdout + done.stderr}")
    print("\n".join(wrong) if wrong else f"{len(ARCHS)} lists of architectures, {len(asked)} setups")
    return 1 if wrong else 0


sys.exit(main())
