// SPDX-License-Identifier: BSD-3-Clause
// The public DistributedOperator: a distributed plan forward into whatever order costs least, the
// function on the boxes of this rank, and a plan backward from there.
#include <exception>
#include <optional>

#include "base/index.hpp"
#include "base/names.hpp"
#include "comm/agree.hpp"
#include "global/recipe/recipe_text.hpp"
#include "global/run/cpu_device.hpp"
#include "gpu/ranks/cuda_device.hpp"
#include "spectral/fused_pair.hpp"
#include "spectral/operator_problem.hpp"
#include "weft/spectral_distributed.hpp"

namespace weft {
namespace {

/// What must be alike on all ranks, beside what the plans compare.
std::string text_of(const spectral::OperatorProblem& problem, const DistributedOptions& options) {
  std::string text = std::to_string(problem.inputs) + " to " + std::to_string(problem.outputs);
  for (double length : problem.lengths) text += " " + std::to_string(length);
  return text + (options.device.type == Device::Type::cpu ? " on CPUs" : " on GPUs");
}

/// One after every stage but the last.
Index exchanges_of(const DistributedPlan& plan) {
  return static_cast<Index>(global::parse_recipe(plan.recipe()).stages.size()) - 1;
}

/// The first failure of several steps, of which a rank that has failed does the rest as void.
class Failure {
 public:
  Failure() = default;
  explicit Failure(std::exception_ptr first) : first_(std::move(first)) {}
  explicit operator bool() const { return first_ != nullptr; }
  const std::exception_ptr& first() const { return first_; }
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }
  template <class Work>
  void attempt(const Work& work) {
    try {
      work();
    } catch (...) {
      if (!first_) first_ = std::current_exception();
    }
  }

 private:
  std::exception_ptr first_;
};

/// A model's prices may be wrong by so much.
constexpr double about_as_much = 1.3;

/// Makes all ranks throw: a plan that gets elements of a wrong type on one rank fails on all.
void execute_void(DistributedPlan& plan) {
  plan.execute(static_cast<const Half*>(nullptr), static_cast<Half*>(nullptr));
}

}  // namespace

struct DistributedOperator::Impl {
  spectral::OperatorProblem problem;
  Transform inverted;
  DistributedOptions options;  // of both plans
  std::shared_ptr<const Comm> comm;
  std::shared_ptr<const global::RankDevice> device;
  std::unique_ptr<spectral::RankModes> modes;
  std::optional<DistributedPlan> there, back;  // none where the two are fused
  std::unique_ptr<spectral::FusedPair> fused;
  bool is_one_pass = false;  // on all ranks
  bool is_whole = false;     // the modes do all of it
  Index in_count = 0, out_count = 0;
  DistributedCost there_cost, back_cost;
  std::string there_text, back_text;
  Index there_exchanges = 0, back_exchanges = 0;

  Impl(const Transform& forward, const ModeFunction& function, const LocalBoxes& input,
       const LocalBoxes& output, const Comm& all, const DistributedOperatorOptions& given) {
    agree(all, [&] {
      problem = check(forward, function, given);
      options = given.plan;
      options.in_place = false;
      options.split = {};
      options.recipe.clear();
      options.workspace = nullptr;
      inverted = inverse(problem.forward);
      inverted.normalization = Normalization::backward;
    });
    require_equal(all, text_of(problem, options), "the fields and lengths of an operator");
    comm = all.duplicate();
    device = is_on_gpu() ? gpu::open_device(options.device, *comm) : global::cpu_device();
    agree(*comm, [&] { make_modes(function); });
    plan(input, output);
    fuse(input, output);
    agree(*comm, [&] {
      if (there) modes->store(there->output_boxes(), there->output_count());
    });
  }

  bool is_on_gpu() const { return options.device.type == Device::Type::cuda; }

  void make_modes(const ModeFunction& function) {
    if (is_on_gpu()) {
      modes = spectral::modes_on_gpu(problem, function, options.device, device);
      return;
    }
    std::shared_ptr<const Executor> executor = options.executor;
    if (!executor)
      executor = options.threads == 1 ? serial_executor() : openmp_executor(options.threads);
    modes = spectral::modes_on_cpu(problem, function, std::move(executor));
  }

