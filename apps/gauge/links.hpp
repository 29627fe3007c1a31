// SPDX-License-Identifier: BSD-3-Clause
// Links: an SU(3) gauge field, one matrix per site and direction, with Wilson's action
// beta (1 - Re Tr P / 3) summed over all plaquettes P.
#pragma once

#include <vector>

#include "common/checkpoint.hpp"
#include "common/output.hpp"
#include "gauge/sites.hpp"
#include "gauge/su3.hpp"

namespace weft::apps {

class Links {
 public:
  /// Collective. All links are 1 (cold), or random.
  enum class Start { cold, hot };
  Links(const Team& team, const Sites& sites, Start start, int seed);

  /// One heat bath sweep (Cabibbo and Marinari; Kennedy and Pendleton).
  void sweep(double beta, Index number);
  /// The mean of Re Tr P / 3.
  double plaquette() const;
  double distance_from_su3() const;
  /// 1 - Re Tr P / 3, averaged over the planes at each site, for x2 = x3 = 0.
  Picture action_plane() const;

  Matrix3& at(Index site, int direction) { return links_[as_size(4 * site + direction)]; }
  const Matrix3& at(Index site, int direction) const {
    return links_[as_size(4 * site + direction)];
  }
  const Sites& sites() const { return sites_; }
  /// After links were changed: brings the neighbours' copies up to date.
  void refresh() { halo_.exchange(links_.data()); }

  /// This rank's links without the layer around them, for checkpoints; and back.
  std::vector<Matrix3> packed() const;
  void unpack(const std::vector<Matrix3>& links);
  SavedField saved(std::vector<Matrix3>& links) const;

 private:
  Matrix3 staples(Index site, int direction) const;
  double site_plaquettes(Index site) const;

  const Team& team_;
  const Sites& sites_;
  int seed_;
  std::vector<Matrix3> links_;
  Halo halo_;
};

}  // namespace weft::apps
