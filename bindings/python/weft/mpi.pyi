# SPDX-License-Identifier: BSD-3-Clause
from collections.abc import Sequence
from typing import Any, Literal, Optional, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

__all__: list[str]

_Boxes = Sequence[tuple[Sequence[int], Sequence[int]]]

def slabs(comm: Any, shape: Sequence[int], axis: int = 0) -> _Boxes: ...
def pencils(comm: Any, shape: Sequence[int], axis: int) -> _Boxes: ...
def bricks(comm: Any, shape: Sequence[int], grid: Sequence[int]) -> _Boxes: ...

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
        workers: Optional[SupportsIndex] = None,
        effort: Literal["estimate", "measure", "patient"] = "estimate",
        recipe: str = "",
    ) -> None: ...
    def __call__(self, x: ArrayLike, out: Optional[NDArray[Any]] = None) -> NDArray[Any]: ...
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
    def _repr_html_(self) -> str: ...
