// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/device/pad_kernel.hpp"

#include "base/format.hpp"

namespace weft::gpu {
namespace {

Index count_of(const std::vector<Index>& extents) {
  Index count = 1;
  for (const Index extent : extents) count *= extent;
  return count;
}

}  // namespace

std::string emit_pad(const std::vector<Index>& whole, const std::vector<Index>& corner,
                     Index element_bytes, bool crops) {
  const std::vector<Index>&loop = crops ? corner : whole, &other = crops ? whole : corner;
  std::string text = weft::format(
      "// weft: {}\nstruct alignas({}) Element {{ unsigned words[{}]; }};\n"
      "struct Arguments {{ const Element* in; Element* out; }};\n"
      "__device__ __forceinline__ void treat(const Arguments& a, long long i) {{\n"
      "  long long rest = i, from = 0;\n  bool is_there = true;\n",
      crops ? "crop" : "pad", element_bytes, element_bytes / 4);
  Index stride = 1;
  for (std::size_t d = loop.size(); d-- > 0;) {
    text += weft::format("  const long long i{0} = rest % {1};\n  rest /= {1};\n", d, loop[d]);
    text += weft::format("  is_there = is_there && i{0} < {1};\n  from += i{0} * {2};\n", d,
                         other[d], stride);
    stride *= other[d];
  }
  return text + "  a.out[i] = is_there ? a.in[from] : Element{};\n}\n";
}

PadKernel::PadKernel(Work work, const std::vector<Index>& whole, const std::vector<Index>& corner,
                     Index element_bytes, const GpuDevice& device)
    : kernel_(emit_pad(whole, corner, element_bytes, work == Work::crop), device),
      count_(count_of(work == Work::crop ? corner : whole)) {}

void PadKernel::run(const void* in, void* out, Stream stream) const {
  struct Arguments {
    const void* in;
    void* out;
  };
  kernel_.run(Arguments{in, out}, count_, stream);
}

}  // namespace weft::gpu
