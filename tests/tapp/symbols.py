"""liblaytapp exports the functions of TAPP's header and nothing else, and needs liblayoutgemm and what every program
has.

symbols.py LIBRARY HEADER
"""
import pathlib
import re
import shutil
import subprocess
import sys

SKIP = 77
ALLOWED = re.compile(r'(liblayoutgemm|libc|libm|ld-linux-[\w-]+)\.so(\.\d+)?$')


def printed(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if not shutil.which('nm') or not shutil.which('readelf'):
    print('nm or readelf is not installed')
    sys.exit(SKIP)
library, header = sys.argv[1], pathlib.Path(sys.argv[2])
text = re.sub(r'/\*.*?\*/|^\s*#.*?$', '', header.read_text(), flags=re.S | re.M)
declared = set(re.findall(r'\bTAPP_EXPORT\b[^;(#]*?(\w+)\(', text))
exported = {line.split()[-1] for line in printed('nm', '-D', '--defined-only', library).splitlines()}
dynamic = printed('readelf', '-dW', library)
wrong = ['%s is not exported' % name for name in sorted(declared - exported)]
wrong += ['%s is exported' % name for name in sorted(exported - declared) if not name.startswith('__asan')]
wrong += ['needs ' + name for name in re.findall(r'\(NEEDED\).*\[(.*)\]', dynamic)
          if not ALLOWED.match(name) and not re.match(r'lib[atu]+b?san', name)]
if re.findall(r'\(SONAME\).*\[(.*)\]', dynamic) != ['liblaytapp.so.0']:
    wrong.append('its name is not liblaytapp.so.0')
print('\n'.join(wrong) if wrong else '%d functions' % len(declared))
sys.exit(1 if wrong or not declared else 0)
