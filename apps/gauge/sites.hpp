// SPDX-License-Identifier: BSD-3-Clause
// Sites: this rank's brick of a four-dimensional lattice, with one layer of its neighbours' sites
// around it. Ranks form a grid over the first three axes, as on the APE machine; the fourth axis is
// whole on every rank.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "common/team.hpp"

namespace weft::apps {

using Place = std::array<Index, 4>;

class Sites {
 public:
  /// Collective. Refuses lattices with odd extents and such as have no site for some rank.
  Sites(const Team& team, const Place& lattice);

  const Place& lattice() const { return lattice_; }
  const Grid& grid() const { return grid_; }
  const LocalBoxes& boxes() const { return boxes_; }
  const Box& box() const { return boxes_[0].box; }
  Index count() const { return box().count(); }             ///< of this rank's sites
  Index stored() const { return strides_[0] * sizes_[0]; }  ///< with the layer around them
  double volume() const;                                    ///< sites of the whole lattice
  /// Distance in memory of the neighbour along an axis.
  Index stride(int axis) const { return strides_[as_size(axis)]; }

  /// visit(number among this rank's sites, where it is stored, place in the lattice) for the sites
  /// of rows [begin, end); a row is along the last axis.
  template <class Visit>
  void each(Index begin, Index end, const Visit& visit) const {
    const Index n1 = box().extent(1), n2 = box().extent(2), n3 = box().extent(3);
    for (Index row = begin; row < end; ++row) {
      const Place inside{row / (n1 * n2), row / n2 % n1, row % n2, 0};
      Index at = 0;
      Place place{};
      for (std::size_t d = 0; d < 4; ++d) {
        at += (inside[d] + 1) * strides_[d];
        place[d] = box().begin[d] + inside[d];
      }
      for (Index i = 0; i < n3; ++i, ++at, ++place[3]) visit(row * n3 + i, at, place);
    }
  }
  Index rows() const { return box().extent(0) * box().extent(1) * box().extent(2); }
  bool is_even(const Place& p) const { return (p[0] + p[1] + p[2] + p[3]) % 2 == 0; }
  std::uint64_t number(const Place& p) const {
    return static_cast<std::uint64_t>(
        ((p[0] * lattice_[1] + p[1]) * lattice_[2] + p[2]) * lattice_[3] + p[3]);
  }

 private:
  friend class Halo;
  Place lattice_, sizes_{}, strides_{};
  Grid grid_;
  LocalBoxes boxes_;
};

/// Fills the layer around a rank's sites with its neighbours' values, axis by axis, so that the
/// corners are right, too.
class Halo {
 public:
  /// Collective.
  Halo(const Team& team, const Sites& sites, Index bytes_per_site);
  void exchange(void* values);

 private:
  struct Side {
    std::unique_ptr<Transfer> send, receive;
    Index from, to;  // layers: the one that is sent, the one that is filled
    std::vector<std::byte> sent, received;
  };
  template <class Copy>
  void each_run(int axis, Index layer, const Copy& copy) const;

  const Sites& sites_;
  Index bytes_;
  std::array<std::array<Side, 2>, 4> sides_;
};

}  // namespace weft::apps
