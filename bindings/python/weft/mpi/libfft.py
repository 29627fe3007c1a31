# SPDX-License-Identifier: BSD-3-Clause
"""Transforms of one process in both directions, with padding: what ``PFFT`` does on each pencil."""

import numpy as np

from .. import _core
from . import fftw

#: Those of mpi4py-fft. All are computed by weft; they say how functions in ``transforms`` are called.
BACKENDS = ("weft", "fftw", "pyfftw", "numpy", "scipy", "mkl_fft")


def padding_factor(value, axis):
    """The factor as a number of at least 1, or an error."""
    factor = float(value)
    if not 1 - 1e-8 <= factor < np.inf:  # not for NaN either
        raise ValueError(f"the padding of axis {axis} is {value}: a padded field has at least as many "
                         "points as the spectrum has modes; pass a factor of at least 1, such as 1.5, "
                         "and 1 for no padding")
    return max(factor, 1.0)


class Arrays:
    """The two arrays of a pair of transforms, made when they are first asked for."""

    def __init__(self, shapes, dtypes):
        self.shapes, self.dtypes, self._arrays = shapes, dtypes, [None, None]

    def __getitem__(self, side):
        if self._arrays[side] is None:
            self._arrays[side] = fftw.aligned(self.shapes[side], dtype=self.dtypes[side], fill=0)
        return self._arrays[side]


class OneWay:
    """One direction of a transform: ``transform(input_array, output_array, normalize=...)``.

    Arrays that are not given are ``input_array`` and ``output_array``, which belong to both
    directions. Those that are given are used where they lie.
    """

    def __init__(self, arrays, source, function, is_normalized):
        self._arrays, self._source, self._function = arrays, source, function
        self._is_normalized = is_normalized

    @property
    def input_array(self):
        return self._arrays[self._source]

    @property
    def output_array(self):
        return self._arrays[1 - self._source]

    def _checked(self, input_array, output_array):
        """The two arrays, or an error."""
        a, b = self._source, 1 - self._source
        x = fftw.fit(self.input_array if input_array is None else input_array,
                     self._arrays.shapes[a], self._arrays.dtypes[a], "input_array")
        out = self.output_array if output_array is None else output_array
        shape, dtype = self._arrays.shapes[b], self._arrays.dtypes[b]
        if not isinstance(out, np.ndarray) or out.shape != tuple(shape):
            raise ValueError(f"output_array has the shape {np.shape(out)}; the result has {tuple(shape)}")
        if not out.flags.writeable:
            raise ValueError("output_array is read-only")
        if not np.can_cast(dtype, out.dtype, "same_kind"):
            raise TypeError(f"output_array has the type {out.dtype}; the result is {dtype}")
        return x, out

    def __call__(self, input_array=None, output_array=None, normalize=None, **_):
        x, out = self._checked(input_array, output_array)
        shape, dtype = (side[1 - self._source] for side in (self._arrays.shapes, self._arrays.dtypes))
        normalize = self._is_normalized if normalize is None else bool(normalize)
        if out.dtype == dtype and out.flags.c_contiguous and not np.may_share_memory(x, out):
            self._function(x, out, normalize)
        else:
            result = np.empty(shape, dtype)
            self._function(x, result, normalize)
            out[...] = result
        return out


def planners_of(axes, dtype, transforms):
    """The forward and the backward function for these axes, and whether they are the caller's."""
    given = (transforms or {}).get(tuple(axes))
    if given is not None:
        return given
    is_real = np.dtype(dtype).kind == "f"
    return (fftw.rfftn, fftw.irfftn) if is_real else (fftw.fftn, fftw.ifftn)


