// SPDX-License-Identifier: BSD-3-Clause
// The public DistributedPlan: check the request on all ranks together, choose a recipe, build it.
#include <algorithm>
#include <numeric>
#include <thread>

#include "api/gather_boxes.hpp"
#include "api/network.hpp"
#include "api/problem.hpp"
#include "api/wisdom_store.hpp"
#include "base/index.hpp"
#include "comm/agree.hpp"
#include "global/line.hpp"
#include "global/planner.hpp"
#include "weft/distributed.hpp"

namespace weft {
namespace {

using global::GlobalProblem;
using global::Recipe;
using reshape::Memory;
using reshape::Piece;

/// What a recipe is for, in one line, but for boxes and nodes.
std::string problem_text(const Transform& t, const DistributedOptions& o, bool any) {
  std::string text = local::to_text(api::check_request(t, {}, {}).problem);
  text += " normalization " + std::to_string(static_cast<int>(t.normalization));
  text += " exchange " + std::to_string(static_cast<int>(o.exchange));
  text += " strategy " + std::to_string(static_cast<int>(o.strategy));
  text += " chunks " + std::to_string(o.chunks);
  text += o.in_place ? " in place" : "";
  text += o.reproducible ? " reproducible" : "";
  if (o.split)
    text += " split " + std::to_string(o.split->axis) + " " + std::to_string(o.split->rows) + "x" +
            std::to_string(o.split->columns);
  return text + " cap " + std::to_string(o.max_bytes_per_rank) + (any ? " any order" : "");
}

/// Everything that must be equal on all ranks.
std::string text_of(const Transform& t, const DistributedOptions& o, bool any) {
  return problem_text(t, o, any) + " effort " + std::to_string(static_cast<int>(o.effort)) +
         (o.use_wisdom ? "" : " no wisdom") + (o.recipe.empty() ? "" : " " + o.recipe);
}

void check_options(const DistributedOptions& options) {
  if (options.chunks < 1 || options.chunks > 1000)
    throw Error(ErrorCode::invalid_argument,
                "chunks is " + std::to_string(options.chunks) + "; give 1 to 1000");
  if (options.max_bytes_per_rank < 0)
    throw Error(ErrorCode::invalid_argument, "max_bytes_per_rank is negative; 0 means no limit");
  if (options.split && options.reproducible)
    throw Error(
        ErrorCode::unsupported,
        "a split axis with reproducible = true; splits follow the number of ranks, so leave "
        "one of them out");
  if (options.threads < 0)
    throw Error(ErrorCode::invalid_argument, "threads is " + std::to_string(options.threads) +
                                                 "; give a positive number, or 0 for all cores");
}

std::string hash_of(const reshape::Layout& layout) {
  std::uint64_t hash = 14695981039346656037U;
  const auto add = [&](Index value) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 1099511628211U;
  };
  for (const auto& boxes : layout) {
    add(static_cast<Index>(boxes.size()));
    for (const Box& box : boxes)
      for (std::size_t d = 0; d < static_cast<std::size_t>(box.ndim); ++d) {
        add(box.begin[d]);
        add(box.end[d]);
      }
  }
  return std::to_string(hash);
}

/// The key of wisdom: problem, topology, distribution.
std::string wisdom_key(const GlobalProblem& problem, const std::vector<int>& nodes,
                       const std::string& text, int threads) {
  std::string key = api::distributed_prefix + text + " nodes";
  for (int node : nodes) key += " " + std::to_string(node);
  return key + " input " + hash_of(problem.input) + " output " + hash_of(problem.output) +
         " threads " + std::to_string(threads);
}

/// Throws weft::Error.
void check_split(const LineSplit& split, const GlobalProblem& problem) {
  const Transform& t = problem.transform;
  if (!global::is_line(problem))
    throw Error(ErrorCode::unsupported,
                "a split axis was asked for; only c2c, r2c and c2r transforms of f32 and f64 along "
                "one axis can be split");
  const Index n = t.shape[static_cast<std::size_t>(t.axes[0])];
  if (split.axis != t.axes[0] || split.rows < 2 || split.columns < 2 ||
      split.columns > n / split.rows || split.rows * split.columns != n)
    throw Error(ErrorCode::invalid_argument,
                "axis " + std::to_string(split.axis) + " split into " + std::to_string(split.rows) +
                    " x " + std::to_string(split.columns) + " does not match the " +
                    std::to_string(n) + " points of axis " + std::to_string(t.axes[0]) +
                    "; give two factors of it, each at least 2");
}

/// A recipe that the caller wrote.
Recipe given_recipe(const std::string& text) {
  try {
    return global::parse_recipe(text);
  } catch (const Error&) {
    throw Error(ErrorCode::invalid_argument,
                "'" + text +
                    "' is not a recipe of a distributed transform; write one as "
                    "DistributedPlan::recipe() prints it");
  }
}

LocalBoxes dense_boxes(const std::vector<Box>& boxes) {
  LocalBoxes local;
  for (const Box& box : boxes) local.push_back({.box = box});
  return local;
}

}  // namespace

