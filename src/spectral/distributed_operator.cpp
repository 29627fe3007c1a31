// SPDX-License-Identifier: BSD-3-Clause
// The public DistributedOperator: a distributed plan forward into whatever order costs least, the
// function on the boxes of this rank, and a plan backward from there.
#include <exception>
#include <optional>
#include <variant>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/names.hpp"
#include "comm/agree.hpp"
#include "global/recipe/recipe_text.hpp"
#include "local/choose/machine_model.hpp"
#include "reshape/piece.hpp"
#include "spectral/fused_pair.hpp"
#include "spectral/operator_problem.hpp"
#include "spectral/run_tasks.hpp"
#include "spectral/wave_numbers.hpp"
#include "weft/spectral_distributed.hpp"

namespace weft {
namespace {

/// What must be alike on all ranks, beside what the plans compare.
std::string text_of(const spectral::OperatorProblem& problem) {
  std::string text = std::to_string(problem.inputs) + " to " + std::to_string(problem.outputs);
  for (double length : problem.lengths) text += " " + std::to_string(length);
  return text;
}

/// One after every stage but the last.
Index exchanges_of(const DistributedPlan& plan) {
  return static_cast<Index>(global::parse_recipe(plan.recipe()).stages.size()) - 1;
}

/// The modes of this rank, cut into tiles that stay in cache.
template <class Real>
class LocalModes {
 public:
  using Complex = std::complex<Real>;
  using Function = std::function<void(const ModeTile<Real>&)>;

  LocalModes(const spectral::OperatorProblem& problem, const LocalBoxes& boxes, Index count,
             Function function, std::shared_ptr<const Executor> executor)
      : problem_(problem),
        waves_(problem.forward, problem.spectrum, problem.lengths),
        function_(std::move(function)),
        executor_(std::move(executor)),
        pieces_(reshape::pieces_of(boxes, reshape::Memory::input, sizeof(Complex))),
        memory_(problem.fields() * count),
        count_(count) {
    const double most =
        local::machine_model().l2.bytes / 2 / (sizeof(Complex) * double(problem.fields()));
    for (const reshape::Piece& piece : pieces_) add_tiles(piece, most);
  }

  Complex* field(int f) { return memory_.data() + f * count_; }
  Index bytes() const { return memory_.size() * Index{sizeof(Complex)}; }

  /// What the function throws is thrown after all threads have returned.
  void run() {
    const auto all = static_cast<Index>(tiles_.size());
    const int tasks = static_cast<int>(
        std::min<Index>(std::max(1, executor_->concurrency()), std::max<Index>(1, all)));
    spectral::run_tasks(*executor_, tasks, [&](int task) {
      for (Index i = all * task / tasks; i < all * (task + 1) / tasks; ++i)
        run_tile(tiles_[static_cast<std::size_t>(i)]);
    });
  }

 private:
  /// Cuts along the slowest axis in memory.
  void add_tiles(const reshape::Piece& piece, double most_modes) {
    int slowest = 0;
    for (int d = 1; d < piece.box.ndim; ++d)
      if (std::abs(piece.strides[at(d)]) > std::abs(piece.strides[at(slowest)])) slowest = d;
    const Index all = piece.box.extent(slowest);
    const double row = static_cast<double>(piece.box.count() / all);
    const Index some = std::clamp<Index>(static_cast<Index>(most_modes / row), 1, all);
    for (Index begin = 0; begin < all; begin += some) {
      Box part = piece.box;
      part.begin[at(slowest)] = piece.box.begin[at(slowest)] + begin;
      part.end[at(slowest)] = std::min(part.begin[at(slowest)] + some, piece.box.end[at(slowest)]);
      tiles_.push_back(reshape::sub_piece(piece, part, sizeof(Complex)));
    }
  }

  void run_tile(const reshape::Piece& tile) {
    std::array<Complex*, max_operator_fields> fields{};
    for (int f = 0; f < problem_.fields(); ++f)
      fields[at(f)] = field(f) + tile.offset / Index{sizeof(Complex)};
    run_box(tile.box, tile.strides, fields.data());
  }

 public:
  void run_box(const Box& box, const reshape::Strides& strides, Complex* const* fields) const {
    std::array<typename ModeTile<Real>::Dimension, max_operator_dimensions> dimensions;
    const std::size_t ndim = at(box.ndim);
    for (std::size_t d = 0; d < ndim; ++d) {
      dimensions[d].begin = box.begin[d];
      dimensions[d].extent = box.extent(static_cast<int>(d));
      dimensions[d].stride = strides[d];
    }
    for (std::size_t a = 0; a < problem_.forward.axes.size(); ++a) {
      auto& dimension = dimensions[at(problem_.forward.axes[a])];
      dimension.axis = static_cast<int>(a);
      dimension.k = waves_.k[a].data() + dimension.begin;
      dimension.odd = waves_.odd[a].data() + dimension.begin;
    }
    function_(ModeTile<Real>{
        {dimensions.data(), ndim}, fields, static_cast<int>(problem_.forward.axes.size())});
  }

