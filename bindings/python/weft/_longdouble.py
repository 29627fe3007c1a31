# SPDX-License-Identifier: BSD-3-Clause
"""numpy.longdouble, which weft has no kernels for: by numpy.fft, and DCT and DST as the transform of
the line with its mirror images. NumPy computes in extended precision from version 2 on."""

import numpy as np
from numpy.fft import fftn as _fftn
from numpy.fft import ifftn as _ifftn
from numpy.fft import irfftn as _irfftn
from numpy.fft import rfftn as _rfftn

_FORWARD_OF = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


def call(name, x, lengths, axes, norm, kind, orthogonalize, plan, out):
    """A function of weft.fft of an array of longdouble or clongdouble."""
    if plan is not None:
        raise ValueError("plans are for float32 and float64, x is of type longdouble")
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(
            f'Invalid norm value {norm!r}; should be "backward", "ortho" or "forward".')
    x = np.asarray(x)
    if not name.endswith("n"):
        lengths, axes = None if lengths is None else (lengths,), (axes,)
    if "dct" in name or "dst" in name:
        result = _trigonometric(name, x, lengths, axes, norm, kind, orthogonalize)
    else:
        result = _fourier(name, x, lengths, _unique(axes, x.ndim), norm or "backward")
    wanted = np.clongdouble if result.dtype.kind == "c" else np.longdouble
    result = result.astype(wanted, copy=False)  # NumPy 1 computes in double
    if out is None:
        return result
    if not isinstance(out, np.ndarray):
        raise TypeError("out must be of ArrayType: pass a numpy.ndarray")
    if out.shape != result.shape:
        raise ValueError(f"out has wrong shape; the result has the shape {result.shape}")
    np.copyto(out, result)
    return out


def _unique(axes, ndim):
    if axes is not None:
        axes = tuple(np.atleast_1d(axes).tolist())
        if len({axis % max(ndim, 1) for axis in axes}) != len(axes):
            raise ValueError("all axes must be unique")
    return axes


def _fourier(name, x, s, axes, norm):
    if axes is None and s is not None:
        axes = tuple(range(-len(s), 0))
    is_complex = x.dtype.kind == "c"
    if name.startswith(("rfft", "ihfft")) and is_complex:
        raise TypeError("x must be a real sequence")
    if name.startswith("fft"):
        return _fftn(x, s, axes, norm)
    if name.startswith("ifft"):
        return _ifftn(x, s, axes, norm)
    if name.startswith("rfft"):
        return _rfftn(x, s, axes, norm)
    if name.startswith("irfft"):
        return _irfftn(x, s, axes, norm)
    if name.startswith("hfft"):
        return _irfftn(np.conj(x), s, axes, _FORWARD_OF[norm])
    return np.conj(_rfftn(x, s, axes, _FORWARD_OF[norm]))


def _trigonometric(name, x, s, axes, norm, kind, orthogonalize):
    if kind not in (1, 2, 3, 4):
        raise ValueError(f"type must be 1, 2, 3 or 4; {kind} was given")
    if axes is None:
        axes = range(-len(s), 0) if s is not None else range(x.ndim)
    axes = _unique(tuple(np.atleast_1d(axes).tolist()), x.ndim)
    lengths = [-1] * len(axes) if s is None else list(np.atleast_1d(s).tolist())
    if len(lengths) != len(axes):
        raise ValueError("when given, axes and shape arguments have to be of the same length")
    if orthogonalize is None:
        orthogonalize = norm == "ortho"
    if name.startswith("i"):
        kind = {2: 3, 3: 2}.get(kind, kind)
        norm = _FORWARD_OF[norm or "backward"]
    for axis, length in zip(axes, lengths):
        line = _resized(np.moveaxis(x, axis, -1), length)
        line = _one_axis("dst" in name, line, kind, norm or "backward", orthogonalize)
        x = np.moveaxis(line, -1, axis)
    return np.ascontiguousarray(x)


def _resized(x, length):
    if length == -1 or length is None:
        length = x.shape[-1]
    if length < 1:
        raise ValueError(f"Invalid number of FFT data points ({length}) specified")
    if length <= x.shape[-1]:
        return x[..., :length]
    return np.concatenate([x, np.zeros((*x.shape[:-1], length - x.shape[-1]), x.dtype)], axis=-1)


def _extended(is_sine, x, kind):
    """The periodic line whose transform has the result as its first, or every other, point."""
    n = x.shape[-1]
    zero = np.zeros((*x.shape[:-1], 1), x.dtype)
    back = x[..., ::-1]
    if kind == 1:
        if is_sine:
            return np.concatenate([zero, x, zero, -back], axis=-1), slice(1, n + 1)
        if n < 2:
            raise ValueError("DCT-I is not defined for size < 2")
        return np.concatenate([x, back[..., 1:-1]], axis=-1), slice(0, n)
    sign = -1 if is_sine else 1
    if kind == 3:  # period 4 n, from -2 n on alternating
        if is_sine:
            half = np.concatenate([zero, x, back[..., 1:]], axis=-1)
        else:
            half = np.concatenate([x, zero, -back[..., :-1]], axis=-1)
        return np.concatenate([half, -half], axis=-1), slice(1, 2 * n, 2)
    points = np.zeros((*x.shape[:-1], (4 if kind == 2 else 8) * n), x.dtype)
    if kind == 2:
        points[..., 1:2 * n:2] = x
        points[..., 2 * n + 1::2] = sign * back
        return points, slice(is_sine, n + is_sine)
    mirrored = np.concatenate([x, -sign * back], axis=-1)
    points[..., 1:4 * n:2] = mirrored
    points[..., 4 * n + 1::2] = -mirrored
    return points, slice(1, 2 * n, 2)


def _one_axis(is_sine, x, kind, norm, orthogonalize):
    n = x.shape[-1]
    size = 2 * (n + (0 if kind > 1 else 1 if is_sine else -1))
    edges = [-1] if is_sine else [0, -1] if kind == 1 else [0]
    scales_edges = orthogonalize and kind < 4 and not (is_sine and kind == 1)
    root = np.sqrt(np.longdouble(2))
    if scales_edges and kind != 2:
        x = x.copy()
        x[..., edges] *= root
    line, points = _extended(is_sine, x, kind)
    spectrum = _fftn(line, axes=(-1,))[..., points]
    if kind > 2:
        spectrum = spectrum / 2
    if x.dtype.kind == "c":
        result = spectrum * 1j if is_sine else spectrum
    else:
        result = (-spectrum.imag if is_sine else spectrum.real).astype(x.dtype)
    if scales_edges and kind != 3:
        result[..., edges] /= root
    if norm == "ortho":
        return result / np.sqrt(np.longdouble(size))
    return result / np.longdouble(size) if norm == "forward" else result
