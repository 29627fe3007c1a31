# SPDX-License-Identifier: BSD-3-Clause
"""Arrays in the memory of an NVIDIA GPU, of any library that has ``__cuda_array_interface__`` or DLPack.

The transform is put onto the caller's stream, and nothing is copied. Arrays of PyTorch, CuPy and JAX
are made by their library where there is no ``out``; other libraries have to pass it.
"""

import ctypes
import functools
import operator
import sys

from . import _core, _dlpack

_SWAPPED = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


class _Library:
    """What differs between the libraries: by default only what the interface itself tells."""

    def memory(self, x):
        interface = x.__cuda_array_interface__
        if interface.get("mask") is not None:
            raise TypeError("masked arrays are not supported")
        try:
            return (operator.index(interface["data"][0]), tuple(map(operator.index, interface["shape"])),
                    interface.get("strides"), interface["typestr"])
        except (KeyError, TypeError, IndexError) as error:
            raise ValueError("the array's __cuda_array_interface__ lacks a pointer, a shape of integers "
                             "or a type") from error

    def is_read_only(self, x):
        return bool(x.__cuda_array_interface__["data"][1])

    def device(self, x):
        return 0

    def stream(self, x):
        # 1 is the interface's word for the default stream; None: no waiting is needed
        stream = x.__cuda_array_interface__.get("stream")
        return 0 if stream in (None, 1) else stream

    def done(self, x):
        """Called after the transform was put onto the stream."""

    def _cannot(self, *_):
        raise TypeError("pass out, an array on the same GPU: only arrays of PyTorch, CuPy and JAX "
                        "are made, converted and conjugated here")

    empty = to_real = to_complex = conjugate = _cannot

    def padded(self, x, shape):
        """``x`` with zeros up to this shape; here as it is, and the transform says what is wrong."""
        return x


class _Dlpack(_Library):
    """DLPack alone: on the default stream, which the array's library waits for by the protocol on
    the way in. On the way out it cannot know: this waits until the result is there."""

    def __init__(self):
        self.kept = {}

    def _memory(self, x):
        if id(x) not in self.kept:
            self.kept[id(x)] = (x, _dlpack.Memory(x, stream=1))
        return self.kept[id(x)][1]

    def memory(self, x):
        memory = self._memory(x)
        return memory.address, memory.shape, memory.strides, memory.type

    def is_read_only(self, x):
        return self._memory(x).is_read_only

    def device(self, x):
        return x.__dlpack_device__()[1]

    def stream(self, x):
        return 0

    def done(self, x):
        _synchronize(self.device(x))


