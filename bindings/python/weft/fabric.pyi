# SPDX-License-Identifier: BSD-3-Clause
from collections.abc import Sequence
from typing import Any, Literal, Optional, Union

from numpy.typing import ArrayLike

__all__: list[str]

_Size = Union[str, int, Sequence[int]]

def machines() -> list[dict[str, Any]]: ...
def machine_file(name: str) -> str: ...
def predict(machine: str, size: _Size, **options: Any) -> list[dict[str, Any]]: ...
def simulate(
    machine: str, size: Optional[_Size] = None, x: Optional[ArrayLike] = None, **options: Any
) -> dict[str, Any]: ...
def sweep(
    machine: str,
    size: _Size = "512^3",
    *,
    nodes: Optional[Sequence[int]] = None,
    edges: Optional[Sequence[int]] = None,
    groups: Optional[Sequence[int]] = None,
    value: Literal["tflops", "seconds", "exchange_share", "bound_share"] = "tflops",
    **options: Any,
) -> dict[str, Any]: ...
