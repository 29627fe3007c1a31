// SPDX-License-Identifier: BSD-3-Clause
// RankDevice: what the ranks' arrays lie in and their stages run on. A plan walks its recipe over
// this interface; cpu_device() is this machine, src/gpu/ranks has GPUs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "global/choose/model.hpp"
#include "global/line/chirp_steps.hpp"
#include "global/recipe/placement.hpp"
#include "global/run/stage.hpp"
#include "weft/comm.hpp"

namespace weft::global {

/// One stage, or one chunk of it, made ready to run.
class RunnableStage {
 public:
  virtual ~RunnableStage() = default;
  /// Bases and `scratch` are the device's memory. May return before the device has
  /// finished; later work on the same device sees the results.
  virtual void run(const reshape::Bases& bases, std::byte* scratch) const = 0;
  virtual Index scratch_bytes() const = 0;
  virtual double flops() const = 0;  ///< done by this rank
  /// Sides of boxes that need copies of their own; for explanations.
  virtual int copied_sides() const { return 0; }
};

class DeviceBuffer {
 public:
  virtual ~DeviceBuffer() = default;
  std::byte* data() const { return data_; }
  Index bytes() const { return bytes_; }

 protected:
  std::byte* data_ = nullptr;
  Index bytes_ = 0;
};

/// Records timestamps when the device reaches them.
class Stopwatch {
 public:
  virtual ~Stopwatch() = default;
  virtual void note(std::size_t mark) = 0;
  /// From one mark to another; waits for the device.
  virtual double seconds(std::size_t from, std::size_t to) const = 0;
};

class RankDevice {
 public:
  virtual ~RankDevice() = default;

  /// Whose wisdom: the name of a GPU; empty for this CPU.
  virtual std::string name() const = 0;
  virtual Index memory_bytes() const = 0;
  /// Speeds of ranks with this device, before any are measured.
  virtual NetworkModel assumed_speeds() const { return {}; }
  /// Collective, and equal on all ranks: measures them.
  virtual NetworkModel measure_speeds(const Comm& comm) const = 0;
  /// The price of a point by the device's own cost model; see global::PointFlops.
  virtual double point_flops(Index n, Precision precision) const = 0;
  /// The ways between its memory and that of other ranks' devices, best first.
  virtual std::vector<ExchangeKind> exchange_kinds(const std::vector<int>& nodes) const = 0;
  /// Why it cannot compute this, as the end of the sentence "the recipe ..."; empty: it can.
  virtual std::string objection(const GlobalProblem& problem, const Recipe& recipe) const = 0;

  // These throw on this rank alone.
  virtual std::unique_ptr<RunnableStage> make_stage(const StageProblem& problem,
                                                    const StageOptions& options) const = 0;
  /// One after every stage but the last.
  virtual std::vector<std::unique_ptr<reshape::Exchange>> make_exchanges(
      ExchangeKind kind, const Comm& comm, const Placement& placement) const = 0;
  virtual std::unique_ptr<DeviceBuffer> allocate(Index bytes) const = 0;
  virtual std::unique_ptr<Stopwatch> make_stopwatch(std::size_t marks) const = 0;
  virtual void fill_with_zeros(std::byte* data, Index bytes) const = 0;
  /// From the host's memory to the device's; done when it returns.
  virtual void upload(std::byte* data, const std::byte* host, Index bytes) const = 0;
  virtual std::unique_ptr<ChirpSteps> make_chirp_steps(const ChirpLine& line) const = 0;
  /// Throws weft::Error where the array does not lie in its memory.
  virtual void check_array(const void*, Index /*element_bytes*/, const char* /*side*/) const {}
  /// Throws weft::Error (unsupported) where it serves no such transform in any way.
  virtual void check_request(const problem::ArrayProblem&, bool /*reproducible*/) const {}

  /// Whether stages may throw, beside what executors of the user do.
  virtual bool stages_may_throw() const { return false; }
  /// Waits for what the stages have begun.
  virtual void synchronize() const {}
  /// Whether stages run while the host goes on.
  virtual bool is_asynchronous() const { return false; }
  /// Whether the user's output may serve as a send buffer, and buffers may move between plans.
  virtual bool may_move_buffers() const { return true; }
};

}  // namespace weft::global