 private:
  const spectral::OperatorProblem& problem_;
  spectral::WaveNumbers<Real> waves_;
  Function function_;
  std::shared_ptr<const Executor> executor_;
  std::vector<reshape::Piece> pieces_, tiles_;
  Buffer<Complex> memory_;
  Index count_;
};

}  // namespace

struct DistributedOperator::Impl {
  spectral::OperatorProblem problem;
  std::optional<DistributedPlan> there, back;  // none where the two are fused
  std::unique_ptr<spectral::FusedPair> fused;
  Index in_count = 0, out_count = 0;
  DistributedCost there_cost, back_cost;
  std::string there_text, back_text;
  Index there_exchanges = 0, back_exchanges = 0;
  std::variant<std::monostate, LocalModes<float>, LocalModes<double>> modes;

  Impl(const Transform& forward, const ModeFunction& function, const LocalBoxes& input,
       const LocalBoxes& output, const Comm& comm, const DistributedOperatorOptions& options) {
    agree(comm, [&] { problem = check(forward, function, options); });
    require_equal(comm, text_of(problem), "the fields and lengths of an operator");
    DistributedOptions plan = options.plan;
    plan.in_place = false;
    plan.split = {};
    plan.recipe.clear();
    plan.workspace = nullptr;
    Transform inverted = inverse(problem.forward);
    inverted.normalization = Normalization::backward;
    // One axis alone comes back in split order, of which functions know nothing.
    if (problem.forward.axes.size() == 1)
      there.emplace(problem.forward, input, slabs_of_spectrum(comm), comm, plan);
    else
      there.emplace(problem.forward, input, any_order, comm, plan);
    if (there->split()) there.emplace(problem.forward, input, slabs_of_spectrum(comm), comm, plan);
    plan.workspace = there->workspace();
    back.emplace(inverted, there->output_boxes(), output, comm, plan);
    agree(comm, [&] {
      std::shared_ptr<const Executor> executor = options.plan.executor;
      if (!executor)
        executor =
            options.plan.threads == 1 ? serial_executor() : openmp_executor(options.plan.threads);
      const Index count = there->output_count();
      if (problem.forward.precision == Precision::f64)
        modes.emplace<LocalModes<double>>(problem, there->output_boxes(), count, function.on_f64(),
                                          executor);
      else
        modes.emplace<LocalModes<float>>(problem, there->output_boxes(), count, function.on_f32(),
                                         executor);
      in_count = there->input_count();
      out_count = back->output_count();
      there_cost = there->cost();
      back_cost = back->cost();
      there_exchanges = exchanges_of(*there);
      back_exchanges = exchanges_of(*back);
      there_text = there->explain();
      back_text = back->explain();
    });
    if (problem.inputs == 1 && problem.outputs == 1) fuse(inverted, comm, options.plan);
  }

  /// One field: the function between the stages, and the plans of the separate steps go.
  void fuse(const Transform& inverted, const Comm& comm, const DistributedOptions& options) {
    const auto on_box = [this](const Box& box, std::byte* data) {
      std::visit(
          [&](const auto& local) {
            using Local = std::remove_cvref_t<decltype(local)>;
            if constexpr (!std::is_same_v<Local, std::monostate>) {
              auto* const first = reinterpret_cast<typename Local::Complex*>(data);
              local.run_box(box, reshape::dense_strides(box), &first);
            }
          },
          modes);
    };
    fused =
        spectral::FusedPair::make(problem.forward, inverted, *there, *back, comm, options, on_box);
    if (!fused) return;
    back.reset();
    there.reset();
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
    if (options.plan.device.type != Device::Type::cpu)
      throw Error(ErrorCode::unsupported,
                  "an operator on a GPU was asked for; operators run on CPUs");
    const bool takes = problem.forward.precision == Precision::f64
                           ? static_cast<bool>(function.on_f64())
                           : static_cast<bool>(function.on_f32());
    if (!takes)
      throw Error(ErrorCode::invalid_argument,
                  std::string("the transform is ") + to_string(problem.forward.precision) +
                      ", the function takes tiles of the other precision only");
    return problem;
  }

