// SPDX-License-Identifier: BSD-3-Clause
// A wisdom file as text:
//   {"format": "weft wisdom", "version": 1, "cpus": {"<cpu>": {"<problem>": "<recipe>", ...}}}
// Reading checks only this structure. Recipes stay text until a plan uses them. Entries that this
// version does not know are kept unchanged: they belong to another CPU, build or version.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace weft::tune {

/// Longer texts and values that are nested more deeply are refused.
inline constexpr std::size_t max_wisdom_bytes = std::size_t{16} << 20;
inline constexpr int max_wisdom_depth = 16;

struct WisdomValue {
  std::string text;       ///< a recipe, or the JSON text of another value
  bool is_recipe = true;  ///< false: unknown to this version, kept unchanged
  friend bool operator==(const WisdomValue&, const WisdomValue&) = default;
};

struct WisdomFile {
  std::map<std::string, std::map<std::string, WisdomValue>> cpus;  ///< by CPU and problem
  std::map<std::string, WisdomValue> others;  ///< members that this version does not know
  friend bool operator==(const WisdomFile&, const WisdomFile&) = default;
};

/// An empty text gives empty wisdom. Throws weft::Error (wisdom); the caller puts "wisdom file PATH
/// " before the message.
WisdomFile parse_wisdom(std::string_view text);
std::string to_text(const WisdomFile& file);

}  // namespace weft::tune
