# SPDX-License-Identifier: BSD-3-Clause
"""The fast Hankel transform of numbers at logarithmic distances.

On a logarithmic grid a Hankel transform is a convolution, so that a Fourier transform of r f(r),
a multiplication by u_m and a transform back do it (A. J. S. Hamilton, "Uncorrelated modes of the
non-linear power spectrum", 2000, appendix B).
"""

import warnings

import numpy as np

from . import _core

__all__ = ["fht", "ifht", "fhtoffset"]

# Coefficients B_2k / (2k (2k - 1)) of Stirling's series.
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156,
             -3617 / 122400, 43867 / 244188, -174611 / 125400)
_SHIFT = 12


def _log_gamma(z):
    """log Gamma(z) along a line of constant real part, up to a multiple of 2 pi i.

    By Stirling's series where the real part is large, from Gamma(z) = Gamma(z + k) / (z ... (z + k - 1))
    otherwise. The poles give inf.
    """
    z = np.asarray(z, dtype=complex)
    total = np.zeros_like(z)
    with np.errstate(divide="ignore"):
        for _ in range(int(max(0, np.ceil(_SHIFT - z.real.min())))):
            total -= np.log(z)
            z = z + 1
    series = np.zeros_like(z)
    for coefficient in reversed(_STIRLING):
        series = series / (z * z) + coefficient
    return total + (z - 0.5) * np.log(z) - z + 0.5 * np.log(2 * np.pi) + series / z


def _gamma_ratio(upper, lower):
    """Gamma(upper) / Gamma(lower) of real numbers, in the limit where both are poles."""
    def is_pole(x):
        return x <= 0 and x == np.floor(x)

    if is_pole(upper) and is_pole(lower):
        # Gamma(-k + e) ~ (-1)^k / (k! e), on both sides with the same e
        sign = (-1.0) ** (upper - lower)
        return sign * np.exp((_log_gamma(1 - lower) - _log_gamma(1 - upper)).real)
    if is_pole(lower):
        return 0.0
    if is_pole(upper):
        return np.inf
    return np.exp(_log_gamma(upper) - _log_gamma(lower)).real


def _coefficients(n, dln, mu, offset, bias):
    """u_m = (kr)^(-2 pi i m / (n dln)) U(bias + 2 pi i m / (n dln)), m = 0 .. n/2, with
    U(x) = 2^x Gamma((mu + 1 + x) / 2) / Gamma((mu + 1 - x) / 2)."""
    x = bias + 2j * np.pi * np.arange(n // 2 + 1) / (n * dln)
    upper, lower = (mu + 1 + x) / 2, (mu + 1 - x) / 2
    with np.errstate(invalid="ignore", over="ignore"):
        log_u = x * np.log(2) - 1j * x.imag * offset
        log_u += _log_gamma(upper) - _log_gamma(lower)
        u = np.exp(log_u)
    u[0] = 2.0**bias * _gamma_ratio((mu + 1 + bias) / 2, (mu + 1 - bias) / 2)
    if n % 2 == 0:
        u.imag[-1] = 0
    return u


def _transform(a, dln, mu, offset, bias, inverse):
    a = np.asarray(a)
    if a.dtype.kind not in "fc":
        a = a.astype(float)
    n = a.shape[-1]
    centre = (n - 1) / 2
    j = np.arange(n) - centre
    if bias != 0:
        a = a * np.exp((bias if inverse else -bias) * (j * dln + (offset if inverse else 0.0)))
    u = _coefficients(n, dln, mu, offset, bias)
    if inverse and u[0] == 0:
        warnings.warn("singular inverse transform; consider changing the bias", stacklevel=3)
        u = u.copy()
        u[0] = np.inf
    if not inverse and np.isinf(u[0].real):
        warnings.warn("singular transform; consider changing the bias", stacklevel=3)
        u = u.copy()
        u[0] = 0
    spectrum = _core.rfft(a, None, -1, None, False, None, None, None)
    spectrum = spectrum / u.conj() if inverse else spectrum * u
    result = _core.irfft(spectrum, n, -1, None, False, None, None, None)[..., ::-1]
    if bias != 0:
        result = result * np.exp((bias if inverse else -bias) * (j * dln + (0.0 if inverse else offset)))
    return result


def fht(a, dln, mu, offset=0.0, bias=0.0):
    """The fast Hankel transform A(k) = int a(r) J_mu(k r) k dr on logarithmic grids.

    ``dln`` is the distance of the points of r and k, ``offset`` the logarithm of k r at the centre,
    ``bias`` the exponent q of the power law (k r)^q that is taken out before.

    >>> r = np.logspace(-4, 4, 64)
    >>> dln = np.log(r[1] / r[0])
    >>> offset = weft.fft.fhtoffset(dln, mu=0.5, initial=0.0)
    >>> weft.fft.fht(r**1.5 * np.exp(-r**2 / 2), dln, mu=0.5, offset=offset).shape
    (64,)
    """
    return _transform(a, dln, mu, offset, bias, inverse=False)


def ifht(A, dln, mu, offset=0.0, bias=0.0):  # noqa: N803
    """The inverse of :func:`fht`.

    >>> a = np.sin(np.arange(16.0))
    >>> A = weft.fft.fht(a, 0.1, 1.0)
    >>> np.allclose(weft.fft.ifht(A, 0.1, 1.0), a)
    True
    """
    return _transform(A, dln, mu, offset, bias, inverse=True)


def fhtoffset(dln, mu, initial=0.0, bias=0.0):
    """The offset next to ``initial`` for which the transform does not ring.

    >>> round(float(weft.fft.fhtoffset(0.1, mu=0.5)), 6)
    -0.027643
    """
    y = np.pi / (2 * dln)
    upper = _log_gamma(np.array([(mu + 1 + bias) / 2 + 1j * y]))[0].imag
    lower = _log_gamma(np.array([(mu + 1 - bias) / 2 + 1j * y]))[0].imag
    turns = (np.log(2) - initial) / dln + (upper + lower) / np.pi
    return initial + (turns - np.round(turns)) * dln
