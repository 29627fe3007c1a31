# SPDX-License-Identifier: BSD-3-Clause
"""Arrays on a GPU. CMakeLists.txt runs this with a driver that works in main memory (WEFT_STAND_IN),
in which arrays of NumPy play those of other libraries."""

import ctypes
import os
import sys
import types

import numpy as np
import pytest

import weft.fft
from weft import _core

needs_driver = pytest.mark.skipif("WEFT_STAND_IN" not in os.environ, reason="no driver")


def device_empty(shape, dtype):
    """Memory that the driver takes for its own, as an array of NumPy; kept until the end."""
    count = int(np.prod(shape))
    if count == 0:
        return np.empty(shape, dtype)
    driver = ctypes.CDLL("libcuda.so.1")
    address = ctypes.c_void_p()
    bytes_ = count * np.dtype(dtype).itemsize
    assert driver.cuCtxPushCurrent_v2(None) == 0
    assert driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(bytes_)) == 0
    assert driver.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p())) == 0
    buffer = (ctypes.c_char * bytes_).from_address(address.value)
    return np.frombuffer(buffer, dtype).reshape(shape)


def on_device(x):
    y = device_empty(x.shape, x.dtype)
    y[...] = x
    return y


class Array:
    """An array of a library that weft does not know."""

    def __init__(self, data, read_only=False, stream=None):
        self.data, self.read_only, self.stream = data, read_only, stream

    @property
    def __cuda_array_interface__(self):
        data = self.data
        return {"version": 3, "data": (data.ctypes.data, self.read_only), "shape": data.shape,
                "strides": data.strides, "typestr": data.dtype.str, "stream": self.stream}


class CupyArray(Array):
    """An array of a library with the functions of CuPy that weft uses."""

    device = types.SimpleNamespace(id=0)

    @property
    def dtype(self):
        return self.data.dtype

    @property
    def shape(self):
        return self.data.shape

    def astype(self, dtype):
        return CupyArray(on_device(self.data.astype(dtype)))

    def __setitem__(self, key, value):
        self.data[key] = value.data


CupyArray.__module__ = "cupy"


@pytest.fixture
def cupy(monkeypatch):
    module = types.ModuleType("cupy")
    module.empty = lambda shape, dtype: CupyArray(device_empty(shape, dtype))
    module.zeros = lambda shape, dtype: CupyArray(on_device(np.zeros(shape, dtype)))
    module.conj = lambda x: CupyArray(on_device(np.conj(x.data)))
    stream = types.SimpleNamespace(ptr=0)
    module.cuda = types.SimpleNamespace(get_current_stream=lambda: stream)
    monkeypatch.setitem(sys.modules, "cupy", module)
    return module


def random(shape, dtype):
    generator = np.random.default_rng(1)
    x = generator.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * generator.standard_normal(shape)
    return x.astype(dtype)


@needs_driver
def test_the_stand_in_is_there():
    assert _core.cuda_is_available()


@needs_driver
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_any_library_with_the_interface(dtype):
    x = on_device(random((6, 20), dtype))
    out = Array(device_empty(x.shape, dtype))
    assert weft.fft.fft(Array(x), out=out) is out
    assert np.allclose(out.data, np.fft.fft(x), atol=1e-4)
    columns = Array(device_empty((20, 6), dtype).T)
    weft.fft.ifft(Array(x), axis=0, norm="ortho", out=columns)
    assert np.allclose(columns.data, np.fft.ifft(x, axis=0, norm="ortho"), atol=1e-5)
    kept = x.copy()
    same = Array(x)
    weft.fft.fftn(same, out=same)
    assert np.allclose(x, np.fft.fftn(kept), atol=1e-4)


@needs_driver
def test_arrays_are_made_by_their_library(cupy):
    for name, dtype in [("fft", np.float64), ("ifftn", np.float32), ("rfft", np.float64),
                        ("rfftn", np.float32), ("irfft", np.complex128), ("hfft", np.complex128),
                        ("ihfft", np.float64), ("fft2", np.complex64), ("irfft", np.float64)]:
        x = on_device(random((4, 12), dtype))
        result = getattr(weft.fft, name)(CupyArray(x))
        expected = getattr(weft.fft, name)(x)
        assert isinstance(result, CupyArray) and result.data.dtype == expected.dtype
        assert np.allclose(result.data, expected, atol=1e-4), name
    x = on_device(random((4, 12), np.float64))
    assert np.allclose(weft.fft.rfft(CupyArray(x), n=8).data, np.fft.rfft(x, n=8))
    assert weft.fft.rfft(CupyArray(x[:0])).data.shape == (0, 7)
    z = on_device(random((4, 12), np.complex128))
    for name, a, arguments in [("rfft", x, dict(n=15)), ("fft", z, dict(n=7, axis=0)),
                               ("fftn", z, dict(s=(5, 6))), ("irfft", z, dict(n=30)),
                               ("rfftn", x, dict(s=(6, 8), axes=(1, 0))),
                               ("irfftn", z, dict(s=(9,), axes=(0,))), ("dct", x, dict(n=20)),
                               ("dct", x, dict(norm="ortho")),
                               ("dstn", x, dict(type=3, norm="ortho"))]:
        result = getattr(weft.fft, name)(CupyArray(a), **arguments)
        assert np.allclose(result.data, getattr(weft.fft, name)(a, **arguments)), (name, arguments)
    for bad in (dict(n="a"), dict(n=15, axis=7), dict(n=-1)):
        with pytest.raises((ValueError, TypeError, IndexError)):
            weft.fft.rfft(CupyArray(x), **bad)


