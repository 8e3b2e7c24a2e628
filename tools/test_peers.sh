#!/bin/sh
# tools/test_peers.sh PEERS.SO: does peers.py refuse peers that are wrong, before
# it times them? Instead of PyTorch and NumPy it finds modules of their names
# that answer wrongly: with zeros, and too briefly.
set -u
. tools/count.sh

library=$(cd "$(dirname "$1")" && pwd)/${1##*/}
peers=$PWD/docs/lab/peers.py
mkdir -p "$tmp/build" "$tmp/torch/nn"
cat >"$tmp/torch/__init__.py" <<'END_OF_TORCH'
__version__, float32 = "1.0", None
def set_num_threads(n): pass
def set_grad_enabled(how): pass
class frombuffer(bytearray):
    def __new__(cls, data, dtype): return bytearray.__new__(cls, data)
    def __init__(self, data, dtype): super().__init__(len(data))
    def same(self, *_): return self
    reshape = clone = contiguous = numpy = same
    def tobytes(self): return bytes(self)
END_OF_TORCH
echo 'def scaled_dot_product_attention(q, k, v, is_causal): return q' \
    >"$tmp/torch/nn/functional.py"
: >"$tmp/torch/nn/__init__.py"
cat >"$tmp/numpy.py" <<'END_OF_NUMPY'
__version__, inf, float32 = "1.0", float("inf"), float
class ones:
    def __init__(self, *_): pass
    def same(self, *_, **__): return self
    reshape = copy = swapaxes = max = sum = same
    __matmul__ = __imul__ = __iadd__ = __isub__ = __itruediv__ = same
    def tobytes(self): return bytes(1000)
frombuffer = full = exp = triu = lambda *_, **__: ones()
END_OF_NUMPY

must "a wrong peer is an error" not env -C "$tmp" OPENBLAS=/none \
    PYTHONPATH="$tmp" python3 "$peers" "$library" forward 64
cp "$tmp/log" "$tmp/said"
must "a peer of zeros is refused" \
    grep 'torch: .*relative error 1.0e+00: refused' "$tmp/said"
must "a short output is seen" grep 'numpy: .*its output is cut short' "$tmp/said"
must "and neither is timed" not grep -v -e ^step -e ^flash2_simd \
    "$tmp/build/bench_peers.tsv"
must "but our step is" grep -q ^flash2_simd "$tmp/build/bench_peers.tsv"
finish
