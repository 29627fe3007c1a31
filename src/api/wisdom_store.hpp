// SPDX-License-Identifier: BSD-3-Clause
// The recipes that measurement chose, as plans see them: text by text.
#pragma once

#include <optional>
#include <string>

namespace weft::api {

/// How the names of problems begin whose recipes are not those of a local transform.
inline constexpr const char* distributed_prefix = "distributed ";
inline constexpr const char* network_prefix = "network ";  ///< the "recipe" is a NetworkModel

/// `problem` names the problem and the number of threads.
std::optional<std::string> find_wisdom(const std::string& problem);
void add_wisdom(const std::string& problem, const std::string& recipe);
/// The first entry whose problem begins like this.
std::optional<std::string> find_wisdom_like(const std::string& beginning);

/// The same by the name of a GPU.
std::optional<std::string> find_gpu_wisdom(const std::string& device, const std::string& problem);
void add_gpu_wisdom(const std::string& device, const std::string& problem,
                    const std::string& recipe);

}  // namespace weft::api
