# SPDX-License-Identifier: BSD-3-Clause
"""Arrays in the memory of an NVIDIA GPU, of any library that has ``__cuda_array_interface__``.

The transform is put onto the caller's stream, and nothing is copied. Arrays of PyTorch and CuPy are
made by their library where there is no ``out``; other libraries have to pass it.
"""

import sys

from . import _core

_SWAPPED = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


class _Library:
    """What differs between the libraries: by default only what the interface itself tells."""

    def memory(self, x):
        interface = x.__cuda_array_interface__
        if interface.get("mask") is not None:
            raise TypeError("masked arrays are not supported")
        return (interface["data"][0], tuple(interface["shape"]), interface.get("strides"),
                interface["typestr"])

    def is_read_only(self, x):
        return bool(x.__cuda_array_interface__["data"][1])

    def device(self, x):
        return 0

    def stream(self, x):
        # 1 is the interface's word for the default stream; None: no waiting is needed
        stream = x.__cuda_array_interface__.get("stream")
        return 0 if stream in (None, 1) else stream

    def _cannot(self, *_):
        raise TypeError("pass out, an array on the same GPU: only arrays of PyTorch and CuPy are "
                        "made, converted and conjugated here")

    empty = to_complex = conjugate = _cannot


class _Cupy(_Library):
    def __init__(self, module):
        self.module = module

    def device(self, x):
        return x.device.id

    def stream(self, x):
        return self.module.cuda.get_current_stream().ptr

    def empty(self, shape, dtype, x):
        return self.module.empty(shape, dtype)

    def to_complex(self, x):
        return x.astype("complex64" if x.dtype.name in ("float16", "float32") else "complex128")

    def conjugate(self, x):
        return self.module.conj(x)


class _Torch(_Library):
    def __init__(self, module):
        self.module = module

    def memory(self, x):
        x = x.detach().resolve_conj().resolve_neg()
        size = x.element_size()
        kind = "c" if x.is_complex() else "f"
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

    def to_complex(self, x):
        single = x.dtype in (self.module.float16, self.module.float32)
        return x.to(self.module.complex64 if single else self.module.complex128)

    def conjugate(self, x):
        return self.module.conj_physical(x)


def _library_of(x):
    name = type(x).__module__.partition(".")[0]
    known = {"torch": _Torch, "cupy": _Cupy}
    return known[name](sys.modules[name]) if name in known else _Library()


def call(name, x, lengths, axes, norm, kind, orthogonalize, plan, out):
    """A function of weft.fft of an array on a GPU."""
    if plan is not None:
        raise ValueError("plans of weft.fft.plan() are for arrays in main memory")
    if out is not None and not hasattr(out, "__cuda_array_interface__"):
        raise TypeError("x is on a GPU: out must be an array on the same GPU")
    if norm not in _SWAPPED:
        raise ValueError(
            f'Invalid norm value {norm!r}; should be "backward", "ortho" or "forward".')
    library = _library_of(x)
    if hasattr(x, "resolve_conj"):
        x = x.resolve_conj().resolve_neg()
    conjugates_result = name.startswith("ihfft")
    is_complex = library.memory(x)[3][1] == "c"
    if conjugates_result and type(library) is _Library:
        raise TypeError("ihfft on a GPU is for arrays of PyTorch and CuPy: pass the conjugate of rfft")
    if name.startswith("hfft"):
        x = library.conjugate(x) if is_complex else x
        name, norm = "irfft" + name[4:], _SWAPPED[norm]
    elif conjugates_result:
        name, norm = "rfft" + name[5:], _SWAPPED[norm]
    if not is_complex and name in ("fft", "ifft", "fftn", "ifftn", "irfft", "irfftn"):
        x = library.to_complex(x)
    arguments = (lengths, axes, norm, kind, orthogonalize)
    memory = library.memory(x)
    if out is None:
        out = library.empty(*_core.device_shape(name, memory, arguments), x)
    elif library.is_read_only(out):
        raise ValueError("out is read-only")
    if library.device(out) != library.device(x):
        raise ValueError("x and out are on different GPUs")
    _core.device_run(name, memory, library.memory(out), arguments, library.device(x),
                     library.stream(x))
    if conjugates_result:
        conjugated = library.conjugate(out)
        out[...] = conjugated
    return out
