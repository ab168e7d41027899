"""The header of TAPP compiles without a warning as C and as C++, and says what the plain types and numbers beside it
say. header.py ABI INCLUDES C_COMPILER... -- CXX_COMPILER..."""
import shutil
import subprocess
import sys

abi, includes = sys.argv[1:3]
split = sys.argv.index('--')
WARNINGS = ['-pedantic', '-Wall', '-Wextra', '-Wundef', '-Wshadow', '-Werror']
CASES = [('C', ['-x', 'c', '-std=c11'], sys.argv[3:split]), ('C++', ['-x', 'c++', '-std=c++17'], sys.argv[split + 1:])]

for number, (language, words, compiler) in enumerate(CASES, 1):
    what = '%d - the header is as the interface, in %s' % (number, language)
    if not compiler or not shutil.which(compiler[0]):
        print('ok', what, '# SKIP no compiler')
        continue
    done = subprocess.run([*compiler, *words, *WARNINGS, '-I' + includes, '-fsyntax-only', abi], capture_output=True,
                          text=True)
    print('not ok' if done.returncode or done.stderr else 'ok', what)
    for line in done.stderr.splitlines():
        print('#', line)
print('1..%d' % len(CASES))
