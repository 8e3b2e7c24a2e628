"""Compares how NumPy and common/npy read odd headers of .npy files.

    python3 tools/flash/test_npy.py build/tools/flash/run

A header that NumPy refuses must be refused. A header that is read must give NumPy's
shape. `flash` may refuse more, but not the headers of READ.
"""
import io
import os
import random
import struct
import subprocess
import sys
import tempfile

import numpy as np

READ = ["{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
        '{"shape":(6,),"fortran_order":False,"descr":"<f4"}',
        " \t{ 'descr' :\t'<f4' ,\n'fortran_order'\n:False , 'shape' : ( 6 , ) } \t\n \n",
        "{'shape': (5,), 'descr': '<f4', 'fortran_order': False, 'shape': (3, 2)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2\f, 3\n,) ,\f}\f"]
# What a mutation inserts, or puts in place of another word.
WORDS = ["'x': 1, ", '}', '{', ',', '', '\0', 'y', '6', '(6)', '(6,)', '(2, 3)', '()',
         '(,)', '(2,,3)', '(02, 3)', '(-6,)', '(2 3)', '(6,', '[6]', '(6.0,)', '(6L,)',
         "'shape': (6,), ", "'descr': '<f4', ", "'fortran_order': False, ", 'False',
         'True', 'Falsey', '0', 'None', "'<f8'", "'<f4\"", "' <f4'", "'f4'", ':', ' ',
         '\n', '\t', '\f', '\v', '\r', '#', '\\', "'", '"', '#\n', 'u', '\xa0']


def mutated(source):
    """Returns a header of READ with one or two random changes."""
    words = source.choice(READ).replace(',', ' , ').split(' ')
    for _ in range(source.choice([1, 1, 2])):
        at = source.randrange(len(words))
        word = source.choice(WORDS)
        words[at] = source.choice([word, word + words[at], words[at] + word])
    return ' '.join(words)


def by_numpy(file):
    try:
        return np.lib.format.read_array(io.BytesIO(file), allow_pickle=False).shape
    except Exception:  # NumPy raises errors of six types
        return None


def by_flash(program, file, folder):
    """Returns the shape, or None if the file is refused, as flash softmax reads it."""
    x, y = f'{folder}/x.npy', f'{folder}/y.npy'
    with open(x, 'wb') as f:
        f.write(file)
    status = subprocess.run([program, 'softmax', '--in', x, '--out', y, '--no-error'],
                            capture_output=True).returncode
    if status == 0:
        shape = np.load(y).shape
        os.remove(y)
        return shape
    return None if status == 1 else ()  # softmax refuses the shape () by a 2


def main():
    source = random.Random(58)
    headers = READ + [mutated(source) for _ in range(1500)]
    wrong = read = 0
    with tempfile.TemporaryDirectory() as folder:
        for n, header in enumerate(headers):
            version = n % 3 + 1
            text = header.encode('utf-8' if version == 3 else 'latin-1')
            size = struct.pack('<H' if version == 1 else '<I', len(text))
            file = b'\x93NUMPY' + bytes([version, 0]) + size + text + bytes(24)
            want = by_numpy(file)
            got = by_flash(sys.argv[1], file, folder)
            read += got is not None
            if got != want and (got is not None or n < len(READ)):
                wrong += 1
                print(f'{text}: NumPy: {want}, flash: {got}', file=sys.stderr)
    print(f'{len(headers) - wrong} passed, {wrong} failed ({read} were read)')
    return wrong > 0


if __name__ == '__main__':
    sys.exit(main())
