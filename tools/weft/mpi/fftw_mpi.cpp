// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/fftw_mpi.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "fftw_kinds.hpp"

namespace weft::tool {
namespace {

constexpr unsigned measure = 0, estimate = 1U << 6, scrambled_out = 1U << 28,
                   transposed_in = 1U << 29, transposed_out = 1U << 30;
constexpr int forward = -1;

bool is_backward(const FftwMpiProblem& problem) {
  return problem.kind == Kind::c2r ||
         (problem.kind == Kind::c2c && problem.direction == Direction::backward);
}

/// The part of FFTW's documented interface that is needed, for one precision.
struct Library {
  void (*mpi_init)() = nullptr;
  std::ptrdiff_t (*local_size)(std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t, MPI_Comm,
                               std::ptrdiff_t*, std::ptrdiff_t*, std::ptrdiff_t*,
                               std::ptrdiff_t*) = nullptr;
  std::ptrdiff_t (*local_size_1d)(std::ptrdiff_t, MPI_Comm, int, unsigned, std::ptrdiff_t*,
                                  std::ptrdiff_t*, std::ptrdiff_t*, std::ptrdiff_t*) = nullptr;
  void* (*plan_1d)(std::ptrdiff_t, void*, void*, MPI_Comm, int, unsigned) = nullptr;
  void* (*plan_c2c)(std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t, void*, void*, MPI_Comm, int,
                    unsigned) = nullptr;
  void* (*plan_r2c)(std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t, void*, void*, MPI_Comm,
                    unsigned) = nullptr;
  void* (*plan_c2r)(std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t, void*, void*, MPI_Comm,
                    unsigned) = nullptr;
  void* (*plan_r2r)(std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t, void*, void*, MPI_Comm, int,
                    int, int, unsigned) = nullptr;
  void (*execute)(void*) = nullptr;
  void (*destroy)(void*) = nullptr;
  void* (*allocate)(std::size_t) = nullptr;
  void (*free)(void*) = nullptr;
  void (*set_time_limit)(double) = nullptr;

  bool load(const std::string& letter) {
    void* plain = dlopen(("libfftw3" + letter + ".so.3").c_str(), RTLD_NOW | RTLD_GLOBAL);
    void* mpi = dlopen(("libfftw3" + letter + "_mpi.so.3").c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (plain == nullptr || mpi == nullptr) return false;
    const std::string prefix = "fftw" + letter + "_";
    const auto find = [&](void* handle, const char* name, auto& function) {
      void* symbol = dlsym(handle, (prefix + name).c_str());
      std::memcpy(&function, &symbol, sizeof symbol);
      return symbol != nullptr;
    };
    return find(mpi, "mpi_init", mpi_init) &&
           find(mpi, "mpi_local_size_3d_transposed", local_size) &&
           find(mpi, "mpi_local_size_1d", local_size_1d) && find(mpi, "mpi_plan_dft_1d", plan_1d) &&
           find(mpi, "mpi_plan_dft_3d", plan_c2c) && find(mpi, "mpi_plan_dft_r2c_3d", plan_r2c) &&
           find(mpi, "mpi_plan_dft_c2r_3d", plan_c2r) && find(mpi, "mpi_plan_r2r_3d", plan_r2r) &&
           find(plain, "execute", execute) && find(plain, "destroy_plan", destroy) &&
           find(plain, "malloc", allocate) && find(plain, "free", free) &&
           find(plain, "set_timelimit", set_time_limit);
  }
};

/// Whether FFTW-MPI was built for the MPI of this plugin: Debian's is for Open MPI.
bool is_for_this_mpi() {
#ifdef OPEN_MPI
  return true;
#else
  return false;
#endif
}

Library* library(Precision precision) {
  static Library single, twice;
  static const bool has_single = is_for_this_mpi() && single.load("f");
  static const bool has_twice = is_for_this_mpi() && twice.load("");
  if (precision == Precision::f32) return has_single ? &single : nullptr;
  return precision == Precision::f64 && has_twice ? &twice : nullptr;
}

unsigned flags_of(const FftwMpiProblem& problem) {
  const unsigned effort = problem.measure ? measure : estimate;
  if (!problem.transposed) return effort;
  if (problem.shape.size() == 1) return effort | scrambled_out;
  return effort | (is_backward(problem) ? transposed_in : transposed_out);
}

struct LocalSize {
  std::ptrdiff_t elements = 0;  // to allocate, complex
  FftwMpiBlocks blocks;         // 1-D only
};

LocalSize local_size(Library& fftw, const FftwMpiProblem& problem, MPI_Comm comm) {
  std::ptrdiff_t in = 0, first_in = 0, out = 0, first_out = 0;
  if (problem.shape.size() == 1) {
    const std::ptrdiff_t elements = fftw.local_size_1d(
        problem.shape[0], comm, forward, flags_of(problem), &in, &first_in, &out, &first_out);
    return {elements, {first_in, in, first_out, out}};
  }
  const std::ptrdiff_t row = problem.kind == Kind::c2c || problem.kind == Kind::r2r
                                 ? problem.shape[2]
                                 : problem.shape[2] / 2 + 1;
  return {fftw.local_size(problem.shape[0], problem.shape[1], row, comm, &in, &first_in, &out,
                          &first_out),
          {}};
}

class Plan final : public PeerPlan {
 public:
  Plan(Library& fftw, const FftwMpiProblem& problem, MPI_Comm comm) : fftw_(fftw) {
    fftw_.mpi_init();
    fftw_.set_time_limit(problem.time_limit_s);
    const std::ptrdiff_t elements = local_size(fftw_, problem, comm).elements;
    const std::size_t bytes =
        static_cast<std::size_t>(elements) * (problem.precision == Precision::f64 ? 16 : 8);
    const bool is_given = problem.input != nullptr || problem.output != nullptr;
    in_ = side(problem.input, bytes);
    out_ = side(problem.output, bytes);
    int good = bytes == 0 || (in_ != nullptr && out_ != nullptr) ? 1 : 0, all = 0;
    if (is_given && elements > problem.complex_count) good = 0;
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, comm);
    if (all == 0) return;
    std::memset(in_, 0, bytes);
    std::memset(out_, 0, bytes);
    plan_ = make(problem, comm);
  }
  ~Plan() override {
    if (plan_ != nullptr) fftw_.destroy(plan_);
    for (void* memory : own_) fftw_.free(memory);
  }
  bool is_good() const { return plan_ != nullptr; }
  void execute() override { fftw_.execute(plan_); }
  std::byte* input() override { return static_cast<std::byte*>(in_); }
  std::byte* output() override { return static_cast<std::byte*>(out_); }