  /// Collective. Both plans, the function to come between them.
  void plan(const LocalBoxes& input, const LocalBoxes& output) {
    // One axis alone comes back in split order, of which functions know nothing.
    if (problem.forward.axes.size() == 1)
      there.emplace(problem.forward, input, slabs_of_spectrum(), *comm, options);
    else
      there.emplace(problem.forward, input, any_order, *comm, options);
    if (there->split()) there.emplace(problem.forward, input, slabs_of_spectrum(), *comm, options);
    take_fewer_exchanges(input);
    DistributedOptions with_workspace = options;
    // On a GPU a workspace cannot grow, and the second plan may need more than the first.
    if (!is_on_gpu()) with_workspace.workspace = there->workspace();
    back.emplace(inverted, there->output_boxes(), output, *comm, with_workspace);
    agree(*comm, [&] {
      in_count = there->input_count();
      out_count = back->output_count();
      there_cost = there->cost();
      back_cost = back->cost();
      there_exchanges = exchanges_of(*there);
      back_exchanges = exchanges_of(*back);
      there_text = there->explain();
      back_text = back->explain();
    });
  }

  /// Collective. Each exchange that is saved saves a sweep over memory there and one back, and
  /// steps that hold more axes have their function between larger tiles. Slabs of the spectrum that
  /// leave no rank without a part are taken where they need fewer exchanges and should cost about
  /// as much. Ranks may predict different times, so the first one decides.
  void take_fewer_exchanges(const LocalBoxes& input) {
    if (is_on_gpu() || exchanges_of(*there) < 2) return;
    for (int axis : problem.forward.axes) {
      const Index extent = problem.spectrum[at(axis)];
      if (extent < comm->size()) continue;
      DistributedPlan other(problem.forward, input,
                            slabs(problem.spectrum, axis, comm->size(), comm->rank()), *comm,
                            options);
      const bool is_better = exchanges_of(other) < exchanges_of(*there) &&
                             other.cost().predicted_s <= about_as_much * there->cost().predicted_s;
      if (broadcast_text(*comm, is_better ? "slabs" : "") == "slabs")
        there.emplace(std::move(other));
    }
  }

  /// Collective. No rank needs another: each does its own part in as few passes as one GPU would.
  bool stays_on_ranks(const LocalBoxes& input, const LocalBoxes& output) {
    if (!is_on_gpu() || there_exchanges + back_exchanges > 0) return false;
    bool is_taken = false;
    agree(*comm, [&] { is_taken = modes->take_whole(input, output); });
    is_whole = comm->minimum(is_taken ? 1 : 0) == 1;
    return is_whole;
  }

  /// Collective. The function between the stages, and the plans of the separate steps go.
  void fuse(const LocalBoxes& input, const LocalBoxes& output) {
    if (stays_on_ranks(input, output)) {
      back.reset();
      there.reset();
      return;
    }
    std::optional<spectral::PlanAgain> first, second;
    bool is_possible = !options.input_memory && !options.output_memory && !there->split();
    agree(*comm, [&] {
      first.emplace(problem.forward, *there, true, problem.inputs);
      second.emplace(inverted, *back, false, problem.outputs);
      if (!is_possible || !can_be_fused(*first, *second)) return void(is_possible = false);
      const spectral::TileModes tile = tile_modes(*first, *second, problem.spectrum);
      is_possible = modes->fit(tile.whole, tile.row);
    });
    if (comm->minimum(is_possible ? 1 : 0) == 0) return;
    back.reset();
    there.reset();
    try {
      fused = spectral::FusedPair::make(*first, *second, *comm, options, device, *modes);
      is_one_pass = comm->minimum(modes->is_one_pass() ? 1 : 0) == 1;
    } catch (const Error& error) {  // it takes more memory than separate steps
      if (error.code() != ErrorCode::out_of_memory) throw;
      plan(input, output);
    }
  }

