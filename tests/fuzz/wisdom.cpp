// SPDX-License-Identifier: BSD-3-Clause
// Fuzzes wisdom files. "@CPU@" in the input is replaced by the name of this CPU in wisdom. Wisdom
// that loads must survive saving and loading, and plans made with it must compute the transform.
#include "weft/wisdom.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "base/machine.hpp"
#include "codelet/runtime/isa.hpp"
#include "codelet/runtime/names.hpp"
#include "codelet/runtime/registry.hpp"
#include "fuzz/target.hpp"
#include "support/run_plan.hpp"

namespace weft::fuzz {
namespace {

/// A file that goes away with the process.
const std::string& scratch_file() {
  static const struct File {
    std::string path;
    File() {
      const char* folder = std::getenv("TMPDIR");
      path = std::string(folder != nullptr ? folder : "/tmp") + "/weft-fuzz-wisdom-XXXXXX";
      const int file = ::mkstemp(path.data());
      if (file < 0) fail("cannot make " + path);
      ::close(file);
    }
    ~File() { ::unlink(path.c_str()); }
  } file;
  return file.path;
}

void write_scratch(const std::string& text) {
  std::ofstream(scratch_file(), std::ios::binary | std::ios::trunc) << text;
}

std::string for_this_cpu(std::string text) {
  const std::string mark = "@CPU@";
  const std::string name = this_machine().cpu + ", " + codelet::to_string(codelet::best_isa());
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += name.size())
    text.replace(at, mark.size(), name);
  return text;
}

/// The problems that the seeds hold recipes for.
void run_small_plans() {
  for (const char* line : {"c2c f64 64", "c2c f32 60 backward", "r2c f64 48", "c2r f32 35",
                           "c2c f64 97", "dct2 f64 16", "c2c f64 12x10", "c2c f64 4x64 axes 1"}) {
    const auto transform = small_transform(line);
    const test::Field input = input_for(*transform);
    const auto result = test::run_plan(*transform, input);
    check_output(*transform, input, result.output, result.recipe);
  }
}

void check_wisdom(const std::string& text) {
  write_scratch(text);
  wisdom::forget();
  try {
    wisdom::load(scratch_file());
  } catch (const Error&) {
    if (wisdom::size() != 0) fail("a file that was refused left entries behind");
    return;
  }
  const std::size_t entries = wisdom::size();
  if (entries == 0) return;
  run_small_plans();
  write_scratch("");
  ::unlink(scratch_file().c_str());
  wisdom::save(scratch_file());
  wisdom::forget();
  wisdom::load(scratch_file());
  if (wisdom::size() != entries) fail("saved wisdom is not loaded as it was");
}

}  // namespace
}  // namespace weft::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::fuzz::check_wisdom(weft::fuzz::for_this_cpu(std::string(weft::fuzz::text_of(data, size))));
  return 0;
}
