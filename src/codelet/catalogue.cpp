// SPDX-License-Identifier: BSD-3-Clause
// The catalogue: one table. A row is a kind of kernel and the radices for which it is built.
#include "codelet/catalogue.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace weft::codelet {
namespace {

// cmake/codelets.cmake reads this line: one emitted file per radix.
constexpr int all_radices[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 25, 32, 64};

enum class Radices {
  all,    // the whole list
  to_32,  // without 64
  few,    // 2 3 4 5 7 8 16: where one radix of each kind suffices
};

bool contains(Radices radices, int radix) {
  constexpr int few[] = {2, 3, 4, 5, 7, 8, 16};
  switch (radices) {
    case Radices::all: return true;
    case Radices::to_32: return radix <= 32;
    case Radices::few: return std::ranges::find(few, radix) != std::end(few);
  }
  return false;
}

enum Variants : unsigned { plain = 0, scaled = 1, backward = 2, indexed_only = 4 };

struct Kind {
  Layout in, out;
  Twiddle twiddle;
  unsigned variants;  // which variants exist beside the plain one
  Radices radices;
};

using enum Layout;

constexpr Kind dft_kinds[] = {
    {unit, unit, Twiddle::none, scaled, Radices::all},
    {strided, strided, Twiddle::none, scaled, Radices::all},
    {tile, tile, Twiddle::none, scaled | backward, Radices::all},
    {unit, planar, Twiddle::none, plain, Radices::all},
    {strided, planar, Twiddle::none, plain, Radices::all},
    {tile, planar, Twiddle::none, plain, Radices::to_32},
    {planar, planar, Twiddle::none, plain, Radices::to_32},
    {planar, planar, Twiddle::broadcast_in, plain, Radices::to_32},
    {planar, unit, Twiddle::broadcast_in, scaled, Radices::to_32},
    {planar, strided, Twiddle::broadcast_in, scaled, Radices::to_32},
    {tile, unit, Twiddle::vector_in, scaled, Radices::all},
    {strided, unit, Twiddle::vector_in, scaled, Radices::to_32},
    {strided, planar, Twiddle::vector_in, plain, Radices::to_32},
    {unit, planar, Twiddle::vector_in, plain, Radices::to_32},
    {planar, planar, Twiddle::broadcast_out, plain, Radices::few},
    {planar, planar, Twiddle::none, indexed_only, Radices::few},
    {strided, planar, Twiddle::none, indexed_only, Radices::few},
    {planar, strided, Twiddle::none, indexed_only, Radices::few},
};

void add_variants(const KernelKey& key, unsigned variants, std::vector<KernelKey>& keys) {
  for (bool is_scaled : {false, true})
    for (bool is_backward : {false, true}) {
      if ((is_scaled && !(variants & scaled)) || (is_backward && !(variants & backward))) continue;
      KernelKey variant = key;
      variant.scaled = is_scaled;
      variant.backward = is_backward;
      keys.push_back(canonical(variant));
    }
}

}  // namespace

KernelKey canonical(KernelKey key) {
  if (key.isa != Isa::scalar) return key;
  key.in = key.out = Layout::strided;
  if (key.twiddle == Twiddle::vector_in) key.twiddle = Twiddle::broadcast_in;
  return key;
}

std::vector<KernelKey> catalogue(Isa isa) {
  std::vector<KernelKey> keys;
  for (Precision precision : {Precision::f32, Precision::f64})
    for (int radix : all_radices) {
      const std::size_t first = keys.size();
      for (const Kind& kind : dft_kinds) {
        if (!contains(kind.radices, radix)) continue;
        KernelKey key{.isa = isa,
                      .precision = precision,
                      .radix = radix,
                      .in = kind.in,
                      .out = kind.out,
                      .twiddle = kind.twiddle};
        key.indexed = (kind.variants & indexed_only) != 0;
        add_variants(key, kind.variants, keys);
      }
      // Kinds that coincide for this instruction set are built once.
      std::vector<KernelKey> unique;
      for (std::size_t i = first; i < keys.size(); ++i)
        if (std::ranges::find(unique, keys[i]) == unique.end()) unique.push_back(keys[i]);
      keys.resize(first);
      keys.insert(keys.end(), unique.begin(), unique.end());
    }
  return keys;
}

}  // namespace weft::codelet
