// SPDX-License-Identifier: BSD-3-Clause
// Contiguous lines beyond the caches, complex or real, block by block: while a block is computed by
// the engine of its recipe, memory brings the next one. Streaming recipes compute a block into a
// buffer in the first cache and store it past the caches, at any address.
#include <algorithm>
#include <optional>

#include "base/index.hpp"
#include "base/names.hpp"
#include "base/prefetch.hpp"
#include "local/axis/engines.hpp"
#include "local/lane/lane_ops.hpp"

namespace weft::local {
namespace {

template <class Real>
class ReadAheadEngine final : public AxisEngine<Real> {
 public:
  ReadAheadEngine(const AxisRecipe& recipe, const AxisProblem& problem)
      : ops_(lane_ops<Real>(recipe.isa)),
        stream_(recipe.stream),
        fetches_itself_(engine_of(recipe, problem, precision) == Engine::four_step),
        line_(problem.loops.back()),
        outer_(std::vector<Loop>(problem.loops.begin(), problem.loops.end() - 1)),
        in_reals_(in_width(problem.kind) * problem.in_rows()),
        out_reals_(out_width(problem.kind) * problem.out_rows()),
        block_(std::clamp<Index>(block_bytes / (in_reals_ * real_bytes), 1, line_.count)),
        blocks_(ceil_div(line_.count, block_)),
        direct_(recipe, problem, *this, line_.out) {
    if (stream_ && !(block_ == 1 || line_.out == out_reals_))
      buffered_.emplace(recipe, problem, *this, out_reals_);
    buffer_reals_ = stream_ ? round_up(block_ * out_reals_, 64 / real_bytes) : 0;
    this->task_reals_ = buffer_reals_ + std::max(direct_.task_reals(), buffered().task_reals());
  }

  Index units(int) const override { return outer_.count() * blocks_; }

  void run(int, Index begin, Index end, const void* in, void* out,
           const Scratch<Real>& scratch) const override {
    const Real* from = static_cast<const Real*>(in);
    Real* to = static_cast<Real*>(out);
    const bool streams = stream_ && from != to;  // what was just read is stored as usual
    for (Index unit = begin; unit < end; ++unit) {
      const Block block = block_of(unit);
      if (unit + 1 < end && !fetches_itself_) fetch(block_of(unit + 1), from, to);
      Scratch<Real> inner = scratch;
      inner.task += buffer_reals_;
      const bool is_whole = block.count == block_;
      if (streams) {
        buffered().of(is_whole).run_all(from + block.in, scratch.task, inner);
        store(scratch.task, block.count, to + block.out);
      } else {
        direct_.of(is_whole).run_all(from + block.in, to + block.out, inner);
      }
    }
    if (streams) ops_.end_stream();
  }

 private:
  static constexpr Index real_bytes{sizeof(Real)};
  static constexpr Precision precision = sizeof(Real) == 8 ? Precision::f64 : Precision::f32;
  /// So much at a time is asked for; much more would have to wait for itself, and much less is no
  /// work to wait by. (256^3 c2c f64 along its lines on a Zen 4: 25 ms, 36 with twice as much
  /// ahead, 41 with blocks twice as large, 56 without fetching.)
  static constexpr Index block_bytes = 4 * 1024;

  struct Block {
    Index in, out, count;  // offsets in reals, lines
  };
  Block block_of(Index unit) const {
    const auto at = outer_(unit / blocks_);
    const Index first = unit % blocks_ * block_;
    return {at.in + first * line_.in, at.out + first * line_.out,
            std::min(block_, line_.count - first)};
  }

  /// The engine inside, for blocks whose lines lie `out` apart, and for what is left over.
  struct Lines {
    EnginePtr<Real> whole, rest;

    Lines(AxisRecipe recipe, AxisProblem problem, const ReadAheadEngine& engine, Index out) {
      recipe.stream = false;
      recipe.ahead = engine.fetches_itself_;
      const Index rest_count = engine.line_.count % engine.block_;
      problem.loops = {{engine.block_, engine.line_.in, out}};
      whole = make_axis_engine<Real>(recipe, problem);
      problem.loops[0].count = rest_count;
      if (rest_count > 0) rest = make_axis_engine<Real>(recipe, problem);
    }
    const AxisEngine<Real>& of(bool is_whole) const { return is_whole ? *whole : *rest; }
    Index task_reals() const {
      return std::max(whole->task_reals(), rest ? rest->task_reals() : 0);
    }
  };
  const Lines& buffered() const { return buffered_ ? *buffered_ : direct_; }

  /// Into the second cache; what is only written, into the first.
  void fetch(const Block& block, const Real* in, const Real* out) const {
    const bool writes = !stream_ && in != out;
    for (Index line = 0; line < block.count; ++line) {
      const auto* from = reinterpret_cast<const char*>(in + block.in + line * line_.in);
      for (Index at = 0; at < in_reals_ * real_bytes; at += 64) prefetch(from + at);
      const auto* to = reinterpret_cast<const char*>(out + block.out + line * line_.out);
      for (Index at = 0; writes && at < out_reals_ * real_bytes; at += 64)
        prefetch<Fetch::write>(to + at);
    }
  }

  void store(const Real* buffer, Index count, Real* out) const {
    if (line_.out == out_reals_) return ops_.stream_line(buffer, count * out_reals_, out);
    for (Index line = 0; line < count; ++line)
      ops_.stream_line(buffer + line * out_reals_, out_reals_, out + line * line_.out);
  }

  const LaneOps<Real>& ops_;
  bool stream_;
  bool fetches_itself_;  // the engine inside fetches the line after each
  Loop line_;
  LoopIndex outer_;
  Index in_reals_, out_reals_;  // of a line
  Index block_, blocks_;
  Lines direct_;
  std::optional<Lines> buffered_;  // where lines lie otherwise in the buffer
  Index buffer_reals_ = 0;
};

}  // namespace

bool admits_read_ahead(const AxisProblem& problem) {
  return problem.kind != Kind::r2r && !problem.is_staged() && !problem.twiddled &&
         !problem.loops.empty() && problem.in_row == in_width(problem.kind) &&
         problem.out_row == out_width(problem.kind);
}

template <class Real>
EnginePtr<Real> make_read_ahead_engine(const AxisRecipe& recipe, const AxisProblem& problem) {
  return std::make_unique<ReadAheadEngine<Real>>(recipe, problem);
}
template EnginePtr<float> make_read_ahead_engine(const AxisRecipe&, const AxisProblem&);
template EnginePtr<double> make_read_ahead_engine(const AxisRecipe&, const AxisProblem&);

}  // namespace weft::local
