# SPDX-License-Identifier: BSD-3-Clause
from . import fft as fft
from . import wisdom as wisdom
from ._core import Plan as Plan
from ._core import SpectralOperator as SpectralOperator

__version__: str
__all__: list[str]
