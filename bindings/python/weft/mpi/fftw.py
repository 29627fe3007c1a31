# SPDX-License-Identifier: BSD-3-Clause
"""Planned transforms of one process, with the names that ``mpi4py_fft.fftw`` has.

A planner such as ``rfftn(array, axes=(0, 1))`` gives an object with an ``input_array`` and an
``output_array``. Called without arguments it transforms the one into the other; called with
arrays it transforms these where they lie. Nothing is divided unless ``normalize=True``. weft
computes all of them: the names and numbers that start with ``FFTW_`` only say what is wanted.

>>> import numpy as np
>>> transform = rfftn(np.ones(4))
>>> abs(transform())
array([4., 0., 0.])
"""

import functools

import numpy as np

from .. import _core
from .. import wisdom as _wisdom

FFTW_FORWARD, FFTW_BACKWARD = -1, 1
C2C_FORWARD, C2C_BACKWARD, R2C, C2R = -1, 1, -2, 2
FFTW_R2HC, FFTW_HC2R, FFTW_DHT = 0, 1, 2
FFTW_REDFT00, FFTW_REDFT01, FFTW_REDFT10, FFTW_REDFT11 = 3, 4, 5, 6
FFTW_RODFT00, FFTW_RODFT01, FFTW_RODFT10, FFTW_RODFT11 = 7, 8, 9, 10
FFTW_MEASURE, FFTW_DESTROY_INPUT, FFTW_UNALIGNED, FFTW_CONSERVE_MEMORY = 0, 1, 2, 4
FFTW_EXHAUSTIVE, FFTW_PRESERVE_INPUT, FFTW_PATIENT, FFTW_ESTIMATE = 8, 16, 32, 64
FFTW_WISDOM_ONLY = 1 << 21

flag_dict = {name: value for name, value in globals().items() if name.startswith("FFTW_")}

_R2R = {FFTW_R2HC: "r2hc", FFTW_HC2R: "hc2r", FFTW_DHT: "dht",
        FFTW_REDFT00: "dct1", FFTW_REDFT10: "dct2", FFTW_REDFT01: "dct3", FFTW_REDFT11: "dct4",
        FFTW_RODFT00: "dst1", FFTW_RODFT10: "dst2", FFTW_RODFT01: "dst3", FFTW_RODFT11: "dst4"}
_DCT = {1: FFTW_REDFT00, 2: FFTW_REDFT10, 3: FFTW_REDFT01, 4: FFTW_REDFT11}
_DST = {1: FFTW_RODFT00, 2: FFTW_RODFT10, 3: FFTW_RODFT01, 4: FFTW_RODFT11}
_INVERSE_TYPE = {1: 1, 2: 3, 3: 2, 4: 4}

_time_limit = None


def aligned(shape, n=None, dtype=np.dtype("d"), fill=None):
    """A new array, on a boundary of ``n`` bytes (default: 64); filled with ``fill``, if given."""
    n, dtype = 64 if n is None else n, np.dtype(dtype)
    shape = tuple(int(extent) for extent in np.atleast_1d(shape))
    size = int(np.prod(shape)) * dtype.itemsize
    memory = np.empty(size + n, np.uint8)
    start = -memory.ctypes.data % n
    array = memory[start:start + size].view(dtype).reshape(shape)
    if fill is not None:
        array.fill(fill)
    return array


def aligned_like(z, fill=None):
    """An aligned array of the shape and type of ``z``."""
    return aligned(z.shape, dtype=z.dtype, fill=fill)


def get_alignment(array):
    """The largest power of two, up to 64, that divides the array's address."""
    address = array.ctypes.data
    return min(address & -address, 64) if address else 64


def effort_of(flags):
    """What weft calls the effort of these flags, or of one name of them."""
    flags = (flags,) if isinstance(flags, (str, int)) else flags
    flags = [flag_dict[flag] if isinstance(flag, str) else int(flag) for flag in flags]
    if any(flag & (FFTW_PATIENT | FFTW_EXHAUSTIVE) for flag in flags):
        return "patient"
    return "measure" if FFTW_MEASURE in flags and FFTW_ESTIMATE not in flags else "estimate"


