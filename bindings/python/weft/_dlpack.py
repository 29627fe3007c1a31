# SPDX-License-Identifier: BSD-3-Clause
"""What an array says about its memory by DLPack, without a copy and without its library."""

import ctypes

_CUDA, _CUDA_MANAGED = 2, 13
_KINDS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}  # DLDataTypeCode


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", _Tensor)]


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]


def is_on_gpu(x):
    """Whether an array says that it is in the memory of an NVIDIA GPU."""
    return hasattr(x, "__dlpack_device__") and x.__dlpack_device__()[0] in (_CUDA, _CUDA_MANAGED)


class Memory:
    """Where an array lies. The capsule keeps it there as long as this object lives.

    ``stream`` is DLPack's: 1 is the default stream, None for arrays in main memory. What the array's
    library has yet to compute, it computes before what is put onto that stream later.
    """

    def __init__(self, x, stream):
        arguments = {} if stream is None else {"stream": stream}
        try:
            self._capsule = x.__dlpack__(max_version=(1, 0), **arguments)
        except TypeError:  # a library from before versions
            self._capsule = x.__dlpack__(**arguments)
        self.is_read_only = False
        if _is_valid(self._capsule, b"dltensor_versioned"):
            versioned = _Versioned.from_address(_pointer(self._capsule, b"dltensor_versioned"))
            if versioned.major != 1:
                raise TypeError(f"the array has version {versioned.major} of DLPack; weft reads 1")
            tensor, self.is_read_only = versioned.tensor, bool(versioned.flags & 1)
        else:
            tensor = _Tensor.from_address(_pointer(self._capsule, b"dltensor"))
        if tensor.lanes != 1 or tensor.code not in _KINDS or tensor.bits % 8 != 0:
            raise TypeError("the array has elements that weft does not know")
        item = tensor.bits // 8
        self.shape = tuple(tensor.shape[d] for d in range(tensor.ndim))
        self.strides = None  # C order
        if tensor.strides:
            self.strides = tuple(item * tensor.strides[d] for d in range(tensor.ndim))
        self.address = (tensor.data or 0) + tensor.byte_offset
        self.type = f"<{_KINDS[tensor.code]}{item}"
        self.device = tensor.device_id
