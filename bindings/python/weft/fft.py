# SPDX-License-Identifier: BSD-3-Clause
"""Discrete Fourier transforms with the interface of ``scipy.fft``.

Arguments that all functions share:

x : array_like
    The input. float32 and complex64 are transformed in single precision, float64 and complex128 in
    double; float16 becomes float32, integers and booleans become float64. Any strides are read
    where they lie. An array is copied first if it is not native, not aligned, or if its strides
    are no whole elements. numpy.longdouble goes to ``numpy.fft``, which is slower. Tensors of
    PyTorch on the CPU are read in place, and the result is a tensor. Arrays on a GPU are
    transformed there, on the caller's stream (docs/python.md).
n, s : int, or sequence of int, optional
    The number of points of the transform: a longer input is cut off, a shorter one is taken to end
    in zeros. ``None`` and -1 mean the input's own. Nothing is copied for either.
axis, axes : int, or sequence of int, optional
    The axes to transform; negative ones count from the end.
norm : {"backward", "ortho", "forward"}, optional
    Which direction divides: the backward one by N (default), both by sqrt(N), the forward one by N.
overwrite_x : bool, optional
    The result may be stored in x.
workers : int, optional
    How many threads work. Negative values count back from the number of cores: -1 means all.
    Default: 1, or what :func:`set_workers` says.
plan : weft.Plan, optional
    A plan for this very call, made by :func:`plan`. Without it the plan of an earlier call with
    the same dtype, shape, strides and arguments is used again, or a new one is made and kept:
    see :func:`cache_info`.
out : numpy.ndarray, optional
    Where to store the result; x itself is allowed. It is returned.

All functions may be called from many threads, and let other Python threads run meanwhile.
"""

from contextlib import contextmanager

from numpy.fft import fftfreq, fftshift, ifftshift, rfftfreq

from . import _core
from ._fftlog import fht, fhtoffset, ifht
from ._lengths import next_fast_len, prev_fast_len

__all__ = [
    "fft", "ifft", "fft2", "ifft2", "fftn", "ifftn",
    "rfft", "irfft", "rfft2", "irfft2", "rfftn", "irfftn",
    "hfft", "ihfft", "hfft2", "ihfft2", "hfftn", "ihfftn",
    "dct", "idct", "dctn", "idctn", "dst", "idst", "dstn", "idstn",
    "fht", "ifht", "fhtoffset",
    "fftfreq", "rfftfreq", "fftshift", "ifftshift", "next_fast_len", "prev_fast_len",
    "set_workers", "get_workers", "plan", "cache_info", "clear_cache", "set_cache_limit",
]


def fft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *,
        plan=None, out=None):
    """The 1-D transform sum_j x[j] exp(-2 pi i j k / n).

    >>> abs(weft.fft.fft([1.0, 2.0, 3.0, 4.0])).round(4)
    array([10.    ,  2.8284,  2.    ,  2.8284])
    """
    return _core.fft(x, n, axis, norm, overwrite_x, workers, plan, out)


def ifft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *,
         plan=None, out=None):
    """The inverse of :func:`fft`.

    >>> weft.fft.ifft([10, -2 + 2j, -2, -2 - 2j]).real
    array([1., 2., 3., 4.])
    """
    return _core.ifft(x, n, axis, norm, overwrite_x, workers, plan, out)


def fft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *,
         plan=None, out=None):
    """The 2-D transform of the last two axes: :func:`fftn` with other axes by default.

    >>> weft.fft.fft2(np.ones((2, 2)))[0, 0]
    np.complex128(4+0j)
    """
    return _core.fftn(x, s, axes, norm, overwrite_x, workers, plan, out)


def ifft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *,
          plan=None, out=None):
    """The inverse of :func:`fft2`.

    >>> abs(weft.fft.ifft2(np.eye(2)))
    array([[0.5, 0. ],
           [0. , 0.5]])
    """
    return _core.ifftn(x, s, axes, norm, overwrite_x, workers, plan, out)


def fftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *,
         plan=None, out=None):
    """The transform of all axes, or of those that ``axes`` lists.

    >>> weft.fft.fftn(np.ones((2, 3, 4)), axes=(0, 2)).shape
    (2, 3, 4)
    """
    return _core.fftn(x, s, axes, norm, overwrite_x, workers, plan, out)


def ifftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *,
          plan=None, out=None):
    """The inverse of :func:`fftn`.

    >>> x = np.arange(6.0).reshape(2, 3)
    >>> np.allclose(weft.fft.ifftn(weft.fft.fftn(x)), x)
    True
    """
    return _core.ifftn(x, s, axes, norm, overwrite_x, workers, plan, out)


def rfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *,
         plan=None, out=None):
    """The 1-D transform of real numbers: the first n//2 + 1 points of :func:`fft`.

    >>> abs(weft.fft.rfft([1.0, 2.0, 3.0, 4.0])).round(4)
    array([10.    ,  2.8284,  2.    ])
    """
    return _core.rfft(x, n, axis, norm, overwrite_x, workers, plan, out)


def irfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *,
          plan=None, out=None):
    """The inverse of :func:`rfft`. Pass ``n`` where it is odd: the default is 2 (m - 1) for m points.

    >>> weft.fft.irfft([10, -2 + 2j, -2])
    array([1., 2., 3., 4.])
    """
    return _core.irfft(x, n, axis, norm, overwrite_x, workers, plan, out)


def rfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *,
          plan=None, out=None):
    """The 2-D transform of real numbers: :func:`rfftn` of the last two axes by default.

    >>> weft.fft.rfft2(np.ones((4, 6))).shape
    (4, 4)
    """
    return _core.rfftn(x, s, axes, norm, overwrite_x, workers, plan, out)


def irfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *,
           plan=None, out=None):
    """The inverse of :func:`rfft2`.

    >>> abs(weft.fft.irfft2(np.ones((2, 2))))
    array([[1., 0.],
           [0., 0.]])
    """
    return _core.irfftn(x, s, axes, norm, overwrite_x, workers, plan, out)


def rfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *,
          plan=None, out=None):
    """The transform of real numbers along several axes, of which the last one is halved.

    >>> weft.fft.rfftn(np.ones((4, 6, 8))).shape
    (4, 6, 5)
    """
    return _core.rfftn(x, s, axes, norm, overwrite_x, workers, plan, out)


def irfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *,
           plan=None, out=None):
    """The inverse of :func:`rfftn`. Pass ``s`` where the last length is odd.

    >>> x = np.arange(15.0).reshape(3, 5)
    >>> np.allclose(weft.fft.irfftn(weft.fft.rfftn(x), s=x.shape), x)
    True
    """
    return _core.irfftn(x, s, axes, norm, overwrite_x, workers, plan, out)


def hfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *,
         plan=None, out=None):
    """The 1-D transform of a signal with Hermitian symmetry, of which x is the first half; it is real.

    >>> weft.fft.hfft([1.0, 2.0, 4.0])
    array([ 9., -3.,  1., -3.])
    """
    return _core.hfft(x, n, axis, norm, overwrite_x, workers, plan, out)


def ihfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *,
          plan=None, out=None):
    """The inverse of :func:`hfft`: half of the spectrum of real numbers.

    >>> weft.fft.ihfft([9.0, -3.0, 1.0, -3.0]).real
    array([1., 2., 4.])
    """
    return _core.ihfft(x, n, axis, norm, overwrite_x, workers, plan, out)


def hfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *,
          plan=None, out=None):
    """The 2-D transform of a Hermitian symmetric signal: :func:`hfftn` of the last two axes.

    >>> abs(weft.fft.hfft2(np.ones((2, 2))))
    array([[4., 0.],
           [0., 0.]])
    """
    return _core.hfftn(x, s, axes, norm, overwrite_x, workers, plan, out)


def ihfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *,
           plan=None, out=None):
    """The inverse of :func:`hfft2`.

    >>> weft.fft.ihfft2(np.ones((4, 6))).shape
    (4, 4)
    """
    return _core.ihfftn(x, s, axes, norm, overwrite_x, workers, plan, out)


def hfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *,
          plan=None, out=None):
    """The transform of a Hermitian symmetric signal along several axes; it is real.

    >>> weft.fft.hfftn(np.ones((3, 2, 4))).shape
    (3, 2, 6)
    """
    return _core.hfftn(x, s, axes, norm, overwrite_x, workers, plan, out)


def ihfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *,
           plan=None, out=None):
    """The inverse of :func:`hfftn`.

    >>> weft.fft.ihfftn(np.ones((3, 2, 6))).shape
    (3, 2, 4)
    """
    return _core.ihfftn(x, s, axes, norm, overwrite_x, workers, plan, out)


def dct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None,
        orthogonalize=None, *, plan=None, out=None):
    """The cosine transform of type 1, 2, 3 or 4.

    With ``norm="ortho"``, or if ``orthogonalize`` asks for it, it is an orthogonal matrix. Both
    parts of complex input are transformed.

    >>> weft.fft.dct([1.0, 2.0, 4.0]).round(4)
    array([14.    , -5.1962,  1.    ])
    """
    return _core.dct(x, type, n, axis, norm, overwrite_x, workers, orthogonalize, plan, out)


