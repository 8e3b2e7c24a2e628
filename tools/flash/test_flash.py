"""Tests flash.py. `flash judge` checks float32 results. Invalid calls must raise errors.

    python3 tools/flash/test_flash.py build/lib build/tools/flash/run
"""
import multiprocessing
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

# The shape of q, Hk, Nk, dv, and the other arguments of attention.
CASES = [((2, 4, 37, 24), 2, 41, 40, {}),
         ((1, 1, 5, 8), 1, 2070, 8, {'causal': True}),
         ((4, 19, 16), 1, 33, 16, {'window': 5, 'threads': 1}),
         ((9, 16), 1, 7, 16, {'softcap': 3.0, 'scale': -0.5}),
         ((1, 8), 1, 1, 8, {}),
         ((1, 2, 0, 4), 2, 3, 4, {})]
x = np.zeros((1, 2, 3, 4), np.float32)
bits = x.astype(np.uint16)
masked = np.ma.masked_array(x, x == 0)
REFUSED = [(TypeError, lambda: attention(x.astype(float), x, x)),
           (TypeError, lambda: attention([1], x, x)),
           (TypeError, lambda: attention(masked, x, x)),
           (TypeError, lambda: attention(x, x, masked)),
           (TypeError, lambda: attention_backward(x, x, x, x, x[..., 0], masked)),
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


# Cases as in CASES. With AMX the first two run flash2_amx. The others run in fp32.
BF16_CASES = [((2, 4, 37, 24), 2, 41, 40, {'causal': True}),
              ((4, 70, 64), 2, 90, 64, {'window': 20}),
              ((1, 2, 30, 16), 2, 33, 16, {'softcap': 3.0}),
              ((1, 2, 3, 300), 1, 70, 16, {})]


def in_bf16(a):
    """Truncates float32 numbers to bf16. Returns their bits as uint16, and the
    numbers as float32."""
    bits = (a.view(np.uint32) >> 16).astype(np.uint16)
    return bits, (bits.astype(np.uint32) << 16).view(np.float32)


def check_bf16(shape, Hk, Nk, dv, options, as_type):
    """Compares the results of bf16 arrays and of equal float32 arrays. Returns '',
    or a text with the difference."""
    random = np.random.default_rng(35)
    front = shape[:-3]
    bits, floats = zip(*(in_bf16(random.standard_normal(axes, np.float32))
                         for axes in (shape, front + (Hk, Nk, shape[-1]),
                                      front + (Hk, Nk, dv))))
    given = [a.view(as_type) for a in bits]
    o, lse = attention(*given, dtype='bf16' if as_type == np.uint16 else None,
                       **options)
    want, want_lse = attention(*floats, **options)
    o = (o.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    off = max(abs(o - want).max(), abs(lse - want_lse).max())
    return '' if off < 0.04 else f'off by {off}'


def by_rows(a):
    """Returns a view (B, H, N, d) of a copy that is stored as (B, N, H, d)."""
    return a.swapaxes(1, 2).copy().swapaxes(1, 2)


def one_number(a):
    """Returns an array of one broadcast number. All its strides are 0."""
    return np.broadcast_to(np.float32(.5), a.shape)


def between(a):
    """Returns a copy whose address is not a multiple of 4 bytes."""
    room = np.empty(a.nbytes + 5, np.uint8)
    start = 1 + -room.ctypes.data % 4
    b = room[start:start + a.nbytes].view(np.float32).reshape(a.shape)
    b[...] = a
    return b


def odd_strides(a):
    """Returns a view in which the stride of an axis of one element is not a
    multiple of 4 bytes."""
    return np.lib.stride_tricks.as_strided(
        a, strides=[33 if n == 1 else s for n, s in zip(a.shape, a.strides)])


# The layouts of q and do, and of k and v.
LAYOUTS = [(np.asarray, np.asarray), (by_rows, by_rows),
           (one_number, np.asarray), (odd_strides, odd_strides)]


def judge(options, folder, arrays):
    """Runs flash judge on the arrays, stored in the folder. Returns '' if they are
    right, or the output of flash judge."""
    words = [sys.argv[2], 'judge']
    for flag, value in {**options, **arrays}.items():
        if isinstance(value, np.ndarray):
            np.save(f'{folder}/{flag}.npy', value)
            value = f'{folder}/{flag}.npy'
        if flag != 'threads':
            words += [f'--{flag}'] + ([] if value is True else [str(value)])
    done = subprocess.run(words, capture_output=True, text=True)
    return '' if done.returncode == 0 else done.stdout + done.stderr


def check(shape, Hk, Nk, dv, options, of_q, of_k):
    """Checks the outputs and gradients of a case in these layouts. Returns '', or a
    text with the errors."""
    random = np.random.default_rng(34)
    wide = (1,) * (4 - len(shape)) + shape
    front = (0,) * (4 - len(shape))

    def array(layout, *axes):
        return layout(random.standard_normal(axes, np.float32))[front]

    q, do = array(of_q, *wide), array(of_q, *wide[:3], dv)
    k, v = (array(of_k, wide[0], Hk, Nk, cols) for cols in (wide[3], dv))
    o, lse = attention(q, k, v, **options)
    dq, dk, dv = attention_backward(q, k, v, o, lse, do, **options)
    given = {'q': q, 'k': k, 'v': v}
    with tempfile.TemporaryDirectory() as folder:
        return judge(options, folder, {**given, 'o': o, 'lse': lse}) + \
            judge(options, folder, {**given, 'grad-out': do, 'dq': dq, 'dk': dk,
                                    'dv': dv})


def check_fork():
    """Calls attention here and in a forked process, which has lost the threads."""
    q = np.random.default_rng(36).standard_normal((1, 4, 90, 16), np.float32)
    want = attention(q, q, q, threads=4)[0]

    def repeat():
        sys.exit(not np.array_equal(attention(q, q, q, threads=4)[0], want))

    child = multiprocessing.get_context('fork').Process(target=repeat)
    child.start()
    child.join(60)
    text = {0: '', None: 'no result after a minute'}.get(child.exitcode, 'wrong')
    child.kill()
    return text


def check_refusal(error, call):
    """Returns '' if the call raises this error, or a text if it raises none."""
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
    tried += [('a forked process', check_fork())]
    tried += [(f'refusal {n}', check_refusal(*case))
              for n, case in enumerate(REFUSED)]
    failures = [f'{name}: {text}' for name, text in tried if text]
    for line in failures:
        print(line, file=sys.stderr)
    print(f'{len(tried) - len(failures)} passed, {len(failures)} failed')
    return bool(failures)


if __name__ == '__main__':
    sys.exit(main())
