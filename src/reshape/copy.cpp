// SPDX-License-Identifier: BSD-3-Clause
// The loops are put in the order of the output's strides and joined where both sides run on. What
// is left innermost is a run of bytes, or a transposition of two axes that goes tile by tile.
#include "reshape/copy.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>

#include "weft/error.hpp"

namespace weft::reshape {
namespace {

/// Bytes are copied as integers and as this; complex numbers are conjugated.
struct Element16 {
  std::uint64_t words[2];
};

struct Axis {
  Index count, in, out;  // strides in elements
};

struct Nest {
  int depth = 0;
  std::array<Axis, max_box_ndim> axes{};  // slowest first

  void add(const Axis& axis) { axes[static_cast<std::size_t>(depth++)] = axis; }
  Axis& back() { return axes[static_cast<std::size_t>(depth - 1)]; }
};

/// Axes by falling output stride, neighbours that run on joined, those of one index dropped.
Nest nest_of(const Box& box, const Strides& in, const Strides& out) {
  Nest all;
  for (int d = 0; d < box.ndim; ++d)
    if (box.extent(d) > 1) {
      const auto i = static_cast<std::size_t>(d);
      all.add({box.extent(d), in[i], out[i]});
    }
  std::stable_sort(all.axes.begin(), all.axes.begin() + all.depth,
                   [](const Axis& a, const Axis& b) { return std::abs(a.out) > std::abs(b.out); });
  Nest joined;
  for (int i = 0; i < all.depth; ++i) {
    const Axis& axis = all.axes[static_cast<std::size_t>(i)];
    if (joined.depth > 0 && joined.back().in == axis.count * axis.in &&
        joined.back().out == axis.count * axis.out)
      joined.back() = {joined.back().count * axis.count, axis.in, axis.out};
    else
      joined.add(axis);
  }
  return joined;
}

template <class Element>
void copy_element(const Element& in, Element& out) {
  out = in;
}
template <class Real>
void copy_element(const std::complex<Real>& in, std::complex<Real>& out) {
  out = std::conj(in);
}

template <class Element>
void copy_line(const Axis& axis, const Element* in, Element* out) {
  if constexpr (std::is_integral_v<Element> || std::is_same_v<Element, Element16>)
    if (axis.in == 1 && axis.out == 1) {
      std::memcpy(out, in, static_cast<std::size_t>(axis.count) * sizeof(Element));
      return;
    }
  for (Index i = 0; i < axis.count; ++i) copy_element(in[i * axis.in], out[i * axis.out]);
}

/// rows x columns where the input is adjacent along rows and the output along columns.
template <class Element>
void transpose(const Axis& rows, const Axis& columns, const Element* in, Element* out) {
  constexpr Index tile = 64 / sizeof(Element) < 8 ? 8 : 64 / sizeof(Element);
  for (Index r = 0; r < rows.count; r += tile)
    for (Index c = 0; c < columns.count; c += tile) {
      const Index r_end = std::min(r + tile, rows.count), c_end = std::min(c + tile, columns.count);
      for (Index i = r; i < r_end; ++i)
        for (Index j = c; j < c_end; ++j)
          copy_element(in[i * rows.in + j * columns.in], out[i * rows.out + j * columns.out]);
    }
}

template <class Element>
void copy_nest(const Nest& nest, int level, const Element* in, Element* out) {
  const int left = nest.depth - level;
  if (left == 0) {
    copy_element(*in, *out);
    return;
  }
  const Axis& axis = nest.axes[static_cast<std::size_t>(level)];
  if (left == 1) return copy_line(axis, in, out);
  if (left == 2) {
    const Axis& inner = nest.axes[static_cast<std::size_t>(level + 1)];
    if (inner.in != 1 && std::abs(axis.in) < std::abs(inner.in))
      return transpose(axis, inner, in, out);
  }
  for (Index i = 0; i < axis.count; ++i)
    copy_nest(nest, level + 1, in + i * axis.in, out + i * axis.out);
}

template <class Element>
void copy_as(const Nest& nest, const std::byte* in, std::byte* out) {
  copy_nest(nest, 0, reinterpret_cast<const Element*>(in), reinterpret_cast<Element*>(out));
}

}  // namespace

void copy_box(const Box& box, const std::byte* in, const Strides& in_strides, std::byte* out,
              const Strides& out_strides, Index element_bytes) {
  if (box.empty()) return;
  const Nest nest = nest_of(box, in_strides, out_strides);
  switch (element_bytes) {
    case 2: return copy_as<std::uint16_t>(nest, in, out);
    case 4: return copy_as<std::uint32_t>(nest, in, out);
    case 8: return copy_as<std::uint64_t>(nest, in, out);
    case 16: return copy_as<Element16>(nest, in, out);
    default:
      throw Error(ErrorCode::internal,
                  "no copy for elements of " + std::to_string(element_bytes) + " bytes");
  }
}

void conjugate_box(const Box& box, const std::byte* in, const Strides& in_strides, std::byte* out,
                   const Strides& out_strides, Index element_bytes) {
  if (box.empty()) return;
  const Nest nest = nest_of(box, in_strides, out_strides);
  switch (element_bytes) {
    case 8: return copy_as<std::complex<float>>(nest, in, out);
    case 16: return copy_as<std::complex<double>>(nest, in, out);
    default:
      throw Error(ErrorCode::internal,
                  "no conjugation of elements of " + std::to_string(element_bytes) + " bytes");
  }
}

}  // namespace weft::reshape
