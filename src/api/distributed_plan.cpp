// SPDX-License-Identifier: BSD-3-Clause
// The public DistributedPlan: check the request on all ranks together, choose a recipe, build it.
#include <algorithm>
#include <numeric>
#include <thread>
#include <utility>

#include "api/boxes.hpp"
#include "api/distributed_request.hpp"
#include "api/network.hpp"
#include "api/reached_arrays.hpp"
#include "base/index.hpp"
#include "comm/agree.hpp"
#include "global/choose/local_tuner.hpp"
#include "global/choose/planner.hpp"
#include "global/line/line.hpp"
#include "global/recipe/recipe_text.hpp"
#include "global/run/cpu_device.hpp"
#include "gpu/ranks/cuda_device.hpp"
#include "problem/request.hpp"
#include "reshape/cover.hpp"
#include "tune/wisdom_store.hpp"
#include "weft/distributed.hpp"

namespace weft {
namespace {

using api::check_options;
using api::check_split;
using api::problem_text;
using api::text_of;
using global::GlobalProblem;
using global::Recipe;
using reshape::Memory;
using reshape::Piece;

/// Collective. The key of wisdom: problem, topology, and where all ranks' boxes lie.
std::string wisdom_key(const Comm& comm, const std::string& text, const std::vector<Piece>& input,
                       const std::vector<Piece>& output) {
  const std::string input_key = api::storage_key(comm, input);
  const std::string output_key = api::storage_key(comm, output);
  std::string key;
  agree(comm, [&] {
    key = tune::distributed_prefix + text + " nodes";
    for (int node : comm.nodes()) key += " " + std::to_string(node);
    key += " input " + input_key + " output " + output_key;
  });
  return key;
}

/// Collective. Bytes of memory of the ranks' smallest device; 0: unknown.
Index least_memory(const Comm& comm, const global::RankDevice& device) {
  return comm.minimum(device.memory_bytes());
}

LocalBoxes dense_boxes(const std::vector<Box>& boxes) {
  LocalBoxes local;
  for (const Box& box : boxes) local.push_back({.box = box});
  return local;
}

}  // namespace

struct DistributedPlan::Impl final : global::WorkspaceUser {
  std::shared_ptr<const Comm> comm;
  std::shared_ptr<const global::RankDevice> device;
  GlobalProblem problem;
  LocalBoxes input, output;
  std::vector<Piece> in_pieces, out_pieces;
  api::PlanArrays arrays;
  Index in_count = 0, out_count = 0;
  bool in_place = false;
  bool under_way = false;      ///< from start() to its end
  std::exception_ptr failure;  ///< of it, for wait()
  Recipe recipe;
  double predicted_s = 0;
  std::unique_ptr<global::GlobalPlan> plan;

  std::string remark;  ///< what kept the planner from a better recipe

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (under_way) plan->workspace()->set_user(nullptr);
  }

  /// Collective, after all members were made: planning.
  void plan_transform(const Transform& transform, const LocalBoxes& in, const LocalBoxes* out,
                      const DistributedOptions& options) {
    std::string text;
    agree(*comm, [&] {
      check_options(options, out == nullptr);
      text = text_of(transform, options, out == nullptr);
      input = in;
      in_place = options.in_place;
    });
    require_equal(*comm, text, "transform or its options");
    agree(*comm, [&] {
      problem::ArrayProblem& array = problem;
      array = problem::check_request(transform, {}, {}).problem;
      if (options.device.type == Device::Type::cuda)
        problem::require_common(array, "a weft::DistributedPlan on GPUs");
      problem::require_elements(array, "weft::DistributedPlan");
    });
    device = options.device.type == Device::Type::cuda ? gpu::open_device(options.device, *comm)
                                                       : global::cpu_device();
    agree(*comm, [&] { device->check_request(problem, options.reproducible); });
    set_boxes(in, out, options.split);
    arrays = api::arrays_of(*comm, options, in_pieces, out_pieces, problem);
    global::Wishes wishes;
    agree(*comm, [&] {
      wishes = wishes_of(options);
      wishes.build.device = device;
      wishes.build.reached = arrays.reached;
      wishes.flops_of = global::prices_of(device);
      wishes.build.workspace = std::dynamic_pointer_cast<global::Workspace>(options.workspace);
    });
    if (wishes.max_workspace_bytes == 0) wishes.max_workspace_bytes = least_memory(*comm, *device);
    api::Network network = api::network_of(*comm, *device, options.use_wisdom);
    if (options.use_wisdom && options.effort != Effort::estimate &&
        network.source == api::Network::Source::assumed)
      network = api::measured_network(*comm, *device);
    agree(*comm, [&] {
      text = problem_text(transform, options, out == nullptr) + " threads " +
             std::to_string(wishes.build.stage.executor->concurrency());
    });
    const std::string key = wisdom_key(*comm, text, in_pieces, out_pieces);
    const bool is_settled = options.exchange != ExchangeAlgorithm::automatic ||
                            !options.recipe.empty();  // else another exchange may be taken
    GlobalProblem before;
    if (!is_settled) agree(*comm, [&] { before = problem; });
    try {
      recipe = choose(wishes, network.model, key);
      build(wishes, network.model);
    } catch (const global::SharedMemoryTooSmall&) {
      if (is_settled) throw;
      problem = std::move(before);
      wishes.may_share_memory = false;
      wishes.choice.use_wisdom = false;  // it may know of the same recipe
      recipe = choose(wishes, network.model, key);
      agree(*comm, [&] { remark = global::SharedMemoryTooSmall::remark; });
      build(wishes, network.model);
    }
  }

