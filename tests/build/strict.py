"""What the CUDA compiler's wrapper lets through: nothing of a good kernel, every warning, and with its kernel's name
whatever costs a kernel its speed. The compiler is a stand-in that prints what ptxas did.

strict.py STRICT_NVCC
"""
import subprocess
import sys

GOOD = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z3add' for 'sm_90a'
ptxas info    : Function properties for _Z3add
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers
ptxas info    : Compile time = 9.1 ms
"""
SPILL = GOOD.replace("_Z3add", "_Z5spill").replace("0 bytes spill stores", "16 bytes spill stores")
SERIAL = "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized in '_Z3mul'\n"
FENCE = SERIAL.replace("C7510", "C7519")
WARNING = "copy.cu(7): warning #177-D: variable \"unused\" was declared but never referenced\n"
BROKEN = "copy.cu(9): error: expected a \";\"\n"

# name, what the compiler prints, its status; what comes out, fails
CASES = [
    ("a good kernel is silent", GOOD, 0, "", False),
    ("a fence that is written already is silent", GOOD + FENCE, 0, "", False),
    ("a warning is passed on", GOOD + WARNING, 0, WARNING, False),
    ("a spill fails with its kernel's name", GOOD + SPILL, 0,
     "_Z5spill: 0 bytes stack frame, 16 bytes spill stores, 0 bytes spill loads\n", True),
    ("serialized products fail", SERIAL + GOOD, 0, SERIAL, True),
    ("what was wrong is said without the good kernels", WARNING + GOOD + SERIAL, 0, WARNING + SERIAL, True),
    ("the compiler's own error is passed on", GOOD + BROKEN, 2, BROKEN, True),
]


def main():
    wrong = []
    for name, printed, status, wanted, fails in CASES:
        stand_in = [sys.executable, "-c", "import sys; sys.stderr.write(sys.argv[1]); sys.exit(int(sys.argv[2]))",
                    printed, str(status)]
        done = subprocess.run([sys.executable, sys.argv[1], *stand_in], capture_output=True, text=True)
        if done.stdout + done.stderr != wanted or (done.returncode != 0) != fails:
            wrong.append(f"{name}: status {done.returncode}, {done.stdout + done.stderr!r}")
    print("\n".join(wrong) if wrong else f"{len(CASES)} outputs")
    return 1 if wrong else 0


sys.exit(main())
