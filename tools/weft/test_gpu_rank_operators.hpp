// SPDX-License-Identifier: BSD-3-Clause
// Operators over ranks on GPUs against those of the CPU; part of weft test-gpu.
#pragma once

#include <string>

#include "test_gpu_ranks.hpp"

namespace weft::tool {

/// Collective, as test_ranks(). Those whose description contains `filter`.
RankTests test_rank_operators(const Comm& comm, bool is_verbose, const std::string& filter = {});
RankTests test_rank_operators_as_threads(int ranks, bool is_verbose,
                                         const std::string& filter = {});

}  // namespace weft::tool
