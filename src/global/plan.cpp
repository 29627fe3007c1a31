// SPDX-License-Identifier: BSD-3-Clause
#include "global/plan.hpp"

#include <algorithm>
#include <numeric>
#include <thread>

#include "base/index.hpp"
#include "comm/agree.hpp"
#include "global/chirp.hpp"
#include "global/line.hpp"
#include "global/placement.hpp"
#include "weft/error.hpp"

namespace weft::global {

using reshape::Bases;
using reshape::Exchange;
using reshape::ExchangeProblem;
using reshape::Memory;
using reshape::Piece;

namespace {

constexpr Index page = 4096;

std::byte*& base(Bases& bases, Memory memory) { return bases[static_cast<std::size_t>(memory)]; }

std::string stage_name(const Stage& stage) {
  if (stage.axes.empty()) return "copy";
  std::string name = "fft";
  for (int axis : stage.axes) name += " " + std::to_string(axis);
  return name;
}

}  // namespace

std::unique_ptr<GlobalPlan> make_plan(const GlobalProblem& problem, const Recipe& recipe,
                                      const std::vector<Piece>& input,
                                      const std::vector<Piece>& output, const Comm& comm,
                                      const BuildOptions& options) {
  if (recipe.rows == 0)
    return std::make_unique<StagedPlan>(problem, recipe, input, output, comm, options);
  const LineSplit split{problem.transform.axes.front(), recipe.rows, recipe.columns};
  if (recipe.strategy == "chirp")
    return std::make_unique<ChirpPlan>(problem, recipe, split, input, output, comm, options);
  return std::make_unique<StagedPlan>(matrix_problem(problem, split), recipe,
                                      matrix_input(problem, split, input),
                                      matrix_output(problem, split, output), comm, options);
}

StagedPlan::StagedPlan(const GlobalProblem& problem, const Recipe& recipe,
                       const std::vector<Piece>& input, const std::vector<Piece>& output,
                       const Comm& comm, const BuildOptions& options)
    : comm_(comm), in_place_(options.in_place) {
  const std::size_t stages = recipe.stages.size();
  std::vector<std::unique_ptr<Exchange>> exchanges;
  build_exchanges(problem, recipe, exchanges);
  // From here on nothing is collective but failing.
  agree(comm, [&] {
    const bool detour = stages == 1 && needs_detour(problem, input, output, options.in_place);
    const auto last_targets = detour ? temporary_pieces(problem, comm.rank()) : output;
    for (std::size_t i = 0; i < stages; ++i) {
      const auto sources = i == 0 ? input : exchanges[i - 1]->incoming();
      const auto targets = i + 1 == stages ? last_targets : exchanges[i]->outgoing();
      build_stage(problem, recipe, i, sources, targets, options);
    }
    for (std::size_t i = 0; i + 1 < stages; ++i) steps_[i].exchange = std::move(exchanges[i]);
    if (detour) build_detour(problem, recipe, output, options);
    allocate(output, options,
             out_element_bytes(problem.transform.kind, problem.transform.precision));
  });
}

StagedPlan::~StagedPlan() {
  try {
    while (!test()) std::this_thread::yield();
    if (all_have_read_) all_have_read_->wait();
  } catch (const std::exception&) {  // the communicator is broken; nothing is left to save
  }
}

void StagedPlan::build_exchanges(const GlobalProblem& problem, const Recipe& recipe,
                                 std::vector<std::unique_ptr<Exchange>>& exchanges) {
  if (recipe.stages.size() < 2) return;
  const std::vector<int> nodes = comm_.nodes();
  if (recipe.exchange == ExchangeKind::shared &&
      std::ranges::any_of(nodes, [&](int node) { return node != nodes[0]; }))
    throw Error(ErrorCode::unsupported,
                "the recipe '" + to_text(recipe) +
                    "' needs all ranks on one node; use node_aware between nodes");
  const Placement placement = place(problem, recipe, nodes, comm_.rank());
  if (placement.shared_bytes > 0 || recipe.exchange == ExchangeKind::shared ||
      recipe.exchange == ExchangeKind::node_aware) {
    node_ = comm_.split(nodes[static_cast<std::size_t>(comm_.rank())]);
    shared_ = node_->allocate_shared(static_cast<std::size_t>(placement.shared_bytes));
    base(bases_, Memory::shared) = shared_->data();
    touch_share(placement.shared_bytes);
    footprint_.shared = ceil_div(placement.shared_bytes, node_->size());
  }
  for (std::size_t i = 0; i + 1 < recipe.stages.size(); ++i) {
    const ExchangeProblem& p = placement.exchanges[i];
    switch (recipe.exchange) {
      case ExchangeKind::all_to_all: exchanges.push_back(make_all_to_all(comm_, p)); break;
      case ExchangeKind::all_to_all_v: exchanges.push_back(make_all_to_all_v(comm_, p)); break;
      case ExchangeKind::point_to_point: exchanges.push_back(make_point_to_point(comm_, p)); break;
      case ExchangeKind::pipelined: exchanges.push_back(make_pipelined(comm_, p)); break;
      case ExchangeKind::shared:
        exchanges.push_back(make_shared(comm_, p, placement.arrays[i]));
        break;
      case ExchangeKind::node_aware:
        exchanges.push_back(make_node_aware(comm_, p, node_, placement.node_memory[i]));
        break;
    }
    send_bytes_ = std::max(send_bytes_, exchanges.back()->send_bytes());
    receive_bytes_ = std::max(receive_bytes_, exchanges.back()->receive_bytes());
  }
}

/// Every page of the shared memory is written once, each by the rank that most likely uses it: then
/// it is near that rank, and the first execution does not wait for the kernel. All ranks meet
/// before the plan is done.
void StagedPlan::touch_share(Index bytes) {
  const auto [begin, end] = split_evenly(ceil_div(bytes, page), node_->size(), node_->rank());
  for (Index i = begin * page; i < std::min(end * page, bytes); i += page)
    shared_->data()[i] = std::byte{0};
}

void StagedPlan::build_stage(const GlobalProblem& problem, const Recipe& recipe, std::size_t index,
                             const std::vector<Piece>& sources, const std::vector<Piece>& targets,
                             const BuildOptions& options) {
  StageProblem stage = stage_problem(problem, recipe, index);
  stage.sources = sources;
  stage.targets = targets;
  const Layout layout = layout_of(problem, recipe.stages[index], stage.in_shape);
  const auto& boxes = layout[static_cast<std::size_t>(comm_.rank())];
  const reshape::Chunking chunking = chunking_of(problem, recipe, index);
  Step step;
  step.name = stage_name(recipe.stages[index]);
  for (int chunk = 0; chunk < chunking.count; ++chunk) {
    stage.in_boxes.clear();
    for (const Box& box : boxes) stage.in_boxes.push_back(chunk_of(box, chunk, chunking));
    step.chunks.emplace_back(stage, options.stage);
  }
  steps_.push_back(std::move(step));
}

/// In place without any exchange, but with another layout: through a buffer.
void StagedPlan::build_detour(const GlobalProblem& problem, const Recipe& recipe,
                              const std::vector<Piece>& output, const BuildOptions& options) {
  StageProblem copy = stage_problem(problem, recipe, 0);
  copy.kind = copy.kind == Kind::c2r || copy.kind == Kind::r2r ? Kind::r2r : Kind::c2c;
  copy.axes.clear();
  copy.in_shape = copy.out_shape;
  copy.sources = temporary_pieces(problem, comm_.rank());
  copy.targets = output;
  for (const Piece& piece : copy.sources) copy.in_boxes.push_back(piece.box);
  const Index bytes = out_element_bytes(problem.transform.kind, problem.transform.precision);
  receive_bytes_ = reshape::footprint(copy.sources, bytes) * bytes;
  Step step;
  step.name = "copy";
  step.chunks.emplace_back(copy, options.stage);
  steps_.push_back(std::move(step));
}

void StagedPlan::allocate(const std::vector<Piece>& output, const BuildOptions& options,
                          Index element_bytes) {
  Index scratch = 0;
  for (const Step& step : steps_)
    for (const StagePlan& plan : step.chunks) scratch = std::max(scratch, plan.scratch_bytes());
  const Index output_bytes = reshape::footprint(output, element_bytes) * element_bytes;
  sends_from_output_ =
      !options.in_place && output_bytes >= send_bytes_ && reshape::is_dense(output, element_bytes);
  footprint_.send = sends_from_output_ ? 0 : round_up(send_bytes_, page);
  footprint_.receive = round_up(receive_bytes_, page);
  footprint_.scratch = round_up(scratch, page);
  buffer_ = Buffer<std::byte>(footprint_.send + footprint_.receive + footprint_.scratch);
  base(bases_, Memory::send) = buffer_.data();
  base(bases_, Memory::receive) = buffer_.data() + footprint_.send;
  scratch_ = buffer_.data() + footprint_.send + footprint_.receive;
}

Index StagedPlan::messages() const {
  Index sum = 0;
  for (const Step& step : steps_) sum += step.exchange ? step.exchange->messages() : 0;
  return sum;
}
Index StagedPlan::message_bytes() const {
  Index sum = 0;
  for (const Step& step : steps_) sum += step.exchange ? step.exchange->message_bytes() : 0;
  return sum;
}
double StagedPlan::flops() const {
  double sum = 0;
  for (const Step& step : steps_)
    for (const StagePlan& plan : step.chunks) sum += plan.flops();
  return sum;
}

void StagedPlan::record(const std::string& name, Clock::time_point begin) {
  const auto seconds = [&](Clock::time_point t) {
    return std::chrono::duration<double>(t - began_).count();
  };
  events_.push_back({name, seconds(begin), seconds(Clock::now())});
}

void StagedPlan::prepare(const void* in, void* out) {
  events_.clear();
  began_ = Clock::now();
  if (all_have_read_) all_have_read_->wait();
  all_have_read_.reset();
  // Pieces of the input are only ever read.
  base(bases_, Memory::input) = static_cast<std::byte*>(const_cast<void*>(in));
  base(bases_, Memory::output) = static_cast<std::byte*>(out);
  if (sends_from_output_) base(bases_, Memory::send) = static_cast<std::byte*>(out);
}

void StagedPlan::run_stage(Step& step) {
  const auto begin = Clock::now();
  if (step.exchange) step.exchange->begin(bases_);
  for (std::size_t chunk = 0; chunk < step.chunks.size(); ++chunk) {
    step.chunks[chunk].run(bases_, scratch_);
    if (step.exchange) step.exchange->chunk_ready(static_cast<int>(chunk), bases_);
  }
  record(step.name, begin);
}

void StagedPlan::finish() {
  if (shared_) all_have_read_ = node_->start_barrier();
}

void StagedPlan::execute(const void* in, void* out) {
  prepare(in, out);
  current_ = steps_.size();  // nothing for test() to go on with
  for (Step& step : steps_) {
    run_stage(step);
    if (!step.exchange) continue;
    const auto begin = Clock::now();
    step.exchange->complete(bases_);
    record("exchange", begin);
  }
  finish();
}

void StagedPlan::start(const void* in, void* out) {
  prepare(in, out);
  current_ = 0;
  exchange_began_ = Clock::now();
  run_stage(steps_[0]);
  if (steps_[0].exchange) steps_[0].exchange->start(bases_);
}

bool StagedPlan::test() {
  while (current_ < steps_.size()) {
    Step& step = steps_[current_];
    if (step.exchange) {
      if (!step.exchange->test()) return false;
      record("exchange", exchange_began_);
    }
    if (++current_ == steps_.size()) {
      finish();
      return true;
    }
    run_stage(steps_[current_]);
    exchange_began_ = Clock::now();
    if (steps_[current_].exchange) steps_[current_].exchange->start(bases_);
  }
  return true;
}

}  // namespace weft::global