  static spectral::OperatorProblem check(const Transform& forward, const ModeFunction& function,
                                         const DistributedOperatorOptions& options) {
    spectral::OperatorProblem problem =
        spectral::check_operator(forward, function, options.lengths);
    if (problem.forward.input_extents != problem.forward.shape ||
        problem.forward.output_extents != problem.forward.shape)
      throw Error(ErrorCode::unsupported,
                  "a padded or cropped transform was asked of DistributedOperator; only "
                  "weft::SpectralOperator does that");
    problem.forward.input_extents.clear();
    problem.forward.output_extents.clear();
    problem.forward.normalization = Normalization::none;
    if (options.plan.device.type != Device::Type::cpu) return problem;
    const bool takes = problem.forward.precision == Precision::f64
                           ? static_cast<bool>(function.on_f64())
                           : static_cast<bool>(function.on_f32());
    if (!takes)
      throw Error(ErrorCode::invalid_argument,
                  std::string("the transform is ") + to_string(problem.forward.precision) +
                      ", the function takes tiles of the other precision only");
    return problem;
  }

  LocalBoxes slabs_of_spectrum() const {
    const auto longest = std::ranges::max_element(problem.spectrum) - problem.spectrum.begin();
    return slabs(problem.spectrum, static_cast<int>(longest), comm->size(), comm->rank());
  }

  /// Throws for an array of this rank that cannot be read or written.
  void check_array(const void* array, Index count, const char* side) const {
    const Precision precision = problem.forward.precision;
    if (reinterpret_cast<std::uintptr_t>(array) %
            static_cast<std::uintptr_t>(real_bytes(precision)) !=
        0)
      throw Error(ErrorCode::invalid_argument,
                  std::string("the ") + side + " array is not aligned to its element type");
    if (count == 0) return;
    if (array == nullptr)
      throw Error(ErrorCode::invalid_argument, std::string("a null pointer was passed as the ") +
                                                   side + " array; pass room for " +
                                                   std::to_string(count) + " elements");
    device->check_array(array, in_element_bytes(problem.forward.kind, precision), side);
  }

  /// One rank alone reads and writes tile by tile.
  void check_apart(const void* in, const void* out) const {
    const Index bytes =
        in_count * in_element_bytes(problem.forward.kind, problem.forward.precision);
    const auto *a = static_cast<const std::byte*>(in), *b = static_cast<const std::byte*>(out);
    if (a != b && a < b + bytes && b < a + bytes)
      throw Error(ErrorCode::invalid_argument,
                  "the output shares a part of its memory with the input; give it the same array "
                  "or one of its own");
  }

  using Inputs = std::span<const void* const>;
  using Outputs = std::span<void* const>;

  template <class Real>
  void run(Inputs in, Outputs out) {
    if (is_whole)
      return agree(*comm, [&] {
        check_array(in[0], in_count, "input");
        check_array(out[0], out_count, "output");
        check_apart(in[0], out[0]);
        modes->run_whole(in[0], out[0]);
      });
    Failure failure;
    if (fused) {
      failure.attempt([&] {
        for (const void* each : in) check_array(each, in_count, "input");
        for (const void* each : out) check_array(each, out_count, "output");
      });
      return fused->execute(in, out, failure.first());
    }
    using Complex = std::complex<Real>;
    const bool is_real = problem.forward.kind == Kind::r2c;
    for (std::size_t f = 0; f < in.size(); ++f) {
      auto* const spectrum = static_cast<Complex*>(modes->field(static_cast<int>(f)));
      failure.attempt([&] {
        if (failure)
          execute_void(*there);
        else if (is_real)
          there->execute(static_cast<const Real*>(in[f]), spectrum);
        else
          there->execute(static_cast<const Complex*>(in[f]), spectrum);
      });
    }
    if (!failure) failure.attempt([&] { modes->run(); });
    for (std::size_t f = 0; f < out.size(); ++f) {
      const auto* const spectrum = static_cast<const Complex*>(modes->field(static_cast<int>(f)));
      failure.attempt([&] {
        if (failure)
          execute_void(*back);
        else if (is_real)
          back->execute(spectrum, static_cast<Real*>(out[f]));
        else
          back->execute(spectrum, static_cast<Complex*>(out[f]));
      });
    }
    failure.rethrow();
  }

