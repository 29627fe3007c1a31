// SPDX-License-Identifier: BSD-3-Clause
#include "gauge/sites.hpp"

#include <fmt/format.h>

#include <cstring>

#include "common/program.hpp"

namespace weft::apps {

Sites::Sites(const Team& team, const Place& lattice) : lattice_(lattice) {
  for (const Index extent : lattice)
    if (extent < 2 || extent % 2 != 0)
      refuse(
          fmt::format("--lattice: {} points along an axis do not fit; sites are updated in two "
                      "colours, so extents must be even and at least 2",
                      extent));
  constexpr std::array<int, 1> whole{3};
  grid_ = balanced_grid(lattice, team.size(), whole);
  if (grid_[0] * grid_[1] * grid_[2] != team.size())
    refuse(
        fmt::format("the lattice does not fit {} ranks: they make no grid over its first three "
                    "axes in which every rank has sites; {} would fit",
                    team.size(), grid_[0] * grid_[1] * grid_[2]));
  boxes_ = bricks(lattice, grid_, team.rank());
  Index stride = 1;
  for (std::size_t d = 4; d-- > 0;) {
    sizes_[d] = box().extent(static_cast<int>(d)) + 2;
    strides_[d] = stride;
    stride *= sizes_[d];
  }
}

double Sites::volume() const {
  double product = 1;
  for (const Index extent : lattice_) product *= static_cast<double>(extent);
  return product;
}

namespace {

/// The rank next to this one along an axis of the grid.
int neighbour(const Grid& grid, int rank, std::size_t axis, int step) {
  std::array<int, 4> at{};
  for (std::size_t d = 4; d-- > 0; rank /= grid[d]) at[d] = rank % grid[d];
  at[axis] = (at[axis] + step + grid[axis]) % grid[axis];
  int result = 0;
  for (std::size_t d = 0; d < 4; ++d) result = result * grid[d] + at[d];
  return result;
}

}  // namespace

Halo::Halo(const Team& team, const Sites& sites, Index bytes_per_site)
    : sites_(sites), bytes_(bytes_per_site) {
  for (std::size_t axis = 0; axis < 4; ++axis) {
    const Index last = sites.sizes_[axis] - 1;
    sides_[axis][0].from = 1, sides_[axis][0].to = last;      // our first layer goes down
    sides_[axis][1].from = last - 1, sides_[axis][1].to = 0;  // our last layer goes up
    const Index layer = sites.stored() / sites.sizes_[axis] * bytes_;
    for (int way = 0; way < 2; ++way) {
      Side& side = sides_[axis][as_size(way)];
      side.sent.resize(as_size(layer));
      if (sites.grid_[axis] == 1) continue;
      side.received.resize(as_size(layer));
      const int step = way == 0 ? -1 : 1, tag = static_cast<int>(2 * axis) + way;
      side.send =
          team.comm().prepare_send(layer, neighbour(sites.grid_, team.rank(), axis, step), tag);
      side.receive =
          team.comm().prepare_receive(layer, neighbour(sites.grid_, team.rank(), axis, -step), tag);
    }
  }
}

/// The contiguous runs of a layer, in order: copy(offset in bytes, bytes).
template <class Copy>
void Halo::each_run(int axis, Index layer, const Copy& copy) const {
  const Index run = sites_.strides_[as_size(axis)] * bytes_;
  const Index step = run * sites_.sizes_[as_size(axis)];
  const Index runs = sites_.stored() * bytes_ / step;
  for (Index i = 0; i < runs; ++i) copy(i * step + layer * run, run);
}

void Halo::exchange(void* values) {
  auto* const memory = static_cast<std::byte*>(values);
  for (int axis = 0; axis < 4; ++axis) {
    auto& sides = sides_[as_size(axis)];
    for (Side& side : sides) {
      std::byte* packed = side.sent.data();
      each_run(axis, side.from, [&](Index at, Index bytes) {
        std::memcpy(packed, memory + at, as_size(bytes));
        packed += bytes;
      });
      if (!side.send) continue;
      side.receive->start(nullptr, side.received.data());
      side.send->start(side.sent.data(), nullptr);
    }
    for (Side& side : sides) {
      if (side.send) {
        side.send->wait();
        side.receive->wait();
      }
      const std::byte* packed = side.send ? side.received.data() : side.sent.data();
      each_run(axis, side.to, [&](Index at, Index bytes) {
        std::memcpy(memory + at, packed, as_size(bytes));
        packed += bytes;
      });
    }
  }
}

}  // namespace weft::apps
