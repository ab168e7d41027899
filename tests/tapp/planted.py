"""The test of the test: a library that is right passes every group, one that does nothing fails every group, and each
planted fault fails the group that is there for it. Called with the program and with the libraries: plain, nothing,
nothing that succeeds."""
import os
import re
import subprocess
import sys

program, plain, nothing, unsuccessful = sys.argv[1:]

FAULTS = [
    ('A not conjugated', 'elemental operations on complex tensors'),
    ('B not conjugated', 'elemental operations on complex tensors'),
    ('C not conjugated', 'elemental operations on complex tensors'),
    ('D not conjugated', 'elemental operations on complex tensors'),
    ('beta ignored', 'contraction'),
    ('C has the strides of D', 'contraction'),
    ('A written', 'contraction'),
    ('one element too many', 'sub-tensors of lower rank'),
    ('Hadamard: the first alone', 'Hadamard product'),
    ('Hadamard: the first alone', 'Hadamard product and free indices'),
    ('Hadamard: the first alone', 'Hadamard product and contracted indices'),
    ('scalars left alone', 'an input of rank 0'),
    ('negative strides turned', 'negative strides'),
    ('negative strides turned', 'strides of both signs, sub-tensors of the same rank'),
    ('strides of 0 are 1', 'strides of 0 in A, B and C'),
    ('isolated: the first alone', 'isolated indices'),
    ('no diagonals of inputs', 'repeated indices in A and B'),
    ('no diagonal of D', 'repeated indices in D'),
    ('sums cut at 16', 'larger extents'),
    ('extents of 0 are 1', 'extents of 0'),
    ('labels of 32 bits', 'labels of any value'),
    ('C32 summed in F16', 'type C32'),
    ('BF16 read as F16', 'type BF16'),
    ('all in F32', 'type F64'),
    ('all in F32', 'type C64'),
    ('a mixture is real', 'mixed types: real and complex'),
    ('real conjugated by its sign', 'elemental operations on real tensors'),
    ('precision F64 in F32', 'precision F64 of single inputs'),
    ('F16 summed in F16', 'mixed types: F32 from F16'),
    ('C read where beta is 0', 'C unset where beta is 0'),
    ('D cleared first', 'D in place of C'),
    ('one plan for all', 'plans run again and side by side'),
    ('strides not set', 'infos set after they were made'),
    ('strides not set', 'tensor infos'),
    ('a batch of the first A', 'batched product'),
    ('no handle written', 'handles and executors'),
    ('no status written', 'statuses'),
    ('attribute set once', 'attributes'),
    ('attribute not cleared', 'attributes'),
    ('extents not compared', 'error: extents that differ'),
    ('first index of D alone', 'error: an index of D alone'),
    ('C not compared', 'error: C is not like D'),
    ('D not looked at', 'error: D overlaps itself'),
    ('missing C is 0', 'error: C is missing'),
    ('negative modes', 'error: a negative number of modes'),
    ('negative extents', 'error: a negative extent'),
    ('text without an end', 'texts of errors'),
    ('text counted with its end', 'texts of errors'),
]

count = 0


def report(is_ok, what, output):
    global count
    count += 1
    print('ok' if is_ok else 'not ok', count, '-', what)
    if not is_ok:
        print('\n'.join('# ' + line for line in output.splitlines() if not line.startswith('ok')))


def run(library, *words, fault=''):
    environment = dict(os.environ, TAPP_FAULT=fault)
    return subprocess.run([program, *words, library], env=environment, capture_output=True, text=True)


done = run(plain)
report(done.returncode == 0 and ' 0 wrong, 0 refused; 0 of ' in done.stdout, 'a right library passes every group',
       done.stdout)
for library, what in (nothing, 'calls all of it a success'), (unsuccessful, 'calls nothing a success'):
    done = run(library, '--cases=20')
    groups = re.findall('^(not ok|ok) [0-9]', done.stdout, re.M)
    report(done.returncode == 1 and len(groups) > 50 and 'ok' not in groups,
           'a library that does nothing and %s fails every group' % what, done.stdout)
for fault, group in FAULTS:
    done = run(plain, '--group=' + group, fault=fault)
    report(done.returncode == 1 and done.stdout.startswith('not ok'), '%s: %s' % (group, fault), done.stdout)
for words, sentence in (['--group=none', plain], 'LIBRARY'), (['--cases=0', plain], 'LIBRARY'), ([], 'LIBRARY'):
    done = subprocess.run([program, *words], capture_output=True, text=True)
    report(done.returncode == 2 and sentence in done.stderr, 'wrong words are refused: ' + ' '.join(words[:1]),
           done.stdout + done.stderr)
done = run('/none/libtapp.so')
report(done.returncode == 2 and done.stdout.startswith('Bail out!'), 'a library that is not there is refused',
       done.stdout)
print('1..%d' % count)
