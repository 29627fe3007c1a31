// SPDX-License-Identifier: BSD-3-Clause
// An operator in separate steps: the forward plan, a sweep over the modes for the function, and the
// backward plan.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "spectral/operator_problem.hpp"
#include "spectral/runnable_operator.hpp"
#include "spectral/sweep.hpp"
#include "spectral/tiling.hpp"
#include "spectral/wave_numbers.hpp"
#include "weft/spectral.hpp"

namespace weft::spectral {

template <class Real>
class SteppedOperator final : public RunnableOperator {
 public:
  using Function = std::function<void(const ModeTile<Real>&)>;
  enum class Modes { in_outputs, apart };

  /// Not of a problem without elements.
  SteppedOperator(const OperatorProblem& problem, Modes modes, Function function,
                  const OperatorChoice& choice);

  int parts() const override { return 3; }
  void execute_part(int part, const void* const* in, void* const* out,
                    void* workspace) const override;
  std::size_t workspace_bytes() const override;
  double passes() const override;
  std::string explain() const override;

 private:
  using Complex = std::complex<Real>;

  Complex* modes(int field, void* const* out, char* workspace) const;
  void run_function(void* const* out, char* workspace) const;

  OperatorProblem problem_;
  Modes where_;
  Function function_;
  std::shared_ptr<const Executor> executor_;
  WaveNumbers<Real> waves_;
  std::vector<Index> strides_;  // of the modes
  std::size_t field_bytes_ = 0;
  Sweep<Real> there_, back_;
  TileBoxes tiles_;
};

}  // namespace weft::spectral
