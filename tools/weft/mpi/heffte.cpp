// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/heffte.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "comm/mpi_support.hpp"
#include "mpi/fftw_mpi.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace {

enum Backend { stock = 0, fftw = 1, mkl = 2 };
constexpr int no_scale = 0;
constexpr int algorithms = 3;  // all-to-all, messages in a pipeline, messages

/// heFFTe counts axes from the fastest of a row-major array, and the ends of boxes are inside them.
struct HeffteBox {
  int low[3], high[3], order[3];

  explicit HeffteBox(const LocalBox& local) {
    for (int d = 0; d < 3; ++d) {
      const auto i = static_cast<std::size_t>(2 - d);
      low[d] = static_cast<int>(local.box.begin[i]);
      high[d] = static_cast<int>(local.box.end[i]) - 1;
      order[d] = local.order.empty() ? d : 2 - local.order[i];
    }
  }
  Index count() const {
    Index count = 1;
    for (int d = 0; d < 3; ++d) count *= std::max(0, high[d] - low[d] + 1);
    return count;
  }
};

}  // namespace

class HefftePlan final : public PeerPlan {
 public:
  HefftePlan(const Heffte& heffte, const HeffteProblem& problem, const Heffte::Options& options,
             MPI_Comm comm)
      : heffte_(heffte), is_real_(problem.kind == Kind::r2c) {
    const HeffteBox in(problem.input), out(problem.output);
    const int status = is_real_
                           ? heffte.create_r2c_(heffte.backend_, in.low, in.high, in.order, out.low,
                                                out.high, out.order, 0, comm, &options, &handle_)
                           : heffte.create_(heffte.backend_, in.low, in.high, in.order, out.low,
                                            out.high, out.order, comm, &options, &handle_);
    if (status != 0) handle_ = nullptr;
    const bool is_double = problem.precision == Precision::f64;
    real_bytes_ = is_double ? 8 : 4;
    execute_ = is_real_ ? (is_double ? heffte.forward_d2z_ : heffte.forward_s2c_)
                        : (is_double ? heffte.forward_z2z_ : heffte.forward_c2c_);
    in_bytes_ = in.count() * real_bytes_ * (is_real_ ? 1 : 2);
    out_bytes_ = out.count() * real_bytes_ * 2;
  }
  ~HefftePlan() override {
    if (handle_ != nullptr) heffte_.destroy_(handle_);
  }
  bool is_good() const { return handle_ != nullptr; }
  /// Throws on this rank alone.
  void allocate() {
    in_.resize(static_cast<std::size_t>(in_bytes_) + 64);
    out_.resize(static_cast<std::size_t>(out_bytes_) + 64);
    workspace_.resize(static_cast<std::size_t>(heffte_.size_workspace_(handle_)) * 2 *
                          static_cast<std::size_t>(real_bytes_) +
                      64);
  }
  void execute() override {
    execute_(handle_, in_.data(), out_.data(), workspace_.data(), no_scale);
  }
  std::byte* input() override { return in_.data(); }
  std::byte* output() override { return out_.data(); }

 private:
  const Heffte& heffte_;
  bool is_real_;
  Heffte::Handle handle_ = nullptr;
  Heffte::Execute execute_ = nullptr;
  Index real_bytes_ = 8, in_bytes_ = 0, out_bytes_ = 0;
  std::vector<std::byte> in_, out_, workspace_;
};

template <class Function>
void Heffte::load(Function& function, const char* name) {
  void* const symbol = dlsym(library_, name);
  if (symbol == nullptr)
    throw Error(ErrorCode::unsupported, std::string("the heFFTe that was found has no function ") +
                                            name + "; use heFFTe 2.1 or later");
  std::memcpy(&function, &symbol, sizeof symbol);
}

Heffte::Heffte(const std::string& folder) {
  // FFTW comes first: MKL has functions of the same names, which FFTW-MPI would call otherwise.
  has_fftw_mpi(Precision::f64);
  setenv("MKL_THREADING_LAYER", "SEQUENTIAL", 0);
  std::string why;
  for (const char* name : {"libheffte.so", "libheffte.so.2"}) {
    if (library_ != nullptr) break;
    library_ = dlopen((folder + "/" + name).c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library_ == nullptr && why.empty()) why = dlerror();
  }
  if (library_ == nullptr)
    throw Error(ErrorCode::unsupported,
                "cannot load libheffte from " + folder + " (" + why +
                    "); build heFFTe as a shared library for the MPI of this mpiexec");
  load(set_default_options_, "heffte_set_default_options");
  load(create_, "heffte_plan_create");
  load(create_r2c_, "heffte_plan_create_r2c");
  load(destroy_, "heffte_plan_destroy");
  load(size_workspace_, "heffte_size_workspace");
  load(forward_z2z_, "heffte_forward_z2z_buffered");
  load(forward_c2c_, "heffte_forward_c2c_buffered");
  load(forward_d2z_, "heffte_forward_d2z_buffered");
  load(forward_s2c_, "heffte_forward_s2c_buffered");
  for (const int backend : {mkl, fftw, stock}) {
    Options options;
    backend_ = backend;
    if (set_default_options_(backend, &options) == 0) break;
  }
}

std::string Heffte::backend() const {
  return backend_ == mkl ? "MKL" : backend_ == fftw ? "FFTW" : "its own";
}

std::unique_ptr<PeerPlan> Heffte::plan(const HeffteProblem& problem, const Comm& comm,
                                       MPI_Comm mpi) const {
  std::unique_ptr<HefftePlan> best;
  double best_s = 0;
  for (int way = 0; way < 2 * algorithms; ++way) {
    Options options;
    set_default_options_(backend_, &options);
    options.algorithm = way % algorithms;
    options.use_pencils = way / algorithms;
    std::unique_ptr<HefftePlan> plan;
    mpi_support::agree(comm, [&] {
      plan = std::make_unique<HefftePlan>(*this, problem, options, mpi);
      if (!plan->is_good())
        throw Error(ErrorCode::unsupported,
                    "heFFTe cannot plan this row; leave it out, or run without --heffte");
      plan->allocate();
    });
    double seconds = 1e30;
    for (int round = 0; round < 2; ++round) {
      comm.barrier();
      const double begin = MPI_Wtime();
      plan->execute();
      double mine = MPI_Wtime() - begin, slowest = 0;
      MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, mpi);
      seconds = std::min(seconds, slowest);
    }
    if (best && seconds >= best_s) continue;
    best_s = seconds;
    best = std::move(plan);
  }
  return best;
}

}  // namespace weft::tool
