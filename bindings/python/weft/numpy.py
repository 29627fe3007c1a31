# SPDX-License-Identifier: BSD-3-Clause
"""The transforms of ``numpy.fft`` with NumPy's conventions, and a way to put them in its place.

>>> import weft.numpy
>>> with weft.numpy.patch():
...     abs(np.fft.rfft(np.ones(4)))
array([4., 0., 0.])

They differ from ``weft.fft`` as NumPy does from SciPy: an axis may be listed several times and is then
transformed several times; ``s`` without ``axes`` gives a DeprecationWarning.
"""

import functools
import warnings
from contextlib import contextmanager

import numpy as np

from . import _core

__all__ = [
    "fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "rfft", "irfft", "rfft2", "irfft2", "rfftn",
    "irfftn", "hfft", "ihfft", "patch",
]


def _one(name):
    function = getattr(_core, name)

    @functools.wraps(getattr(np.fft, name))
    def transform(a, n=None, axis=-1, norm=None, out=None):
        return function(a, n, axis, norm, False, None, None, out)

    return transform


def _several(name, function, default_axes):
    one = getattr(_core, name[:-1])

    @functools.wraps(getattr(np.fft, function))
    def transform(a, s=None, axes=default_axes, norm=None, out=None):
        if s is not None:
            s = list(s)
            if axes is None:
                warnings.warn("`axes` should not be `None` if `s` is not `None`",
                              DeprecationWarning, stacklevel=2)
            if None in s:
                warnings.warn("Passing an array containing `None` values to `s` is deprecated: pass -1", DeprecationWarning,
                              stacklevel=2)
        if axes is not None and len(set(np.mod(axes, max(np.ndim(a), 1)).tolist())) < len(axes):
            return _repeated(name, one, a, s, axes, norm, out)
        return getattr(_core, name)(a, s, axes, norm, False, None, None, out)

    return transform


def _repeated(name, one, a, s, axes, norm, out):
    """Axis by axis, the last one first, as NumPy does it; r2c is the first step, c2r the last."""
    s = [-1] * len(axes) if s is None else s
    if len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    order = list(zip(s, axes))[::-1]
    steps = [one] * len(order)
    if name == "rfftn":
        steps[1:] = [_core.fft] * (len(order) - 1)
    if name == "irfftn":
        order = order[:0:-1][::-1] + order[:1]
        steps[:-1] = [_core.ifft] * (len(order) - 1)
    for position, ((length, axis), step) in enumerate(zip(order, steps)):
        length = None if length in (-1, None) else length
        is_last = position + 1 == len(order)
        a = step(a, length, axis, norm, False, None, None, out if is_last else None)
    return a


fft, ifft, rfft, irfft = _one("fft"), _one("ifft"), _one("rfft"), _one("irfft")
hfft, ihfft = _one("hfft"), _one("ihfft")
fftn, fft2 = _several("fftn", "fftn", None), _several("fftn", "fft2", (-2, -1))
ifftn, ifft2 = _several("ifftn", "ifftn", None), _several("ifftn", "ifft2", (-2, -1))
rfftn, rfft2 = _several("rfftn", "rfftn", None), _several("rfftn", "rfft2", (-2, -1))
irfftn, irfft2 = _several("irfftn", "irfftn", None), _several("irfftn", "irfft2", (-2, -1))


@contextmanager
def patch():
    """Puts these functions into ``numpy.fft`` for the ``with`` block, in all threads."""
    names = [name for name in __all__ if name != "patch"]
    before = {name: getattr(np.fft, name) for name in names}
    for name in names:
        setattr(np.fft, name, globals()[name])
    try:
        yield
    finally:
        for name, function in before.items():
            setattr(np.fft, name, function)
