// SPDX-License-Identifier: BSD-3-Clause
#include "bench/fftw.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstddef>

#include "fftw_kinds.hpp"

namespace weft::tool {

/// FFTW's interface as it is found in the shared library.
namespace fftw_abi {

struct IoDimension {  // fftw_iodim64
  std::ptrdiff_t n, is, os;
};
using PlanHandle = void*;
using PlanComplex = PlanHandle (*)(int, const IoDimension*, int, const IoDimension*, void*, void*,
                                   int, unsigned);
using PlanReal = PlanHandle (*)(int, const IoDimension*, int, const IoDimension*, void*, void*,
                                unsigned);

using PlanR2r = PlanHandle (*)(int, const IoDimension*, int, const IoDimension*, void*, void*,
                               const int*, unsigned);

}  // namespace fftw_abi

using namespace fftw_abi;

namespace {

std::vector<IoDimension> as_io(const std::vector<FftwProblem::Dimension>& dimensions) {
  std::vector<IoDimension> result;
  for (const auto& d : dimensions) result.push_back({d.n, d.in_stride, d.out_stride});
  return result;
}

void* open_library(const std::string& folder, const std::string& name) {
  const std::string prefix = folder.empty() ? "" : folder + "/";
  for (const char* suffix : {".so.3", ".so"})
    if (void* handle = dlopen((prefix + name + suffix).c_str(), RTLD_NOW | RTLD_LOCAL))
      return handle;
  return nullptr;
}

}  // namespace

struct Fftw::Library {
  Library(const std::string& folder, std::string letter) : prefix("fftw" + letter + "_") {
    const std::string name = "libfftw3" + letter;
    handle = open_library(folder, name);
    if (handle == nullptr)
      throw Error(
          ErrorCode::unsupported,
          fmt::format("cannot load {} {}; install libfftw3-double3 and libfftw3-single3, or "
                      "pass --fftw FOLDER with a folder that contains it",
                      name, folder.empty() ? "from the system" : "from " + folder));
    load(plan_dft, "plan_guru64_dft");
    load(plan_r2c, "plan_guru64_dft_r2c");
    load(plan_c2r, "plan_guru64_dft_c2r");
    load(plan_r2r, "plan_guru64_r2r");
    load(execute, "execute");
    load(destroy_plan, "destroy_plan");
    load(set_timelimit, "set_timelimit");
    threads = handle;
    if (dlsym(threads, (prefix + "init_threads").c_str()) == nullptr)
      threads = open_library(folder, name + "_threads");
    if (threads == nullptr) threads = open_library(folder, name + "_omp");
    if (threads == nullptr) return;
    int (*init_threads)() = nullptr;
    load(init_threads, "init_threads", threads);
    load(plan_with_nthreads, "plan_with_nthreads", threads);
    if (init_threads() == 0) plan_with_nthreads = nullptr;
  }
  // The library stays loaded: its threads and wisdom have no owner here.

  template <class Function>
  void load(Function& function, const char* name, void* from = nullptr) {
    void* const symbol = dlsym(from != nullptr ? from : handle, (prefix + name).c_str());
    if (symbol == nullptr)
      throw Error(ErrorCode::unsupported,
                  fmt::format("the FFTW that was found has no function {}{}; use FFTW 3.3 or later",
                              prefix, name));
    function = reinterpret_cast<Function>(symbol);
  }

  std::string prefix;
  void* handle = nullptr;
  void* threads = nullptr;
  PlanComplex plan_dft = nullptr;
  PlanReal plan_r2c = nullptr, plan_c2r = nullptr;
  PlanR2r plan_r2r = nullptr;
  void (*execute)(PlanHandle) = nullptr;
  void (*destroy_plan)(PlanHandle) = nullptr;
  void (*set_timelimit)(double) = nullptr;
  void (*plan_with_nthreads)(int) = nullptr;
};

Fftw::Fftw(const std::string& folder)
    : f32_(std::make_unique<Library>(folder, "f")), f64_(std::make_unique<Library>(folder, "")) {}
Fftw::~Fftw() = default;

Fftw::Library& Fftw::library(Precision precision) const {
  return precision == Precision::f32 ? *f32_ : *f64_;
}

std::string Fftw::version(Precision precision) const {
  const Library& lib = library(precision);
  const std::string name =
      (precision == Precision::f32 ? "fftwf" : "fftw") + std::string("_version");
  const void* symbol = dlsym(lib.handle, name.c_str());
  return symbol != nullptr ? static_cast<const char*>(symbol) : "unknown version";
}

bool Fftw::has_threads(Precision precision) const {
  return library(precision).plan_with_nthreads != nullptr;
}

void Fftw::set_time_limit(double seconds) {
  f32_->set_timelimit(seconds);
  f64_->set_timelimit(seconds);
}

std::function<void()> Fftw::plan(const FftwProblem& problem, Precision precision) {
  Library& lib = library(precision);
  if (problem.threads > 1 && lib.plan_with_nthreads == nullptr)
    throw Error(ErrorCode::unsupported,
                "this FFTW has no threads (neither libfftw3_threads nor libfftw3_omp was found); "
                "install them or pass --threads 1");
  if (lib.plan_with_nthreads != nullptr) lib.plan_with_nthreads(problem.threads);
  const auto dims = as_io(problem.transformed), batch = as_io(problem.batch);
  const auto rank = static_cast<int>(dims.size()), many = static_cast<int>(batch.size());
  const auto flags = static_cast<unsigned>(problem.effort);
  PlanHandle handle = nullptr;
  const std::vector<int> kinds(dims.size(), fftw_r2r_kind(problem.r2r));
  if (problem.kind == Kind::r2r)
    handle = lib.plan_r2r(rank, dims.data(), many, batch.data(), problem.in, problem.out,
                          kinds.data(), flags);
  else if (problem.kind == Kind::c2c)
    handle = lib.plan_dft(rank, dims.data(), many, batch.data(), problem.in, problem.out,
                          problem.direction == Direction::forward ? -1 : 1, flags);
  else
    handle = (problem.kind == Kind::r2c ? lib.plan_r2c : lib.plan_c2r)(
        rank, dims.data(), many, batch.data(), problem.in, problem.out, flags);
  if (handle == nullptr) return {};
  const std::shared_ptr<void> owner(handle, lib.destroy_plan);
  return [owner, run = lib.execute] { run(owner.get()); };
}

}  // namespace weft::tool
