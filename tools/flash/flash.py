"""libflash for NumPy: attention on the CPU, and its gradients.

    from flash import attention
    o, lse = attention(q, k, v, causal=True)

Arrays are float32 with the axes (batch, head, row, column). The axis batch, or
batch and head, may be omitted. Any strides are allowed. q, k and v may also be
bf16: ml_dtypes.bfloat16, or uint16 with dtype="bf16". Then o has the type of q.
flash.h defines the arguments. docs/library.md
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
    """True if the array is bf16: ml_dtypes.bfloat16, or uint16 with dtype="bf16"."""
    return str(a.dtype) == ('uint16' if dtype == 'bf16' else 'bfloat16')


def _axes(name, a, axes, of=np.float32):
    """Checks the array, and returns it with all four axes. Copies an array whose
    strides are all 0 (a broadcast number), because for the library strides of 0
    mean a contiguous array."""
    if not isinstance(a, np.ndarray):
        raise TypeError(f'{name} is {type(a).__name__}; a NumPy array is needed')
    if isinstance(a, np.ma.MaskedArray):
        raise TypeError(f'{name} is a masked array, whose mask would be ignored; '
                        'use a.filled(number)')
    if a.dtype != of:
        raise TypeError(f'{name} is {a.dtype}; {np.dtype(of)} is needed')
    if a.ndim != axes:
        raise ValueError(f'{name} has {a.ndim} axes; {axes} are needed')
    if not a.flags.aligned:
        raise ValueError(f'{name} has elements that are not aligned')
    a = a[(None,) * (4 - axes)]
    return a if any(_strides(a)) else np.ascontiguousarray(a)


def _strides(a):
    """Returns the strides in elements. An axis of one element can have any
    stride, so 0 is returned for it."""
    return [s // a.itemsize if n > 1 else 0 for n, s in zip(a.shape, a.strides)]


def _array(a):
    """Returns the C struct of array a. The caller must keep a alive while C uses
    the struct."""
    return _Array(a.ctypes.data, *_strides(a))


def _prepare(q, k, v, causal, window, softcap, scale, threads, dtype=None):
    axes = getattr(q, 'ndim', 4)
    if axes not in (2, 3, 4):
        raise ValueError(f'q has {axes} axes; 2, 3 or 4 are needed')
    if dtype not in (None, 'bf16'):
        raise ValueError(f'dtype is {dtype}; None or "bf16" is allowed')
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
        raise ValueError(f'scale is {scale}; a finite float32 other than 0 is '
                         'allowed')
    if softcap and ctypes.c_float(softcap).value == 0:
        raise ValueError(f'softcap is {softcap}; a float32 above 0, or 0 for no '
                         'softcap, is allowed')
    window, threads = operator.index(window), operator.index(threads)
    if not (0 <= window < 1 << 31 and 0 <= threads < 1 << 31):
        raise ValueError(f'window and threads are {window} and {threads}; '
                         f'0 to {(1 << 31) - 1} are allowed')
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
    dv). dtype is "bf16" if the arrays are uint16 with the bits of bf16."""
    axes, problem, q, k, v = _prepare(q, k, v, causal, window, softcap, scale,
                                      threads, dtype)
    o = np.empty(q.shape[:3] + v.shape[3:], q.dtype)
    lse = np.empty(q.shape[:3] + (1,), np.float32)
    _call(_library.flash_forward, problem, *map(_array, (q, k, v, o, lse)))
    front = (0,) * (4 - axes)
    return o[front], lse[..., 0][front]


def attention_backward(q, k, v, o, lse, do, causal=False, window=0, softcap=0,
                       scale=None, threads=0):
    """Returns the gradients (dq, dk, dv). o and lse are the results of attention,
    and do is the gradient with respect to o."""
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
