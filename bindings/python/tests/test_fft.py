# SPDX-License-Identifier: BSD-3-Clause
"""weft.fft against numpy.fft and the definitions, over dtypes, lengths, strides and arguments."""

import itertools

import numpy as np
import pytest

import weft.fft

SHAPES = [(1,), (2,), (7,), (16,), (9, 10), (5, 1, 6), (4, 3, 2, 5)]
NORMS = [None, "backward", "ortho", "forward"]
DTYPES = [np.float32, np.float64, np.complex64, np.complex128]


def random(shape, dtype=np.float64, seed=1):
    generator = np.random.default_rng(seed)
    x = generator.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * generator.standard_normal(shape)
    return x.astype(dtype)


def tolerance(dtype, size):
    return 8 * np.finfo(dtype).eps * max(1.0, np.log2(max(size, 2)))


def close(actual, expected, dtype):
    assert actual.shape == expected.shape
    scale = max(1.0, float(np.abs(expected).max())) if expected.size else 1.0
    assert np.abs(actual - expected).max(initial=0.0) <= tolerance(dtype, expected.size) * scale


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_one_axis_equals_numpy(shape, dtype, norm):
    x = random(shape, dtype)
    for axis, n in itertools.product(range(-len(shape), len(shape)), (None, 1, 4, 11)):
        for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
            if name in ("rfft", "ihfft") and x.dtype.kind == "c":
                continue
            if name in ("irfft", "hfft") and n is None and shape[axis] == 1:
                continue
            expected = getattr(np.fft, name)(x, n, axis, norm)
            actual = getattr(weft.fft, name)(x, n, axis, norm)
            assert actual.dtype.kind == expected.dtype.kind
            assert np.finfo(actual.dtype).eps == np.finfo(dtype).eps
            close(actual, expected, dtype)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_many_axes_equal_numpy(dtype, norm):
    x = random((4, 5, 6), dtype)
    for axes, s in [((0, 1, 2), None), ((2, 0), None), ((1,), (8,)), ((0, 2), (3, 7)),
                    ((-1, -2, 0), (6, 6, 6))]:
        for name in ("fftn", "ifftn", "rfftn", "irfftn"):
            if name == "rfftn" and x.dtype.kind == "c":
                continue
            expected = getattr(np.fft, name)(x, s, axes, norm)
            close(getattr(weft.fft, name)(x, s, axes, norm), expected, dtype)


def dct_by_definition(x, kind, is_sine):
    n = x.shape[-1]
    j, k = np.arange(n), np.arange(n)[:, None]
    if is_sine:
        matrix = {1: 2 * np.sin(np.pi * (j + 1) * (k + 1) / (n + 1)),
                  2: 2 * np.sin(np.pi * (j + 0.5) * (k + 1) / n),
                  3: np.where(j == n - 1, (-1.0) ** k, 2 * np.sin(np.pi * (j + 1) * (k + 0.5) / n)),
                  4: 2 * np.sin(np.pi * (j + 0.5) * (k + 0.5) / n)}[kind]
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            first = np.cos(np.pi * j * k / (n - 1)) * np.where((j == 0) | (j == n - 1), 1, 2)
        matrix = {1: first,
                  2: 2 * np.cos(np.pi * (j + 0.5) * k / n),
                  3: np.where(j == 0, 1, 2 * np.cos(np.pi * j * (k + 0.5) / n)),
                  4: 2 * np.cos(np.pi * (j + 0.5) * (k + 0.5) / n)}[kind]
    return x @ matrix.T


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128, np.longdouble])
@pytest.mark.parametrize("n", [2, 5, 8, 17])
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_cosine_and_sine_transforms_are_their_definitions(kind, n, dtype):
    x = random((3, n), dtype)
    for name in ("dct", "dst"):
        expected = dct_by_definition(x.astype(np.complex128), kind, name == "dst")
        actual = getattr(weft.fft, name)(x, kind)
        assert actual.dtype == dtype
        close(actual, expected if x.dtype.kind == "c" else expected.real,
              np.float32 if dtype == np.float32 else np.float64)


@pytest.mark.parametrize("dtype", [np.float64, np.longdouble])
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_inverse_cosine_and_sine_transforms_come_back(kind, norm, dtype):
    x = random((6, 5), dtype)
    for name, orthogonalize in itertools.product(("dct", "dst", "dctn", "dstn"), (None, True, False)):
        there = getattr(weft.fft, name)(x, kind, norm=norm, orthogonalize=orthogonalize)
        back = getattr(weft.fft, "i" + name)(there, kind, norm=norm, orthogonalize=orthogonalize)
        close(back, x, np.float64)


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("name", ["dct", "dst"])
def test_orthogonal_transforms_are_orthogonal_matrices(name, kind):
    for dtype in (np.float64, np.longdouble):
        matrix = getattr(weft.fft, name)(np.eye(7, dtype=dtype), kind, norm="ortho").astype(float)
        assert np.abs(matrix @ matrix.T - np.eye(7)).max() < 1e-14


def test_dtypes_follow_scipy():
    for given, real, complex_ in [(np.float16, np.float32, np.complex64),
                                  (np.int32, np.float64, np.complex128),
                                  (np.bool_, np.float64, np.complex128),
                                  (np.uint8, np.float64, np.complex128),
                                  (np.longdouble, np.longdouble, np.clongdouble)]:
        x = np.ones(6).astype(given)
        assert weft.fft.fft(x).dtype == complex_
        assert weft.fft.rfft(x).dtype == complex_
        assert weft.fft.dct(x).dtype == real
        assert weft.fft.irfft(x).dtype == real


