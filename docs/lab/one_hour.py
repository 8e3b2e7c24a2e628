"""Compares FlashAttention-2 in 17 lines of NumPy with chapter 06's kernel.

    python3 docs/lab/one_hour.py

Both compute O and L for the bundled Q, K, V. Exits with 1 if the results differ by
more than rounding errors. docs/one_hour.md
"""
import os
import subprocess
import sys
import tempfile

SYSTEM = '/usr/bin/python3'  # setup.sh installs NumPy for this Python

try:
    import numpy as np
except ImportError:
    if sys.executable == SYSTEM or not os.path.exists(SYSTEM):
        sys.exit('one_hour.py needs NumPy: sh setup.sh --dev installs it')
    os.execv(SYSTEM, [SYSTEM] + sys.argv)


# ANCHOR: flash2
def flash2(Q, K, V, Br, Bc):
    O, L = np.empty((len(Q), V.shape[1])), np.empty(len(Q))
    for i in range(0, len(Q), Br):  # a tile of queries
        q = Q[i:i + Br] / np.sqrt(Q.shape[1])
        m, l = np.full(len(q), -np.inf), np.zeros(len(q))
        o = np.zeros((len(q), V.shape[1]))
        for j in range(0, len(K), Bc):  # a tile of keys
            s = q @ K[j:j + Bc].T
            m_new = np.maximum(m, s.max(axis=1))
            alpha = np.exp(m - m_new)  # the factor of earlier tiles
            p = np.exp(s - m_new[:, None])
            l = alpha * l + p.sum(axis=1)
            o = alpha[:, None] * o + p @ V[j:j + Bc]
            m = m_new
        O[i:i + Br] = o / l[:, None]  # divided once
        L[i:i + Br] = m + np.log(l)
    return O, L
# ANCHOR_END: flash2


def main():
    build = os.environ.get('BUILD', 'build')
    arrays = [f'common/data/{name}.npy' for name in 'qkv']
    Q, K, V = (np.load(path)[0].astype(float) for path in arrays)
    with tempfile.TemporaryDirectory() as folder:
        out, lse = os.path.join(folder, 'o.npy'), os.path.join(folder, 'l.npy')
        subprocess.run(
            [f'{build}/tools/flash/run', 'attention', '--step', 'flash2',
             '--out', out, '--lse', lse,
             '--q', arrays[0], '--k', arrays[1], '--v', arrays[2]],
            check=True, stdout=subprocess.DEVNULL)
        O, L = np.load(out)[0], np.load(lse)[0]
    worst = 0
    for head in range(len(Q)):
        ours, lse = flash2(Q[head], K[head], V[head], Br=64, Bc=32)
        worst = max(worst, abs(ours - O[head]).max() / abs(V[head]).max(),
                    abs(lse - L[head].reshape(-1)).max() / abs(lse).max())
    print(f'{len(Q)} heads, {Q.shape[1]} queries, tiles of 64 x 32: O and L of '
          'NumPy and of chapter 06')
    print('are the same up to rounding' if worst < 1e-6 else
          f'differ by {worst:.1e}')
    return not worst < 1e-6


if __name__ == '__main__':
    sys.exit(main())
