# SPDX-License-Identifier: BSD-3-Clause
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Optional, SupportsIndex, Union

import numpy as np
from numpy.fft import fftfreq as fftfreq
from numpy.fft import fftshift as fftshift
from numpy.fft import ifftshift as ifftshift
from numpy.fft import rfftfreq as rfftfreq
from numpy.typing import ArrayLike, NDArray

from ._core import Plan
from ._fftlog import fht as fht
from ._fftlog import fhtoffset as fhtoffset
from ._fftlog import ifht as ifht
from ._lengths import next_fast_len as next_fast_len
from ._lengths import prev_fast_len as prev_fast_len

__all__: list[str]

_Norm = Optional[Literal["backward", "ortho", "forward"]]
_Lengths = Optional[Union[int, Sequence[int]]]
_Axes = Optional[Union[int, Sequence[int]]]
_Type = Literal[1, 2, 3, 4]
_Out = Optional[NDArray[Any]]
_Workers = Optional[SupportsIndex]
def fft(
    x: ArrayLike, n: Optional[SupportsIndex] = None, axis: SupportsIndex = -1, norm: _Norm =
    None, overwrite_x: bool = False, workers: _Workers = None, *, plan: Optional[Plan] = None,
    out: _Out = None,
) -> NDArray[np.complexfloating[Any, Any]]: ...
def ifft(
    x: ArrayLike, n: Optional[SupportsIndex] = None, axis: SupportsIndex = -1, norm: _Norm =
    None, overwrite_x: bool = False, workers: _Workers = None, *, plan: Optional[Plan] = None,
    out: _Out = None,
) -> NDArray[np.complexfloating[Any, Any]]: ...
def fft2(
    x: ArrayLike, s: _Lengths = None, axes: _Axes = (-2, -1), norm: _Norm = None, overwrite_x:
    bool = False, workers: _Workers = None, *, plan: Optional[Plan] = None, out: _Out = None,
) -> NDArray[np.complexfloating[Any, Any]]: ...
def ifft2(
    x: ArrayLike, s: _Lengths = None, axes: _Axes = (-2, -1), norm: _Norm = None, overwrite_x:
    bool = False, workers: _Workers = None, *, plan: Optional[Plan] = None, out: _Out = None,
) -> NDArray[np.complexfloating[Any, Any]]: ...
def fftn(
    x: ArrayLike, s: _Lengths = None, axes: _Axes = None, norm: _Norm = None, overwrite_x:
    bool = False, workers: _Workers = None, *, plan: Optional[Plan] = None, out: _Out = None,
) -> NDArray[np.complexfloating[Any, Any]]: ...
def ifftn(
    x: ArrayLike, s: _Lengths = None, axes: _Axes = None, norm: _Norm = None, overwrite_x:
    bool = False, workers: _Workers = None, *, plan: Optional[Plan] = None, out: _Out = None,
) -> NDArray[np.complexfloating[Any, Any]]: ...
def rfft(
    x: ArrayLike, n: Optional[SupportsIndex] = None, axis: SupportsIndex = -1, norm: _Norm =
    None, overwrite_x: bool = False, workers: _Workers = None, *, plan: Optional[Plan] = None,
    out: _Out = None,
) -> NDArray[np.complexfloating[Any, Any]]: ...
def irfft(
    x: ArrayLike, n: Optional[SupportsIndex] = None, axis: SupportsIndex = -1, norm: _Norm =
    None, overwrite_x: bool = False, workers: _Workers = None, *, plan: Optional[Plan] = None,
    out: _Out = None,
) -> NDArray[np.floating[Any]]: ...
def rfft2(
    x: ArrayLike, s: _Lengths = None, axes: _Axes = (-2, -1), norm: _Norm = None, overwrite_x:
    bool = False, workers: _Workers = None, *, plan: Optional[Plan] = None, out: _Out = None,
) -> NDArray[np.complexfloating[Any, Any]]: ...
def irfft2(
    x: ArrayLike, s: _Lengths = None, axes: _Axes = (-2, -1), norm: _Norm = None, overwrite_x:
    bool = False, workers: _Workers = None, *, plan: Optional[Plan] = None, out: _Out = None,
) -> NDArray[np.floating[Any]]: ...
def rfftn(
    x: ArrayLike, s: _Lengths = None, axes: _Axes = None, norm: _Norm = None, overwrite_x:
    bool = False, workers: _Workers = None, *, plan: Optional[Plan] = None, out: _Out = None,
) -> NDArray[np.complexfloating[Any, Any]]: ...
def irfftn(
    x: ArrayLike, s: _Lengths = None, axes: _Axes = None, norm: _Norm = None, overwrite_x:
    bool = False, workers: _Workers = None, *, plan: Optional[Plan] = None, out: _Out = None,
) -> NDArray[np.floating[Any]]: ...
def hfft(
    x: ArrayLike, n: Optional[SupportsIndex] = None, axis: SupportsIndex = -1, norm: _Norm =
    None, overwrite_x: bool = False, workers: _Workers = None, *, plan: Optional[Plan] = None,
    out: _Out = None,
) -> NDArray[np.floating[Any]]: ...
def ihfft(
    x: ArrayLike, n: Optional[SupportsIndex] = None, axis: SupportsIndex = -1, norm: _Norm =
    None, overwrite_x: bool = False, workers: _Workers = None, *, plan: Optional[Plan] = None,
    out: _Out = None,
) -> NDArray[np.complexfloating[Any, Any]]: ...
def hfft2(
    x: ArrayLike, s: _Lengths = None, axes: _Axes = (-2, -1), norm: _Norm = None, overwrite_x:
    bool = False, workers: _Workers = None, *, plan: Optional[Plan] = None, out: _Out = None,
) -> NDArray[np.floating[Any]]: ...
def ihfft2(
    x: ArrayLike, s: _Lengths = None, axes: _Axes = (-2, -1), norm: _Norm = None, overwrite_x:
    bool = False, workers: _Workers = None, *, plan: Optional[Plan] = None, out: _Out = None,
) -> NDArray[np.complexfloating[Any, Any]]: ...
def hfftn(
    x: ArrayLike, s: _Lengths = None, axes: _Axes = None, norm: _Norm = None, overwrite_x:
    bool = False, workers: _Workers = None, *, plan: Optional[Plan] = None, out: _Out = None,
) -> NDArray[np.floating[Any]]: ...
def ihfftn(
    x: ArrayLike, s: _Lengths = None, axes: _Axes = None, norm: _Norm = None, overwrite_x:
    bool = False, workers: _Workers = None, *, plan: Optional[Plan] = None, out: _Out = None,
) -> NDArray[np.complexfloating[Any, Any]]: ...
def dct(
    x: ArrayLike, type: _Type = 2, n: Optional[SupportsIndex] = None, axis: SupportsIndex =
    -1, norm: _Norm = None, overwrite_x: bool = False, workers: _Workers = None,
    orthogonalize: Optional[bool] = None, *, plan: Optional[Plan] = None, out: _Out = None,
) -> NDArray[Any]: ...
def idct(
    x: ArrayLike, type: _Type = 2, n: Optional[SupportsIndex] = None, axis: SupportsIndex =
    -1, norm: _Norm = None, overwrite_x: bool = False, workers: _Workers = None,
    orthogonalize: Optional[bool] = None, *, plan: Optional[Plan] = None, out: _Out = None,
) -> NDArray[Any]: ...
def dctn(
    x: ArrayLike, type: _Type = 2, s: _Lengths = None, axes: _Axes = None, norm: _Norm = None,
    overwrite_x: bool = False, workers: _Workers = None, orthogonalize: Optional[bool] = None,
    *, plan: Optional[Plan] = None, out: _Out = None,
) -> NDArray[Any]: ...
def idctn(
    x: ArrayLike, type: _Type = 2, s: _Lengths = None, axes: _Axes = None, norm: _Norm = None,
    overwrite_x: bool = False, workers: _Workers = None, orthogonalize: Optional[bool] = None,
    *, plan: Optional[Plan] = None, out: _Out = None,
) -> NDArray[Any]: ...
def dst(
    x: ArrayLike, type: _Type = 2, n: Optional[SupportsIndex] = None, axis: SupportsIndex =
    -1, norm: _Norm = None, overwrite_x: bool = False, workers: _Workers = None,
    orthogonalize: Optional[bool] = None, *, plan: Optional[Plan] = None, out: _Out = None,
) -> NDArray[Any]: ...
def idst(
    x: ArrayLike, type: _Type = 2, n: Optional[SupportsIndex] = None, axis: SupportsIndex =
    -1, norm: _Norm = None, overwrite_x: bool = False, workers: _Workers = None,
    orthogonalize: Optional[bool] = None, *, plan: Optional[Plan] = None, out: _Out = None,
) -> NDArray[Any]: ...
def dstn(
    x: ArrayLike, type: _Type = 2, s: _Lengths = None, axes: _Axes = None, norm: _Norm = None,
    overwrite_x: bool = False, workers: _Workers = None, orthogonalize: Optional[bool] = None,
    *, plan: Optional[Plan] = None, out: _Out = None,
) -> NDArray[Any]: ...
def idstn(
    x: ArrayLike, type: _Type = 2, s: _Lengths = None, axes: _Axes = None, norm: _Norm = None,
    overwrite_x: bool = False, workers: _Workers = None, orthogonalize: Optional[bool] = None,
    *, plan: Optional[Plan] = None, out: _Out = None,
) -> NDArray[Any]: ...
def set_workers(workers: SupportsIndex) -> AbstractContextManager[None]: ...
def get_workers() -> int: ...
def plan(
    function: str, x: ArrayLike, *, n: Optional[SupportsIndex] = None, s: _Lengths = None,
    axis: SupportsIndex = -1, axes: _Axes = None, norm: _Norm = None, workers: _Workers = None,
    type: _Type = 2, orthogonalize: Optional[bool] = None, out: _Out = None,
    effort: Literal["estimate", "measure", "patient"] = "measure",
) -> Plan: ...
def cache_info() -> dict[str, int]: ...
def clear_cache() -> None: ...
def set_cache_limit(plans: SupportsIndex) -> None: ...
