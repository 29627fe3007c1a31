# SPDX-License-Identifier: BSD-3-Clause
from collections.abc import Sequence
from typing import Any, Literal, Optional, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

class Plan:
    """A transform that is planned once and run many times: ``plan(x)`` or ``plan(x, out=y)``."""

    def __init__(
        self,
        shape: Sequence[int],
        kind: Literal["c2c", "r2c", "c2r", "r2r"] = "c2c",
        dtype: DTypeLike = "float64",
        *,
        axes: Optional[Sequence[int]] = None,
        direction: Literal["forward", "backward"] = "forward",
        norm: Literal["backward", "ortho", "forward", "none"] = "backward",
        r2r: Sequence[str] = [],
        orthogonalize: bool = False,
        spectrum: Literal["half", "full"] = "half",
        modes: Literal["first", "around_zero"] = "first",
        input_extents: Sequence[int] = [],
        output_extents: Sequence[int] = [],
        input_strides: Sequence[int] = [],
        output_strides: Sequence[int] = [],
        in_place: bool = False,
        workers: Optional[SupportsIndex] = None,
        effort: Literal["estimate", "measure", "patient"] = "estimate",
        time_limit: float = 10.0,
        recipe: str = "",
    ) -> None: ...
    def __call__(self, x: ArrayLike, out: Optional[NDArray[Any]] = None) -> NDArray[Any]: ...
    def inverse(self) -> "Plan": ...
    @property
    def recipe(self) -> str: ...
    @property
    def tree(self) -> str: ...
    @property
    def formula(self) -> str: ...
    @property
    def formula_latex(self) -> str: ...
    @property
    def input_shape(self) -> tuple[int, ...]: ...
    @property
    def output_shape(self) -> tuple[int, ...]: ...
    @property
    def input_strides(self) -> tuple[int, ...]: ...
    @property
    def output_strides(self) -> tuple[int, ...]: ...
    @property
    def input_dtype(self) -> np.dtype[Any]: ...
    @property
    def output_dtype(self) -> np.dtype[Any]: ...
    @property
    def cost(self) -> dict[str, float]: ...
    @property
    def workspace_bytes(self) -> int: ...
    def _repr_html_(self) -> str: ...

class SpectralOperator:
    """Forward transform, a function of the wave vector at every mode, backward transform."""

    def __init__(
        self,
        shape: Sequence[int],
        function: str,
        kind: Literal["c2c", "r2c"] = "r2c",
        dtype: DTypeLike = "float64",
        *,
        axes: Optional[Sequence[int]] = None,
        lengths: Sequence[float] = [],
        input_extents: Sequence[int] = [],
        output_extents: Sequence[int] = [],
        workers: Optional[SupportsIndex] = None,
        effort: Literal["estimate", "measure", "patient"] = "estimate",
        time_limit: float = 10.0,
    ) -> None: ...
    def __call__(
        self, *fields: ArrayLike, out: Optional[NDArray[Any] | Sequence[NDArray[Any]]] = None
    ) -> Any: ...
    @property
    def explanation(self) -> str: ...
    @property
    def input_shape(self) -> tuple[int, ...]: ...
    @property
    def output_shape(self) -> tuple[int, ...]: ...
    @property
    def inputs(self) -> int: ...
    @property
    def outputs(self) -> int: ...
    @property
    def function(self) -> str: ...

def __getattr__(name: str) -> Any: ...
