// SPDX-License-Identifier: BSD-3-Clause
// Fuzzes the text of functions of the modes. What is accepted must refer to earlier instructions
// only and run on a tile.
#include "fuzz/target.hpp"
#include "spectral/expression_program.hpp"

namespace weft::fuzz {
namespace {

/// False: the text was refused.
bool parses(std::string_view text, const spectral::ExpressionWords& words,
            spectral::ExpressionProgram& program) {
  try {
    program = spectral::parse_expression(text, 0, words);
  } catch (const Error& error) {
    const std::string why = error.what();
    if (why.find('\n') != std::string::npos || why.find("character") == std::string::npos)
      fail("the error is not one line with a place: " + why);
    return false;
  }
  const int count = static_cast<int>(program.instructions.size());
  for (int n = 0; n < count; ++n) {
    const auto& instruction = program.instructions[static_cast<std::size_t>(n)];
    for (int each : {instruction.a, instruction.b, instruction.c})
      if (each >= n) fail("an instruction uses a later one");
  }
  if (program.axes > 4 || program.inputs > 16 || program.outputs.size() > 16)
    fail("there are too many axes or fields");
  if (program.parameters > 16 || program.spline_axes > 3)
    fail("there are too many parameters or distances");
  return true;
}

void check_expression(std::string_view text) {
  spectral::ExpressionProgram program;
  // Of functions of fields on GPUs, which do not run here.
  parses(text, {.parameters = true}, program);
  parses(text, {.waves = false, .parameters = true, .places = true, .real_fields = true}, program);
  program = {};
  if (!parses(text, {}, program)) return;
  ++accepted;
  constexpr Index rows = 2, modes = 70;
  std::vector<double> k(modes, 0.5);
  const std::array<ModeTile<double>::Dimension, 2> dimensions{
      {{0, rows, modes, 0, k.data(), k.data()}, {0, modes, 1, 1, k.data(), k.data()}}};
  std::vector<std::complex<double>> memory(static_cast<std::size_t>(16 * rows * modes), {1, 2});
  std::array<std::complex<double>*, 16> fields{};
  for (std::size_t f = 0; f < fields.size(); ++f)
    fields[f] = memory.data() + static_cast<Index>(f) * rows * modes;
  spectral::run_expression(program, ModeTile<double>{dimensions, fields.data(), 2});
}

}  // namespace
}  // namespace weft::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::fuzz::check_expression(weft::fuzz::text_of(data, size));
  return 0;
}
