# SPDX-License-Identifier: BSD-3-Clause
"""The interface of mpi4py-fft on the ranks that mpiexec started: every part is compared with the
same part of NumPy's or SciPy's result."""

import functools
import sys

try:
    from mpi4py import MPI
except (ImportError, RuntimeError) as error:
    print("skipped:", error)
    sys.exit(77)

import numpy as np
import scipy.fft

import weft.mpi
from weft.mpi import PFFT, DistArray, Pencil, Subcomm, fftw, libfft, newDistArray

comm = MPI.COMM_WORLD


def field(shape, dtype):
    generator = np.random.default_rng(2)
    x = generator.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * generator.standard_normal(shape)
    return x.astype(dtype)


def raises(error, call):
    try:
        call()
    except error:
        return
    raise AssertionError(f"{error} was not raised")


def check(expected, x, fft):
    """Forward against the same part of ``expected``, and back again."""
    scale = max(1.0, np.abs(expected).max())
    tolerance = (1e-5 if x.dtype.char in "fF" else 1e-13) * scale
    u = newDistArray(fft, False)
    u[:] = x[fft.local_slice(False)]
    kept = u.v.copy()
    u_hat = fft.forward(u)
    assert fft.global_shape(True) == expected.shape and u_hat.shape == fft.shape(True)
    assert np.abs(u_hat - expected[fft.local_slice(True)]).max(initial=0) <= tolerance
    assert (u.v == kept).all() and u_hat.dtype == fft.dtype(True)
    back = newDistArray(fft, False, val=7)
    assert fft.backward(u_hat, back) is back
    assert np.abs(back.v - kept).max(initial=0) <= 10 * tolerance
    strided = np.empty(u_hat.shape + (2,), u_hat.dtype)[..., 0]
    fft.forward(u, strided, normalize=False)
    total = 1 / np.prod([serial.M for serial in fft.xfftn])
    assert np.abs(strided - expected[fft.local_slice(True)] * total).max(initial=0) <= \
        tolerance * total
    fft.destroy()


def test_fourier():
    for shape, axes, grid, dtype, collapse in [
            ((5, 6, 7), None, None, "d", False), ((5, 6, 7), None, (-1,), "F", True),
            ((5, 6, 7), (2, 0, 1), None, "f", False), ((6, 5), (0,), None, "D", True),
            ((4, 3, 5, 6), ((0,), (1,), (2, 3)), None, "d", True),
            ((2, 9), None, None, "D", False)]:  # fewer lines than ranks
        x = field(shape, dtype)
        flat = np.hstack(axes if axes is not None else [range(len(shape))])
        function = scipy.fft.rfftn if dtype in "fd" else scipy.fft.fftn
        check(function(x, axes=flat, norm="forward"), x,
              PFFT(comm, shape, axes, dtype, grid, collapse=collapse))


def test_real_to_real():
    x = field((5, 6, 7, 8), float)
    pairs = {axes: (functools.partial(forward, type=3), functools.partial(backward, type=3))
             for axes, forward, backward in [((2, 3), fftw.dstn, fftw.idstn),
                                             ((1,), fftw.dctn, fftw.idctn)]}
    fft = PFFT(comm, x.shape, ((0,), (1,), (2, 3)), transforms=pairs, grid=(-1,))
    expected = scipy.fft.dstn(x, type=3, axes=(2, 3)) / (14 * 16)
    expected = scipy.fft.dct(expected, type=3, axis=1) / 12
    check(scipy.fft.rfft(expected, axis=0, norm="forward"), x, fft)


def test_functions_of_numpy():
    x = field((6, 7, 8), float)
    pairs = {(2,): (np.fft.rfftn, np.fft.irfftn)}
    check(np.fft.rfftn(x, norm="forward"), x,
          PFFT(comm, x.shape, backend="numpy", transforms=pairs))


