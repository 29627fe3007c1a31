// SPDX-License-Identifier: BSD-3-Clause
// Lines whose length has no good factors (Bluestein): X[k] = conj(b[k]) sum x[l] conj(b[l]) b[k-l]
// with the chirp b[l] = w^(-l l / 2) is a convolution, done on a longer line that has. The longer
// line is transformed into scrambled order and back, so four exchanges instead of six.
#pragma once

#include "base/roots.hpp"
#include "global/plan.hpp"

namespace weft::global {

class ChirpPlan final : public GlobalPlan {
 public:
  /// Collective. `padded` splits the longer line.
  ChirpPlan(const GlobalProblem& line, const Recipe& recipe, const LineSplit& padded,
            const std::vector<reshape::Piece>& input, const std::vector<reshape::Piece>& output,
            const Comm& comm, const BuildOptions& options);

  void execute(const void* in, void* out) override;
  void start(const void* in, void* out) override;
  bool test() override;

  Footprint footprint() const override;
  Index messages() const override { return there_->messages() + back_->messages(); }
  Index message_bytes() const override { return there_->message_bytes() + back_->message_bytes(); }
  double flops() const override;
  std::vector<Event> events() const override;

 private:
  /// A box of the line in the user's memory and, dense, in the longer line's buffer.
  struct Part {
    reshape::Piece user, longer;
  };

  template <class Real>
  void fill_chirp(const std::vector<reshape::Piece>& longer);
  template <class Real>
  void load(const void* in);
  template <class Real>
  void store(void* out) const;
  template <class Real>
  void multiply();
  void load_any(const void* in);
  void multiply_any();
  void store_any();

  Precision precision_;
  Kind kind_;
  int axis_;
  Index n_, points_;
  double scale_;
  RootPowers<double> roots_;  ///< of order 2 n: power l l is conj(b[l])
  std::vector<Part> inputs_, outputs_;
  Buffer<std::byte> longer_, spectrum_, chirp_;
  std::unique_ptr<GlobalPlan> there_, back_;
  enum class Phase { idle, there, back } phase_ = Phase::idle;
  void* out_ = nullptr;
};

}  // namespace weft::global
