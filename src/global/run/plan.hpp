// SPDX-License-Identifier: BSD-3-Clause
// A global recipe made ready to run on one rank.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "base/buffer.hpp"
#include "global/recipe/recipe.hpp"
#include "global/run/cpu_device.hpp"
#include "global/run/rank_device.hpp"
#include "global/run/workspace.hpp"
#include "weft/comm.hpp"

namespace weft::global {

struct BuildOptions {
  StageOptions stage;
  bool in_place = false;  ///< input and output are the same memory
  std::shared_ptr<const RankDevice> device = cpu_device();
  std::shared_ptr<Workspace> workspace = nullptr;  ///< null: the plan makes its own
  ReachedArrays reached = {};                      ///< those that problem.reach speaks of
};

/// Memory that a plan needs on a rank while it executes, besides its input and output.
struct Footprint {
  Index send = 0, receive = 0, shared = 0, scratch = 0;  ///< bytes; shared: this rank's share
  Index total() const { return send + receive + shared + scratch; }
};

/// One interval of an execution: "fft 2 1" or "exchange", seconds from its start.
struct Event {
  std::string name;
  double begin_s, end_s;
};

/// What one rank passes to an execution.
struct Call {
  const void* in = nullptr;
  void* out = nullptr;
  /// What is wrong with its arguments, which then are not used: every rank throws.
  std::exception_ptr failure = nullptr;
};

class GlobalPlan {
 public:
  /// Collective, as is all that follows but start() and the accessors. Destroying waits for the
  /// other ranks to have read what they share.
  virtual ~GlobalPlan() = default;

  /// Once, before anything else: makes communicators and shared memory. Constructors are not
  /// collective. Throws on all ranks or on none.
  virtual void connect() = 0;

  /// Nothing is allocated while a transform runs, so that no rank fails alone. Where a call has a
  /// failure, or a stage on a CPU, all ranks throw that of the lowest such rank. What fails on a
  /// rank's GPU is thrown there, and on the ranks that hear of it.
  virtual void execute(const Call& call) = 0;
  /// The same step by step: test() makes progress and is true when the transform is done. It throws
  /// a failure on the rank that has it, on the others one that says so.
  virtual void start(const Call& call) = 0;
  virtual bool test() = 0;

  virtual Footprint footprint() const = 0;
  virtual const std::shared_ptr<Workspace>& workspace() const = 0;
  virtual Index messages() const = 0;  ///< to other ranks, of one execution
  virtual Index message_bytes() const = 0;
  virtual double flops() const = 0;
  virtual int copied_sides() const = 0;  ///< sides of stages that need a copy of their own
  /// Stages and exchanges of the last execution.
  virtual std::vector<Event> events() const = 0;
};

/// Collective; throws on all ranks or on none. `input` and `output` are this rank's pieces of the
/// user's memory.
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

  void connect() override;
  void execute(const Call& call) override;
  void start(const Call& call) override;
  bool test() override;

  Footprint footprint() const override { return footprint_; }
  const std::shared_ptr<Workspace>& workspace() const override { return workspace_; }
  Index messages() const override;
  Index message_bytes() const override;
  double flops() const override;
  int copied_sides() const override;
  std::vector<Event> events() const override;

 private:
  struct Step {
    std::string name;
    std::vector<std::unique_ptr<RunnableStage>> chunks;
    std::unique_ptr<reshape::Exchange> exchange;  // after the stage; none after the last
  };
  /// What comes next of the current step.
  enum class Phase { entering, computing, asking, exchanging, settling, done };

  void build_stage(const GlobalProblem& problem, const Recipe& recipe, std::size_t index,
                   const std::vector<reshape::Piece>& sources,
                   const std::vector<reshape::Piece>& targets, const BuildOptions& options);
  void add_meeting();
  void build_detour(const GlobalProblem& problem, const Recipe& recipe,
                    const std::vector<reshape::Piece>& output, const BuildOptions& options);
  void measure(const std::vector<reshape::Piece>& output, const BuildOptions& options,
               Index element_bytes);
  bool exchanges_tell_all() const;
  void begin(const Call& call);
  bool advance(bool waits);
  void run(const RunnableStage& chunk);
  void compute(Step& step);
  bool has_answer(bool waits);
  Phase after_stage(bool waits);
  Phase after_exchange();
  Phase end();
  void ask();
  void fail(std::exception_ptr failure);
  void set_failed();
  [[noreturn]] void throw_failure() const;
  void note(std::size_t mark) { stopwatch_->note(mark); }

  const Comm& comm_;
  std::shared_ptr<const RankDevice> device_;
  std::shared_ptr<Workspace> workspace_;
  int node_number_ = 0;
  Index shared_bytes_ = -1;  // -1: no memory is shared
  std::vector<Step> steps_;
  Footprint footprint_;
  bool sends_from_output_ = false;
  // What a failed rank sends from where it would send from the output. Not touched otherwise, so it
  // takes addresses, but no memory.
  Buffer<std::byte> void_blocks_;
  Index receive_bytes_ = 0, send_bytes_ = 0;
  reshape::Bases bases_{};
  std::byte* scratch_ = nullptr;

  // Of an execution.
  std::size_t current_ = 0;
  Phase phase_ = Phase::done;
  std::exception_ptr failure_;      // this rank's
  std::exception_ptr broken_;       // what the device has failed with, in any execution
  bool has_failed_ = false;         // this rank, or one that it has heard of
  std::unique_ptr<Transfer> asks_;  // whether a rank has failed
  bool asks_first_ = true;          // for wrong arguments, where the exchanges do not tell
  bool asks_last_ = false;          // for stages that have failed, where the executor may throw
  Index mine_ = 1, least_ = 1;      // what goes into asks_ and comes out of it; 0: a failure
  bool all_know_ = false;           // of a failure, by asks_
  std::unique_ptr<Stopwatch> stopwatch_;  // marks: the start, then two per event
  std::size_t recorded_ = 0;              // steps of the last execution
};

}  // namespace weft::global
