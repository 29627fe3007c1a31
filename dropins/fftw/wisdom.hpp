// SPDX-License-Identifier: BSD-3-Clause
// Wisdom of this drop-in: which recipe each planned problem got. It has plans by estimation too,
// which weft's own wisdom has not, because FFTW_WISDOM_ONLY asks for those as well.
#pragma once

#include <optional>
#include <string>

#include "dropins/fftw/planner.hpp"

namespace weft::fftw::wisdom {

struct Entry {
  Rigor rigor;
  std::string recipe;
};

/// The recipe of a problem that was planned with at least this rigor.
std::optional<std::string> find(const std::string& problem, Rigor rigor);
void add(const std::string& problem, const Entry& entry);
void forget() noexcept;

/// The whole store as text, one line per problem, and back. from_text() leaves the store as it was
/// and returns false if the text is anything else.
std::string to_text();
bool from_text(const std::string& text);

/// The wisdom that `weft tune` has left in its usual place, for all plans from now on.
bool use_weft();
bool uses_weft() noexcept;

}  // namespace weft::fftw::wisdom
