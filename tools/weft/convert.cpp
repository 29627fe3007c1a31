// SPDX-License-Identifier: BSD-3-Clause
#include "convert.hpp"

#include <cassert>
#include <complex>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/half.hpp"

namespace weft::tool {

float float_of(Half half) { return HalfNumber::widen(half); }
Half half_of(float value) { return HalfNumber::narrow(value); }

namespace {

template <class Bits>
Bits swapped(Bits bits) {
  if constexpr (sizeof(Bits) == 2) return __builtin_bswap16(bits);
  if constexpr (sizeof(Bits) == 4) return __builtin_bswap32(bits);
  if constexpr (sizeof(Bits) == 8) return __builtin_bswap64(bits);
}

/// One stored number, of type Stored, as a double or float.
template <class Stored>
auto load_number(const std::byte* at, bool swap) {
  using Bits =
      std::conditional_t<sizeof(Stored) == 2, std::uint16_t,
                         std::conditional_t<sizeof(Stored) == 4, std::uint32_t, std::uint64_t>>;
  Bits bits;
  std::memcpy(&bits, at, sizeof bits);
  if (swap) bits = swapped(bits);
  const auto stored = std::bit_cast<Stored>(bits);
  if constexpr (std::is_same_v<Stored, Half>)
    return float_of(stored);
  else
    return stored;
}

template <class Target, class Source>
Target number_as(Source value) {
  if constexpr (std::is_same_v<Target, Half>)
    return half_of(static_cast<float>(value));
  else
    return static_cast<Target>(value);
}

struct Span {
  const std::byte* from;
  std::byte* to;
  Index count;
  bool swap, from_complex, to_complex;
};

template <class Stored, class Target>
void convert_numbers(const Span& span) {
  const auto put = [](std::byte* at, Target value) { std::memcpy(at, &value, sizeof value); };
  const Index numbers = span.from_complex ? 2 * span.count : span.count;
  const Index spread = span.to_complex && !span.from_complex ? 2 : 1;
  for (Index i = 0; i < numbers; ++i) {
    const auto value = load_number<Stored>(span.from + i * Index{sizeof(Stored)}, span.swap);
    std::byte* target = span.to + i * spread * Index{sizeof(Target)};
    put(target, number_as<Target>(value));
    if (spread == 2) put(target + sizeof(Target), number_as<Target>(0.0f));
  }
}

template <class Stored>
void convert_from(const Span& span, Precision to) {
  switch (to) {
    case Precision::f16: return convert_numbers<Stored, Half>(span);
    case Precision::f32: return convert_numbers<Stored, float>(span);
    case Precision::f64: return convert_numbers<Stored, double>(span);
  }
}

}  // namespace

void convert_elements(const std::byte* from, NpyType from_type, std::endian from_order,
                      std::byte* to, NpyType to_type, Index count) {
  assert(is_complex(to_type) || !is_complex(from_type));
  const Span span{from,
                  to,
                  count,
                  from_order != std::endian::native,
                  is_complex(from_type),
                  is_complex(to_type)};
  switch (precision_of(from_type)) {
    case Precision::f16: return convert_from<Half>(span, precision_of(to_type));
    case Precision::f32: return convert_from<float>(span, precision_of(to_type));
    case Precision::f64: return convert_from<double>(span, precision_of(to_type));
  }
}

}  // namespace weft::tool