struct DistributedPlan::Impl {
  std::shared_ptr<const Comm> comm;
  GlobalProblem problem;
  LocalBoxes input, output;
  std::vector<Piece> in_pieces, out_pieces;
  Index in_count = 0, out_count = 0;
  bool in_place = false, under_way = false;
  Recipe recipe;
  double predicted_s = 0;
  std::unique_ptr<global::GlobalPlan> plan;

  Impl(const Transform& transform, const LocalBoxes& in, const LocalBoxes* out, const Comm& parent,
       const DistributedOptions& options)
      : comm(parent.duplicate()), input(in), in_place(options.in_place) {
    std::string text;
    agree(*comm, [&] {
      check_options(options);
      text = text_of(transform, options, out == nullptr);
    });
    require_equal(*comm, text, "transform or its options");
    const auto request = api::check_request(transform, {}, {});
    problem.transform = request.transform;
    problem.scale = request.problem.scale;
    set_boxes(in, out, options.split);
    global::Wishes wishes;
    agree(*comm, [&] { wishes = wishes_of(options); });
    const int threads = wishes.build.stage.executor->concurrency();
    api::Network network = api::network_of(*comm, options.use_wisdom);
    if (options.use_wisdom && options.effort != Effort::estimate &&
        network.source == api::Network::Source::assumed)
      network = api::measured_network(*comm);
    choose(options, wishes, network.model,
           wisdom_key(problem, comm->nodes(), problem_text(transform, options, out == nullptr),
                      threads));
    if (problem.output_is_free) settle_output();
    const auto cost = global::predict(problem, recipe, comm->nodes(), in_place, network.model);
    predicted_s = cost.total_s();
    plan = global::make_plan(problem, recipe, in_pieces, out_pieces, *comm, wishes.build);
  }

  /// Whether any rank's boxes have two axes for the one that is split.
  bool has_split_boxes(const reshape::Layout& layout) const {
    for (const auto& boxes : layout)
      for (const Box& box : boxes)
        if (problem.split && box.ndim == problem.ndim() + 1) return true;
    return false;
  }

  /// Where the output goes when the caller leaves it open but no stage can end there.
  LocalBoxes natural_output() const {
    const auto shape = problem.output_shape();
    const int axis = problem.transform.axes.back(), ranks = comm->size();
    const Grid cuts = balanced_grid(shape, ranks, std::span(&axis, 1));
    const bool enough = std::accumulate(cuts.begin(), cuts.end(), 1, std::multiplies<>()) >= ranks;
    return global::is_line(problem) && !enough ? slabs(shape, axis, ranks, comm->rank())
                                               : pencils(shape, axis, ranks, comm->rank());
  }

  /// Whether the output can stay where the last stage leaves it.
  bool may_stay_open() const {
    const Transform& t = problem.transform;
    if (t.kind == Kind::c2r || problem.input_is_split) return false;  // what was split comes last
    return !global::is_line(problem) || comm->size() == 1 ||
           !factor_pairs(t.shape[static_cast<std::size_t>(t.axes[0])]).empty();
  }