class FFT:
    """A transform of ``shape`` along ``axes``, forward and backward.

    ``forward`` divides by the number of points unless called with ``normalize=False``; ``backward``
    does not divide unless called with ``normalize=True``.

    ``padding``, a number of at least 1, is for one axis: then ``shape`` is that of the padded
    field, and the spectrum has only the ``round(n / padding)`` lowest modes along the axis. If their
    number is even, the highest one stands for both of its signs. ``transforms`` has pairs of
    functions for tuples of axes: planners of ``weft.mpi.fftw``, or functions such as
    ``numpy.fft.rfftn``. ``threads`` and ``planner_effort`` ("FFTW_MEASURE") are those of the plans;
    other options of mpi4py-fft are accepted, and have no effect.

    >>> fft = FFT((4, 6))
    >>> fft.forward.input_array[:] = 1
    >>> complex(fft.forward()[0, 0])
    (1+0j)
    """

    def __init__(self, shape, axes=None, dtype=float, padding=False, backend="weft",
                 transforms=None, threads=1, planner_effort="FFTW_ESTIMATE", **_):
        self.shape = [int(n) for n in np.atleast_1d(shape)]
        if backend not in BACKENDS:
            raise ValueError(f"backend is {backend!r}; it must be one of {', '.join(BACKENDS)}")
        chosen = range(len(self.shape)) if axes is None else np.atleast_1d(axes)
        self.axes = [range(len(self.shape))[axis] for axis in chosen]
        if not self.axes or len(set(self.axes)) != len(self.axes):
            raise ValueError(f"axes {tuple(self.axes)} must be different, and at least one")
        self.dtype, self.backend = np.dtype(dtype), backend
        if self.dtype.char not in "fdFD":
            raise TypeError(f"dtype is {self.dtype}; it must be float32, float64, complex64 or complex128")
        last = self.axes[-1]
        factor = 1.0 if padding is False else \
            padding_factor(padding[last] if np.ndim(padding) else padding, last)
        self.padding_factor = factor
        self._options = {"threads": threads, "flags": (planner_effort,)}
        forward, backward = planners_of(self.axes, self.dtype, transforms)
        blank = np.broadcast_to(np.zeros((), self.dtype), self.shape)
        first = self._called(forward, blank, {"s": tuple(self.shape[a] for a in self.axes)})
        self._is_planned = isinstance(first, fftw.FFT)
        result = first.output_array if self._is_planned else first
        self.real_transform = self.dtype.kind == "f" and result.dtype.kind == "c"
        self.kinds = first.kinds if self._is_planned and first.is_r2r else None
        out_shape, out_type = list(result.shape), result.dtype
        if not self._is_planned:
            out_type = np.dtype(self.dtype.char.upper()) if result.dtype.kind == "c" else self.dtype
        self.M = fftw.get_normalization(self.kinds or fftw.FFTW_FORWARD, self.shape, self.axes)
        run = self._run_planned if self._is_planned else self._run_function
        if factor > 1 + 1e-8:
            if len(self.axes) != 1 or self.kinds is not None or not self._is_planned:
                raise ValueError("padding is for Fourier transforms along one axis")
            self.modes = int(np.round(self.shape[self.axes[0]] / factor))
            out_shape[self.axes[0]] = self.modes // 2 + 1 if self.real_transform else self.modes
            run = self._run_padded
        self._functions, self._plans = (forward, backward), {}
        self.arrays = Arrays((tuple(self.shape), tuple(out_shape)), (self.dtype, out_type))
        self.forward = OneWay(self.arrays, 0, lambda *a: run(0, *a), True)
        self.backward = OneWay(self.arrays, 1, lambda *a: run(1, *a), False)

    def _called(self, function, x, lengths):
        """A planner of weft.mpi.fftw makes a plan, other functions give the result."""
        inner = getattr(function, "func", function)
        while hasattr(inner, "func"):
            inner = inner.func
        if inner.__module__ == fftw.__name__:
            return function(x, axes=self.axes, **lengths, **self._options)
        if self.backend == "scipy":  # as scipy.fftpack calls it
            lengths = {"shape": lengths["s"]}
        return np.asarray(function(x, axes=self.axes, **lengths))

    def _plan(self, side, normalize, **more):
        key = (side, normalize)
        if key not in self._plans:
            if self.kinds is None:
                kinds = [fftw.C2C_FORWARD, fftw.C2C_BACKWARD] if not self.real_transform else \
                    [fftw.R2C, fftw.C2R]
                kinds = [kinds[side]]
            else:
                kinds = [fftw.inverse.get(k, k) if side else k for k in self.kinds]
            self._plans[key] = _core.Plan(
                self.shape, dtype=self.dtype, axes=self.axes, workers=self._options["threads"],
                effort=fftw.effort_of(self._options["flags"]),
                **fftw.transform_of(kinds, self.kinds is not None, normalize), **more)
        return self._plans[key]

    def _run_planned(self, side, x, out, normalize):
        self._plan(side, normalize)(x, out=out)

    def _run_function(self, side, x, out, normalize):
        """A function that divides by the number of points on the way back, as NumPy's do."""
        result = self._called(self._functions[side], x,
                              {"s": tuple(self.shape[a] for a in self.axes)})
        out[...] = result.real if out.dtype.kind == "f" else result
        if normalize != bool(side):
            out *= self.M if normalize else 1 / self.M

    def _at(self, index):
        return (slice(None),) * self.axes[0] + (index,)

    def _run_padded(self, side, x, out, normalize):
        """The shorter spectrum is read or written by the plan; only its highest mode is special."""
        modes, axis = self.modes, self.axes[0]
        extents = list(self.arrays.shapes[1])
        is_split = modes % 2 == 0 and not self.real_transform
        extents[axis] += is_split
        options = {"modes": "first" if self.real_transform else "around_zero",
                   "input_extents" if side else "output_extents": extents}
        plan = self._plan(side, normalize, **options)
        half, low = modes // 2, slice(0, modes // 2)
        if modes % 2:
            plan(x, out=out)
        elif side == 0 and self.real_transform:
            plan(x, out=out)
            out[self._at(half)] = 2 * out[self._at(half)].real
        elif side == 0:  # the plan gives the modes -half .. half
            both = plan(x)
            out[self._at(low)] = both[self._at(low)]
            out[self._at(half)] = both[self._at(half)] + both[self._at(half + 1)]
            out[self._at(slice(half + 1, None))] = both[self._at(slice(half + 2, None))]
        else:
            both = np.empty(extents, x.dtype)
            both[self._at(low)] = x[self._at(low)]
            if self.real_transform:
                both[self._at(half)] = 0.5 * x[self._at(half)].real
            else:
                both[self._at(half)] = both[self._at(half + 1)] = 0.5 * x[self._at(half)]
                both[self._at(slice(half + 2, None))] = x[self._at(slice(half + 1, None))]
            plan(both, out=out)