  /// Collective.
  Recipe choose(const global::Wishes& wishes, const global::NetworkModel& network,
                const std::string& key) const {
    return global::choose_recipe({problem, in_pieces, out_pieces, key}, wishes, *comm, network);
  }

  /// Collective. Builds what was chosen.
  void build(const global::Wishes& wishes, const global::NetworkModel& network) {
    agree(*comm, [&] {
      if (problem.output_is_free) settle_output();
      const auto cost =
          global::predict(problem, recipe, comm->nodes(), in_place, network, wishes.flops_of);
      predicted_s = cost.total_s();
    });
    global::LocalTuner& tuner = *wishes.build.stage.tuner;
    tuner.begin_plan();
    plan = global::make_plan(problem, recipe, in_pieces, out_pieces, *comm, wishes.build);
    recipe.locals = tuner.gather(*comm);
  }

  /// Whether any rank's boxes have two axes for the one that is split.
  bool has_split_boxes(const reshape::ArrayDistribution& distribution) const {
    for (const auto& boxes : distribution)
      for (const Box& box : boxes)
        if (problem.split && box.ndim == problem.ndim() + 1) return true;
    return false;
  }

  /// Where the output goes when the caller leaves it open but no stage can end there.
  LocalBoxes natural_output() const {
    const auto shape = problem.output_shape();
    const int axis = problem.axes.back(), ranks = comm->size();
    const Grid cuts = balanced_grid(shape, ranks, std::span(&axis, 1));
    const bool enough = std::accumulate(cuts.begin(), cuts.end(), 1, std::multiplies<>()) >= ranks;
    return global::is_line(problem) && !enough ? slabs(shape, axis, ranks, comm->rank())
                                               : pencils(shape, axis, ranks, comm->rank());
  }

  /// Whether the output can stay where the last stage leaves it.
  bool may_stay_open() const {
    const GlobalProblem& t = problem;
    if (t.kind == Kind::c2r || problem.input_is_split) return false;  // what was split comes last
    return !global::is_line(problem) || comm->size() == 1 ||
           !factor_pairs(t.dimension(t.axes[0]).n).empty();
  }

  void set_boxes(const LocalBoxes& in, const LocalBoxes* out,
                 const std::optional<LineSplit>& split) {
    const GlobalProblem& t = problem;
    agree(*comm, [&] {
      if (split) check_split(*split, problem);
      if (problem.ndim() > max_box_ndim)
        throw Error(ErrorCode::unsupported, "an array of " + std::to_string(problem.ndim()) +
                                                " dimensions; distributed arrays have at most " +
                                                std::to_string(max_box_ndim) + "; merge some");
    });
    problem.split = split;
    const auto check = [&](const LocalBoxes& boxes, Memory memory, Index bytes,
                           std::vector<Piece>& pieces, reshape::ArrayDistribution& distribution) {
      api::CheckedBoxes checked = api::check_boxes(*comm, boxes, memory, bytes);
      pieces = std::move(checked.pieces);
      distribution = std::move(checked.distribution);
      return has_split_boxes(distribution);
    };
    problem.input_is_split =
        check(in, Memory::input, in_element_bytes(t.kind, t.precision), in_pieces, problem.input);
    LocalBoxes fixed;
    agree(*comm, [&] {
      if (out != nullptr || may_stay_open()) return;
      fixed = natural_output();
      out = &fixed;
    });
    problem.output_is_free = out == nullptr;
    if (out != nullptr) {
      agree(*comm, [&] { output = *out; });
      problem.output_is_split =
          check(output, Memory::output, out_element_bytes(t.kind, t.precision), out_pieces,
                problem.output);
    }
    agree(*comm, [&] {
      using reshape::Cover;
      if (problem.input_is_split && (problem.output_is_split || t.kind == Kind::r2c))
        throw Error(
            ErrorCode::unsupported,
            "input boxes in split order need output boxes in natural order and a c2c or c2r "
            "transform");
      if (problem.output_is_split && t.kind == Kind::c2r)
        throw Error(
            ErrorCode::unsupported,
            "a c2r transform cannot write split order; give boxes of the real line as output");
      reshape::check_cover(problem.input, problem.input_shape(), Cover::exact, "input");
      if (out != nullptr)
        reshape::check_cover(problem.output, problem.output_shape(), Cover::at_least, "output");
      in_count = reshape::footprint(in_pieces, in_element_bytes(t.kind, t.precision));
      if (t.kind == Kind::c2r && t.extras.spectrum == Spectrum::full)
        api::take_half(problem, in_pieces);
    });
    measure_output();
  }