class _Jax(_Dlpack):
    """Arrays of JAX are immutable: the result is a new one, which nobody has seen before it is
    complete."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def is_read_only(self, x):
        raise TypeError("arrays of JAX cannot be written to: leave out the argument out")

    def empty(self, shape, dtype, x):
        numpy, wide = self.module.numpy, dtype in ("float64", "complex128")
        if wide and not self.module.config.jax_enable_x64:
            raise TypeError("the result is in double precision, which JAX has only with "
                            'jax.config.update("jax_enable_x64", True)')
        return self.module.device_put(numpy.empty(shape, dtype), x.device).block_until_ready()

    def padded(self, x, shape):
        return self.module.numpy.pad(x, [(0, n - had) for n, had in zip(shape, x.shape)])

    def to_real(self, x):
        return x.astype(_real_name(x.dtype.name))

    def to_complex(self, x):
        return x.astype(_complex_name(x.dtype.name))

    def conjugate(self, x):
        return x.conj()


class _Cupy(_Library):
    def __init__(self, module):
        self.module = module

    def device(self, x):
        return x.device.id

    def stream(self, x):
        return self.module.cuda.get_current_stream().ptr

    def empty(self, shape, dtype, x):
        return self.module.empty(shape, dtype)

    def padded(self, x, shape):
        return _inserted(self.module.zeros(shape, x.dtype), x)

    def to_real(self, x):
        return x.astype(_real_name(x.dtype.name))

    def to_complex(self, x):
        return x.astype(_complex_name(x.dtype.name))

    def conjugate(self, x):
        return self.module.conj(x)


class _Torch(_Library):
    def __init__(self, module):
        self.module = module

    def memory(self, x):
        x = x.detach().resolve_conj().resolve_neg()
        size = x.element_size()
        kind = "c" if x.is_complex() else "f" if x.is_floating_point() else "i"
        return (x.data_ptr(), tuple(x.shape), tuple(size * n for n in x.stride()),
                f"<{kind}{size}")

    def is_read_only(self, x):
        return False

    def device(self, x):
        return x.device.index

    def stream(self, x):
        return self.module.cuda.current_stream(x.device).cuda_stream

    def empty(self, shape, dtype, x):
        return self.module.empty(shape, dtype=getattr(self.module, dtype), device=x.device)

    def padded(self, x, shape):
        return _inserted(self.module.zeros(shape, dtype=x.dtype, device=x.device), x)

    def to_real(self, x):
        return x.to(getattr(self.module, _real_name(str(x.dtype))))

    def to_complex(self, x):
        return x.to(getattr(self.module, _complex_name(str(x.dtype))))

    def conjugate(self, x):
        return self.module.conj_physical(x)


def _real_name(dtype):
    """The type in which reals or whole numbers of another type are transformed, as by NumPy."""
    return "float32" if dtype.rpartition(".")[2] in ("float16", "bfloat16", "float32") else "float64"


def _complex_name(dtype):
    return "complex64" if _real_name(dtype) == "float32" else "complex128"


def _inserted(zeros, x):
    zeros[tuple(slice(n) for n in x.shape)] = x
    return zeros


@functools.lru_cache(maxsize=None)
def _context(device):
    """The driver, and the context of a GPU that all libraries share; kept, as weft keeps it."""
    driver, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
    _check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
    return driver, context


def _check(code):
    if code != 0:
        raise RuntimeError(f"the CUDA driver failed with code {code} while weft waited for a transform")


def _synchronize(device):
    """Waits for the default stream of a GPU."""
    driver, context = _context(device)
    _check(driver.cuCtxPushCurrent_v2(context))
    try:
        _check(driver.cuStreamSynchronize(ctypes.c_void_p(0)))
    finally:
        driver.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))


def _library_of(x):
    name = type(x).__module__.partition(".")[0]
    known = {"torch": _Torch, "cupy": _Cupy, "jax": _Jax, "jaxlib": _Jax}
    if name in known:
        return known[name](sys.modules["jax" if name == "jaxlib" else name])
    return _Library() if hasattr(x, "__cuda_array_interface__") else _Dlpack()


def _is_on_gpu(x):
    return hasattr(x, "__cuda_array_interface__") or _dlpack.is_on_gpu(x)


def _needed_shape(name, shape, lengths, axes):
    """The shape that the input of a transform has with zeros where ``lengths`` ask for more points.
    Arguments that make no sense change nothing here."""
    if lengths is None:
        return shape
    try:
        lengths = [operator.index(n) for n in lengths] if hasattr(lengths, "__iter__") else \
            [operator.index(lengths)]
        if axes is None:
            axes = range(len(shape) - len(lengths), len(shape))
        axes = [range(len(shape))[a] for a in (axes if hasattr(axes, "__iter__") else [axes])]
    except (TypeError, IndexError):
        return shape
    if name.startswith("irfft") and lengths:
        lengths[-1] = lengths[-1] // 2 + 1
    needed = list(shape)
    for axis, n in zip(axes, lengths):
        needed[axis] = max(needed[axis], n)
    return tuple(needed)


def call(name, x, lengths, axes, norm, kind, orthogonalize, plan, out):
    """A function of weft.fft of an array on a GPU."""
    if plan is not None:
        raise ValueError("plans of weft.fft.plan() are for arrays in main memory")
    if out is not None and not _is_on_gpu(out):
        raise TypeError("x is on a GPU: out must be an array on the same GPU")
    if norm not in _SWAPPED:
        raise ValueError(
            f'Invalid norm value {norm!r}; should be "backward", "ortho" or "forward".')
    library = _library_of(x)
    if hasattr(x, "resolve_conj"):
        x = x.resolve_conj().resolve_neg()
    conjugates_result = name.startswith("ihfft")
    kind_and_size = library.memory(x)[3][1:]
    is_complex = kind_and_size[0] == "c"
    if conjugates_result and type(library) in (_Library, _Dlpack):
        raise TypeError("ihfft on a GPU is for arrays of PyTorch, CuPy and JAX: use the conjugate of "
                        "rfft")
    if name.startswith("hfft"):
        x = library.conjugate(x) if is_complex else x
        name, norm = "irfft" + name[4:], _SWAPPED[norm]
    elif conjugates_result:
        name, norm = "rfft" + name[5:], _SWAPPED[norm]
    if not is_complex and name in ("fft", "ifft", "fftn", "ifftn", "irfft", "irfftn"):
        x = library.to_complex(x)
    elif not is_complex and kind_and_size not in ("f4", "f8"):
        x = library.to_real(x)
    arguments = (lengths, axes, norm, kind, orthogonalize)
    memory = library.memory(x)
    needed = _needed_shape(name, memory[1], lengths, axes)
    if needed != memory[1] and 0 not in memory[1]:
        x = library.padded(x, needed)
        memory = library.memory(x)
    target, of_target = out, library
    if out is None:
        target = library.empty(*_core.device_shape(name, memory, arguments), x)
    else:
        of_target = library if type(out) is type(x) else _library_of(out)
        if getattr(out, "is_conj", bool)() or getattr(out, "is_neg", bool)():
            raise ValueError("out is a conjugated or negated view: pass the tensor itself")
        if of_target.is_read_only(out):
            raise ValueError("out is read-only")
    if of_target.device(target) != library.device(x):
        raise ValueError("x and out are on different GPUs")
    _core.device_run(name, memory, of_target.memory(target), arguments, library.device(x),
                     library.stream(x))
    of_target.done(target)
    if conjugates_result:
        conjugated = library.conjugate(target)
        if out is None:
            return conjugated
        out[...] = conjugated
    return target


def apply_operator(op, fields, out):
    """A weft.SpectralOperator of fields on a GPU."""
    outs = [None] * op.outputs if out is None else [out] if _is_on_gpu(out) else list(out)
    if not all(_is_on_gpu(each) for each in [*fields, *outs] if each is not None):
        raise TypeError("the first field is on a GPU: all fields and out must be on the same GPU")
    libraries = [_library_of(field) for field in fields]
    library, device = libraries[0], libraries[0].device(fields[0])
    inputs = tuple(own.memory(field) for own, field in zip(libraries, fields))
    targets = [library.empty(op.output_shape, op.dtype.name, fields[0]) if each is None else each
               for each in outs]
    owners = [libraries[0] if type(target) is type(fields[0]) else _library_of(target)
              for target in targets]
    for own, target, each in zip(owners, targets, outs):
        if each is not None and own.is_read_only(target):
            raise ValueError("out is read-only")
    if any(own.device(each) != device for own, each in
           [*zip(libraries, fields), *zip(owners, targets)]):
        raise ValueError("the fields and out are on different GPUs")
    op._run_on_device(inputs, tuple(own.memory(target) for own, target in zip(owners, targets)),
                      device, library.stream(fields[0]))
    for own, target in zip(owners, targets):
        own.done(target)
    return targets[0] if op.outputs == 1 else tuple(targets)
