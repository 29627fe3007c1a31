# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of PyTorch, CuPy and JAX on a real GPU, against NumPy: python gpu_arrays.py

Not part of the tests, because it needs a GPU. Libraries that are not installed are left out; it
fails if none is, or if a result is wrong.
"""

import sys
import types

import numpy as np

import weft.fft

FUNCTIONS = ["fft", "ifft", "fftn", "ifftn", "rfft", "irfft", "rfftn", "irfftn", "hfft", "ihfft",
             "dct", "dstn"]
count = 0


def check(label, result, expected):
    global count
    count += 1
    assert result.shape == expected.shape and result.dtype == expected.dtype, \
        (label, result.shape, result.dtype, expected.shape, expected.dtype)
    tolerance = 2e-5 if expected.dtype.itemsize <= 4 or expected.dtype == np.complex64 else 1e-12
    error = np.abs(result - expected).max(initial=0) / max(np.abs(expected).max(initial=0), 1e-30)
    assert error < tolerance, (label, error)


def inputs():
    generator = np.random.default_rng(4)
    for shape in [(1,), (60,), (7, 30), (6, 10, 14), (64, 64, 64), (3, 1009)]:
        x = generator.standard_normal(shape)
        for dtype in (np.float32, np.float64, np.complex64, np.complex128):
            y = x + (1j * generator.standard_normal(shape) if np.dtype(dtype).kind == "c" else 0)
            yield y.astype(dtype)


def check_library(name, to_gpu, to_numpy, views=True):
    before = count
    for x in inputs():
        for function in FUNCTIONS:
            is_complex = x.dtype.kind == "c"
            needs_reals = function.lstrip("i") in ("rfft", "rfftn", "dct", "dstn")
            if function in ("rfft", "rfftn", "ihfft", "dct", "dstn") and is_complex:
                continue
            if x.shape == (1,) and (function in ("irfft", "irfftn", "hfft") or needs_reals):
                continue
            call = getattr(weft.fft, function)
            check((name, function, x.shape, x.dtype), to_numpy(call(to_gpu(x))), call(x))
        if x.dtype.kind == "f" and x.size > 1:
            for function, arguments in [("dct", dict(norm="ortho")), ("dst", dict(type=3, norm="ortho")),
                                        ("dctn", dict(type=1, norm="ortho")),
                                        ("rfft", dict(n=x.shape[-1] + 5)), ("fft", dict(n=3, axis=0))]:
                call = getattr(weft.fft, function)
                if function == "dctn" and 1 in x.shape:
                    continue
                check((name, function, arguments, x.shape, x.dtype),
                      to_numpy(call(to_gpu(x), **arguments)), call(x, **arguments))
        if views and x.ndim == 2:
            moved = to_gpu(x).T
            check((name, "transposed"), to_numpy(weft.fft.fft(moved, axis=0)),
                  weft.fft.fft(x.T, axis=0))
    print(f"{name}: {count - before} transforms agree")


def torch_streams(torch):
    """Work on a stream of the caller: what is computed before is seen, what comes after waits."""
    stream = torch.cuda.Stream()
    for _ in range(20):
        with torch.cuda.stream(stream):
            x = torch.randn(256, 256, 64, dtype=torch.complex64, device="cuda")
            for _ in range(5):
                x = x * 1.0001 + 0.1
            y = weft.fft.fftn(x)
            total = ((y - torch.fft.fftn(x)).abs().max() / y.abs().max()).item()  # waits for the stream
        assert total < 1e-5, total
    out = torch.empty_like(x)
    assert weft.fft.fftn(x, out=out) is out
    torch.cuda.synchronize()
    assert torch.allclose(out, torch.fft.fftn(x), rtol=1e-3, atol=1e-1)
    z = torch.randn(64, dtype=torch.complex128, device="cuda").conj()
    assert torch.allclose(weft.fft.fft(z), torch.fft.fft(z))
    print("torch: the caller's stream is kept")


class Dlpack:
    """A tensor of PyTorch that shows nothing but DLPack."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()

    def __dlpack__(self, *, stream=None, **_):
        return self.tensor.__dlpack__(stream=stream)


def torch_other_types(torch):
    """Whole numbers and short floats are converted as by NumPy."""
    x = (100 * torch.randn(5, 30, dtype=torch.float64, device="cuda")).round()
    for dtype in (torch.int32, torch.int64, torch.int8, torch.float16, torch.bfloat16):
        for name in ("fft", "rfft", "irfft", "dct"):
            result = getattr(weft.fft, name)((x % 100).to(dtype))
            expected = getattr(weft.fft, name)((x % 100).to(dtype).double())
            single = dtype in (torch.float16, torch.bfloat16)
            assert (result.dtype == expected.dtype) != single, (dtype, name)
            assert ((result - expected).abs().max() / expected.abs().max()).item() < 1e-6, (dtype, name)
    print("torch: integers and short floats agree")


def torch_by_dlpack(torch):
    side = torch.cuda.Stream()
    for _ in range(10):
        with torch.cuda.stream(side):
            x = torch.randn(128, 128, 64, dtype=torch.complex64, device="cuda")
            x = x * 2 + 1
            out = torch.empty_like(x)
            weft.fft.fftn(Dlpack(x), out=Dlpack(out))
            error = ((out - torch.fft.fftn(x)).abs().max() / out.abs().max()).item()
        assert error < 1e-5, error
    for error, call in [
            (TypeError, lambda: weft.fft.fft(Dlpack(x))),
            (TypeError, lambda: weft.fft.fft(x, out=np.empty(x.shape, np.complex64))),
            (TypeError, lambda: weft.fft.fft(x, out=torch.empty_like(x, device="cpu"))),
            (ValueError, lambda: weft.fft.fft(x, out=torch.empty_like(x)[:5])),
            (ValueError, lambda: weft.fft.fft(x, out=torch.empty_like(x).conj())),
            (ValueError, lambda: weft.fft.fft(x, n=-1)),
            (TypeError, lambda: weft.fft.rfft(x))]:
        try:
            call()
        except error:
            continue
        raise AssertionError(f"{error} was not raised")
    print("torch by DLPack alone: agrees; bad calls raise")


def torch_on_the_host(torch):
    x = torch.randn(30, 40, dtype=torch.float64)
    y = weft.fft.rfftn(x)
    assert isinstance(y, torch.Tensor) and torch.allclose(y, torch.fft.rfftn(x))
    print("torch on the CPU: agrees")


def main():
    libraries = types.SimpleNamespace()
    for name in ("torch", "cupy", "jax"):
        try:
            setattr(libraries, name, __import__(name))
        except ImportError:
            print(name, "is not installed")
    if hasattr(libraries, "torch"):
        torch = libraries.torch
        torch_on_the_host(torch)
        check_library("torch", lambda x: torch.from_numpy(x).cuda(), lambda y: y.cpu().numpy())
        torch_streams(torch)
        torch_other_types(torch)
        torch_by_dlpack(torch)
    if hasattr(libraries, "cupy"):
        cupy = libraries.cupy
        check_library("cupy", cupy.asarray, cupy.asnumpy)
        with cupy.cuda.Stream(non_blocking=True):
            check_library("cupy on a stream", cupy.asarray, cupy.asnumpy)
    if hasattr(libraries, "jax"):
        libraries.jax.config.update("jax_enable_x64", True)
        check_library("jax", libraries.jax.numpy.asarray, np.asarray)
    print(count, "transforms in all")
    return count == 0


if __name__ == "__main__":
    sys.exit(main())
