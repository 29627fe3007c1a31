// SPDX-License-Identifier: BSD-3-Clause
// Wisdom files, which many processes may read and write at the same time. Errors are weft::Error
// (io or wisdom) with the file name in the message.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tune/wisdom_text.hpp"

namespace weft::tune {

/// nullopt if there is no such file.
std::optional<WisdomFile> read_wisdom_file(const std::string& path);

/// Reads the file, calls `change` on its contents and replaces it; a lock keeps other writers away.
/// If the file does not exist, it is created, with its folder. If it is not a wisdom file of this
/// version, it is not changed, and an error is thrown.
void update_wisdom_file(const std::string& path, const std::function<void(WisdomFile&)>& change);

}  // namespace weft::tune
