// SPDX-License-Identifier: BSD-3-Clause
// AVX kernels clear the upper halves of registers (vzeroupper): otherwise every instruction of
// later SSE code would have to wait for these halves.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "codelet/ir/line_kernel.hpp"
#include "codelet/runtime/isa.hpp"
#include "codelet/runtime/names.hpp"
#include "codelet/runtime/registry.hpp"

#ifdef __x86_64__
namespace weft::codelet {
namespace {

constexpr int registers = 16, bytes = 32;
using Registers = std::uint64_t[registers][bytes / 8];

/// The kernel's call and the look at the registers are one function without AVX code of its own,
/// so nothing in between can clear them.
[[gnu::noinline]] void run_and_look(const CompiledKernel& kernel, const double* in, double* out,
                                    const double* twiddles, const KernelArguments& arguments,
                                    Registers& seen) {
  asm volatile("vzeroupper" ::: "memory");
  kernel.function(in, out, twiddles, arguments);
  asm volatile(
      "vmovups %%ymm0, 0(%0)\n vmovups %%ymm1, 32(%0)\n vmovups %%ymm2, 64(%0)\n"
      "vmovups %%ymm3, 96(%0)\n vmovups %%ymm4, 128(%0)\n vmovups %%ymm5, 160(%0)\n"
      "vmovups %%ymm6, 192(%0)\n vmovups %%ymm7, 224(%0)\n vmovups %%ymm8, 256(%0)\n"
      "vmovups %%ymm9, 288(%0)\n vmovups %%ymm10, 320(%0)\n vmovups %%ymm11, 352(%0)\n"
      "vmovups %%ymm12, 384(%0)\n vmovups %%ymm13, 416(%0)\n vmovups %%ymm14, 448(%0)\n"
      "vmovups %%ymm15, 480(%0)\n vzeroupper"
      :
      : "r"(&seen)
      : "memory");
}

Index row_reals(const KernelKey& key, KernelLayout layout, bool is_real) {
  const Index parts = is_real ? 1 : 2;
  return layout == KernelLayout::unit || layout == KernelLayout::planar
             ? 2 * lanes(key.isa, key.precision)
             : parts;
}

TEST(Kernels, LeaveNoUpperHalvesInUse) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "GCC clears upper halves from -O2 on, and the sanitizers build with -O1";
#endif
  const std::vector<double> in(1 << 17, 1.25);
  std::vector<double> out(1 << 17);
  int checked = 0;
  for (Isa isa : available_isas()) {
    if (isa != Isa::avx2 && isa != Isa::avx512) continue;
    for (const CompiledKernel& kernel : kernels()) {
      const KernelKey& key = kernel.key;
      if (key.isa != isa) continue;
      const Index lane = 2 * key.radix;
      KernelArguments arguments{};
      arguments.in_row = row_reals(key, key.in, has_real_input(key.transform));
      arguments.out_row = row_reals(key, key.out, has_real_output(key.transform));
      arguments.in_lane = arguments.out_lane = lane;
      arguments.count = 1;
      arguments.scale = 0.5;
      Registers seen;
      run_and_look(kernel, in.data(), out.data(), in.data(), arguments, seen);
      std::uint64_t upper = 0;
      for (const auto& words : seen) upper |= words[2] | words[3];
      EXPECT_EQ(upper, 0u) << to_string(key);
      ++checked;
    }
  }
  if (checked == 0) GTEST_SKIP() << "this CPU has neither AVX2 nor AVX-512";
  EXPECT_GT(checked, 100);
}

}  // namespace
}  // namespace weft::codelet
#endif
