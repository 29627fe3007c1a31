// SPDX-License-Identifier: BSD-3-Clause
// What all exchanges along lines share.
#include "fabric/wafer/transposition.hpp"

namespace weft::fabric {

std::int64_t line_alltoall_bound(std::int64_t elements, std::int64_t words) {
  return words * (elements / 2) * (elements - elements / 2);
}

Line row_of(const WaferProgram& program, int y) {
  Line line{.elements = {}, .up = Port::east};
  for (int x = 0; x < program.width; ++x) line.elements.push_back(y * program.width + x);
  return line;
}

Line column_of(const WaferProgram& program, int x) {
  Line line{.elements = {}, .up = Port::south};
  for (int y = 0; y < program.height; ++y) line.elements.push_back(y * program.width + x);
  return line;
}

WaferProgram make_program(int width, int height, int phases, int colors, std::int32_t memory_words,
                          const WaferRules& rules) {
  WaferProgram program{.width = width,
                       .height = height,
                       .memory_words = memory_words,
                       .memory = {},
                       .rules = rules,
                       .elements = {}};
  Element element;
  element.colors.resize(static_cast<std::size_t>(colors));
  element.phases.resize(static_cast<std::size_t>(phases));
  program.elements.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
                          element);
  return program;
}

}  // namespace weft::fabric
