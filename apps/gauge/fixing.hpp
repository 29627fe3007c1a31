// SPDX-License-Identifier: BSD-3-Clause
// Landau gauge fixing: the gauge transformation G that makes sum Re Tr U largest, by steepest
// descent, with and without Fourier acceleration (Davies et al., Phys. Rev. D37 (1988) 1581).
//
//   Delta(x) = sum over mu of U_mu(x - mu) - U_mu(x), less adjoint and trace
//   G(x) = exp( alpha/2 Delta(x) ), or exp( F^-1 (alpha/2) (p_max^2 / p^2) F Delta )
//   theta = sum of Tr Delta Delta^+ / (3 V), which is zero in Landau gauge
#pragma once

#include <functional>
#include <optional>

#include "common/transforms.hpp"
#include "gauge/links.hpp"

namespace weft::apps {

enum class Acceleration { none, fourier };

struct FixingOptions {
  Acceleration acceleration = Acceleration::fourier;
  double step = 0.08;  ///< alpha; waves decay without acceleration if it is below 1/8
  double goal = 1e-12;
  Index most = 20000;        ///< iterations
  Where where = Where::cpu;  ///< the operator of the acceleration
};

class GaugeFixing {
 public:
  /// Collective.
  GaugeFixing(const Team& team, Links& links, const FixingOptions& options);

  struct Result {
    std::vector<double> theta;                     ///< before each iteration, and at the end
    double functional_before = 0, functional = 0;  ///< mean of Re Tr U / 3
    bool reached = false, interrupted = false;
  };
  /// Until theta is below the goal. `progress` hears of every iteration.
  Result run(const std::function<bool(Index, double)>& progress);
  std::string explain() const { return accelerate_ ? accelerate_->explain() : ""; }
  Passes passes() const { return accelerate_ ? accelerate_->passes() : Passes{}; }

 private:
  double compute_delta();
  void transform();
  double functional() const;

  const Team& team_;
  Links& links_;
  FixingOptions options_;
  std::array<aligned_vector<double>, 8> delta_;
  std::vector<Matrix3> rotation_;  // with the layer around the rank's sites
  Halo halo_;
  std::optional<FieldOperator> accelerate_;
};

}  // namespace weft::apps
