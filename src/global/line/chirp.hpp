// SPDX-License-Identifier: BSD-3-Clause
// Lines whose length has no good factors (Bluestein): X[k] = conj(b[k]) sum x[l] conj(b[l]) b[k-l]
// with the chirp b[l] = w^(-l l / 2) is a convolution, done on a longer line that has. The longer
// line is transformed into scrambled order and back, so four exchanges instead of six.
#pragma once

#include "base/work_ref.hpp"
#include "global/line/chirp_steps.hpp"
#include "global/run/plan.hpp"

namespace weft::global {

class ChirpPlan final : public GlobalPlan {
 public:
  /// `padded` splits the longer line.
  ChirpPlan(const GlobalProblem& line, const Recipe& recipe, const LineSplit& padded,
            const std::vector<reshape::Piece>& input, const std::vector<reshape::Piece>& output,
            const Comm& comm, const BuildOptions& options);

  void connect() override;
  void execute(const Call& call) override;
  void start(const Call& call) override;
  bool test() override;

  Footprint footprint() const override;
  Index messages() const override { return there_->messages() + back_->messages(); }
  Index message_bytes() const override { return there_->message_bytes() + back_->message_bytes(); }
  double flops() const override;
  int copied_sides() const override { return there_->copied_sides() + back_->copied_sides(); }
  const std::shared_ptr<Workspace>& workspace() const override { return there_->workspace(); }
  std::vector<Event> events() const override;

 private:
  void upload_chirp(std::span<const reshape::Piece> pieces, const ChirpLine& line, Index points);
  void attempt(WorkRef work);
  void load();
  void multiply();
  void store();
  template <class Work>
  bool go_there(const Work& work);

  std::shared_ptr<const RankDevice> device_;
  std::unique_ptr<ChirpSteps> steps_;
  /// Boxes of the line between the user's memory and, dense, the longer line's.
  std::vector<ChirpProduct> loads_, stores_;
  std::unique_ptr<DeviceBuffer> longer_, spectrum_, chirp_;
  Index spectrum_count_ = 0;
  std::unique_ptr<GlobalPlan> there_, back_;
  enum class Phase { idle, loading, there, back } phase_ = Phase::idle;
  Call call_;
};

}  // namespace weft::global