  void measure_output() {
    const GlobalProblem& t = problem;
    out_count = reshape::footprint(out_pieces, out_element_bytes(t.kind, t.precision));
  }

  static global::Wishes wishes_of(const DistributedOptions& options) {
    global::Wishes wishes;
    wishes.choice = {options.effort, options.time_limit_s, options.use_wisdom, options.recipe};
    wishes.exchange = global::kind_of(options.exchange);
    wishes.strategy = options.strategy;
    wishes.chunks = options.chunks;
    wishes.max_workspace_bytes = options.max_bytes_per_rank;
    wishes.build.in_place = options.in_place;
    wishes.build.stage.reproducible = options.reproducible;
    wishes.build.stage.tuner =
        std::make_shared<global::LocalTuner>(options.effort, options.use_wisdom);
    wishes.build.stage.tuner->allow(options.time_limit_s);
    wishes.build.stage.executor = options.executor       ? options.executor
                                  : options.threads == 1 ? serial_executor()
                                                         : openmp_executor(options.threads);
    return wishes;
  }

  /// The output lies where the last stage leaves it.
  void settle_output() {
    const GlobalProblem& t = problem;
    const GlobalProblem staged = global::staged_problem(problem, recipe);
    problem.output = global::distribution_of(staged, recipe.stages.back(), staged.output_shape());
    if (recipe.rows > 0) {
      problem.split = LineSplit{t.axes[0], recipe.rows, recipe.columns};
      problem.output_is_split = true;
    }
    output = dense_boxes(problem.output[static_cast<std::size_t>(comm->rank())]);
    out_pieces = pieces_of(output, Memory::output, out_element_bytes(t.kind, t.precision));
    measure_output();
  }

  void start(const global::Call& call) {
    under_way = true;
    plan->workspace()->set_user(this);
    plan->start(call);
  }
  /// Whether what was started is done; keeps its failure.
  bool advance() noexcept {
    if (!under_way) return true;
    try {
      under_way = !plan->test();
    } catch (...) {
      under_way = false;
      failure = std::current_exception();
    }
    if (!under_way) plan->workspace()->set_user(nullptr);
    return !under_way;
  }
  void throw_failure() {
    if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
  }
  void finish() noexcept override {
    while (!advance()) std::this_thread::yield();
  }

  /// Nothing may be under way in the workspace before the next execution. If something is, throws
  /// weft::Error once it is done: other ranks may have come to its end and gone on.
  void finish_earlier() {
    global::WorkspaceUser* const user = plan->workspace()->user();
    if (user != nullptr) user->finish();
    throw_failure();
    if (user == this)
      throw Error(ErrorCode::invalid_argument,
                  "the plan was still at work on the last start(); call wait() first");
    if (user != nullptr)
      throw Error(
          ErrorCode::invalid_argument,
          "a plan that shares this one's workspace was still at work; call its wait() first");
  }

  void check_arguments(Element in_type, const void* in, Element out_type, const void* out) const {
    const GlobalProblem& t = problem;
    const auto check = [&](Element type, bool is_complex, const void* data, Index count,
                           const char* side) {
      if (type.precision != t.precision || type.is_complex != is_complex)
        throw Error(ErrorCode::invalid_argument,
                    std::string("the ") + side +
                        " array has another element type than the plan; "
                        "pass arrays of the planned precision, " +
                        (is_complex ? "complex" : "real"));
      if (data == nullptr && count > 0)
        throw Error(ErrorCode::invalid_argument, std::string("a null pointer was passed as the ") +
                                                     side + " array; pass room for " +
                                                     std::to_string(count) + " elements");
      const auto real = static_cast<std::uintptr_t>(real_bytes(t.precision));
      if (reinterpret_cast<std::uintptr_t>(data) % real != 0)
        throw Error(ErrorCode::invalid_argument,
                    std::string("the ") + side +
                        " array is not aligned to its element type; align it to " +
                        std::to_string(real) + " bytes");
      if (count > 0)
        device->check_array(data, (is_complex ? 2 : 1) * real_bytes(t.precision), side);
    };
    check(in_type, t.kind == Kind::c2c || t.kind == Kind::c2r, in, in_count, "input");
    check(out_type, t.kind == Kind::c2c || t.kind == Kind::r2c, out, out_count, "output");
    const auto* a = static_cast<const std::byte*>(in);
    const auto* b = static_cast<const std::byte*>(out);
    const Index a_bytes = in_count * in_element_bytes(t.kind, t.precision);
    const Index b_bytes = out_count * out_element_bytes(t.kind, t.precision);
    const bool share = a_bytes > 0 && b_bytes > 0 && a < b + b_bytes && b < a + a_bytes;
    if (share && !(in_place && a == b))
      throw Error(ErrorCode::invalid_argument,
                  in_place ? "input and output share memory without being the same array; pass the "
                             "same pointer for both"
                           : "input and output share memory; plan with in_place = true");
    if (!share && in_place && a_bytes > 0 && b_bytes > 0)
      throw Error(ErrorCode::invalid_argument,
                  "the plan is for one array in place, two were given; plan with in_place = false");
  }
};

