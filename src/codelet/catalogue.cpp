// SPDX-License-Identifier: BSD-3-Clause
// The catalogue: one table. A row is a kind of kernel and the radices for which it is built.
#include "codelet/catalogue.hpp"

#include <algorithm>
#include <iterator>

#include "codelet/ir/line_kernel.hpp"
#include "codelet/runtime/registry.hpp"

namespace weft::codelet {
namespace {

constexpr int all_radices[] = {2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                               13, 14, 15, 16, 20, 21, 25, 27, 32, 35, 64};
// cmake/codelets.cmake reads this line: an emitted file holds the radices from the last number up
// to its own. Every file costs the compiler half a second before the first kernel.
constexpr int radix_files[] = {9, 14, 20, 27, 32, 64};

// Line kernels, built for every instruction set except scalar for which the length is possible.
constexpr int line_lengths[] = {16, 20, 24,  30,  32,  48,  60,  64,
                                80, 96, 100, 120, 128, 180, 200, 256};
// Lines of real numbers.
constexpr int real_line_lengths[] = {16, 20, 24, 32, 48, 60, 64, 96, 100, 120, 128, 200, 256, 512};
// The same for one line at a time, where many would go side by side: not for the widest registers.
constexpr int short_line_lengths[] = {2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 18,
                                      21, 22, 25, 26, 27, 28, 36, 40, 42, 44, 50, 52, 54, 56};
constexpr int short_real_line_lengths[] = {4,  6,  8,  10, 12, 14, 18, 22, 26, 28,
                                           30, 36, 40, 42, 44, 50, 52, 54, 56};
// Lengths with odd factors that do not fill wide registers either. Their kernels always multiply by
// a scale, which may be 1: half as many kernels.
constexpr int odd_line_lengths[] = {33, 35, 39,  45,  49,  55,  65,  66,  70,  72,  75,  78, 84,
                                    90, 98, 108, 110, 112, 125, 140, 144, 150, 160, 192, 240};
constexpr int odd_real_line_lengths[] = {66,  70,  72,  78,  84,  90,  98,  108, 110,
                                         130, 132, 140, 144, 150, 156, 168, 180};
// CMake reads this line too: the same for the files of line kernels.
constexpr int line_files[] = {64, 128, 256, 512};

/// Which radices a kind is built for.
enum class Radices {
  all,
  all_and_27,    // of 27 those that matrices in cache need, for the registers that hold it
  to_32,         // without 64
  to_32_and_27,  // as above
  common,        // without 11, 13, 14, 25, which only occur as factors of longer transforms
  real,          // small whole transforms, where real input halves the work
  odd,           // those of them that are odd: first passes of real transforms of odd length
  single,        // every short length, for one lane only
  few,           // one radix of each type
};

/// A kernel of one lane is for one transform at a time: for real ones of every short length.
bool contains(Radices radices, int radix, Isa isa) {
  if (isa == Isa::scalar && radices == Radices::real && radix <= 25 && radix != 21) return true;
  if (radices == Radices::single) return isa == Isa::scalar && radix <= 35;
  if (radix == 21 || radix == 35) return false;
  if (radix == 27)
    return isa == Isa::avx512 &&
           (radices == Radices::all_and_27 || radices == Radices::to_32_and_27);
  constexpr int rare[] = {11, 13, 14, 25};
  constexpr int real[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 32};
  constexpr int odd[] = {3, 5, 7, 9, 15};
  constexpr int few[] = {2, 3, 4, 5, 7, 8, 16};
  switch (radices) {
    case Radices::all:
    case Radices::all_and_27: return true;
    case Radices::to_32:
    case Radices::to_32_and_27: return radix <= 32;
    case Radices::common: return std::ranges::find(rare, radix) == std::end(rare);
    case Radices::real: return std::ranges::find(real, radix) != std::end(real);
    case Radices::odd: return std::ranges::find(odd, radix) != std::end(odd);
    case Radices::single: return false;
    case Radices::few: return std::ranges::find(few, radix) != std::end(few);
  }
  return false;
}

/// Which variants exist in addition to the plain one, and whether that one does.
enum Variants : unsigned { plain = 0, scaled = 1, backward = 2, not_plain = 4 };

struct Kind {
  KernelLayout in, out;
  Twiddle twiddle;
  unsigned variants;
  Radices radices;
  KernelTransform transform = KernelTransform::dft;
};

using enum KernelLayout;
using enum Twiddle;
using enum KernelTransform;

constexpr Kind kinds[] = {
    // whole transforms and first passes
    {unit, unit, none, scaled, Radices::all},
    {strided, strided, none, scaled, Radices::all},
    {tile, tile, none, scaled | backward, Radices::common},
    {unit, planar, none, plain, Radices::all},
    {strided, planar, none, plain, Radices::all_and_27},
    {tile, planar, none, plain, Radices::few},
    {planar, planar, none, plain, Radices::to_32},
    // middle and last passes, decimation in time
    {planar, planar, broadcast_in, plain, Radices::to_32_and_27},
    {planar, unit, broadcast_in, scaled, Radices::to_32_and_27},
    {planar, strided, broadcast_in, scaled, Radices::to_32},
    // second half of a four-step transform: the twiddles differ from lane to lane
    {tile, unit, vector_in, scaled, Radices::to_32_and_27},
    // real data, whole transforms
    {unit, unit, none, scaled, Radices::real, real_forward},
    {strided, strided, none, scaled, Radices::real, real_forward},
    {tile, tile, none, scaled, Radices::real, real_forward},
    {unit, unit, none, scaled, Radices::real, real_backward},
    {strided, strided, none, scaled, Radices::real, real_backward},
    {tile, tile, none, scaled, Radices::real, real_backward},
    // real data, first passes forward and last passes backward
    {unit, planar, none, plain, Radices::odd, real_forward},
    {strided, planar, none, plain, Radices::odd, real_forward},
    {planar, unit, none, scaled, Radices::odd, real_backward},
    {planar, strided, none, scaled, Radices::odd, real_backward},
    // real data on both sides, one transform at a time
    {strided, strided, none, scaled, Radices::single, halfcomplex_forward},
    {tile, tile, none, scaled, Radices::single, halfcomplex_forward},
    {strided, strided, none, scaled, Radices::single, halfcomplex_backward},
    {tile, tile, none, scaled, Radices::single, halfcomplex_backward},
    {strided, strided, none, scaled, Radices::single, hartley},
    {tile, tile, none, scaled, Radices::single, hartley},
};

void add_variants(const KernelKey& key, unsigned variants, std::vector<KernelKey>& keys) {
  for (bool is_scaled : {false, true})
    for (bool is_backward : {false, true}) {
      if ((is_scaled && !(variants & scaled)) || (is_backward && !(variants & backward))) continue;
      if (!is_scaled && (variants & not_plain)) continue;
      KernelKey variant = key;
      variant.scaled = is_scaled;
      variant.backward = is_backward;
      keys.push_back(canonical(variant));
    }
}

void add_lines(Isa isa, std::vector<KernelKey>& keys) {
  const auto add = [&](std::span<const int> lengths, KernelTransform transform, unsigned variants) {
    for (Precision precision : {Precision::f32, Precision::f64})
      for (int points : lengths) {
        KernelKey key{.isa = isa, .precision = precision, .radix = points, .in = line, .out = line};
        key.transform = transform;
        if (is_line_length(key)) add_variants(key, variants, keys);
      }
  };
  add(line_lengths, dft, scaled | backward);
  if (isa != Isa::avx512) {
    add(short_line_lengths, dft, scaled | backward);
    add(short_real_line_lengths, real_forward, plain);
    add(short_real_line_lengths, real_backward, scaled);
    add(odd_line_lengths, dft, scaled | not_plain | backward);
    add(odd_real_line_lengths, real_forward, plain);
    add(odd_real_line_lengths, real_backward, scaled | not_plain);
  }
  add(real_line_lengths, real_forward, plain);
  add(real_line_lengths, real_backward, scaled);
}

/// Kinds that are the same for an instruction set are built once.
std::vector<KernelKey> without_repetition(const std::vector<KernelKey>& keys) {
  std::vector<KernelKey> unique;
  for (const KernelKey& key : keys)
    if (std::ranges::find(unique, key) == unique.end()) unique.push_back(key);
  return unique;
}

}  // namespace

std::span<const int> catalogue_radices() { return all_radices; }

std::span<const int> catalogue_radix_files() { return radix_files; }

std::span<const int> catalogue_line_files() { return line_files; }

std::vector<KernelKey> catalogue(Isa isa) {
  std::vector<KernelKey> all;
  for (Precision precision : {Precision::f32, Precision::f64})
    for (int radix : all_radices) {
      std::vector<KernelKey> keys;
      for (const Kind& kind : kinds) {
        if (!contains(kind.radices, radix, isa)) continue;
        // The columns of a four-step transform fill the lanes, or more than three quarters.
        if (kind.twiddle == vector_in && 4 * radix <= 3 * lanes(isa, precision)) continue;
        KernelKey key{.isa = isa,
                      .precision = precision,
                      .radix = radix,
                      .in = kind.in,
                      .out = kind.out,
                      .twiddle = kind.twiddle};
        key.transform = kind.transform;
        add_variants(key, kind.variants, keys);
      }
      keys = without_repetition(keys);
      all.insert(all.end(), keys.begin(), keys.end());
    }
  add_lines(isa, all);
  return all;
}

}  // namespace weft::codelet