@needs_driver
@pytest.mark.parametrize("kind, dtype", [("c2c", np.complex64), ("r2c", np.float64)])
def test_operators_stay_on_the_gpu(cupy, kind, dtype):
    real = np.zeros(0, dtype).real.dtype
    smooth = weft.SpectralOperator((6, 20), "exp(-0.1*k2)*u0", kind=kind, dtype=real,
                                   lengths=[2.0, 3.0])
    x = on_device(random((6, 20), dtype))
    expected = smooth(x.copy())
    result = smooth(CupyArray(x))
    assert isinstance(result, CupyArray) and result.data.dtype == dtype
    assert np.allclose(result.data, expected, atol=1e-5)
    out = Array(device_empty(x.shape, dtype))
    assert smooth(Array(x), out=out) is out and np.allclose(out.data, expected, atol=1e-5)
    curl = weft.SpectralOperator((6, 20), "dx*u1 - dy*u0; u0 + u1", kind=kind, dtype=real)
    y = on_device(random((6, 20), dtype)[::-1])
    results = curl(CupyArray(x), CupyArray(y))
    for result, expected in zip(results, curl(x.copy(), y.copy())):
        assert np.allclose(result.data, expected, atol=1e-4)
    cropped = weft.SpectralOperator((6, 20), "exp(-0.1*k2)*u0", kind=kind, dtype=real,
                                    input_extents=(6, 20), output_extents=(4, 9))
    assert cropped.input_shape == (6, 20) and cropped.output_shape == (4, 9)
    result = cropped(CupyArray(x))
    assert result.data.shape == (4, 9) and np.allclose(result.data, cropped(x.copy()), atol=1e-5)
    with pytest.raises(ValueError):
        smooth(CupyArray(on_device(random((6, 10), dtype))))
    with pytest.raises(ValueError):
        smooth(CupyArray(on_device(random((6, 20), np.complex64 if dtype != np.complex64
                                          else np.complex128))))
    with pytest.raises(ValueError):
        smooth(Array(on_device(random((20, 6), dtype)).T), out=out)
    with pytest.raises(TypeError):
        curl(CupyArray(x), y.tolist())
    with pytest.raises(TypeError):
        smooth(CupyArray(x), out=np.empty((6, 20), dtype))
    with pytest.raises(ValueError):
        smooth(Array(x), out=Array(device_empty(x.shape, dtype), read_only=True))


class DlpackArray:
    """An array that says by DLPack alone where it is: as the memory of a GPU, or as main memory."""

    def __init__(self, data, device=(2, 0)):
        self.data, self.device, self.streams = data, device, []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None, **version):
        self.streams.append(stream)
        return self.data.__dlpack__(**version)


class JaxArray(DlpackArray):
    """An array with the functions of JAX that weft uses."""

    dtype = property(lambda self: self.data.dtype)

    def astype(self, dtype):
        return JaxArray(on_device(self.data.astype(dtype)))

    def conj(self):
        return JaxArray(on_device(self.data.conj()))

    def block_until_ready(self):
        return self


JaxArray.__module__ = "jaxlib"


@needs_driver
def test_dlpack_alone_is_enough():
    x = on_device(random((6, 20), np.complex128))
    for before in (x, x[:, ::2], x.T):
        source = DlpackArray(before)
        out = DlpackArray(device_empty(before.shape, before.dtype))
        assert weft.fft.fftn(source, out=out) is out
        assert np.allclose(out.data, np.fft.fftn(before))
        assert source.streams == [1] and out.streams == [1]
    with pytest.raises(TypeError, match="pass out"):
        weft.fft.fft(DlpackArray(x))
    locked = device_empty(x.shape, x.dtype)
    locked.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        weft.fft.fft(DlpackArray(x), out=DlpackArray(locked))
    with pytest.raises(ValueError, match="different GPUs"):
        weft.fft.fft(DlpackArray(x), out=DlpackArray(device_empty(x.shape, x.dtype), (2, 1)))
    with pytest.raises(TypeError):
        weft.fft.fft(DlpackArray(x), out=DlpackArray(np.empty_like(x), (1, 0)))


