// SPDX-License-Identifier: BSD-3-Clause
// The wisdom store as plans use it: find and add recipes as text.
#pragma once

#include <optional>
#include <string>

namespace weft::tune {

/// Prefixes of the keys of entries that are not recipes of local transforms.
inline constexpr const char* distributed_prefix = "distributed ";
inline constexpr const char* network_prefix = "network ";  ///< the "recipe" is a NetworkModel

/// `problem` names the problem and the number of threads; `device` is the name of a GPU, or empty
/// for this CPU.
std::optional<std::string> find_wisdom(const std::string& problem, const std::string& device = {});
void add_wisdom(const std::string& problem, const std::string& recipe,
                const std::string& device = {});
/// The store as the text of a wisdom file: all of it, or what this process has measured.
enum class WisdomPart { all, measured };
std::string wisdom_text(WisdomPart part);
/// The first entry of this CPU whose key begins with `beginning`.
std::optional<std::string> find_wisdom_like(const std::string& beginning);

}  // namespace weft::tune