def idct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None,
         orthogonalize=None, *, plan=None, out=None):
    """The inverse of :func:`dct` of the same type.

    >>> weft.fft.idct(weft.fft.dct([1.0, 2.0, 3.0])).round(12)
    array([1., 2., 3.])
    """
    return _core.idct(x, type, n, axis, norm, overwrite_x, workers, orthogonalize, plan, out)


def dctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None,
         orthogonalize=None, *, plan=None, out=None):
    """The cosine transform of several axes.

    >>> weft.fft.dctn(np.ones((2, 2)), norm="ortho")[0, 0].round(12)
    np.float64(2.0)
    """
    return _core.dctn(x, type, s, axes, norm, overwrite_x, workers, orthogonalize, plan, out)


def idctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None,
          orthogonalize=None, *, plan=None, out=None):
    """The inverse of :func:`dctn` of the same type.

    >>> np.allclose(weft.fft.idctn(weft.fft.dctn(np.eye(2))), np.eye(2))
    True
    """
    return _core.idctn(x, type, s, axes, norm, overwrite_x, workers, orthogonalize, plan, out)


def dst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None,
        orthogonalize=None, *, plan=None, out=None):
    """The sine transform of type 1, 2, 3 or 4.

    With ``norm="ortho"``, or if ``orthogonalize`` asks for it, it is an orthogonal matrix. Both
    parts of complex input are transformed.

    >>> abs(weft.fft.dst([1.0, 1.0, 1.0], type=1)).round(4)
    array([4.8284, 0.    , 0.8284])
    """
    return _core.dst(x, type, n, axis, norm, overwrite_x, workers, orthogonalize, plan, out)


def idst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None,
         orthogonalize=None, *, plan=None, out=None):
    """The inverse of :func:`dst` of the same type.

    >>> weft.fft.idst(weft.fft.dst([1.0, 2.0, 3.0])).round(12)
    array([1., 2., 3.])
    """
    return _core.idst(x, type, n, axis, norm, overwrite_x, workers, orthogonalize, plan, out)


def dstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None,
         orthogonalize=None, *, plan=None, out=None):
    """The sine transform of several axes.

    >>> weft.fft.dstn(np.ones((2, 3))).shape
    (2, 3)
    """
    return _core.dstn(x, type, s, axes, norm, overwrite_x, workers, orthogonalize, plan, out)


def idstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None,
          orthogonalize=None, *, plan=None, out=None):
    """The inverse of :func:`dstn` of the same type.

    >>> np.allclose(weft.fft.idstn(weft.fft.dstn(np.eye(2))), np.eye(2))
    True
    """
    return _core.idstn(x, type, s, axes, norm, overwrite_x, workers, orthogonalize, plan, out)


@contextmanager
def set_workers(workers):
    """Sets the default of ``workers`` for this thread, in a ``with`` block.

    >>> with weft.fft.set_workers(2):
    ...     y = weft.fft.fft(np.ones(8))
    """
    before = _core.default_workers()
    _core.set_default_workers(workers)
    try:
        yield
    finally:
        _core.set_default_workers(before)


def get_workers():
    """The default of ``workers`` in this thread.

    >>> weft.fft.get_workers()
    1
    """
    return _core.default_workers()


def plan(function, x, *, n=None, s=None, axis=-1, axes=None, norm=None, workers=None, type=2,
         orthogonalize=None, out=None, effort="measure"):
    """A :class:`weft.Plan` for calls of ``weft.fft.<function>`` with arrays like x.

    ``effort`` says how it is chosen: "estimate" by a model, as without a plan, "measure" by timing
    the best few algorithms, "patient" by timing all of them.

    >>> x = np.ones((64, 64))
    >>> p = weft.fft.plan("rfftn", x, effort="estimate")
    >>> weft.fft.rfftn(x, plan=p)[0, 0]
    np.complex128(4096+0j)
    """
    if function.endswith("2"):
        function, axes = function[:-1] + "n", (-2, -1) if axes is None else axes
    many = function.endswith("n")
    return _core.plan_for(function, x, s if many else n, axes if many else axis, norm, workers, out,
                          type, orthogonalize, effort)


def cache_info():
    """How the plans of earlier calls served later ones: a dict of hits, misses, limit and size.

    >>> sorted(weft.fft.cache_info())
    ['hits', 'limit', 'misses', 'size']
    """
    return dict(zip(("hits", "misses", "limit", "size"), _core.cache_info()))


def clear_cache():
    """Forgets the plans of earlier calls.

    >>> weft.fft.clear_cache()
    >>> weft.fft.cache_info()["size"]
    0
    """
    _core.clear_cache()
    _core.clear_device_cache()


def set_cache_limit(plans):
    """Says how many plans are kept: 128 by default, 0 for none. The last used ones stay.

    >>> weft.fft.set_cache_limit(128)
    """
    _core.set_cache_limit(plans)