@needs_driver
def test_arrays_of_jax_are_new(monkeypatch):
    jax = types.ModuleType("jax")
    jax.numpy = types.SimpleNamespace(
        empty=lambda shape, dtype: JaxArray(device_empty(shape, dtype)))
    jax.config = types.SimpleNamespace(jax_enable_x64=False)
    jax.device_put = lambda x, device: x
    monkeypatch.setitem(sys.modules, "jax", jax)
    single = on_device(random((4, 12), np.float32))
    for name in ("fft", "rfft", "ihfft", "irfftn"):
        result = getattr(weft.fft, name)(JaxArray(single))
        assert isinstance(result, JaxArray)
        assert np.allclose(result.data, getattr(weft.fft, name)(single), atol=1e-4), name
    with pytest.raises(TypeError, match="cannot be written to"):
        weft.fft.rfft(JaxArray(single), out=JaxArray(device_empty((4, 7), np.complex64)))
    double = JaxArray(on_device(random((4, 12), np.float64)))
    with pytest.raises(TypeError, match="jax_enable_x64"):
        weft.fft.rfft(double)
    jax.config.jax_enable_x64 = True
    assert np.allclose(weft.fft.rfft(double).data, np.fft.rfft(double.data))


class TorchTensor:
    """A tensor with the functions of PyTorch that weft uses."""

    device = types.SimpleNamespace(index=0)
    __cuda_array_interface__ = {}

    def __init__(self, data):
        self.data, self.shape = data, data.shape
        self.dtype = f"torch.{data.dtype.name}"

    def detach(self):
        return self

    resolve_conj = resolve_neg = detach

    def is_complex(self):
        return self.data.dtype.kind == "c"

    def is_floating_point(self):
        return self.data.dtype.kind == "f"

    def element_size(self):
        return self.data.itemsize

    def data_ptr(self):
        return self.data.ctypes.data

    def stride(self):
        return tuple(n // self.data.itemsize for n in self.data.strides)

    def to(self, dtype):
        return TorchTensor(on_device(self.data.astype(dtype)))


TorchTensor.__module__ = "torch"


@pytest.fixture
def torch(monkeypatch):
    module = types.ModuleType("torch")
    module.empty = lambda shape, dtype, device: TorchTensor(device_empty(shape, dtype))
    for name in ("float32", "float64", "complex64", "complex128"):
        setattr(module, name, np.dtype(name))
    stream = types.SimpleNamespace(cuda_stream=0)
    module.cuda = types.SimpleNamespace(current_stream=lambda device: stream)
    monkeypatch.setitem(sys.modules, "torch", module)


@needs_driver
@pytest.mark.parametrize("wrap", [TorchTensor, CupyArray])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.int8, np.bool_, np.float16])
def test_other_types_are_converted_as_by_numpy(torch, cupy, wrap, dtype):
    x = on_device((100 * random((4, 12), np.float64)).astype(dtype))
    for name in ("fft", "rfft", "irfft", "dct", "rfftn"):
        result = getattr(weft.fft, name)(wrap(x)).data
        expected = getattr(weft.fft, name)(x)
        assert result.dtype == expected.dtype, name
        assert np.allclose(result, expected, rtol=1e-4, atol=1e-2), name


def test_dlpack_in_main_memory():
    x = random((6, 20), np.float32)
    result = weft.fft.rfft(DlpackArray(x[:, ::2], (1, 0)), axis=0)
    assert isinstance(result, np.ndarray) and result.dtype == np.complex64
    assert np.allclose(result, np.fft.rfft(x[:, ::2], axis=0), atol=1e-5)


@needs_driver
def test_bad_calls_raise(cupy):
    x = Array(random((4, 6), np.complex128))
    for error, call in [
        (TypeError, lambda: weft.fft.fft(x)),
        (TypeError, lambda: weft.fft.fft(x, out=np.empty((4, 6), complex))),
        (ValueError, lambda: weft.fft.fft(x, out=Array(np.empty((4, 5), complex)))),
        (TypeError, lambda: weft.fft.fft(x, out=Array(np.empty((4, 6), np.complex64)))),
        (ValueError, lambda: weft.fft.fft(x, out=Array(np.empty((4, 6), complex), True))),
        (ValueError, lambda: weft.fft.fft(x, n=9, out=Array(np.empty((4, 9), complex)))),
        (ValueError, lambda: weft.fft.fft(x, out=Array(x.data[::-1]))),
        (TypeError, lambda: weft.fft.rfft(x, out=x)),
        (TypeError, lambda: weft.fft.fft(Array(np.ones(4, np.int32)), out=x)),
        (ValueError, lambda: weft.fft.fft(x, norm="other", out=x)),
        (IndexError, lambda: weft.fft.fft(x, axis=2, out=x)),
        (ValueError, lambda: weft.fft.fft(x, plan=weft.fft.plan("fft", x.data), out=x)),
        (ValueError, lambda: weft.fft.fft(x, out=x)),  # both in main memory
    ]:
        with pytest.raises(error):
            call()


@pytest.mark.skipif(_core.cuda_is_available(), reason="there is a driver")
def test_without_a_driver_the_error_says_so():
    x = Array(random(8, np.complex128))
    with pytest.raises(NotImplementedError, match="(?i)cuda|driver|gpu"):
        weft.fft.fft(x, out=x)