  LocalBoxes slabs_of_spectrum(const Comm& comm) const {
    const auto longest = std::ranges::max_element(problem.spectrum) - problem.spectrum.begin();
    return slabs(problem.spectrum, static_cast<int>(longest), comm.size(), comm.rank());
  }

  /// What is wrong with an array of this rank; null: nothing.
  std::exception_ptr fault_of(const void* array, Index count, const char* side) const {
    const auto real = static_cast<std::uintptr_t>(real_bytes(problem.forward.precision));
    if (reinterpret_cast<std::uintptr_t>(array) % real != 0)
      return std::make_exception_ptr(
          Error(ErrorCode::invalid_argument,
                std::string("the ") + side + " array is not aligned to its element type"));
    if (array != nullptr || count == 0) return nullptr;
    return std::make_exception_ptr(
        Error(ErrorCode::invalid_argument, std::string("a null pointer was passed as the ") + side +
                                               " array; pass room for " + std::to_string(count) +
                                               " elements"));
  }

  template <class Real>
  void run(LocalModes<Real>& local, const void* const* in, void* const* out) {
    using Complex = std::complex<Real>;
    if (fused) {
      std::exception_ptr failure = fault_of(in[0], in_count, "input");
      if (!failure) failure = fault_of(out[0], out_count, "output");
      return fused->execute(in[0], local.field(0), out[0], std::move(failure));
    }
    const bool is_real = problem.forward.kind == Kind::r2c;
    for (int f = 0; f < problem.inputs; ++f)
      if (is_real)
        there->execute(static_cast<const Real*>(in[f]), local.field(f));
      else
        there->execute(static_cast<const Complex*>(in[f]), local.field(f));
    std::exception_ptr failure;
    try {
      local.run();
    } catch (...) {
      failure = std::current_exception();
    }
    try {
      for (int f = 0; f < problem.outputs; ++f)
        if (failure)
          back->execute(static_cast<const Half*>(nullptr), static_cast<Half*>(nullptr));
        else if (is_real)
          back->execute(local.field(f), static_cast<Real*>(out[f]));
        else
          back->execute(local.field(f), static_cast<Complex*>(out[f]));
    } catch (const Error&) {
      if (!failure) throw;
    }
    if (failure) std::rethrow_exception(failure);
  }

  /// Makes all ranks throw: a plan that gets elements of a wrong type on one rank fails on all.
  void fail_together() {
    try {
      if (fused)
        fused->execute(nullptr, nullptr, nullptr, std::current_exception());
      else
        there->execute(static_cast<const Half*>(nullptr), static_cast<Half*>(nullptr));
    } catch (const Error&) {
    }
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
    impl.fail_together();
    throw;
  }
  if (auto* f64 = std::get_if<LocalModes<double>>(&impl.modes))
    impl.run(*f64, in, out);
  else
    impl.run(std::get<LocalModes<float>>(impl.modes), in, out);
}

Index DistributedOperator::input_count() const { return impl_->in_count; }
Index DistributedOperator::output_count() const { return impl_->out_count; }
Index DistributedOperator::workspace_bytes() const {
  Index bytes = impl_->fused ? impl_->fused->workspace_bytes() : impl_->there->workspace_bytes();
  if (const auto* f64 = std::get_if<LocalModes<double>>(&impl_->modes)) bytes += f64->bytes();
  if (const auto* f32 = std::get_if<LocalModes<float>>(&impl_->modes)) bytes += f32->bytes();
  return bytes;
}

DistributedCost DistributedOperator::cost() const {
  const DistributedCost &there = impl_->there_cost, &back = impl_->back_cost;
  const auto in = impl_->problem.inputs, out = impl_->problem.outputs;
  DistributedCost cost;
  cost.messages = in * there.messages + out * back.messages;
  cost.message_bytes = in * there.message_bytes + out * back.message_bytes;
  cost.workspace_bytes = workspace_bytes();
  cost.flops = in * there.flops + out * back.flops;
  cost.predicted_s = in * there.predicted_s + out * back.predicted_s;
  return cost;
}

std::string DistributedOperator::explain() const {
  const Impl& impl = *impl_;
  const DistributedCost all = cost();
  return "forward: " + impl.there_text + "\nfunction on " + std::to_string(impl.problem.fields()) +
         " fields" +
         (impl.fused ? ", fused with the last stage forward and the first backward"
                     : ": a sweep of its own") +
         "\nbackward: " + impl.back_text + "\n" +
         std::to_string(impl.problem.inputs * impl.there_exchanges +
                        impl.problem.outputs * impl.back_exchanges) +
         " exchanges, " + std::to_string(all.messages) + " messages and " +
         std::to_string(all.message_bytes) + " bytes from this rank in all\n";
}

}  // namespace weft
