# SPDX-License-Identifier: BSD-3-Clause
"""weft as a backend of ``scipy.fft``: programs that call it use weft, unchanged.

>>> import scipy.fft
>>> import weft.scipy
>>> with scipy.fft.set_backend(weft.scipy):
...     abs(scipy.fft.rfft(np.ones(4)))
array([4., 0., 0.])

``scipy.fft.set_global_backend(weft.scipy)`` does it for a whole program.
"""

from . import fft as _fft
from ._core import Plan as _Plan

__ua_domain__ = "numpy.scipy.fft"

_FUNCTIONS = {
    name: getattr(_fft, name)
    for name in (
        "fft", "ifft", "fft2", "ifft2", "fftn", "ifftn",
        "rfft", "irfft", "rfft2", "irfft2", "rfftn", "irfftn",
        "hfft", "ihfft", "hfft2", "ihfft2", "hfftn", "ihfftn",
        "dct", "idct", "dctn", "idctn", "dst", "idst", "dstn", "idstn",
        "fht", "ifht",
    )
}


def __ua_function__(method, args, kwargs):  # noqa: N807
    """What SciPy calls instead of its own function."""
    name = method.__name__
    function = _FUNCTIONS.get(name)
    if function is None:
        return NotImplemented
    if not isinstance(kwargs.get("plan"), (_Plan, type(None))):
        raise NotImplementedError("a precomputed plan must be a weft.Plan")
    if "fht" not in name and kwargs.get("workers") is None:
        from scipy.fft import get_workers

        position = 6 if "dct" in name or "dst" in name else 5
        workers = get_workers()
        if workers != 1 and (len(args) <= position or args[position] is None):
            args, kwargs = args[:position], dict(kwargs, workers=workers)
    return function(*args, **kwargs)
