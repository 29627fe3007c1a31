# SPDX-License-Identifier: BSD-3-Clause
"""A program that calls scipy.fft and numpy.fft runs on weft."""
import numpy as np
import scipy.fft

import weft.numpy
import weft.scipy

x = np.random.default_rng(1).standard_normal((100, 120))


def smooth(x):
    """Somebody else's function: it knows nothing of weft."""
    modes = scipy.fft.dctn(x, norm="ortho")
    modes[20:, 20:] = 0
    return scipy.fft.idctn(modes, norm="ortho")


expected = smooth(x)
with scipy.fft.set_backend(weft.scipy):
    result = smooth(x)
assert np.allclose(result, expected)

with weft.numpy.patch():
    spectrum = np.fft.rfft2(x)
assert np.allclose(spectrum, scipy.fft.rfft2(x))
print("the same numbers, by weft")