  void set_boxes(const LocalBoxes& in, const LocalBoxes* out,
                 const std::optional<LineSplit>& split) {
    const Transform& t = problem.transform;
    agree(*comm, [&] {
      if (split) check_split(*split, problem);
      if (problem.ndim() > max_box_ndim)
        throw Error(ErrorCode::unsupported, "an array of " + std::to_string(problem.ndim()) +
                                                " dimensions; distributed arrays have at most " +
                                                std::to_string(max_box_ndim) + ", merge some");
      in_pieces = pieces_of(in, Memory::input, global::in_element_bytes(t.kind, t.precision));
    });
    problem.split = split;
    problem.input = api::gather_boxes(*comm, in);
    problem.input_is_split = has_split_boxes(problem.input);
    LocalBoxes fixed;
    if (out == nullptr && !may_stay_open()) {
      fixed = natural_output();
      out = &fixed;
    }
    problem.output_is_free = out == nullptr;
    if (out != nullptr) {
      output = *out;
      agree(*comm, [&] {
        out_pieces =
            pieces_of(output, Memory::output, global::out_element_bytes(t.kind, t.precision));
      });
      problem.output = api::gather_boxes(*comm, output);
      problem.output_is_split = has_split_boxes(problem.output);
    }
    agree(*comm, [&] {
      using reshape::Cover;
      if (problem.input_is_split && (problem.output_is_split || t.kind == Kind::r2c))
        throw Error(ErrorCode::unsupported,
                    "the input is given in split order; then the output is not, and the transform "
                    "is c2c or c2r");
      if (problem.output_is_split && t.kind == Kind::c2r)
        throw Error(ErrorCode::unsupported,
                    "c2r into split order; give boxes of the real line as output");
      reshape::check_cover(problem.input, problem.input_shape(), Cover::exact, "input");
      if (out != nullptr)
        reshape::check_cover(problem.output, problem.output_shape(), Cover::at_least, "output");
    });
    measure_arrays();
  }

  void measure_arrays() {
    const Transform& t = problem.transform;
    in_count = reshape::footprint(in_pieces, global::in_element_bytes(t.kind, t.precision));
    out_count = reshape::footprint(out_pieces, global::out_element_bytes(t.kind, t.precision));
  }

  static global::Wishes wishes_of(const DistributedOptions& options) {
    static constexpr const char* strategies[] = {"", "slab", "pencil", "brick", "mixed", "line"};
    global::Wishes wishes;
    wishes.effort = options.effort;
    if (options.exchange != ExchangeAlgorithm::automatic)
      wishes.exchange = static_cast<reshape::ExchangeKind>(static_cast<int>(options.exchange) - 1);
    wishes.strategy = strategies[static_cast<int>(options.strategy)];
    wishes.chunks = options.chunks;
    wishes.time_limit_s = options.time_limit_s;
    wishes.max_workspace_bytes = options.max_bytes_per_rank;
    wishes.build.in_place = options.in_place;
    wishes.build.stage.reproducible = options.reproducible;
    wishes.build.stage.effort = options.effort;
    wishes.build.stage.executor = options.executor       ? options.executor
                                  : options.threads == 1 ? serial_executor()
                                                         : openmp_executor(options.threads);
    return wishes;
  }

  void choose(const DistributedOptions& options, const global::Wishes& wishes,
              const global::NetworkModel& network, const std::string& key) {
    std::string known = options.recipe;
    if (known.empty() && options.use_wisdom && options.effort != Effort::patient)
      known = broadcast_text(*comm, api::find_wisdom(key).value_or(""));
    if (!known.empty()) {
      bool usable = false;
      agree(*comm, [&] {
        recipe = options.recipe.empty() ? global::parse_recipe(known) : given_recipe(known);
        usable = global::fits(recipe, problem);
        if (!usable && !options.recipe.empty())
          throw Error(ErrorCode::invalid_argument,
                      "the recipe '" + known + "' does not fit this transform and these boxes");
      });
      if (usable) return;
    }
    recipe = global::choose_recipe(problem, wishes, in_pieces, out_pieces, *comm, network);
    if (options.use_wisdom && options.effort != Effort::estimate && !problem.output_is_free)
      api::add_wisdom(key, global::to_text(recipe));
  }

  /// The output lies where the last stage leaves it.
  void settle_output() {
    const Transform& t = problem.transform;
    const GlobalProblem staged = global::staged_problem(problem, recipe);
    problem.output = global::layout_of(staged, recipe.stages.back(), staged.output_shape());
    if (recipe.rows > 0) {
      problem.split = LineSplit{t.axes[0], recipe.rows, recipe.columns};
      problem.output_is_split = true;
    }
    output = dense_boxes(problem.output[static_cast<std::size_t>(comm->rank())]);
    out_pieces = pieces_of(output, Memory::output, global::out_element_bytes(t.kind, t.precision));
    measure_arrays();
  }