def fit(array, shape, dtype, name):
    """``array`` as a transform reads it: of this shape and type, in C order; copied if it must be."""
    array = np.asarray(array)
    if array.shape != tuple(shape):
        raise ValueError(f"{name} has the shape {array.shape}; the plan is for {tuple(shape)}")
    return np.ascontiguousarray(array.astype(dtype, casting="same_kind", copy=False))


class FFT:
    """A planned transform: what the planners of this module return."""

    def __init__(self, input_array, output_array, axes=(-1,), kind=FFTW_FORWARD, threads=1,
                 flags=(FFTW_ESTIMATE,), normalization=1.0):
        self.input_array, self.output_array = input_array, output_array
        self.axes = tuple(range(input_array.ndim)[axis] for axis in np.atleast_1d(axes))
        kinds = [int(k) for k in np.atleast_1d(kind)]
        self.kinds = kinds * len(self.axes) if len(kinds) == 1 else kinds
        if len(self.kinds) != len(self.axes):
            raise ValueError(f"{len(self.kinds)} kinds of transforms for {len(self.axes)} axes")
        self.normalization, self.threads, self.effort = normalization, threads, effort_of(flags)
        self._plans = {}
        if self.effort != "estimate":
            self._plan(False)

    @property
    def is_r2r(self):
        return self.input_array.dtype.kind == "f" and self.output_array.dtype.kind == "f"

    @property
    def real_shape(self):
        """The shape of the whole transform: of the real side, where one is half complex."""
        return (self.output_array if self.kinds[0] == C2R else self.input_array).shape

    def get_normalization(self):
        """What ``normalize=True`` multiplies with."""
        kind = self.kinds if self.is_r2r else FFTW_FORWARD
        return get_normalization(kind, self.real_shape, self.axes)

    def _plan(self, normalize):
        if normalize not in self._plans:
            options = transform_of(self.kinds, self.is_r2r, normalize)
            self._plans[normalize] = _core.Plan(
                self.real_shape, dtype=self.input_array.dtype, axes=list(self.axes),
                workers=self.threads, effort=self.effort,
                time_limit=10.0 if _time_limit is None else _time_limit, **options)
        return self._plans[normalize]

    def __call__(self, input_array=None, output_array=None, implicit=True, normalize=False, **_):
        """Transforms and returns ``output_array``. Arrays that are not given are the plan's own."""
        plan = self._plan(bool(normalize))
        x = self.input_array if input_array is None else input_array
        out = self.output_array if output_array is None else output_array
        x = fit(x, plan.input_shape, plan.input_dtype, "input_array")
        if out.dtype == plan.output_dtype and out.flags.c_contiguous and \
                not np.may_share_memory(x, out):
            plan(x, out=out)
        else:
            out[...] = plan(x)
        return out


def transform_of(kinds, is_r2r, normalize):
    """The arguments of weft's plans for FFTW's kinds, one for each axis."""
    if is_r2r:
        return {"kind": "r2r", "r2r": [_R2R[k] for k in kinds],
                "direction": "backward", "norm": "backward" if normalize else "none"}
    kind, direction = {C2C_FORWARD: ("c2c", "forward"), C2C_BACKWARD: ("c2c", "backward"),
                       R2C: ("r2c", "forward"), C2R: ("c2r", "backward")}[kinds[0]]
    return {"kind": kind, "direction": direction, "norm": direction if normalize else "none"}


def get_planned_FFT(input_array, output_array, axes=(-1,), kind=FFTW_FORWARD, threads=1,
                    flags=(FFTW_ESTIMATE,), normalization=1.0):
    """A transform between two arrays; ``kind`` is a number of FFTW, or one for each axis."""
    return FFT(input_array, output_array, axes, kind, threads, flags, normalization)


def get_fftw_lib(dtype):
    """weft's module if it has this precision, else None: there is no long double."""
    return _core if np.dtype(dtype).char in "fdFD" else None


def get_normalization(kind, shape, axes):
    """One by the product of the lengths of the transforms, as FFTW counts them."""
    kinds = [kind] * len(axes) if np.ndim(kind) == 0 else list(kind)
    factor = 1
    for one, axis in zip(kinds, axes):
        n = int(shape[axis])
        name = _R2R[one] if one > 1 else "dft"
        factor *= {"dct1": 2 * (n - 1), "dst1": 2 * (n + 1), "dft": n, "dht": n}.get(name, 2 * n)
    return 1.0 / factor


