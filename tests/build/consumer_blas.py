"""update-alternatives takes the installed layblas/libblas.so.3 for the system's BLAS, and gives it up again.

consumer_blas.py BUILD_ROOT MESON LIBDIR -- COMPILER...: LIBDIR is where the libraries will be.
Debian's own tool, on links and a database of the test's own; the system's stay as they are.
"""
import shutil
import subprocess
import sys

from installed import installed, require, run

NAME, OTHER = "libblas.so.3-test", "other/libblas.so.3"
PROGRAM = """
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *);
int main(void)
{
    const int n = 2;
    const double one = 1, zero = 0, a[4] = { 1, 2, 3, 4 };
    double c[4];
    dgemm_("N", "N", &n, &n, &n, &one, a, &n, a, &n, &zero, c, &n);
    return !(c[0] == 7 && c[1] == 10 && c[2] == 15 && c[3] == 22);
}
"""


def main():
    build, meson, libdir = sys.argv[1:4]
    compiler = sys.argv[sys.argv.index("--") + 1 :]
    require("update-alternatives")
    with installed(build, meson) as place:
        ours, work = place.folder / "layblas" / "libblas.so.3", place.work
        for name in ("etc", "admin", "lib", "other"):
            (work / name).mkdir()
        (work / OTHER).write_text("what was there before")
        link = work / "lib" / "libblas.so.3"

        def alternatives(*words):
            run(["update-alternatives", "--quiet", "--altdir", str(work / "etc"), "--admindir", str(work / "admin"),
                 "--log", str(work / "log"), *words])

        def lead_to(path):
            if link.resolve() != path.resolve():
                sys.exit(f"the alternative is {link.resolve()}, not {path}")

        alternatives("--install", str(link), NAME, str(work / OTHER), "100")
        lead_to(work / OTHER)
        alternatives("--install", str(link), NAME, str(ours), "200")
        lead_to(ours)

        # Through the link the library has another origin: it finds liblayoutgemm by the place that it names, too.
        if shutil.which("readelf"):
            text = run(["readelf", "-dW", str(ours)], stdout=subprocess.PIPE).stdout
            if f"$ORIGIN/..:{libdir}]" not in text:
                sys.exit(f"the library does not say that liblayoutgemm is in {libdir}")
        (work / "program.c").write_text(PROGRAM)
        run([*compiler, "program.c", "-o", "program", str(link), f"-Wl,-rpath,{link.parent}",
             f"-Wl,-rpath-link,{place.folder}"], cwd=work)
        place.run_program("program")

        alternatives("--remove", NAME, str(ours))
        lead_to(work / OTHER)


main()
