# SPDX-License-Identifier: BSD-3-Clause
from . import fft as fft
from . import wisdom as wisdom
from ._core import Plan as Plan

__version__: str
__all__: list[str]
