"""libflash for NumPy: attention on the CPU, and its gradients.

    from flash import attention
    o, lse = attention(q, k, v, causal=True)

Arrays are float32 with the axes (batch, head, row, column), or without batch, or
without batch and head. Any strides. q, k and v may also be bf16:
ml_dtypes.bfloat16, or uint16 with dtype="bf16"; then o has q's type. flash.h
defines the arguments. docs/library.md
"""
import ctypes
import math
import operator
import os

import numpy as np

_library = ctypes.CDLL(os.path.join(
    os.path.dirname(os.path.abspath(__file__)), 'libflash.so'))
_size = ctypes.c_size_t


class _Problem(ctypes.Structure):
    _fields_ = ([(name, _size) for name in
                 'size B Hq Hk Nq Nk d dv'.split()] +
                [(name, ctypes.c_int) for name in 'type o_type causal'.split()] +
                [('window', _size), ('softcap', ctypes.c_float),
                 ('scale', ctypes.c_float), ('threads', ctypes.c_int)])


class _Array(ctypes.Structure):
    _fields_ = ([('data', ctypes.c_void_p)] +
                [(axis, ctypes.c_ssize_t) for axis in
                 ('batch', 'head', 'row', 'column')])


class _Inputs(ctypes.Structure):
    _fields_ = [(name, _Array) for name in 'qkv']


_library.flash_forward.argtypes = (
    [ctypes.POINTER(_Problem)] + 5 * [_Array] + [ctypes.c_char_p])
_library.flash_backward.argtypes = (
    [ctypes.POINTER(_Problem), _Inputs, _Array, _Array, _Array, _Inputs,
     ctypes.c_char_p])


def _is_bf16(a, dtype):
    """True if an array is bf16: of ml_dtypes, or bits."""
    return str(a.dtype) == ('uint16' if dtype == 'bf16' else 'bfloat16')


def _axes(name, a, axes, of=np.float32):
    """Returns the array with all four axes. If all strides are 0 (a broadcast
    number), returns a copy: strides of 0 mean contiguous to the library."""
    if not isinstance(a, np.ndarray):
        raise TypeError(f'{name} is no NumPy array but {type(a).__name__}')
    if a.dtype != of:
        raise TypeError(f'{name} is {a.dtype}, and not {np.dtype(of)}')
    if a.ndim != axes:
        raise ValueError(f'{name} has {a.ndim} axes, and not {axes}')
    if not a.flags.aligned:
        raise ValueError(f'{name} has elements that are not aligned')
    a = a[(None,) * (4 - axes)]
    return a if any(_strides(a)) else np.ascontiguousarray(a)


def _strides(a):
    """Returns the strides in elements; 0 for an axis of one element, whose
    stride can be any number."""
    return [s // a.itemsize if n > 1 else 0 for n, s in zip(a.shape, a.strides)]


def _array(a):
    """Returns the C struct. The caller keeps a alive while C reads it."""
    return _Array(a.ctypes.data, *_strides(a))


def _prepare(q, k, v, causal, window, softcap, scale, threads, dtype=None):
    axes = getattr(q, 'ndim', 4)
    if axes not in (2, 3, 4):
        raise ValueError(f'q has {axes} axes, and not 2, 3 or 4')
    if dtype not in (None, 'bf16'):
        raise ValueError(f'dtype is {dtype}, and not None or "bf16"')
    narrow = isinstance(q, np.ndarray) and _is_bf16(q, dtype)
    of = q.dtype if narrow else np.uint16 if dtype else np.float32
    q, k, v = (_axes(n, a, axes, of) for n, a in zip('qkv', (q, k, v)))
    B, Hq, Nq, d = q.shape
    _, Hk, Nk, dv = v.shape
    if k.shape != (B, Hk, Nk, d) or v.shape[0] != B:
        raise ValueError(f'q, k and v do not fit: {q.shape}, {k.shape}, '
                         f'{v.shape}')
    if scale is not None and (not math.isfinite(scale) or
                              ctypes.c_float(scale).value == 0):
        raise ValueError(f'scale is {scale}: a finite float32 other than 0')
    if softcap and ctypes.c_float(softcap).value == 0:
        raise ValueError(f'softcap is {softcap}: a float32 above 0, or 0 for '
                         'none')
    window, threads = operator.index(window), operator.index(threads)
    if not (0 <= window < 1 << 31 and 0 <= threads < 1 << 31):
        raise ValueError(f'window and threads are {window} and {threads}: '
                         f'0 to {(1 << 31) - 1}')
    problem = _Problem(ctypes.sizeof(_Problem), B, Hq, Hk, Nq, Nk, d, dv,
                       narrow, narrow, bool(causal), window, softcap, scale or 0, threads)
    return axes, problem, q, k, v


def _call(function, *arguments):
    text = ctypes.create_string_buffer(160)
    result = function(*arguments, text)
    if result:
        raise (MemoryError if result == 1 else ValueError)(text.value.decode())


def attention(q, k, v, causal=False, window=0, softcap=0, scale=None,
              threads=0, dtype=None):
    """Returns (o, lse) of q (B, Hq, Nq, d), k (B, Hk, Nk, d) and v (B, Hk, Nk,
    dv). dtype: "bf16" if the arrays are uint16 with the bits of bf16."""
    axes, problem, q, k, v = _prepare(q, k, v, causal, window, softcap, scale,
                                      threads, dtype)
    o = np.empty(q.shape[:3] + v.shape[3:], q.dtype)
    lse = np.empty(q.shape[:3] + (1,), np.float32)
    _call(_library.flash_forward, problem, *map(_array, (q, k, v, o, lse)))
    front = (0,) * (4 - axes)
    return o[front], lse[..., 0][front]


def attention_backward(q, k, v, o, lse, do, causal=False, window=0, softcap=0,
                       scale=None, threads=0):
    """Returns (dq, dk, dv) from attention's o and lse and do, the gradient of
    o."""
    axes, problem, q, k, v = _prepare(q, k, v, causal, window, softcap, scale,
                                      threads)
    lse = _axes('lse', lse, axes - 1)
    lse = lse.reshape(lse.shape[1:])[..., None]
    o, do = _axes('o', o, axes), _axes('do', do, axes)
    for name, a, cols in ('o', o, v.shape[3]), ('do', do, v.shape[3]), \
            ('lse', lse, 1):
        if a.shape != q.shape[:3] + (cols,):
            raise ValueError(f'{name} does not fit: it is {a.shape}')
    grads = [np.empty(a.shape, np.float32) for a in (q, k, v)]
    _call(_library.flash_backward, problem, _Inputs(*map(_array, (q, k, v))),
          _array(o), _array(lse), _array(do), _Inputs(*map(_array, grads)))
    front = (0,) * (4 - axes)
    return tuple(g[front] for g in grads)
