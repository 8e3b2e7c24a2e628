"""flash.py as ./run --judge sees it, by several threads at once; and what it
refuses.

    python3 06_flash2/library/test_flash.py build/lib build/06_flash2/run
"""
import subprocess
import sys
import tempfile
import threading

import numpy as np

sys.path.insert(0, sys.argv[1])
from flash import attention, attention_backward  # noqa: E402

# q's shape, Hk, Nk, dv, and what attention is told.
CASES = [((2, 4, 37, 24), 2, 41, 40, {}),
         ((1, 1, 5, 8), 1, 2070, 8, {'causal': True}),
         ((4, 19, 16), 1, 33, 16, {'window': 5, 'threads': 1}),
         ((9, 16), 1, 7, 16, {'softcap': 3.0, 'scale': -0.5}),
         ((1, 2, 0, 4), 2, 3, 4, {})]


def judge(told, folder, arrays, *flags):
    """Is what these flags' files hold right? Or what the program says."""
    words = [sys.argv[2], *flags]
    for flag, value in {**told, **arrays}.items():
        if isinstance(value, np.ndarray):
            np.save(f'{folder}/{flag}.npy', value)
            value = f'{folder}/{flag}.npy'
        if flag != 'threads':
            words += [f'--{flag}'] + ([] if value is True else [str(value)])
    said = subprocess.run(words, capture_output=True, text=True)
    return '' if said.returncode == 0 else said.stdout + said.stderr


def check(case, failures, swapped):
    shape, Hk, Nk, dv, told = case
    random = np.random.default_rng(34)
    wide = (1,) * (4 - len(shape)) + shape
    front = (0,) * (4 - len(shape))

    def array(*axes):
        if swapped:  # (B, N, H, d), seen as (B, H, N, d)
            axes = axes[0], axes[2], axes[1], axes[3]
        a = random.standard_normal(axes).astype(np.float32)
        return (a.swapaxes(1, 2) if swapped else a)[front]

    q, k = array(*wide), array(wide[0], Hk, Nk, wide[3])
    v, do = array(wide[0], Hk, Nk, dv), array(*wide[:3], dv)
    o, lse = attention(q, k, v, **told)
    grads = attention_backward(q, k, v, o, lse, do, **told)
    given = {'q': q, 'k': k, 'v': v}
    with tempfile.TemporaryDirectory() as folder:
        said = judge(told, folder, {**given, 'judge': o, 'judge-lse': lse}) or \
            judge(told, folder,
                  {**given, 'grad-out': do,
                   **dict(zip(('judge-q', 'judge-k', 'judge-v'), grads))},
                  '--backward')
    if said:
        failures.append(f'{case}, swapped: {swapped}: {said}')


def check_one_number(failures):
    """Arrays that are one number, seen as many: all their strides are 0."""
    random = np.random.default_rng(34)
    full = [random.standard_normal((2, 2, 65, 64)).astype(np.float32)
            for _ in range(4)]
    for nth in range(4):
        seen = list(full)
        seen[nth] = np.broadcast_to(np.float32(0.5), full[nth].shape)
        results = []
        for q, k, v, do in seen, [a.copy() for a in seen]:
            o, lse = attention(q, k, v)
            results.append((o, lse) +
                           attention_backward(q, k, v, o, lse, do))
        if not all(map(np.array_equal, *results)):
            failures.append(f'one number for array {nth}: not as its copy')


def raises(error, call):
    try:
        call()
    except error:
        return True
    return False


def main():
    failures, done = [], []

    def run(*job):
        check(*job)
        done.append(job)
    threads = [threading.Thread(target=run, args=(case, failures, swapped))
               for case in CASES for swapped in (False, True)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if len(done) < len(threads):
        failures.append('a case ended in an exception')
    check_one_number(failures)
    x = np.zeros((1, 2, 3, 4), np.float32)
    refusals = [(TypeError, lambda: attention(x.astype(float), x, x)),
                (TypeError, lambda: attention([1], x, x)),
                (TypeError, lambda: attention(x, x, x, window=1.5)),
                (ValueError, lambda: attention(x, x[0], x)),
                (ValueError, lambda: attention(x, x[..., :3], x)),
                (ValueError, lambda: attention(x, x, x[:, :, :2])),
                (ValueError, lambda: attention(x[:, :1], x, x)),
                (ValueError, lambda: attention(x, x, x, scale=np.nan)),
                (ValueError, lambda: attention(x, x, x, scale=1e-60)),
                (ValueError, lambda: attention(x, x, x, softcap=-1)),
                (ValueError, lambda: attention(x, x, x, threads=-1)),
                (ValueError, lambda: attention_backward(x, x, x, x, x[0, 0],
                                                        x))]
    failures += [f'refusal {n} is none' for n, (error, call) in
                 enumerate(refusals) if not raises(error, call)]
    for line in failures:
        print(line, file=sys.stderr)
    print(f'{2 * len(CASES) + 4 + len(refusals) - len(failures)} passed, '
          f'{len(failures)} failed')
    return bool(failures)


if __name__ == '__main__':
    sys.exit(main())
