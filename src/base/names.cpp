// SPDX-License-Identifier: BSD-3-Clause
#include "base/names.hpp"

namespace weft {

const char* to_string(Kind kind) {
  constexpr const char* names[] = {"c2c", "r2c", "c2r", "r2r"};
  return names[static_cast<int>(kind)];
}

const char* to_string(Precision precision) {
  constexpr const char* names[] = {"f16", "f32", "f64"};
  return names[static_cast<int>(precision)];
}

const char* to_string(Direction direction) {
  return direction == Direction::forward ? "forward" : "backward";
}

const char* to_string(R2r kind) {
  constexpr const char* names[] = {"dct1", "dct2", "dct3", "dct4", "dst1", "dst2",
                                   "dst3", "dst4", "dht",  "r2hc", "hc2r"};
  return names[static_cast<int>(kind)];
}

}  // namespace weft
