// SPDX-License-Identifier: BSD-3-Clause
// What the fuzz targets have in common. A target gets any bytes: input that weft accepts must give
// correct results, all other input must be refused with weft::Error. A target is called by
// libFuzzer (preset `fuzz`) or by replay.cpp, with the seeds and mutations of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "support/oracle.hpp"
#include "weft/plan.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace weft::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// The first line, and what comes after it.
std::pair<std::string_view, std::string_view> first_line(std::string_view text);

/// A small transform such as "c2c f64 8x6 axes 1", "r2c f32 30", "dct2 f64 16 backward": kind,
/// precision, shape, and options. No value when the text is none, or asks for over 4096 points.
std::optional<Transform> small_transform(std::string_view text);

/// Seeded numbers for the transform, representable in its precision; for c2r the spectrum of some
/// real array.
test::Field input_for(const Transform& transform);

/// Fails unless `output` is the transform of `input`. `how` names the recipe in the message.
void check_output(const Transform& transform, const test::Field& input, const test::Field& output,
                  const std::string& how);

/// How many inputs were accepted and checked, so that a test of refusals alone is noticed.
inline int accepted = 0;

/// Says what went wrong and ends the process, so that the fuzzer keeps the input.
[[noreturn]] void fail(const std::string& what);

}  // namespace weft::fuzz
