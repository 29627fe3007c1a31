# SPDX-License-Identifier: BSD-3-Clause
"""weft.SpectralOperator against NumPy's transforms and a multiplication."""

import numpy as np
import pytest

import weft


def test_poissons_equation():
    shape, lengths = (12, 9, 10), (1.0, 2.0, 3.0)
    f = np.random.default_rng(3).standard_normal(shape)
    solve = weft.SpectralOperator(shape, "where(k2 == 0, 0, -1/k2) * u0", lengths=lengths)
    k = [2 * np.pi * np.fft.fftfreq(n, length / n) for n, length in zip(shape, lengths)]
    k2 = k[0][:, None, None] ** 2 + k[1][:, None] ** 2 + k[2] ** 2
    k2[0, 0, 0] = np.inf
    wanted = np.fft.ifftn(np.fft.fftn(f) * (-1 / k2)).real
    assert np.allclose(solve(f), wanted)
    out = f.copy()
    assert solve(out, out=out) is out and np.allclose(out, wanted)
    assert solve.inputs == solve.outputs == 1 and "k2" in repr(solve) and solve.explanation


def test_several_complex_fields_in_single_precision():
    rng = np.random.default_rng(4)
    u, v = (rng.standard_normal((6, 7)) + 1j * rng.standard_normal((6, 7)) for _ in range(2))
    op = weft.SpectralOperator((6, 7), "kx*u0 + i*u1; u0", "c2c", np.float32)
    x, y = op(u, v)
    kx = np.fft.fftfreq(6, 1 / 6)[:, None]
    assert x.dtype == y.dtype == np.complex64
    assert np.allclose(x, np.fft.ifft2(kx * np.fft.fft2(u) + 1j * np.fft.fft2(v)), atol=1e-5)
    assert np.allclose(y, u, atol=1e-5)
    a, b = np.empty((2, 6, 7), np.complex64)
    assert op(u, v, out=(a, b))[0] is a and np.array_equal(b, y)


def test_inputs_in_any_order_in_memory_and_of_any_type():
    x = np.arange(30).reshape(6, 5)
    op = weft.SpectralOperator((5, 6), "u0")
    assert np.allclose(op(x.T), x.T)
    assert np.allclose(op(x.astype(np.float16).T), x.T)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="at character 6"):
        weft.SpectralOperator((8,), "u0 * foo")
    with pytest.raises(ValueError, match="axes"):
        weft.SpectralOperator((8,), "ky*u0")
    op = weft.SpectralOperator((8,), "u0 + u1")
    with pytest.raises(ValueError, match="2 inputs"):
        op(np.ones(8))
    with pytest.raises(ValueError, match="shape"):
        op(np.ones(8), np.ones(9))
    with pytest.raises(TypeError, match="real"):
        op(np.ones(8), 1j * np.ones(8))
    with pytest.raises(ValueError, match="outputs"):
        op(np.ones(8), np.ones(8), out=(np.ones(8), np.ones(8)))
    with pytest.raises(ValueError):
        op(np.ones(8), np.ones(8), out=np.ones(8, np.float32))