def _with_length(shape, axis, n):
    shape = list(shape)
    shape[axis] = n
    return shape


def _complex(input_array, s=None, axes=(-1,), threads=1, flags=(FFTW_ESTIMATE,),
             output_array=None, kind=C2C_FORWARD):
    if output_array is None:
        output_array = aligned_like(input_array)
    return FFT(input_array, output_array, axes, kind, threads, flags)


def rfftn(input_array, s=None, axes=(-1,), threads=1, flags=(FFTW_ESTIMATE,), output_array=None):
    """Real to half-complex; the last of ``axes`` is halved. ``s`` is not used."""
    if output_array is None:
        shape = _with_length(input_array.shape, axes[-1], input_array.shape[axes[-1]] // 2 + 1)
        output_array = aligned(shape, dtype=input_array.dtype.char.upper())
    return FFT(input_array, output_array, axes, R2C, threads, flags)


def irfftn(input_array, s=None, axes=(-1,), threads=1, flags=(FFTW_ESTIMATE,), output_array=None):
    """Half-complex to real. ``s[-1]`` is the length of the last axis (default: the even one)."""
    if output_array is None:
        n = 2 * (input_array.shape[axes[-1]] - 1) if s is None else int(s[-1])
        shape = _with_length(input_array.shape, axes[-1], n)
        output_array = aligned(shape, dtype=input_array.dtype.char.lower())
    return FFT(input_array, output_array, axes, C2R, threads, flags)


def _r2r(input_array, s=None, axes=(-1,), type=2, threads=1, flags=(FFTW_ESTIMATE,),
         output_array=None, *, kinds, is_inverse):
    if output_array is None:
        output_array = aligned_like(input_array)
    kind = kinds[_INVERSE_TYPE[type] if is_inverse else type]
    return FFT(input_array, output_array, axes, kind, threads, flags)


def _named(function, name, text, **fixed):
    planner = functools.partial(function, **fixed)
    planner.__name__, planner.__doc__ = name, text
    return planner


fftn = _named(_complex, "fftn", "Complex to complex, forward. ``s`` is not used.", kind=C2C_FORWARD)
ifftn = _named(_complex, "ifftn", "Complex to complex, backward. ``s`` is not used.",
               kind=C2C_BACKWARD)
dctn = _named(_r2r, "dctn", "Cosine transform of ``type`` 1 to 4.", kinds=_DCT, is_inverse=False)
idctn = _named(_r2r, "idctn", "The inverse of the cosine transform of ``type`` 1 to 4.",
               kinds=_DCT, is_inverse=True)
dstn = _named(_r2r, "dstn", "Sine transform of ``type`` 1 to 4.", kinds=_DST, is_inverse=False)
idstn = _named(_r2r, "idstn", "The inverse of the sine transform of ``type`` 1 to 4.",
               kinds=_DST, is_inverse=True)
# mpi4py-fft's have FFTW's signs, not NumPy's: they are irfftn and rfftn.
hfftn, ihfftn = irfftn, rfftn

inverse = {rfftn: irfftn, irfftn: rfftn, fftn: ifftn, ifftn: fftn, dctn: idctn, idctn: dctn,
           dstn: idstn, idstn: dstn, FFTW_REDFT00: FFTW_REDFT00, FFTW_REDFT01: FFTW_REDFT10,
           FFTW_REDFT10: FFTW_REDFT01, FFTW_REDFT11: FFTW_REDFT11, FFTW_RODFT00: FFTW_RODFT00,
           FFTW_RODFT01: FFTW_RODFT10, FFTW_RODFT10: FFTW_RODFT01, FFTW_RODFT11: FFTW_RODFT11}


def export_wisdom(filename):
    """Writes weft's wisdom to a file."""
    _wisdom.save(filename)


def import_wisdom(filename):
    """Adds the wisdom of a file."""
    _wisdom.load(filename)


def forget_wisdom():
    """Forgets what was measured and loaded."""
    _wisdom.forget()


def set_timelimit(limit):
    """For planning with FFTW_MEASURE or more, in seconds; negative or None: weft's own, 10 s."""
    global _time_limit
    _time_limit = None if limit is None or limit < 0 else float(limit)


def cleanup():
    """Forgets wisdom and plans that are kept for later calls."""
    forget_wisdom()
    _core.clear_cache()