 private:
  void* side(std::byte* given, std::size_t bytes) {
    if (given != nullptr) return given;
    own_.push_back(fftw_.allocate(bytes));
    return own_.back();
  }
  void* make(const FftwMpiProblem& problem, MPI_Comm comm) {
    const unsigned flags = flags_of(problem);
    const std::vector<Index>& n = problem.shape;
    if (n.size() == 1) return fftw_.plan_1d(n[0], in_, out_, comm, forward, flags);
    if (problem.kind == Kind::r2c) return fftw_.plan_r2c(n[0], n[1], n[2], in_, out_, comm, flags);
    const int r2r = fftw_r2r_kind(problem.r2r);
    if (problem.kind == Kind::r2r)
      return fftw_.plan_r2r(n[0], n[1], n[2], in_, out_, comm, r2r, r2r, r2r, flags);
    if (problem.kind == Kind::c2r) return fftw_.plan_c2r(n[0], n[1], n[2], in_, out_, comm, flags);
    return fftw_.plan_c2c(n[0], n[1], n[2], in_, out_, comm,
                          is_backward(problem) ? -forward : forward, flags);
  }

  Library& fftw_;
  void* plan_ = nullptr;
  void* in_ = nullptr;
  void* out_ = nullptr;
  std::vector<void*> own_;  // of the two
};

}  // namespace

bool has_fftw_mpi(Precision precision) { return library(precision) != nullptr; }

FftwMpiBlocks fftw_mpi_blocks(const FftwMpiProblem& problem, MPI_Comm comm) {
  Library& fftw = *library(problem.precision);
  fftw.mpi_init();
  return local_size(fftw, problem, comm).blocks;
}

std::unique_ptr<PeerPlan> make_fftw_mpi_plan(const FftwMpiProblem& problem, MPI_Comm comm) {
  Library* fftw = library(problem.precision);
  if (fftw == nullptr) return nullptr;
  auto plan = std::make_unique<Plan>(*fftw, problem, comm);
  int good = plan->is_good() ? 1 : 0, all = 0;
  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, comm);
  if (all == 0) return nullptr;
  return plan;
}

}  // namespace weft::tool
