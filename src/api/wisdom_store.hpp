// SPDX-License-Identifier: BSD-3-Clause
// The recipes that measurement chose, as plans see them: text by text.
#pragma once

#include <optional>
#include <string>

namespace weft::api {

/// `problem` names the problem and the number of threads.
std::optional<std::string> find_wisdom(const std::string& problem);
void add_wisdom(const std::string& problem, const std::string& recipe);

/// The same by the name of a GPU.
std::optional<std::string> find_gpu_wisdom(const std::string& device, const std::string& problem);
void add_gpu_wisdom(const std::string& device, const std::string& problem,
                    const std::string& recipe);

}  // namespace weft::api
