// SPDX-License-Identifier: BSD-3-Clause
// Wisdom: the recipes that measurement chose, kept by CPU and problem. One store per process,
// safe to use from several threads; on disk it is JSON, versioned, written atomically.
#pragma once

#include <cstddef>
#include <string>

namespace weft::wisdom {

/// Merges a file into the store. A file that is missing is an error (io); one that is damaged or of
/// another version is an error (wisdom) and changes nothing. Entries of other CPUs are kept apart.
void load(const std::string& path);
/// Writes the store, merged with what the file already holds, by rename: never half a file.
void save(const std::string& path);
/// Where the tool keeps wisdom: $WEFT_WISDOM, or weft/wisdom.json in the user's cache folder.
std::string default_path();
/// load(default_path()) if that file exists and is sound. Returns what was wrong, empty if nothing.
std::string load_default() noexcept;
void forget();
std::size_t size();

}  // namespace weft::wisdom
