// SPDX-License-Identifier: BSD-3-Clause
// The standard streams, which may be closed or full.
#pragma once

#include <string>
#include <string_view>

namespace weft::tool {

/// Call this first. A closed standard stream is replaced by one that can be neither read nor
/// written. Otherwise the next file that is opened would get its number, and messages would go into
/// that file.
void reserve_standard_streams();

/// Writes text to standard error and ignores errors.
void tell(const char* text) noexcept;
/// A line "weft: ..." on standard error, of the first rank only.
void complain(std::string_view message) noexcept;

/// Whether some output was lost.
bool standard_output_failed() noexcept;
/// Call this last, and where output has to appear before a long computation. Throws weft::Error
/// (io) if standard output could not be written completely.
void flush_standard_output();

}  // namespace weft::tool
