"""flash.py against float64 in NumPy, by several threads at once.

    python3 06_flash2/library/test_flash.py build/lib
"""
import sys
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


def truth(q, k, v, causal=False, window=0, softcap=0, scale=None, threads=0):
    """Scores, weights and lse, in float64; a query that sees no key has 0."""
    group = q.shape[1] // k.shape[1]
    s = q @ k.repeat(group, 1).swapaxes(-1, -2)
    s = s * (q.shape[-1]**-0.5 if scale is None else scale)
    s = softcap * np.tanh(s / softcap) if softcap else s
    after = (np.arange(q.shape[2])[:, None] + k.shape[2] - q.shape[2] -
             np.arange(k.shape[2]))
    seen = (after >= 0 if causal else True) & (
        abs(after) < window if window else True)
    s = np.where(seen, s, -np.inf)
    m = s.max(-1, keepdims=True, initial=-1e300)
    p = np.exp(s - m)
    l = p.sum(-1, keepdims=True)
    with np.errstate(divide='ignore'):
        return p / np.where(l, l, 1), (m + np.log(l))[..., 0]


def check(case, failures, swapped):
    shape, Hk, Nk, dv, told = case
    random = np.random.default_rng(34)
    wide = (1,) * (4 - len(shape)) + shape
    front = (0,) * (4 - len(shape))

    def array(*axes):
        if swapped:  # (B, N, H, d), seen as (B, H, N, d)
            axes = axes[0], axes[2], axes[1], axes[3]
        a = random.standard_normal(axes).astype(np.float32)
        return a.swapaxes(1, 2) if swapped else a

    q, k = array(*wide), array(wide[0], Hk, Nk, wide[3])
    v, do = array(wide[0], Hk, Nk, dv), array(*wide[:3], dv)
    o, lse = attention(q[front], k[front], v[front], **told)
    p, want = truth(*(a.astype(float) for a in (q, k, v)), **told)
    group = wide[1] // Hk
    pairs = [(o, (p @ v.repeat(group, 1))[front]), (lse, want[front])]

    # A change of the loss along each input's own gradient, by differences.
    grads = attention_backward(q[front], k[front], v[front], o, lse, do[front],
                               **told)
    for g, a in zip(grads, (q, k, v)):
        if not a.size or not q.size:
            continue
        step, h = random.standard_normal(a.shape), 1e-5

        def loss(by):
            x, y, z = (b + by * step if b is a else b.astype(float)
                       for b in (q, k, v))
            return (truth(x, y, z, **told)[0] @ z.repeat(group, 1) * do).sum()
        along = (g * step[front]).sum()
        pairs.append((along / np.abs(g * step[front]).sum(),
                      (loss(h) - loss(-h)) / (2 * h) /
                      np.abs(g * step[front]).sum()))
    for got, right in pairs:
        if not np.allclose(got, right, rtol=1e-4, atol=1e-5):
            failures.append(f'{case}: {got} and not {right}')


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
