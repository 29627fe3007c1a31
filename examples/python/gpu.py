# SPDX-License-Identifier: BSD-3-Clause
"""A tensor of PyTorch on a GPU is transformed there, on the current stream."""
import sys

import numpy as np

import weft.fft

try:
    import torch
    if not torch.cuda.is_available():
        raise ImportError("there is no GPU")
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

field = torch.randn(128, 128, 128, device="cuda")
modes = weft.fft.rfftn(field)                     # a tensor on the same GPU; nothing is copied
assert np.allclose(modes.cpu(), torch.fft.rfftn(field).cpu(), rtol=1e-3, atol=1e-1)

out = torch.empty_like(modes)
with torch.cuda.stream(torch.cuda.Stream()):      # on the caller's stream
    weft.fft.rfftn(field, out=out)
torch.cuda.synchronize()
print("largest difference:", float((out - modes).abs().max()))