  void check_arguments(Element in_type, const void* in, Element out_type, const void* out) const {
    const Transform& t = problem.transform;
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
      const auto real = static_cast<std::uintptr_t>(global::real_bytes(t.precision));
      if (reinterpret_cast<std::uintptr_t>(data) % real != 0)
        throw Error(ErrorCode::invalid_argument,
                    std::string("the ") + side + " array is not aligned to its element type");
    };
    check(in_type, t.kind == Kind::c2c || t.kind == Kind::c2r, in, in_count, "input");
    check(out_type, t.kind == Kind::c2c || t.kind == Kind::r2c, out, out_count, "output");
    const auto* a = static_cast<const std::byte*>(in);
    const auto* b = static_cast<const std::byte*>(out);
    const Index a_bytes = in_count * global::in_element_bytes(t.kind, t.precision);
    const Index b_bytes = out_count * global::out_element_bytes(t.kind, t.precision);
    const bool share = a_bytes > 0 && b_bytes > 0 && a < b + b_bytes && b < a + a_bytes;
    if (share && !(in_place && a == b))
      throw Error(ErrorCode::invalid_argument,
                  in_place ? "input and output share memory without being the same array"
                           : "input and output share memory; plan with in_place = true");
    if (!share && in_place && a_bytes > 0 && b_bytes > 0)
      throw Error(ErrorCode::invalid_argument,
                  "the plan is for one array in place, two were given; plan with in_place = false");
  }
};

DistributedPlan::DistributedPlan(const Transform& transform, const LocalBoxes& input,
                                 const LocalBoxes& output, const Comm& comm,
                                 const DistributedOptions& options)
    : impl_(std::make_unique<Impl>(transform, input, &output, comm, options)) {}
DistributedPlan::DistributedPlan(const Transform& transform, const LocalBoxes& input, AnyOrder,
                                 const Comm& comm, const DistributedOptions& options)
    : impl_(std::make_unique<Impl>(transform, input, nullptr, comm, options)) {}
DistributedPlan::~DistributedPlan() = default;
DistributedPlan::DistributedPlan(DistributedPlan&&) noexcept = default;
DistributedPlan& DistributedPlan::operator=(DistributedPlan&&) noexcept = default;

void DistributedPlan::run(Element in_type, const void* in, Element out_type, void* out,
                          bool blocking) {
  agree(*impl_->comm, [&] {
    if (impl_->under_way)
      throw Error(ErrorCode::invalid_argument,
                  "the plan is still at work on the last start(); call wait() first");
    impl_->check_arguments(in_type, in, out_type, out);
  });
  if (blocking) return impl_->plan->execute(in, out);
  impl_->under_way = true;
  impl_->plan->start(in, out);
}

bool DistributedPlan::test() {
  if (!impl_->under_way) return true;
  if (!impl_->plan->test()) return false;
  impl_->under_way = false;
  return true;
}

void DistributedPlan::wait() {
  while (!test()) std::this_thread::yield();
}

const LocalBoxes& DistributedPlan::input_boxes() const noexcept { return impl_->input; }
const LocalBoxes& DistributedPlan::output_boxes() const noexcept { return impl_->output; }
std::optional<LineSplit> DistributedPlan::split() const {
  const GlobalProblem& problem = impl_->problem;
  return problem.input_is_split || problem.output_is_split ? problem.split : std::nullopt;
}
Index DistributedPlan::input_count() const noexcept { return impl_->in_count; }
Index DistributedPlan::output_count() const noexcept { return impl_->out_count; }
std::string DistributedPlan::recipe() const { return global::to_text(impl_->recipe); }

DistributedCost DistributedPlan::cost() const {
  return {.messages = impl_->plan->messages(),
          .message_bytes = impl_->plan->message_bytes(),
          .workspace_bytes = impl_->plan->footprint().total(),
          .flops = impl_->plan->flops(),
          .predicted_s = impl_->predicted_s};
}

std::vector<TraceEvent> DistributedPlan::trace() const {
  std::vector<TraceEvent> events;
  for (const global::Event& event : impl_->plan->events())
    events.push_back({event.name, event.begin_s, event.end_s});
  return events;
}

}  // namespace weft
