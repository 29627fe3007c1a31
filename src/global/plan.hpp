// SPDX-License-Identifier: BSD-3-Clause
// A global recipe made ready to run on one rank.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "base/buffer.hpp"
#include "global/recipe.hpp"
#include "global/stage.hpp"
#include "weft/comm.hpp"

namespace weft::global {

struct BuildOptions {
  StageOptions stage;
  bool in_place = false;  ///< input and output are the same memory
};

/// What a rank holds while it executes, beside its input and output.
struct Footprint {
  Index send = 0, receive = 0, shared = 0, scratch = 0;  ///< bytes; shared: this rank's share
  Index total() const { return send + receive + shared + scratch; }
};

/// One interval of an execution: "fft 2 1" or "exchange", seconds from its start.
struct Event {
  std::string name;
  double begin_s, end_s;
};

class GlobalPlan {
 public:
  /// Collective, as is all that follows but the accessors. Destroying waits for the other ranks to
  /// have read what they share.
  virtual ~GlobalPlan() = default;

  virtual void execute(const void* in, void* out) = 0;
  /// The same step by step: test() makes progress and is true when the transform is done.
  virtual void start(const void* in, void* out) = 0;
  virtual bool test() = 0;

  virtual Footprint footprint() const = 0;
  virtual Index messages() const = 0;  ///< to other ranks, of one execution
  virtual Index message_bytes() const = 0;
  virtual double flops() const = 0;
  /// Stages and exchanges of the last execution.
  virtual std::vector<Event> events() const = 0;
};

/// Collective. `input` and `output` are this rank's pieces of the user's memory.
std::unique_ptr<GlobalPlan> make_plan(const GlobalProblem& problem, const Recipe& recipe,
                                      const std::vector<reshape::Piece>& input,
                                      const std::vector<reshape::Piece>& output, const Comm& comm,
                                      const BuildOptions& options);

/// Stages and exchanges with their buffers. For recipes of lines `problem` and the pieces are the
/// matrix's.
class StagedPlan final : public GlobalPlan {
 public:
  StagedPlan(const GlobalProblem& problem, const Recipe& recipe,
             const std::vector<reshape::Piece>& input, const std::vector<reshape::Piece>& output,
             const Comm& comm, const BuildOptions& options);
  ~StagedPlan() override;

  void execute(const void* in, void* out) override;
  void start(const void* in, void* out) override;
  bool test() override;

  Footprint footprint() const override { return footprint_; }
  Index messages() const override;
  Index message_bytes() const override;
  double flops() const override;
  std::vector<Event> events() const override { return events_; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Step {
    std::string name;
    std::vector<StagePlan> chunks;
    std::unique_ptr<reshape::Exchange> exchange;  // behind the stage; none behind the last
  };

  void build_exchanges(const GlobalProblem& problem, const Recipe& recipe,
                       std::vector<std::unique_ptr<reshape::Exchange>>& exchanges);
  void touch_share(Index bytes);
  void build_stage(const GlobalProblem& problem, const Recipe& recipe, std::size_t index,
                   const std::vector<reshape::Piece>& sources,
                   const std::vector<reshape::Piece>& targets, const BuildOptions& options);
  void build_detour(const GlobalProblem& problem, const Recipe& recipe,
                    const std::vector<reshape::Piece>& output, const BuildOptions& options);
  void allocate(const std::vector<reshape::Piece>& output, const BuildOptions& options,
                Index element_bytes);
  void prepare(const void* in, void* out);
  void run_stage(Step& step);
  void finish();
  void record(const std::string& name, Clock::time_point begin);

  const Comm& comm_;
  std::shared_ptr<const Comm> node_;
  std::unique_ptr<SharedMemory> shared_;
  std::vector<Step> steps_;
  Footprint footprint_;
  bool sends_from_output_ = false, in_place_ = false;
  Index receive_bytes_ = 0, send_bytes_ = 0;
  Buffer<std::byte> buffer_;  // send (if not the output), receive, scratch
  reshape::Bases bases_{};
  std::byte* scratch_ = nullptr;
  std::unique_ptr<Request> all_have_read_;  // shared memory may be written again
  std::size_t current_ = ~std::size_t{0};   // step whose exchange is under way
  Clock::time_point began_, exchange_began_;
  std::vector<Event> events_;
};

}  // namespace weft::global
