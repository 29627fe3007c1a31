// SPDX-License-Identifier: BSD-3-Clause
// heFFTe's ranks decide some things by themselves that weft's plans must know on all: whether input
// and output are one array, and that all ask for the same.
#pragma once

#include "dropins/heffte/include/weft_heffte.h"
#include "weft/comm.hpp"

namespace weft::heffte {

/// Input and output are one array on some ranks, two on some; ranks without data are neither.
struct Agreement {
  bool is_some_same, is_some_apart;
};

/// What one rank adds.
struct RankState {
  bool has_data;    ///< on both sides
  bool has_memory;  ///< for the copy that it needs, if any
};

/// Collective. Throws the same weft::Error on all ranks if their calls differ, one of them has not
/// enough memory, or the number of transforms is not positive.
Agreement agree_on_call(const Comm& comm, const weft_heffte_call& call, RankState state);

}  // namespace weft::heffte
