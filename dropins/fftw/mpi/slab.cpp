// SPDX-License-Identifier: BSD-3-Clause
#include "dropins/fftw/mpi/slab.hpp"

#include <algorithm>
#include <numeric>

namespace weft::fftw {

Index block_or_default(Index n, Index block, int ranks) {
  return block > 0 ? block : (n + ranks - 1) / ranks;
}

Part part_of(Index n, Index block, int rank) {
  if (block <= 0 || rank > n / block) return {};
  const Index start = block * rank;
  const Index count = std::min(block, n - start);
  return count > 0 ? Part{count, start} : Part{};
}

bool fits(const SlabSide& side, int ranks) {
  const Index n = side.shape[side.transposed ? 1 : 0];
  const Index block = block_or_default(n, side.block, ranks);
  return n <= 0 || (n + block - 1) / block <= ranks;
}

LocalBoxes boxes_of(const SlabSide& side, int ranks, int rank) {
  const std::size_t ndim = side.shape.size(), divided = side.transposed ? 1 : 0;
  const Index n = side.shape[divided];
  const Part part = part_of(n, block_or_default(n, side.block, ranks), rank);
  std::vector<Index> begin(ndim + 1, 0), end(side.shape), strides(ndim + 1, 1);
  end.push_back(side.howmany);
  begin[divided] = part.start;
  end[divided] = part.start + part.count;
  LocalBox local{.box = Box(begin, end)};
  if (local.box.empty()) return {};

  std::vector<std::size_t> order(ndim);  // from slowest to fastest
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (side.transposed) std::swap(order[0], order[1]);
  if (side.locally_transposed) std::swap(order[0], order[1]);
  Index stride = side.howmany;
  for (std::size_t i = ndim; i-- > 0;) {
    const std::size_t d = order[i];
    strides[d] = stride;
    stride *= d + 1 == ndim && side.row > 0 ? side.row : end[d] - begin[d];
  }
  local.strides = strides;
  local.offset = 0;
  return {local};
}

}  // namespace weft::fftw