def layouts(x):
    big = np.zeros(tuple(2 * n for n in x.shape), x.dtype)
    even = big[tuple(slice(None, None, 2) for _ in x.shape)]
    even[...] = x
    yield "every other", even
    yield "fortran", np.asfortranarray(x)
    yield "backwards", np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1]
    yield "big-endian", x.astype(x.dtype.newbyteorder(">"))
    bytes_ = np.zeros(x.nbytes + 1, np.uint8)
    unaligned = bytes_[1:].view(x.dtype).reshape(x.shape)
    unaligned[...] = x
    yield "unaligned", unaligned
    read_only = x.copy()
    read_only.flags.writeable = False
    yield "read-only", read_only
    fields = np.zeros(x.shape, [("a", np.int8), ("x", x.dtype)])
    fields["x"] = x
    yield "a field", fields["x"]
    yield "a list", x.tolist()


@pytest.mark.parametrize("shape", [(6, 10), (40, 50)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_any_memory_is_read(shape, dtype):
    x = random(shape, dtype)
    expected = np.fft.fft2(x)
    for name, y in layouts(x):
        close(weft.fft.fft2(y), expected, dtype), name
        close(weft.fft.fft(y, axis=0), np.fft.fft(x, axis=0), dtype), name
        close(weft.fft.ifft(y, axis=1), np.fft.ifft(x, axis=1), dtype), name


def test_broadcast_and_sliding_input():
    row = random(8)
    close(weft.fft.rfft(np.broadcast_to(row, (5, 8))),
          np.fft.rfft(np.broadcast_to(row, (5, 8))), np.float64)
    windows = np.lib.stride_tricks.sliding_window_view(random(64), 16)[::4]
    close(weft.fft.rfft(windows), np.fft.rfft(windows), np.float64)


def test_the_input_is_left_alone_unless_it_may_be_overwritten():
    x = random((12, 15), np.complex128)
    kept = x.copy()
    weft.fft.fftn(x)
    assert (x == kept).all()
    expected = np.fft.fftn(x)
    result = weft.fft.fftn(x, overwrite_x=True)
    assert result is x
    close(result, expected, np.complex128)


@pytest.mark.parametrize("dtype", DTYPES)
def test_out_takes_the_result(dtype):
    x = random((33, 40), dtype)
    expected = np.fft.fft(x, axis=0)
    for out in (np.empty_like(expected), np.empty_like(expected.T).T, np.empty((66, 80), expected.dtype)[::2, ::2],
                np.empty_like(expected, dtype=np.complex128)):
        assert weft.fft.fft(x, axis=0, out=out) is out
        close(out, expected, dtype)
    y = x.astype(expected.dtype)
    assert weft.fft.fft(y, axis=0, out=y) is y
    close(y, expected, dtype)
    square = random((33, 33), np.complex128)
    kept = square.copy()
    weft.fft.fft(square, axis=1, out=square.T)
    close(square.T, np.fft.fft(kept, axis=1), np.complex128)
    shifted = random(100, np.complex128)
    kept = shifted.copy()
    weft.fft.fft(shifted[:64], out=shifted[8:72])
    close(shifted[8:72], np.fft.fft(kept[:64]), np.complex128)


def test_workers():
    x = random((128, 64, 32), np.complex64)
    expected = np.fft.fftn(x)
    for workers in (1, 2, 1000, -1):
        close(weft.fft.fftn(x, workers=workers), expected, np.float32)
    with weft.fft.set_workers(2):
        close(weft.fft.fftn(x), expected, np.float32)
    assert weft.fft.get_workers() == 1


def test_empty_arrays_and_no_axes():
    assert weft.fft.fft(np.zeros((0, 4))).shape == (0, 4)
    assert weft.fft.rfftn(np.zeros((0, 4)), axes=(1,)).shape == (0, 3)
    assert weft.fft.fftn(3.0).shape == ()
    x = random((3, 4))
    assert (weft.fft.fftn(x, axes=()) == x).all()
    assert (weft.fft.dctn(x, axes=()) == x).all()


def test_fast_lengths():
    def is_smooth(n, primes):
        for p in primes:
            while n % p == 0:
                n //= p
        return n == 1

    for n in range(1, 400):
        for real, primes in ((False, (2, 3, 5, 7, 11)), (True, (2, 3, 5))):
            up, down = weft.fft.next_fast_len(n, real), weft.fft.prev_fast_len(n, real)
            assert up == next(m for m in itertools.count(n) if is_smooth(m, primes))
            assert down == next(m for m in range(n, 0, -1) if is_smooth(m, primes))


@pytest.mark.parametrize("n", [3, 6, 7, 8, 12])
def test_one_row_for_all_is_padded(n):
    x = np.broadcast_to(random(8), (3, 8))
    for name in ("fft", "rfft", "ifft", "irfft"):
        close(getattr(weft.fft, name)(x, n, 0), getattr(np.fft, name)(x, n, 0), np.float64)
    for name in ("dct", "dst"):
        close(getattr(weft.fft, name)(x, 2, n, 0), getattr(weft.fft, name)(x.copy(), 2, n, 0),
              np.float64)