  void fail_together(std::exception_ptr failure) {
    Failure kept(std::move(failure));
    if (is_whole) {
      kept.attempt([&] { agree(*comm, [&] { kept.rethrow(); }); });
    } else if (fused) {
      const std::array<const void*, max_operator_fields> in{};
      const std::array<void*, max_operator_fields> out{};
      kept.attempt([&] { fused->execute(in, out, kept.first()); });
    } else {
      for (int f = 0; f < problem.inputs; ++f) kept.attempt([&] { execute_void(*there); });
      for (int f = 0; f < problem.outputs; ++f) kept.attempt([&] { execute_void(*back); });
    }
    kept.rethrow();
  }

  DistributedCost cost() const {
    DistributedCost cost;
    cost.predicted_s =
        problem.inputs * there_cost.predicted_s + problem.outputs * back_cost.predicted_s;
    cost.workspace_bytes = workspace_bytes();
    if (fused) {
      cost.messages = fused->messages();
      cost.message_bytes = fused->message_bytes();
      cost.flops = fused->flops();
      return cost;
    }
    cost.messages = problem.inputs * there_cost.messages + problem.outputs * back_cost.messages;
    cost.message_bytes =
        problem.inputs * there_cost.message_bytes + problem.outputs * back_cost.message_bytes;
    cost.flops = problem.inputs * there_cost.flops + problem.outputs * back_cost.flops;
    return cost;
  }
  Index workspace_bytes() const {
    if (is_whole) return modes->bytes();
    if (fused) return fused->workspace_bytes() + modes->bytes();
    const bool is_shared = there->workspace() == back->workspace();
    return there->workspace_bytes() + (is_shared ? 0 : back->workspace_bytes()) + modes->bytes();
  }
  std::string middle() const {
    if (is_whole) return ", within the passes of each rank";
    if (!fused) return ": a sweep of its own";
    return is_one_pass ? ", fused with the last stage forward and the first backward"
                       : ": a kernel between the last stage forward and the first backward";
  }
  /// Fused plans carry all fields at once.
  Index exchanges() const {
    return fused ? there_exchanges + back_exchanges
                 : problem.inputs * there_exchanges + problem.outputs * back_exchanges;
  }
};

DistributedOperator::DistributedOperator(const Transform& forward, ModeFunction function,
                                         const LocalBoxes& input, const LocalBoxes& output,
                                         const Comm& comm,
                                         const DistributedOperatorOptions& options)
    : impl_(std::make_unique<Impl>(forward, function, input, output, comm, options)) {}
DistributedOperator::~DistributedOperator() = default;
DistributedOperator::DistributedOperator(DistributedOperator&&) noexcept = default;
DistributedOperator& DistributedOperator::operator=(DistributedOperator&&) noexcept = default;

void DistributedOperator::run(Element type, const void* const* in, std::size_t inputs,
                              void* const* out, std::size_t outputs) {
  Impl& impl = *impl_;
  try {
    spectral::check_fields(impl.problem, type.precision, type.is_complex, inputs, outputs);
  } catch (const Error&) {
    return impl.fail_together(std::current_exception());
  }
  if (impl.problem.forward.precision == Precision::f64)
    impl.run<double>({in, inputs}, {out, outputs});
  else
    impl.run<float>({in, inputs}, {out, outputs});
}

Index DistributedOperator::input_count() const { return impl_->in_count; }
Index DistributedOperator::output_count() const { return impl_->out_count; }
Index DistributedOperator::workspace_bytes() const { return impl_->workspace_bytes(); }
DistributedCost DistributedOperator::cost() const { return impl_->cost(); }

std::string DistributedOperator::explain() const {
  const Impl& impl = *impl_;
  const DistributedCost all = cost();
  return "forward: " + impl.there_text + "\nfunction on " + std::to_string(impl.problem.fields()) +
         " fields" + impl.middle() + "\nbackward: " + impl.back_text + "\n" +
         std::to_string(impl.exchanges()) + " exchanges, " + std::to_string(all.messages) +
         " messages and " + std::to_string(all.message_bytes) + " bytes from this rank in all\n";
}

}  // namespace weft
