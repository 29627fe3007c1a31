// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weft::tool {

/// The results of `weft bench local` as a page that needs nothing else: bench.html with the
/// numbers.
std::string bench_page(const nlohmann::json& document);

}  // namespace weft::tool
