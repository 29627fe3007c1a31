# SPDX-License-Identifier: BSD-3-Clause
"""Bad arguments raise what Python users expect, and never crash."""

import numpy as np
import pytest

import weft
import weft.fft

X = np.ones((4, 6), np.complex128)


@pytest.mark.parametrize("error, call", [
    (ValueError, lambda: weft.fft.fft(X, n=0)),
    (ValueError, lambda: weft.fft.fft(X, n=-3)),
    (TypeError, lambda: weft.fft.fft(X, n=2.5)),
    (IndexError, lambda: weft.fft.fft(X, axis=2)),
    (ValueError, lambda: weft.fft.fft(X, axis=-3)),
    (ValueError, lambda: weft.fft.fft(X, norm="other")),
    (ValueError, lambda: weft.fft.fft(X, norm=1)),
    (ValueError, lambda: weft.fft.fft([])),
    (ValueError, lambda: weft.fft.fft(3.0)),
    (ValueError, lambda: weft.fft.fft(np.zeros((3, 0)))),
    (TypeError, lambda: weft.fft.rfft(X)),
    (TypeError, lambda: weft.fft.ihfft(X)),
    (ValueError, lambda: weft.fft.rfftn(np.ones((2, 2)), axes=())),
    (ValueError, lambda: weft.fft.irfftn(X, axes=())),
    (ValueError, lambda: weft.fft.fftn(X, axes=(0, 0))),
    (ValueError, lambda: weft.fft.fftn(X, axes=(0, -2))),
    (ValueError, lambda: weft.fft.fftn(X, axes=(0, 5))),
    (ValueError, lambda: weft.fft.fftn(X, axes=(0.5,))),
    (ValueError, lambda: weft.fft.fftn(X, axes=3.5)),
    (ValueError, lambda: weft.fft.fftn(X, s=(2, 2, 2))),
    (ValueError, lambda: weft.fft.fftn(X, s=(2, 2), axes=(0,))),
    (ValueError, lambda: weft.fft.fftn(X, s=(2, 0))),
    (OverflowError, lambda: weft.fft.fft(X, n=2**80)),
    (MemoryError, lambda: weft.fft.fft(X, n=2**50)),
    (ValueError, lambda: weft.fft.fft(X, workers=0)),
    (ValueError, lambda: weft.fft.fft(X, workers=-10**6)),
    (TypeError, lambda: weft.fft.fft(X, workers="2")),
    (TypeError, lambda: weft.fft.fft(X, plan="a plan")),
    (ValueError, lambda: weft.fft.fft(X, overwrite_x=np.ones(3))),
    (ValueError, lambda: weft.fft.dct(X.real, orthogonalize=np.ones(3))),
    (TypeError, lambda: weft.fft.fft(X, out=[1, 2])),
    (ValueError, lambda: weft.fft.fft(X, out=np.empty((4, 5), complex))),
    (TypeError, lambda: weft.fft.fft(X, out=np.empty((4, 6)))),
    (ValueError, lambda: weft.fft.fft(X, out=np.broadcast_to(1j, (4, 6)))),
    (ValueError, lambda: weft.fft.dct(X.real, type=5)),
    (TypeError, lambda: weft.fft.dct(X.real, type="2")),
    (ValueError, lambda: weft.fft.dct([1.0], type=1)),
    (ValueError, lambda: weft.fft.dct(np.ones(1, np.longdouble), type=1)),
    (ValueError, lambda: weft.fft.fft(np.ones((1,) * 32))),
    (TypeError, lambda: weft.fft.fft(np.array([object()]))),
    (ValueError, lambda: weft.fft.fft(["a", "b"])),
    (ValueError, lambda: weft.fft.set_cache_limit(-1)),
    (ValueError, lambda: weft.fft.next_fast_len(-1)),
    (ValueError, lambda: weft.fft.plan("fht", X)),
    (ValueError, lambda: weft.fft.plan("fft", X, effort="much")),
    (ValueError, lambda: weft.Plan((4, 6), "c3c")),
    (ValueError, lambda: weft.Plan((-4,))),
    (TypeError, lambda: weft.Plan((4,), dtype=int)),
    (ValueError, lambda: weft.Plan((4,), recipe="no recipe")),
    (ValueError, lambda: weft.Plan((4, 6), output_strides=(0, 1))),
    (TypeError, lambda: weft.Plan((4, 6))(X.astype(np.complex64))),
    (ValueError, lambda: weft.Plan((4, 6))(X[:3])),
    (ValueError, lambda: weft.Plan((4, 6))(X, out=np.empty((6, 4), complex).T)),
    (ValueError, lambda: weft.Plan((4, 6), input_strides=(0, 1)).inverse()),
    (OSError, lambda: weft.wisdom.load("/no/such/file")),
    (ValueError, lambda: weft.wisdom.from_string("no wisdom")),
])
def test_bad_arguments_raise(error, call):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize("interface", [
    {}, {"shape": "ab", "typestr": "<c16", "data": (0, False)}, {"shape": (4,), "typestr": "<c16"},
    {"shape": (4,), "data": ("0", False), "typestr": "<c16"},
])
def test_a_broken_gpu_array_is_refused(interface):
    array = type("Array", (), {"__cuda_array_interface__": interface})()
    with pytest.raises(ValueError, match="__cuda_array_interface__"):
        weft.fft.fft(array)


def test_a_read_only_output_is_refused():
    out = np.empty((4, 6), complex)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        weft.fft.fft(X, out=out)


def test_an_output_that_overlaps_itself_is_refused():
    out = np.lib.stride_tricks.as_strided(np.zeros(64, complex), (40, 64), (0, 16))
    with pytest.raises(ValueError):
        weft.fft.fft(np.ones((40, 64), complex), out=out)


def test_a_plan_for_another_call_is_refused():
    plan = weft.fft.plan("fft", X, effort="estimate")
    weft.fft.fft(X, plan=plan)
    for call in (lambda: weft.fft.ifft(X, plan=plan), lambda: weft.fft.fft(X[:3], plan=plan),
                 lambda: weft.fft.fft(X.astype(np.complex64), plan=plan),
                 lambda: weft.fft.fft(np.asfortranarray(X), plan=plan),
                 lambda: weft.fft.fft(X, norm="ortho", plan=plan)):
        with pytest.raises(ValueError, match="another call"):
            call()