DistributedPlan::DistributedPlan(const Transform& transform, const LocalBoxes& input,
                                 const LocalBoxes& output, const Comm& comm,
                                 const DistributedOptions& options)
    : impl_(make_impl(comm)) {
  impl_->plan_transform(transform, input, &output, options);
}
DistributedPlan::DistributedPlan(const Transform& transform, const LocalBoxes& input, AnyOrder,
                                 const Comm& comm, const DistributedOptions& options)
    : impl_(make_impl(comm)) {
  impl_->plan_transform(transform, input, nullptr, options);
}
std::unique_ptr<DistributedPlan::Impl> DistributedPlan::make_impl(const Comm& comm) {
  std::unique_ptr<Impl> impl;
  agree(comm, [&] { impl = std::make_unique<Impl>(); });
  impl->comm = comm.duplicate();
  return impl;
}
DistributedPlan::~DistributedPlan() = default;
DistributedPlan::DistributedPlan(DistributedPlan&&) noexcept = default;
DistributedPlan& DistributedPlan::operator=(DistributedPlan&&) noexcept = default;

void DistributedPlan::run(Element in_type, const void* in, Element out_type, void* out,
                          bool blocking) {
  global::Call call{in, out, nullptr};
  try {
    impl_->finish_earlier();
    impl_->check_arguments(in_type, in, out_type, out);
    call.in = api::checked_pointer(impl_->arrays.input.get(), const_cast<void*>(in),
                                   impl_->in_count, "input");
    call.out = api::checked_pointer(impl_->arrays.output.get(), out, impl_->out_count, "output");
  } catch (...) {  // the other ranks may have no failure: this one takes part as void
    call.failure = std::current_exception();
  }
  if (blocking) return impl_->plan->execute(call);
  impl_->start(call);
}

bool DistributedPlan::test() {
  if (!impl_->advance()) return false;
  impl_->throw_failure();
  return true;
}

void DistributedPlan::wait() {
  while (!test()) std::this_thread::yield();
}

const LocalBoxes& DistributedPlan::input_boxes() const { return impl_->input; }
const LocalBoxes& DistributedPlan::output_boxes() const { return impl_->output; }
std::optional<LineSplit> DistributedPlan::split() const {
  const GlobalProblem& problem = impl_->problem;
  return problem.input_is_split || problem.output_is_split ? problem.split : std::nullopt;
}
Index DistributedPlan::input_count() const { return impl_->in_count; }
Index DistributedPlan::output_count() const { return impl_->out_count; }
std::string DistributedPlan::recipe() const { return global::to_text(impl_->recipe); }
std::string DistributedPlan::explain() const {
  return recipe() + (impl_->remark.empty() ? "" : " (" + impl_->remark + ")");
}

DistributedCost DistributedPlan::cost() const {
  return {.messages = impl_->plan->messages(),
          .message_bytes = impl_->plan->message_bytes(),
          .workspace_bytes = impl_->plan->footprint().total(),
          .flops = impl_->plan->flops(),
          .predicted_s = impl_->predicted_s};
}

std::shared_ptr<DistributedWorkspace> DistributedPlan::workspace() const {
  return impl_->plan->workspace();
}
Index DistributedPlan::workspace_bytes() const { return impl_->plan->workspace()->bytes(); }

int DistributedPlan::copied_sides() const { return impl_->plan->copied_sides(); }

std::vector<TraceEvent> DistributedPlan::trace() const {
  std::vector<TraceEvent> events;
  for (const global::Event& event : impl_->plan->events())
    events.push_back({event.name, event.begin_s, event.end_s});
  return events;
}

}  // namespace weft
