// SPDX-License-Identifier: BSD-3-Clause
#include "dropins/fftw/mpi/mpi_plan.hpp"

#include <algorithm>
#include <cstring>

#include "fftw3-mpi.h"
#include "weft/mpi.hpp"

namespace weft::fftw {
namespace {

class MpiPlan final : public PlanBase {
 public:
  MpiPlan(const MpiProblem& problem, bool in_place, std::shared_ptr<const Comm> comm,
          DistributedPlan plan)
      : PlanBase(&run_distributed, {static_cast<Real*>(problem.in), nullptr,
                                    static_cast<Real*>(problem.out), nullptr}),
        kind_(problem.kind),
        in_place_(in_place),
        comm_(std::move(comm)),
        plan_(std::move(plan)) {}

  std::string text() const override { return "(weft on ranks\n  " + plan_.explain() + ")"; }
  PlanCost cost() const override {
    const DistributedCost cost = plan_.cost();
    return {.flops = cost.flops, .predicted_s = cost.predicted_s};
  }

 private:
  static void run_distributed(PlanBase& base, const Arrays& arrays) {
    auto& self = static_cast<MpiPlan&>(base);
    try {
      self.execute(arrays.in, arrays.out);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "weft: fftw_execute on ranks: %s\n", error.what());
    }
  }

  std::size_t input_reals() const {
    const bool is_complex = kind_ == Kind::c2c || kind_ == Kind::c2r;
    return static_cast<std::size_t>(plan_.input_count()) * (is_complex ? 2 : 1);
  }

  /// Plans are for one array or for two; FFTW leaves open what the other does. Here it works.
  void execute(Real* in, Real* out) {
    if (in_place_ && in != out) {
      if (input_reals() > 0) std::memmove(out, in, input_reals() * sizeof(Real));
      return transform(out, out);
    }
    if (!in_place_ && in == out && in != nullptr) {
      std::vector<Real> copy(in, in + input_reals());
      return transform(copy.data(), out);
    }
    transform(in, out);
  }

  void transform(Real* in, Real* out) {
    auto* const complex_in = reinterpret_cast<Complex*>(in);
    auto* const complex_out = reinterpret_cast<Complex*>(out);
    switch (kind_) {
      case Kind::c2c: return plan_.execute(complex_in, complex_out);
      case Kind::r2c: return plan_.execute(in, complex_out);
      case Kind::c2r: return plan_.execute(complex_in, out);
      case Kind::r2r: return plan_.execute(in, out);
    }
  }

  Kind kind_;
  bool in_place_;
  std::shared_ptr<const Comm> comm_;
  DistributedPlan plan_;
};

Transform transform_of(const MpiProblem& problem) {
  Transform t;
  t.kind = problem.kind;
  t.shape = problem.shape;
  t.shape.push_back(problem.howmany);
  t.direction = problem.kind == Kind::c2r ? Direction::backward : problem.direction;
  t.precision = ScalarTraits<Real>::precision;
  t.empty_axes = EmptyAxes::none;
  t.r2r = problem.r2r;
  if (problem.transforms)
    for (std::size_t d = 0; d < problem.shape.size(); ++d) t.axes.push_back(static_cast<int>(d));
  return t;
}

DistributedOptions options_of(const MpiProblem& problem, unsigned flags, bool in_place) {
  DistributedOptions options;
  options.threads = FFTW_NAME(planner_nthreads)();
  options.in_place = in_place;
  options.use_wisdom = false;
  if ((flags & FFTW_ESTIMATE) == 0 && problem.transforms)
    options.effort =
        (flags & (FFTW_PATIENT | FFTW_EXHAUSTIVE)) != 0 ? Effort::patient : Effort::measure;
  options.time_limit_s = options.effort == Effort::measure ? 2 : 10;
  return options;
}

bool is_sensible(const MpiProblem& problem, int ranks) {
  const auto positive = [](Index n) { return n >= 1; };
  return !problem.shape.empty() && std::ranges::all_of(problem.shape, positive) &&
         problem.howmany >= 0 &&
         (problem.kind == Kind::c2c || problem.kind == Kind::r2r || problem.shape.size() >= 2) &&
         fits(problem.input, ranks) && fits(problem.output, ranks);
}

PlanHandle plan_on_ranks(const MpiProblem& problem, unsigned flags) {
  int ranks = 1, rank = 0;
  MPI_Comm_size(problem.comm, &ranks);
  MPI_Comm_rank(problem.comm, &rank);
  if (!is_sensible(problem, ranks)) return nullptr;
  // Ranks without data may pass anything, so that all must agree whether this is in place.
  const LocalBoxes input = boxes_of(problem.input, ranks, rank);
  const LocalBoxes output = boxes_of(problem.output, ranks, rank);
  int apart = problem.in != problem.out && !input.empty() && !output.empty() ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &apart, 1, MPI_INT, MPI_MAX, problem.comm);
  const auto comm = mpi_comm(problem.comm);
  DistributedPlan plan(transform_of(problem), input, output, *comm,
                       options_of(problem, flags, apart == 0));
  return new MpiPlan(problem, apart == 0, comm, std::move(plan));
}

}  // namespace

PlanHandle make_mpi_plan(const MpiProblem& problem, unsigned flags) noexcept {
  // Plans of ranks are not part of the wisdom that FFTW's interface hands out.
  if ((flags & FFTW_WISDOM_ONLY) != 0) return nullptr;
  try {
    return plan_on_ranks(problem, flags);
  } catch (...) {
    return nullptr;
  }
}

}  // namespace weft::fftw