def polynomial(spectrum, n, points, real):
    """The values of the trigonometric polynomial of these modes along each axis, from its sum."""
    result = spectrum
    for axis, (length, count) in enumerate(zip(n, points)):
        half = real and axis == len(n) - 1
        modes = np.arange(length // 2 + 1) if half else np.fft.fftfreq(length, 1 / length)
        matrix = np.exp(2j * np.pi * np.outer(np.arange(count) / count, modes))
        if length % 2 == 0:
            matrix[:, length // 2] = matrix[:, length // 2].real
        if half:  # and the conjugates, which are not stored
            twice = np.where((modes == 0) | ((length % 2 == 0) & (modes == length // 2)), 1, 2)
            result = np.moveaxis(np.tensordot(matrix * twice, result, (1, axis)), 0, axis).real
        else:
            result = np.moveaxis(np.tensordot(matrix, result, (1, axis)), 0, axis)
    return result


def test_padding():
    for shape in [(6, 5, 8), (5, 6, 9)]:
        points = [int(n * 1.5) for n in shape]
        for dtype in (float, complex):
            real = dtype is float
            x = field(shape, dtype)
            spectrum = np.fft.rfftn(x, norm="forward") if real else np.fft.fftn(x, norm="forward")
            fft = PFFT(comm, shape, dtype=dtype, padding=[1.5] * 3)
            assert fft.global_shape(False) == tuple(points)
            assert fft.global_shape(True) == spectrum.shape
            mine = np.ascontiguousarray(spectrum[fft.local_slice(True)])
            padded = fft.backward(mine)
            expected = polynomial(spectrum, shape, points, real)
            assert np.abs(padded - expected[fft.local_slice(False)]).max(initial=0) < 1e-12
            again = fft.forward(padded.copy()).copy()
            assert np.abs(fft.forward(fft.backward(again)) - again).max(initial=0) < 1e-12
            fft.destroy()


def test_arrays():
    whole = np.arange(3 * 5 * 6 * 7).reshape(3, 5, 6, 7)
    for dtype in (np.int16, np.complex128):
        a = DistArray(whole.shape, dtype=dtype, alignment=2, rank=1)
        a[:] = whole[a.local_slice()]
        for axis in (0, 1, 2):
            b = a.redistribute(axis)
            assert b.alignment == axis and b.global_shape == whole.shape
            assert (b.v == whole[b.local_slice()]).all()
            back = DistArray(whole.shape, a.subcomm[1:], dtype=dtype, alignment=a.alignment, rank=1)
            assert (b.redistribute(out=back).v == whole[a.local_slice()]).all()
        for index in [(0, 1, 2, slice(None)), (slice(None), slice(1, 4), -1, slice(0, 7, 3)),
                      (2, 4, 5, 6)]:
            part = a.get(index)
            assert (part is None) == (comm.Get_rank() > 0)
            assert part is None or (part == whole[index]).all()
    vector = newDistArray(PFFT(comm, (4, 6)), rank=1)
    assert isinstance(vector[0], DistArray) and vector[0].rank == 0
    assert not isinstance(vector[0, 0], DistArray) and isinstance(vector[0][0], np.ndarray)
    assert (vector + 1).rank == 1 and isinstance(vector.sum(axis=-1), np.ndarray)


def test_errors():
    fft = PFFT(comm, (6, 8))
    x = np.zeros(fft.shape(False))
    raises(ValueError, lambda: fft.forward(np.zeros((1, 1))))
    raises(TypeError, lambda: fft.forward(x.astype(complex)))
    raises(ValueError, lambda: fft.forward(x, np.zeros((1, 1), complex)))
    raises(TypeError, lambda: fft.forward(x, np.zeros(fft.shape(True))))
    locked = np.zeros(fft.shape(True), complex)
    locked.flags.writeable = False
    raises(ValueError, lambda: fft.forward(x, locked))
    if comm.Get_size() > 1:  # arrays of another communicator
        alone = newDistArray(PFFT(MPI.COMM_SELF, (6, 8)), False)
        raises(ValueError, lambda: fft.forward(alone))
    raises(ValueError, lambda: fft.forward(newDistArray(PFFT(comm, (8, 8)), False)))
    assert "<pre>" in fft._repr_html_()
    for padding in (False, [1.5, 1.5]):  # a plan comes first, or a stage of one rank
        both = PFFT(comm, (6, 8), padding=padding)
        good = np.zeros(both.shape(False))
        bad = np.zeros((1, 1)) if comm.Get_rank() == 0 else good
        raises((ValueError, TypeError), lambda: both.forward(bad))
        assert (both.forward(good) == 0).all()
        both.destroy()
    fft.destroy()
    raises(ValueError, lambda: PFFT(comm))
    raises(ValueError, lambda: PFFT(comm, (4, 0)))
    raises(ValueError, lambda: PFFT(comm, (4, 5), axes=(0, 0)))
    raises(ValueError, lambda: PFFT(comm, (4, 5), axes=(0, 2)))
    raises(TypeError, lambda: PFFT(comm, (4, 5), dtype=int))
    raises(TypeError, lambda: PFFT(comm, (4, 5), dtype=np.longdouble))
    raises(ValueError, lambda: PFFT(comm, (4, 5), backend="other"))
    raises(ValueError, lambda: PFFT(comm, (4, 5), padding=[1.5]))
    for wrong in ([0.5, -1], [1, 0.999], [-1.5, 1.5], [1.5, np.nan], [np.inf, 1], 0, 0.5):
        raises(ValueError, lambda: PFFT(comm, (4, 5), padding=wrong))
    raises(ValueError, lambda: libfft.FFT((5,), padding=0.5))
    PFFT(comm, (4, 5), padding=[1, 1 - 1e-12]).destroy()  # none, but for rounding
    raises(ValueError, lambda: PFFT(comm, (4, 5), grid=(1, 1, 1)))
    raises(ValueError, lambda: PFFT(comm, (4, 5), axes=((0, 1),), padding=[1.5, 1.5]))
    if comm.Get_size() > 1:
        raises(ValueError, lambda: PFFT(comm, (4, 5), axes=(1, 0), grid=(-1, 1)))
        raises(ValueError, lambda: PFFT(comm, (8,)))
        raises(ValueError, lambda: Pencil(Subcomm(comm, (0, 1)), (4, 5), 0))
    raises(ValueError, lambda: DistArray((4, 5)).redistribute())
    raises(ValueError, lambda: DistArray((4, 5)).redistribute(out=np.zeros((4, 5))))
    raises(IndexError, lambda: DistArray((4, 5)).get((0,)))


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
if comm.Get_rank() == 0:
    print("passed on", comm.Get_size(), "ranks of", MPI.Get_library_version().splitlines()[0])
