# SPDX-License-Identifier: BSD-3-Clause
"""weft: fast Fourier transforms.

>>> import numpy as np
>>> import weft.fft
>>> abs(weft.fft.rfft(np.ones(4)))
array([4., 0., 0.])

``weft.fft`` has the functions of ``scipy.fft``; ``weft.Plan`` is a transform that is planned once
and run many times, ``weft.SpectralOperator`` a transform, a function of the modes and the
transform back as one plan; ``weft.scipy`` and ``weft.numpy`` let programs that call ``scipy.fft`` and
``numpy.fft`` use weft; ``weft.mpi`` is for arrays over the ranks of a cluster; ``weft.wisdom`` keeps
measured plans.
"""

from . import _core, _longdouble, fft, wisdom
from ._core import Plan, SpectralOperator

__version__ = _core.version()
__all__ = ["Plan", "SpectralOperator", "fft", "wisdom", "__version__"]
