// SPDX-License-Identifier: BSD-3-Clause
// Index and Precision, apart from the other types: every generated kernel includes this header, so
// it includes nothing of the standard library that takes long to read.
#pragma once

#include <cstdint>

namespace weft {

using Index = std::int64_t;  ///< counts elements; signed, 64 bits everywhere

enum class Precision { f16, f32, f64 };

}  // namespace weft
