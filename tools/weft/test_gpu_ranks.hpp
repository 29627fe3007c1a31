// SPDX-License-Identifier: BSD-3-Clause
// Distributed transforms on GPUs, checked against the host; part of weft test-gpu.
#pragma once

#include <string>

#include "weft/comm.hpp"

namespace weft::tool {

struct RankTests {
  int count = 0, failures = 0;
};

/// Collective; the same numbers on all ranks. Every rank uses the GPU of its number, or shares one
/// where there are fewer. `filter`: only transforms whose description contains it.
RankTests test_ranks(const Comm& comm, bool is_verbose, const std::string& filter = {});
RankTests test_ranks_as_threads(int ranks, bool is_verbose, const std::string& filter = {});

}  // namespace weft::tool
