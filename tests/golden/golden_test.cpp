// SPDX-License-Identifier: BSD-3-Clause
// A few emitted kernels, byte for byte: a change of the generator shows as a change of these files.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "codelet/dump.hpp"

namespace weft::codelet {
namespace {

struct Golden {
  const char* file;
  KernelKey key;
  const char* pass;  // "all" for the kernel after every pass
};

const Golden goldens[] = {
    {"dft4_avx2_all_passes.txt",
     {.isa = Isa::avx2, .radix = 4, .in = KernelLayout::unit, .out = KernelLayout::planar},
     "all"},
    {"dft8_avx2_broadcast_in.txt",
     {.isa = Isa::avx2,
      .radix = 8,
      .in = KernelLayout::planar,
      .out = KernelLayout::planar,
      .twiddle = Twiddle::broadcast_in},
     "emit"},
    {"dft5_scalar_scaled.txt",
     {.isa = Isa::scalar, .precision = Precision::f32, .radix = 5, .scaled = true},
     "emit"},
    {"dft3_neon_strided.txt", {.isa = Isa::neon, .radix = 3}, "emit"},
    {"dft16_avx2_line.txt",
     {.isa = Isa::avx2,
      .precision = Precision::f32,
      .radix = 16,
      .in = KernelLayout::line,
      .out = KernelLayout::line},
     "all"},
    {"real_forward6_avx512_tile.txt",
     {.isa = Isa::avx512,
      .precision = Precision::f32,
      .radix = 6,
      .in = KernelLayout::tile,
      .out = KernelLayout::tile,
      .transform = KernelTransform::real_forward},
     "emit"},
};

std::string text_of(const Golden& golden) {
  std::string text;
  for (const Dump& dump : dump_all(golden.key))
    if (golden.pass == std::string("all"))
      text += "---- " + dump.pass + " ----\n" + dump.text;
    else if (golden.pass == dump.pass)
      text += dump.text;
  return text;
}

TEST(Golden, EmittedTextIsTheRecordedOne) {
  for (const Golden& golden : goldens) {
    const std::filesystem::path path = std::filesystem::path(WEFT_GOLDEN_FOLDER) / golden.file;
    const std::string text = text_of(golden);
    if (std::getenv("WEFT_UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << text;
    std::ifstream file(path, std::ios::binary);
    const std::string recorded{std::istreambuf_iterator<char>(file), {}};
    EXPECT_TRUE(text == recorded)
        << "the generator no longer emits " << path << "; if that is intended, run this test with "
        << "WEFT_UPDATE_GOLDEN=1, review the difference with git diff, and commit it. Now:\n"
        << text;
  }
}

TEST(Golden, TheSameKernelGivesTheSameText) {
  for (const Golden& golden : goldens) EXPECT_EQ(text_of(golden), text_of(golden)) << golden.file;
}

}  // namespace
}  // namespace weft::codelet
