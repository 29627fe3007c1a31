// SPDX-License-Identifier: BSD-3-Clause
// A flow on ranks and threads: the spectrum lies in slabs along the second axis.
#pragma once

#include <array>
#include <vector>

#include "common/transforms.hpp"
#include "turbulence/flow.hpp"

namespace weft::apps {

using Spectra = std::array<aligned_vector<Complex>, 3>;
using Fields = std::array<aligned_vector<double>, 3>;

class CpuFlow : public Flow {
 public:
  /// Collective.
  CpuFlow(const Team& team, const FlowOptions& options);

  void step() override;
  double energy() const override;
  double dissipation() const override;
  double largest_divergence() const override;
  double largest_speed() const override { return largest_speed_; }
  std::vector<double> spectrum() const override;
  Picture vorticity_plane() override;
  double single_mode_error(double time) const override;
  std::vector<SavedField> saved() override;
  std::string explain() const override { return transform_.explain(); }
  Passes passes() const override {
    return transforms_back * transform_.passes_backward() +
           transforms_forth * transform_.passes_forward();
  }
  double bytes() const override {
    return 13 * transform_.spectrum_bytes() + 6 * transform_.field_bytes();
  }

 private:
  struct Mode {
    Index at;
    std::array<double, 3> k;
    double squared;
    double weight;  // how often it counts: twice unless its mirror image is stored, too
    std::array<Index, 3> index;
  };
  template <class Function>
  void for_modes(Index begin, Index end, const Function& function) const;
  template <class Function>
  double sum_modes(const Function& function) const;
  bool is_kept(const Mode& mode) const;

  void begin_taylor_green();
  void begin_single_mode();
  void begin_random();
  void project(Spectra& spectra) const;
  /// Spectra of the products at `state`, projected and cut off, in rate_.
  void compute_rate(const Spectra& state, bool measure_speed);
  void add_force(const Spectra& state);
  void take_curl(const Spectra& state, int component, aligned_vector<Complex>& out) const;
  /// out = (e u + a rate) etc. for each of the four stages.
  template <class Update>
  void update(const Update& change);

  const Team& team_;
  FlowOptions options_;
  Index cutoff_;  // modes with all |k_i| <= cutoff are kept
  RealTransform transform_;
  std::array<std::vector<double>, 3> decay_;  // exp(-nu k_i^2 dt / 2) by index, per axis
  Spectra state_, stage_, sum_, rate_;
  aligned_vector<Complex> one_;
  Fields velocity_, vorticity_;
  double largest_speed_ = 0;
};

}  // namespace weft::apps
