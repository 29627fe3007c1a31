# SPDX-License-Identifier: BSD-3-Clause
from collections.abc import Sequence
from typing import Any, Literal, Optional, SupportsIndex, Union

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import fftw as fftw

__all__: list[str]

_Boxes = Sequence[tuple[Sequence[int], Sequence[int]]]

def slabs(comm: Any, shape: Sequence[int], axis: int = 0) -> _Boxes: ...
def pencils(comm: Any, shape: Sequence[int], axis: int) -> _Boxes: ...
def bricks(comm: Any, shape: Sequence[int], grid: Sequence[int]) -> _Boxes: ...
def gather_wisdom(comm: Any) -> None: ...

class Plan:
    input_shape: tuple[int, ...]
    output_shape: tuple[int, ...]
    def __init__(
        self,
        comm: Any,
        shape: Sequence[int],
        kind: Literal["c2c", "r2c", "c2r", "r2r"] = "c2c",
        dtype: DTypeLike = "float64",
        *,
        input: _Boxes,
        output: _Boxes,
        axes: Optional[Sequence[int]] = None,
        direction: Literal["forward", "backward"] = "forward",
        norm: Literal["backward", "ortho", "forward", "none"] = "backward",
        r2r: Sequence[str] = (),
        orthogonalize: bool = False,
        spectrum: Literal["half", "full"] = "half",
        modes: Literal["first", "around_zero"] = "first",
        input_extents: Sequence[int] = (),
        output_extents: Sequence[int] = (),
        workers: Optional[SupportsIndex] = None,
        effort: Literal["estimate", "measure", "patient"] = "estimate",
        recipe: str = "",
    ) -> None: ...
    def __call__(self, x: ArrayLike, out: Optional[NDArray[Any]] = None) -> NDArray[Any]: ...
    def refuse(self) -> None: ...
    def inverse(self) -> "Plan": ...
    def destroy(self) -> None: ...
    @property
    def input_dtype(self) -> np.dtype[Any]: ...
    @property
    def output_dtype(self) -> np.dtype[Any]: ...
    @property
    def input_boxes(self) -> _Boxes: ...
    @property
    def output_boxes(self) -> _Boxes: ...
    @property
    def recipe(self) -> str: ...
    @property
    def explain(self) -> str: ...
    @property
    def trace(self) -> list[tuple[str, float, float]]: ...
    def timeline(self) -> list[list[tuple[str, float, float]]]: ...
    def _repr_html_(self) -> str: ...

class Subcomm(tuple[Any, ...]):
    comm: Any
    def __new__(
        cls, comm: Any, dims: Union[None, int, Sequence[int]] = None, reorder: bool = True
    ) -> "Subcomm": ...
    def destroy(self) -> None: ...

class Pencil:
    shape: tuple[int, ...]
    axis: int
    comm: Any
    subcomm: tuple[Any, ...]
    subshape: tuple[int, ...]
    substart: tuple[int, ...]
    def __init__(self, subcomm: Sequence[Any], shape: Sequence[int], axis: int = -1) -> None: ...
    @property
    def local_slice(self) -> tuple[slice, ...]: ...
    @property
    def box(self) -> _Boxes: ...
    def pencil(self, axis: int) -> "Pencil": ...
    def resized(self, shape: Sequence[int]) -> "Pencil": ...
    def transfer(self, pencil: "Pencil", dtype: DTypeLike) -> "Transfer": ...

class Transfer:
    def __init__(
        self,
        comm: Any,
        shape: Sequence[int],
        dtype: DTypeLike,
        subshapeA: Sequence[int],
        axisA: int,
        subshapeB: Sequence[int],
        axisB: int,
    ) -> None: ...
    def forward(self, arrayA: NDArray[Any], arrayB: NDArray[Any]) -> None: ...
    def backward(self, arrayB: NDArray[Any], arrayA: NDArray[Any]) -> None: ...
    def destroy(self) -> None: ...

class DistArray(NDArray[Any]):
    def __new__(
        cls,
        global_shape: Sequence[int],
        subcomm: Union[None, Subcomm, Pencil, Sequence[Any]] = None,
        val: Optional[complex] = None,
        dtype: DTypeLike = float,
        buffer: Any = None,
        strides: Optional[Sequence[int]] = None,
        alignment: Optional[int] = None,
        rank: int = 0,
    ) -> "DistArray": ...
    @property
    def v(self) -> NDArray[Any]: ...
    @property
    def rank(self) -> int: ...
    @property
    def pencil(self) -> Optional[Pencil]: ...
    @property
    def alignment(self) -> int: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def global_shape(self) -> tuple[int, ...]: ...
    @property
    def substart(self) -> tuple[int, ...]: ...
    @property
    def subcomm(self) -> tuple[Any, ...]: ...
    @property
    def commsizes(self) -> list[int]: ...
    def local_slice(self) -> tuple[slice, ...]: ...
    def get(self, gslice: Any) -> Optional[NDArray[Any]]: ...
    def get_pencil_and_transfer(self, axis: int) -> tuple[Pencil, Transfer]: ...
    def redistribute(
        self, axis: Optional[int] = None, out: Optional["DistArray"] = None
    ) -> "DistArray": ...

def newDistArray(
    pfft: "PFFT",
    forward_output: bool = True,
    val: complex = 0,
    rank: int = 0,
    view: bool = False,
) -> Any: ...

class _OneWay:
    @property
    def input_array(self) -> NDArray[Any]: ...
    @property
    def output_array(self) -> NDArray[Any]: ...
    def __call__(
        self,
        input_array: Optional[ArrayLike] = None,
        output_array: Optional[NDArray[Any]] = None,
        normalize: Optional[bool] = None,
    ) -> NDArray[Any]: ...

class _Transform(_OneWay):
    input_pencil: Pencil
    output_pencil: Pencil

class FFT:
    forward: _OneWay
    backward: _OneWay
    def __init__(
        self,
        shape: Union[int, Sequence[int]],
        axes: Union[None, int, Sequence[int]] = None,
        dtype: DTypeLike = float,
        padding: Union[bool, float, Sequence[float]] = False,
        backend: str = "weft",
        transforms: Optional[dict[tuple[int, ...], tuple[Any, Any]]] = None,
        threads: int = 1,
        planner_effort: str = "FFTW_ESTIMATE",
        **_: Any,
    ) -> None: ...

class PFFT:
    forward: _Transform
    backward: _Transform
    axes: tuple[tuple[int, ...], ...]
    subcomm: Sequence[Any]
    pencil: list[Pencil]
    xfftn: list[FFT]
    transfer: list[Transfer]
    def __init__(
        self,
        comm: Any,
        shape: Optional[Sequence[int]] = None,
        axes: Any = None,
        dtype: DTypeLike = float,
        grid: Optional[Sequence[int]] = None,
        padding: Union[bool, float, Sequence[float]] = False,
        collapse: bool = False,
        backend: str = "weft",
        transforms: Optional[dict[tuple[int, ...], tuple[Any, Any]]] = None,
        darray: Optional[DistArray] = None,
        slab: Union[bool, int] = False,
        **options: Any,
    ) -> None: ...
    def shape(self, forward_output: bool = True) -> tuple[int, ...]: ...
    def local_slice(self, forward_output: bool = True) -> tuple[slice, ...]: ...
    def global_shape(self, forward_output: bool = False) -> tuple[int, ...]: ...
    def dtype(self, forward_output: bool = False) -> np.dtype[Any]: ...
    @property
    def dimensions(self) -> int: ...
    def destroy(self) -> None: ...
