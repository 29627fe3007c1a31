// SPDX-License-Identifier: BSD-3-Clause
#include "global/run/plan.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <thread>

#include "base/executor.hpp"
#include "base/index.hpp"
#include "comm/agree.hpp"
#include "global/line/chirp.hpp"
#include "global/line/line.hpp"
#include "global/recipe/recipe_text.hpp"

namespace weft::global {

using reshape::Bases;
using reshape::Exchange;
using reshape::ExchangeProblem;
using reshape::Memory;
using reshape::Piece;

namespace {

std::byte*& base(Bases& bases, Memory memory) { return bases[static_cast<std::size_t>(memory)]; }

std::string stage_name(const Stage& stage) {
  if (stage.axes.empty()) return "copy";
  std::string name = "fft";
  for (int axis : stage.axes) name += " " + std::to_string(axis);
  return name;
}

}  // namespace

namespace {

std::unique_ptr<GlobalPlan> unconnected_plan(const GlobalProblem& problem, const Recipe& recipe,
                                             const std::vector<Piece>& input,
                                             const std::vector<Piece>& output, const Comm& comm,
                                             const BuildOptions& options) {
  if (!recipe.is_matrix())
    return std::make_unique<StagedPlan>(problem, recipe, input, output, comm, options);
  const LineSplit split{problem.axes.front(), recipe.rows, recipe.columns};
  if (recipe.strategy == Recipe::Strategy::chirp)
    return std::make_unique<ChirpPlan>(problem, recipe, split, input, output, comm, options);
  return std::make_unique<StagedPlan>(matrix_problem(problem, split), recipe,
                                      matrix_input(problem, split, input),
                                      matrix_output(problem, split, output), comm, options);
}

}  // namespace

std::unique_ptr<GlobalPlan> make_plan(const GlobalProblem& problem, const Recipe& recipe,
                                      const std::vector<Piece>& input,
                                      const std::vector<Piece>& output, const Comm& comm,
                                      const BuildOptions& options) {
  std::unique_ptr<GlobalPlan> plan;
  agree(comm, [&] { plan = unconnected_plan(problem, recipe, input, output, comm, options); });
  plan->connect();
  return plan;
}

StagedPlan::StagedPlan(const GlobalProblem& problem, const Recipe& recipe,
                       const std::vector<Piece>& input, const std::vector<Piece>& output,
                       const Comm& comm, const BuildOptions& options)
    : comm_(comm), device_(options.device), workspace_(options.workspace) {
  const std::size_t stages = recipe.stages.size();
  std::vector<std::unique_ptr<Exchange>> exchanges;
  bool closes = false;
  if (stages > 1) {
    const std::vector<int> nodes = comm_.nodes();
    if (recipe.exchange == ExchangeKind::shared &&
        std::ranges::any_of(nodes, [&](int node) { return node != nodes[0]; }))
      throw Error(ErrorCode::unsupported,
                  "the recipe '" + to_text(recipe) +
                      "' needs all ranks on one node; use node_aware between nodes");
    node_number_ = nodes[static_cast<std::size_t>(comm_.rank())];
    const Placement placement =
        place(problem, recipe, nodes, comm_.rank(), reshape::all_of_the_node, options.reached);
    closes = placement.closes_with_meeting;
    if (placement.opens_with_meeting) add_meeting();
    if (recipe.exchange == ExchangeKind::shared || recipe.exchange == ExchangeKind::node_aware) {
      shared_bytes_ = placement.shared_bytes;
      footprint_.shared = ceil_div(shared_bytes_, std::ranges::count(nodes, node_number_));
    }
    exchanges = device_->make_exchanges(recipe.exchange, comm_, placement);
    for (const auto& exchange : exchanges) {
      send_bytes_ = std::max(send_bytes_, exchange->send_bytes());
      receive_bytes_ = std::max(receive_bytes_, exchange->receive_bytes());
    }
  }
  const bool detour = stages == 1 && needs_detour(problem, input, output, options.in_place);
  const auto last_targets = detour ? temporary_pieces(problem, comm.rank()) : output;
  const std::size_t first = steps_.size();  // after a meeting
  for (std::size_t i = 0; i < stages; ++i) {
    const auto sources = i == 0 ? input : exchanges[i - 1]->incoming();
    const auto targets = i + 1 == stages ? last_targets : exchanges[i]->outgoing();
    build_stage(problem, recipe, i, sources, targets, options);
  }
  for (std::size_t i = 0; i + 1 < stages; ++i) steps_[first + i].exchange = std::move(exchanges[i]);
  if (closes) add_meeting();
  if (detour) build_detour(problem, recipe, output, options);
  measure(output, options, out_element_bytes(problem.kind, problem.precision));
  if (!workspace_) workspace_ = std::make_shared<Workspace>(device_, comm_.rank(), comm_.size());
  workspace_->check(*device_, comm_);
  workspace_->reserve(footprint_.send + footprint_.receive + footprint_.scratch);
  stopwatch_ = device_->make_stopwatch(4 * steps_.size() + 1);
  asks_ = comm_.prepare_minimum();
  asks_last_ = !device_->is_asynchronous() &&
               (device_->stages_may_throw() || may_throw(*options.stage.executor));
}

StagedPlan::~StagedPlan() {
  if (phase_ == Phase::done || !comm_.is_open()) return;
  try {
    while (!advance(false)) std::this_thread::yield();
  } catch (const std::exception&) {  // the communicator is broken; nothing is left to save
  }
}

void StagedPlan::connect() {
  workspace_->set_connected();
  if (shared_bytes_ >= 0) workspace_->share(comm_, node_number_, shared_bytes_);
  base(bases_, Memory::send) = workspace_->buffer();
  base(bases_, Memory::receive) = workspace_->buffer() + footprint_.send;
  for (Step& step : steps_)
    if (step.exchange) step.exchange->connect(workspace_->node(), bases_);
  asks_first_ = comm_.size() > 1 && !exchanges_tell_all();
  asks_last_ = comm_.size() > 1 && comm_.minimum(asks_last_ ? 0 : 1) == 0;
  if (!asks_first_ && !asks_last_) asks_.reset();
}

/// Collective. Whether every rank hears of every other's failure by the last exchange: directly, or
/// from a rank that has heard of it before.
bool StagedPlan::exchanges_tell_all() const {
  using Tells = Exchange::Tells;
  constexpr int most_ranks = 8192;  // a megabyte for what they know, times eight
  const Step& first = steps_.front();
  if (!first.exchange || first.exchange->tells() == Tells::nobody) return false;
  if (first.exchange->tells() == Tells::all) return true;
  if (comm_.size() > most_ranks) return false;
  const auto ranks = static_cast<std::size_t>(comm_.size()), words = (ranks + 63) / 64;
  std::vector<std::uint64_t> mine, all;
  agree(comm_, [&] {
    mine.resize(words);
    all.resize(ranks * words);
  });
  const auto me = static_cast<std::size_t>(comm_.rank());
  mine[me / 64] = std::uint64_t{1} << (me % 64);
  for (const Step& step : steps_) {
    if (!step.exchange) continue;
    comm_.all_gather(mine.data(), static_cast<Index>(8 * words), all.data());
    agree(comm_, [&] {
      for (int peer : step.exchange->heard_peers())
        for (std::size_t w = 0; w < words; ++w)
          mine[w] |= all[static_cast<std::size_t>(peer) * words + w];
    });
  }
  std::size_t known = 0;
  for (std::uint64_t word : mine) known += static_cast<std::size_t>(std::popcount(word));
  return comm_.minimum(known == ranks ? 1 : 0) == 1;
}

void StagedPlan::build_stage(const GlobalProblem& problem, const Recipe& recipe, std::size_t index,
                             const std::vector<Piece>& sources, const std::vector<Piece>& targets,
                             const BuildOptions& options) {
  StageProblem stage = stage_problem(problem, recipe, index);
  stage.sources = sources;
  stage.targets = targets;
  const ArrayDistribution distribution =
      distribution_of(problem, recipe.stages[index], stage.in_shape());
  const auto& boxes = distribution[static_cast<std::size_t>(comm_.rank())];
  const reshape::Chunking chunking = chunking_of(problem, recipe, index);
  Step step;
  step.name = stage_name(recipe.stages[index]);
  for (int chunk = 0; chunk < chunking.count; ++chunk) {
    stage.in_boxes.clear();
    for (const Box& box : boxes) stage.in_boxes.push_back(chunk_of(box, chunk, chunking));
    step.chunks.push_back(device_->make_stage(stage, options.stage));
  }
  steps_.push_back(std::move(step));
}

/// A step of its own: the ranks wait for each other.
void StagedPlan::add_meeting() {
  Step step;
  step.name = "meet";
  step.exchange = reshape::make_meeting(comm_);
  steps_.push_back(std::move(step));
}

/// In place without any exchange, but with another layout: through a buffer.
void StagedPlan::build_detour(const GlobalProblem& problem, const Recipe& recipe,
                              const std::vector<Piece>& output, const BuildOptions& options) {
  StageProblem copy = stage_problem(problem, recipe, 0);
  const std::vector<Index> shape = copy.out_shape();
  copy.kind = copy.kind == Kind::c2r || copy.kind == Kind::r2r ? Kind::r2r : Kind::c2c;
  copy.axes.clear();
  for (std::size_t d = 0; d < shape.size(); ++d) copy.dimensions[d] = {.n = shape[d]};
  copy.sources = temporary_pieces(problem, comm_.rank());
  copy.targets = output;
  for (const Piece& piece : copy.sources) copy.in_boxes.push_back(piece.box);
  const Index bytes = out_element_bytes(problem.kind, problem.precision);
  receive_bytes_ = reshape::footprint(copy.sources, bytes) * bytes;
  Step step;
  step.name = "copy";
  step.chunks.push_back(device_->make_stage(copy, options.stage));
  steps_.push_back(std::move(step));
}

void StagedPlan::measure(const std::vector<Piece>& output, const BuildOptions& options,
                         Index element_bytes) {
  Index scratch = 0;
  for (const Step& step : steps_)
    for (const auto& chunk : step.chunks) scratch = std::max(scratch, chunk->scratch_bytes());
  const Index output_bytes = reshape::footprint(output, element_bytes) * element_bytes;
  sends_from_output_ = device_->may_move_buffers() && !options.in_place &&
                       output_bytes >= send_bytes_ && reshape::is_dense(output, element_bytes);
  const auto writes_void = [](const Step& step) {
    return step.exchange && step.exchange->writes_void();
  };
  if (sends_from_output_ && std::ranges::any_of(steps_, writes_void))
    void_blocks_ = Buffer<std::byte>(send_bytes_);
  footprint_.send = sends_from_output_ ? 0 : round_up(send_bytes_, page);
  footprint_.receive = round_up(receive_bytes_, page);
  footprint_.scratch = round_up(scratch, page);
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
    for (const auto& chunk : step.chunks) sum += chunk->flops();
  return sum;
}
int StagedPlan::copied_sides() const {
  int sum = 0;
  for (const Step& step : steps_)
    for (const auto& chunk : step.chunks) sum += chunk->copied_sides();
  return sum;
}

std::vector<Event> StagedPlan::events() const {
  std::vector<Event> events;
  for (std::size_t i = 0; i < recorded_; ++i) {
    const auto add = [&](const std::string& name, std::size_t mark) {
      events.push_back({name, stopwatch_->seconds(0, mark), stopwatch_->seconds(0, mark + 1)});
    };
    add(steps_[i].name, 4 * i + 1);
    if (steps_[i].exchange) add("exchange", 4 * i + 3);
  }
  return events;
}

void StagedPlan::begin(const Call& call) {
  failure_ = call.failure ? call.failure : broken_;
  has_failed_ = false;
  workspace_->take();
  // Pieces of the input are only ever read.
  base(bases_, Memory::input) = static_cast<std::byte*>(const_cast<void*>(call.in));
  base(bases_, Memory::output) = static_cast<std::byte*>(call.out);
  base(bases_, Memory::send) =
      sends_from_output_ ? static_cast<std::byte*>(call.out) : workspace_->buffer();
  base(bases_, Memory::receive) = workspace_->buffer() + footprint_.send;
  base(bases_, Memory::shared) = workspace_->shared();
  scratch_ = workspace_->buffer() + footprint_.send + footprint_.receive;
  if (failure_) set_failed();
  recorded_ = 0;
  current_ = 0;
  phase_ = Phase::entering;
  note(0);
  all_know_ = false;
  if (asks_first_) ask();
}

void StagedPlan::ask() {
  mine_ = has_failed_ ? 0 : 1;
  asks_->start(&mine_, &least_);
}

/// What fails is kept while the ranks go on together: a rank that left in the middle of an exchange
/// would leave the others waiting.
void StagedPlan::run(const RunnableStage& chunk) {
  if (has_failed_) return;
  try {
    chunk.run(bases_, scratch_);
  } catch (...) {
    fail(std::current_exception());
  }
}

void StagedPlan::fail(std::exception_ptr failure) {
  failure_ = std::move(failure);
  set_failed();
  if (device_->is_asynchronous()) broken_ = failure_;
}

/// From now on this rank sends nothing of use.
void StagedPlan::set_failed() {
  has_failed_ = true;
  if (void_blocks_.size() > 0) base(bases_, Memory::send) = void_blocks_.data();
}

/// Runs the stage and hands its chunks to the exchange. A rank that has failed computes nothing,
/// but takes part.
void StagedPlan::compute(Step& step) {
  note(4 * current_ + 1);
  if (step.exchange) step.exchange->enter(workspace_->execution(), has_failed_);
  if (step.exchange) step.exchange->begin(bases_);
  for (std::size_t i = 0; i < step.chunks.size(); ++i) {
    run(*step.chunks[i]);
    if (!step.exchange) continue;
    step.exchange->enter(workspace_->execution(), has_failed_);
    step.exchange->chunk_ready(static_cast<int>(i), bases_);
  }
  note(4 * current_ + 2);
}

/// Whether the reduction that tells if a rank has failed is finished.
bool StagedPlan::has_answer(bool waits) {
  if (waits)
    asks_->wait();
  else if (!asks_->test())
    return false;
  all_know_ = least_ == 0;
  if (all_know_) set_failed();
  return true;
}

/// From here to the next exchange; what follows it, or the end.
StagedPlan::Phase StagedPlan::after_stage(bool waits) {
  Step& step = steps_[current_];
  if (all_know_) return end();
  if (step.exchange) {
    note(4 * current_ + 3);
    if (waits)
      step.exchange->complete(bases_);
    else
      step.exchange->start(bases_);
    return Phase::exchanging;
  }
  recorded_ = ++current_;
  return current_ == steps_.size() ? end() : Phase::computing;
}

StagedPlan::Phase StagedPlan::after_exchange() {
  Exchange& exchange = *steps_[current_].exchange;
  note(4 * current_ + 4);
  if (std::exception_ptr failure = exchange.failure()) fail(std::move(failure));
  const bool has_heard = exchange.has_heard_void();
  if (has_heard) set_failed();
  recorded_ = ++current_;
  // Where stages fail, ranks hear of it after different exchanges, and all go on to the end. So
  // does a rank whose device fails too late for this exchange to tell the others.
  const bool stops = has_heard && !asks_last_ && exchange.tells() == Exchange::Tells::all;
  return stops || current_ == steps_.size() ? end() : Phase::computing;
}

StagedPlan::Phase StagedPlan::end() {
  if (!asks_last_) return Phase::done;
  ask();
  return Phase::settling;
}

bool StagedPlan::advance(bool waits) {
  while (phase_ != Phase::done) {
    Step& step = steps_[std::min(current_, steps_.size() - 1)];
    const bool is_early =
        asks_first_ && current_ == 0 && step.exchange && step.exchange->sends_early();
    switch (phase_) {
      case Phase::entering:
        if (!workspace_->may_write(waits) || (is_early && !has_answer(waits))) return false;
        phase_ = all_know_ ? end() : Phase::computing;
        break;
      case Phase::computing:
        compute(step);
        phase_ = Phase::asking;
        break;
      case Phase::asking:
        if (asks_first_ && current_ == 0 && !has_answer(waits)) return false;
        phase_ = after_stage(waits);
        break;
      case Phase::exchanging:
        if (!waits && !step.exchange->test()) return false;
        phase_ = after_exchange();
        break;
      case Phase::settling:
        if (!has_answer(waits)) return false;
        phase_ = Phase::done;
        break;
      case Phase::done: break;
    }
    if (phase_ == Phase::done) workspace_->give_back();
  }
  return true;
}

void StagedPlan::throw_failure() const {
  if (failure_) std::rethrow_exception(failure_);
  throw Error(
      ErrorCode::invalid_argument,
      "another rank passed invalid arguments, or its device or executor failed; see the error on "
      "that rank");
}

void StagedPlan::execute(const Call& call) {
  begin(call);
  advance(true);
  if (!has_failed_) return;
  if (device_->is_asynchronous()) throw_failure();  // not all may have heard of a device's failure
  agree(comm_, [&] {
    if (failure_) std::rethrow_exception(failure_);
  });
}

void StagedPlan::start(const Call& call) {
  begin(call);
  if (!device_->is_asynchronous()) return;
  compute(steps_[0]);  // the device does it by itself, and shares no memory with others
  phase_ = Phase::asking;
}

bool StagedPlan::test() {
  if (phase_ == Phase::done) return true;
  if (!advance(false)) return false;
  if (has_failed_) throw_failure();
  return true;
}

}  // namespace weft::global
