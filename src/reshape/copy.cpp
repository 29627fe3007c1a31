// SPDX-License-Identifier: BSD-3-Clause
// The loops are sorted by the output's strides, and axes that are contiguous on both sides are
// merged. The innermost loop is then a copy of contiguous bytes, or a transposition of two axes,
// done tile by tile.
#include "reshape/copy.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>

#include "base/machine.hpp"
#include "weft/error.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace weft::reshape {
namespace {

/// The element type for 16 bytes; smaller elements are copied as integers.
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
  /// Inserts the axis before those with smaller output strides.
  void insert(const Axis& axis) {
    auto i = static_cast<std::size_t>(depth++);
    for (; i > 0 && std::abs(axes[i - 1].out) < std::abs(axis.out); --i) axes[i] = axes[i - 1];
    axes[i] = axis;
  }
  Axis& back() { return axes[static_cast<std::size_t>(depth - 1)]; }
};

/// Axes by decreasing output stride; contiguous neighbours are merged, axes of length 1 are
/// dropped.
Nest nest_of(const Box& box, const Strides& in, const Strides& out) {
  Nest all;
  for (int d = 0; d < box.ndim; ++d)
    if (box.extent(d) > 1) {
      const auto i = static_cast<std::size_t>(d);
      all.insert({box.extent(d), in[i], out[i]});
    }
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
constexpr bool is_bytes = std::is_integral_v<Element> || std::is_same_v<Element, Element16>;

template <class Element>
void copy_element(const Element& in, Element& out) {
  if constexpr (is_bytes<Element>)
    out = in;
  else
    out = std::conj(in);
}

template <class Element>
void copy_line(const Axis& axis, const Element* in, Element* out) {
  if constexpr (is_bytes<Element>)
    if (axis.in == 1 && axis.out == 1) {
      std::memcpy(out, in, static_cast<std::size_t>(axis.count) * sizeof(Element));
      return;
    }
  for (Index i = 0; i < axis.count; ++i) copy_element(in[i * axis.in], out[i * axis.out]);
}

/// Transposes rows x columns: the input is contiguous along rows, the output along columns. A tile
/// reads eight consecutive cache lines of each column, which starts the hardware prefetcher, and
/// writes four complete ones.
template <class Element, class Put>
void transpose(const Axis& rows, const Axis& columns, const Element* in, Element* out,
               const Put& put) {
  constexpr Index high = 512 / sizeof(Element), wide = 256 / sizeof(Element);
  for (Index r = 0; r < rows.count; r += high)
    for (Index c = 0; c < columns.count; c += wide) {
      const Index r_end = std::min(r + high, rows.count), c_end = std::min(c + wide, columns.count);
      for (Index i = r; i < r_end; ++i)
        for (Index j = c; j < c_end; ++j)
          put(in[i * rows.in + j * columns.in], out[i * rows.out + j * columns.out]);
    }
}

/// Copies with non-temporal stores, which bypass the caches, for blocks larger than the caches.
/// Returns false, and does nothing, if the CPU has no such stores or the memory is not aligned.
template <class Element>
bool stream_transposed(const Axis& rows, const Axis& columns, const Element* in, Element* out) {
#if defined(__SSE2__)
  static const Index cached = static_cast<Index>(this_machine().cache_bytes(3)) / 2;
  if (columns.out != 1 || rows.count * columns.count * Index{sizeof(Element)} < cached)
    return false;
  if constexpr (std::is_same_v<Element, Element16>) {
    if (reinterpret_cast<std::uintptr_t>(out) % 16 != 0) return false;
    transpose(rows, columns, in, out, [](const Element16& from, Element16& to) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(&to),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(&from)));
    });
  } else if constexpr (std::is_same_v<Element, std::uint64_t>) {
    transpose(rows, columns, in, out, [](const std::uint64_t& from, std::uint64_t& to) {
      _mm_stream_si64(reinterpret_cast<long long*>(&to), static_cast<long long>(from));
    });
  } else {
    return false;
  }
  _mm_sfence();  // so that other ranks can read the data after the next barrier
  return true;
#else
  return false;
#endif
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
    if (inner.in != 1 && std::abs(axis.in) < std::abs(inner.in)) {
      if (!stream_transposed(axis, inner, in, out))
        transpose(axis, inner, in, out, copy_element<Element>);
      return;
    }
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
