// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/device/copy_kernel.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace weft::gpu {
namespace {

constexpr const char* copy_text = R"(
struct Shape { int ndim, conjugates; long long count, extents[8], in[8], out[8]; };
struct Arguments { const Element* in; Element* out; Shape shape; };
__device__ __forceinline__ void treat(const Arguments& a, long long i) {
  long long from = 0, to = 0;
  for (int d = 0; d < a.shape.ndim; ++d) {
    const long long digit = i % a.shape.extents[d];
    i /= a.shape.extents[d];
    from += digit * a.shape.in[d];
    to += digit * a.shape.out[d];
  }
  Element element = a.in[from];
  if (a.shape.conjugates) element.SIGN ^= 0x80000000u;
  a.out[to] = element;
}
)";

}  // namespace

std::string emit_copy(Index element_bytes) {
  // SIGN: the word whose highest bit is the sign of the imaginary part of a complex element.
  const char* element =
      element_bytes == 2   ? "#define SIGN a\nstruct alignas(2) Element { unsigned short a; };"
      : element_bytes == 4 ? "#define SIGN a\nstruct alignas(4) Element { unsigned a; };"
      : element_bytes == 8 ? "#define SIGN b\nstruct alignas(8) Element { unsigned a, b; };"
                           : "#define SIGN d\nstruct alignas(16) Element { unsigned a, b, c, d; };";
  return std::string("// weft: copy\n") + element + copy_text;
}

CopyShape copy_shape(const Box& box, const reshape::Strides& in, const reshape::Strides& out,
                     bool conjugates) {
  std::vector<std::size_t> axes;
  for (int d = 0; d < box.ndim; ++d)
    if (box.extent(d) > 1) axes.push_back(static_cast<std::size_t>(d));
  std::ranges::stable_sort(axes, {}, [&](std::size_t d) { return std::abs(out[d]); });
  CopyShape shape;
  shape.count = box.count();
  shape.conjugates = conjugates ? 1 : 0;
  for (const std::size_t d : axes) {
    const Index n = box.extent(static_cast<int>(d));
    const int last = shape.ndim - 1;
    if (last >= 0 && in[d] == shape.extents[last] * shape.in[last] &&
        out[d] == shape.extents[last] * shape.out[last]) {
      shape.extents[last] *= n;  // continues the axis before it
      continue;
    }
    shape.extents[shape.ndim] = n;
    shape.in[shape.ndim] = in[d];
    shape.out[shape.ndim] = out[d];
    ++shape.ndim;
  }
  return shape;
}

}  // namespace weft::gpu
