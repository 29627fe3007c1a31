// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/device/mode_kernel.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/index.hpp"
#include "gpu/emit/emit_preamble.hpp"

namespace weft::gpu {

std::string emit_mode_kernel(const ModeGrid& grid, const ModeFunctionText& function,
                             Precision precision) {
  std::string text = "// weft: a function of the modes\n" + emit_numbers(precision) +
                     emit_arithmetic() + emit_mode_function(grid, function, precision);
  const int fields = std::max(function.inputs, function.outputs);
  text += weft::format(
      "struct Arguments {{ StoredComplex* fields[{}]; const StoredComplex* numbers; }};\n",
      static_cast<int>(most_mode_fields));
  text +=
      "__device__ __forceinline__ void treat(const Arguments& a, long long i) {\n"
      "  Mode mode;\n  mode.place = ModePlace(i);\n";
  const bool places_differ = function.reads_place && grid.has_other_places();
  if (function.reads_waves || function.reads_index || places_differ) {
    text += "  ModePlace rest = ModePlace(i);\n";
    for (int d = static_cast<int>(grid.extents.size()); d-- > 0;)
      text += weft::format("  mode.index[{0}] = {2} + rest % {1};\n  rest /= {1};\n", d,
                           grid.extents[at(d)], grid.begin_of(d));
  }
  if (places_differ) text += place_text(grid);
  if (function.reads_waves)
    for (std::size_t a = 0; a < grid.axes.size(); ++a)
      text += wave_text(grid, a, weft::format("mode.index[{}]", grid.axes[a].dimension));
  text += weft::format("  Complex u[{}];\n", fields);
  for (int f = 0; f < fields; ++f)
    text += f < function.inputs ? weft::format("  u[{0}] = load(a.fields[{0}] + i);\n", f)
                                : weft::format("  u[{}] = Complex{{0, 0}};\n", f);
  text += "  change(mode, a.numbers, u);\n";
  for (int f = 0; f < function.outputs; ++f)
    text += weft::format("  store(a.fields[{0}] + i, u[{0}]);\n", f);
  return text + "}\n";
}

}  // namespace weft::gpu
