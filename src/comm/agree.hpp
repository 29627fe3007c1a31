// SPDX-License-Identifier: BSD-3-Clause
// All ranks fail together: an error on one rank is thrown on every rank.
#pragma once

#include <string>
#include <vector>

#include "base/work_ref.hpp"
#include "weft/comm.hpp"

namespace weft {

/// Collective. Runs `work` on every rank. If it throws on any rank, every rank throws the error of
/// the lowest failing rank, with "rank r: " before the message. `work` may contain collective calls
/// among a group of ranks if they fail on all ranks of the group or on none. agree() itself
/// allocates nothing.
void agree(const Comm& comm, WorkRef work);

/// Collective. The texts of all ranks, in the order of ranks.
std::vector<std::string> gather_texts(const Comm& comm, const std::string& mine);

/// Collective. Throws on every rank if `mine` differs between ranks; `what` is its name in the
/// message.
void require_equal(const Comm& comm, const std::string& mine, const char* what);

/// Collective. Returns rank 0's text on every rank.
std::string broadcast_text(const Comm& comm, const std::string& text);

}  // namespace weft
