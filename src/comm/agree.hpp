// SPDX-License-Identifier: BSD-3-Clause
// Failing together: what one rank finds wrong, every rank throws.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "weft/comm.hpp"

namespace weft {

/// Collective. Runs `work` on every rank; if it throws on any, every rank throws the error of the
/// lowest failing rank, its message headed by "rank r: ". `work` must not be collective itself
/// unless it fails on all ranks or on none.
void agree(const Comm& comm, const std::function<void()>& work);

/// Collective. Every rank's text, by rank.
std::vector<std::string> gather_texts(const Comm& comm, const std::string& mine);

/// Collective. Throws on every rank when `mine` differs between ranks; `what` names it.
void require_equal(const Comm& comm, const std::string& mine, const std::string& what);

/// Collective. Rank 0's text on every rank.
std::string broadcast_text(const Comm& comm, const std::string& text);

}  // namespace weft
