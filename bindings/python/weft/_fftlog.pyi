# SPDX-License-Identifier: BSD-3-Clause
from typing import Any

from numpy.typing import ArrayLike, NDArray

__all__: list[str]

def fht(
    a: ArrayLike, dln: float, mu: float, offset: float = 0.0, bias: float = 0.0
) -> NDArray[Any]: ...
def ifht(
    A: ArrayLike, dln: float, mu: float, offset: float = 0.0, bias: float = 0.0
) -> NDArray[Any]: ...
def fhtoffset(dln: float, mu: float, initial: float = 0.0, bias: float = 0.0) -> float: ...
