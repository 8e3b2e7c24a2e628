"""Tests flash.py: `flash judge` checks its results; and its errors.

    python3 06_flash2/flash/test_flash.py build/lib build/06_flash2/flash/run
"""
import subprocess
import sys
import tempfile

import numpy as np

try:
    from ml_dtypes import bfloat16
    BF16_TYPES = [np.uint16, bfloat16]
except ImportError:
    BF16_TYPES = [np.uint16]

sys.path.insert(0, sys.argv[1])
from flash import attention, attention_backward  # noqa: E402

# q's shape, Hk, Nk, dv, and attention's other arguments.
CASES = [((2, 4, 37, 24), 2, 41, 40, {}),
         ((1, 1, 5, 8), 1, 2070, 8, {'causal': True}),
         ((4, 19, 16), 1, 33, 16, {'window': 5, 'threads': 1}),
         ((9, 16), 1, 7, 16, {'softcap': 3.0, 'scale': -0.5}),
         ((1, 8), 1, 1, 8, {}),
         ((1, 2, 0, 4), 2, 3, 4, {})]
x = np.zeros((1, 2, 3, 4), np.float32)
bits = x.astype(np.uint16)
REFUSED = [(TypeError, lambda: attention(x.astype(float), x, x)),
           (TypeError, lambda: attention([1], x, x)),
           (TypeError, lambda: attention(x, x, x, window=1.5)),
           (ValueError, lambda: attention(x, x[0], x)),
           (ValueError, lambda: attention(x, x[..., :3], x)),
           (ValueError, lambda: attention(x, x, x[:, :, :2])),
           (ValueError, lambda: attention(x[:, :1], x, x)),
           (ValueError, lambda: attention(x, x, x, scale=np.nan)),
           (ValueError, lambda: attention(x, x, x, scale=1e-60)),
           (ValueError, lambda: attention(x, x, x, softcap=-1)),
           (ValueError, lambda: attention(x, x, x, softcap=1e-46)),
           (ValueError, lambda: attention(between(x), x, x)),
           (ValueError, lambda: attention(x, x, x, threads=-1)),
           (ValueError, lambda: attention(x, x, x, dtype='fp16')),
           (TypeError, lambda: attention(x, x, x, dtype='bf16')),
           (TypeError, lambda: attention(bits, bits, bits)),
           (TypeError, lambda: attention(bits, x, x, dtype='bf16')),
           (TypeError, lambda: attention_backward(bits, bits, bits, x, x, x)),
           (ValueError, lambda: attention_backward(x, x, x, x, x[0, 0], x))]


# q's shape, Hk, Nk, dv, and the options: on tiles and in fp32.
BF16_CASES = [((2, 4, 37, 24), 2, 41, 40, {'causal': True}),
              ((4, 70, 64), 2, 90, 64, {'window': 20}),
              ((1, 2, 30, 16), 2, 33, 16, {'softcap': 3.0}),
              ((1, 2, 3, 300), 1, 70, 16, {})]


def in_bf16(a):
    """Returns float32 numbers rounded down to bf16: bits, and values."""
    bits = (a.view(np.uint32) >> 16).astype(np.uint16)
    return bits, (bits.astype(np.uint32) << 16).view(np.float32)


def check_bf16(shape, Hk, Nk, dv, told, as_type):
    """Returns the difference between results of bf16 and of float32 arrays."""
    random = np.random.default_rng(35)
    front = shape[:-3]
    bits, floats = zip(*(in_bf16(random.standard_normal(axes, np.float32))
                         for axes in (shape, front + (Hk, Nk, shape[-1]),
                                      front + (Hk, Nk, dv))))
    given = [a.view(as_type) for a in bits]
    o, lse = attention(*given, dtype='bf16' if as_type == np.uint16 else None,
                       **told)
    want, want_lse = attention(*floats, **told)
    o = (o.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    off = max(abs(o - want).max(), abs(lse - want_lse).max())
    return '' if off < 0.04 else f'off by {off}'


def by_rows(a):
    """Returns a copy in the order (B, N, H, d), as a view (B, H, N, d)."""
    return a.swapaxes(1, 2).copy().swapaxes(1, 2)


def one_number(a):
    """Returns one number broadcast to the shape: all strides are 0."""
    return np.broadcast_to(np.float32(.5), a.shape)


def between(a):
    """Returns a copy whose address is not aligned to a float."""
    room = np.empty(a.nbytes + 5, np.uint8)
    start = 1 + -room.ctypes.data % 4
    b = room[start:start + a.nbytes].view(np.float32).reshape(a.shape)
    b[...] = a
    return b


def odd_strides(a):
    """Returns a view in which the stride of an axis of one element is no
    multiple of a float."""
    return np.lib.stride_tricks.as_strided(
        a, strides=[33 if n == 1 else s for n, s in zip(a.shape, a.strides)])


# Of q and do, of k and v.
LAYOUTS = [(np.asarray, np.asarray), (by_rows, by_rows),
           (one_number, np.asarray), (odd_strides, odd_strides)]


def judge(told, folder, arrays, *flags):
    """Returns flash judge's verdict on the files of these flags."""
    words = [sys.argv[2], 'judge', *flags]
    for flag, value in {**told, **arrays}.items():
        if isinstance(value, np.ndarray):
            np.save(f'{folder}/{flag}.npy', value)
            value = f'{folder}/{flag}.npy'
        if flag != 'threads':
            words += [f'--{flag}'] + ([] if value is True else [str(value)])
    said = subprocess.run(words, capture_output=True, text=True)
    return '' if said.returncode == 0 else said.stdout + said.stderr


def check(shape, Hk, Nk, dv, told, of_q, of_k):
    """Returns a description of the error of a case, or None."""
    random = np.random.default_rng(34)
    wide = (1,) * (4 - len(shape)) + shape
    front = (0,) * (4 - len(shape))

    def array(layout, *axes):
        return layout(random.standard_normal(axes, np.float32))[front]

    q, do = array(of_q, *wide), array(of_q, *wide[:3], dv)
    k, v = (array(of_k, wide[0], Hk, Nk, cols) for cols in (wide[3], dv))
    o, lse = attention(q, k, v, **told)
    dq, dk, dv = attention_backward(q, k, v, o, lse, do, **told)
    given = {'q': q, 'k': k, 'v': v}
    with tempfile.TemporaryDirectory() as folder:
        return judge(told, folder, {**given, 'o': o, 'lse': lse}) + \
            judge(told, folder, {**given, 'grad-out': do, 'dq': dq, 'dk': dk,
                                 'dv': dv})


def accepted(error, call):
    """Returns a description if a call does not raise this error, or None."""
    try:
        call()
        return f'{error.__name__} is not raised'
    except error:
        return ''


def main():
    tried = [(f'{case}, layout {n}', check(*case, *layouts)) for case in CASES
             for n, layouts in enumerate(LAYOUTS)]
    tried += [(f'{case}, {kind.__name__}', check_bf16(*case, kind))
              for case in BF16_CASES for kind in BF16_TYPES]
    tried += [(f'refusal {n}', accepted(*it)) for n, it in enumerate(REFUSED)]
    failures = [f'{name}: {said}' for name, said in tried if said]
    for line in failures:
        print(line, file=sys.stderr)
    print(f'{len(tried) - len(failures)} passed, {len(failures)} failed')
    return bool(failures)


if __name__ == '__main__':
    sys.exit(main())
