// SPDX-License-Identifier: BSD-3-Clause
#include "bench/mkl.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <vector>

namespace weft::tool {
namespace {

/// Values of DFTI_CONFIG_PARAM and DFTI_CONFIG_VALUE.
enum Dfti {
  transforms = 7,
  conjugate_even_storage = 10,
  placement = 11,
  input_strides = 12,
  output_strides = 13,
  input_distance = 14,
  output_distance = 15,
  thread_limit = 27,
  complex_domain = 32,
  real_domain = 33,
  single_precision = 35,
  double_precision = 36,
  complex_complex = 39,
  in_place = 43,
  not_in_place = 44,
};

using Strides = std::vector<long>;

/// The first is the distance from the array to its first element.
Strides strides_of(const FftwProblem& problem, Index FftwProblem::Dimension::* stride) {
  Strides strides{0};
  for (const auto& dimension : problem.transformed) strides.push_back(dimension.*stride);
  return strides;
}

}  // namespace

template <class Function>
void Mkl::load(Function& function, const char* name) {
  void* const symbol = dlsym(library_, name);
  if (symbol == nullptr)
    throw Error(
        ErrorCode::unsupported,
        fmt::format("the MKL that was found has no function {}; use MKL 2020 or later", name));
  function = reinterpret_cast<Function>(symbol);
}

Mkl::Mkl(const std::string& folder, int most_threads) {
  // An environment that says otherwise is left as it is.
  setenv("MKL_THREADING_LAYER", most_threads > 1 ? "GNU" : "SEQUENTIAL", 0);
  for (const char* name : {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so.1", "libmkl_rt.so"})
    if (library_ == nullptr)
      library_ = dlopen((folder + "/" + name).c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library_ == nullptr)
    throw Error(ErrorCode::unsupported,
                fmt::format("cannot load libmkl_rt from {}; unpack the libraries of PyPI's package "
                            "mkl there (pip download mkl)",
                            folder));
  load(create_, "DftiCreateDescriptor");
  load(set_, "DftiSetValue");
  load(commit_, "DftiCommitDescriptor");
  load(forward_, "DftiComputeForward");
  load(backward_, "DftiComputeBackward");
  load(free_, "DftiFreeDescriptor");
  load(message_, "DftiErrorMessage");
  load(version_, "MKL_Get_Version_String");
}

std::string Mkl::version() const {
  char text[200] = "";
  version_(text, static_cast<int>(sizeof text) - 1);
  const std::string whole(text), end = " for ";
  return whole.substr(0, whole.find(end));
}

std::function<void()> Mkl::plan(const FftwProblem& problem, Precision precision) const {
  const auto require = [&](long status) {
    if (status != 0)
      throw Error(ErrorCode::unsupported, fmt::format("MKL cannot plan this row ({}); leave it out "
                                                      "with --rows",
                                                      message_(status)));
  };
  const bool is_real = problem.kind != Kind::c2c, is_placed = problem.in == problem.out;
  const auto rank = static_cast<long>(problem.transformed.size());
  const int scalar = precision == Precision::f32 ? single_precision : double_precision;
  const int domain = is_real ? real_domain : complex_domain;
  std::vector<long> lengths;
  for (const auto& dimension : problem.transformed) lengths.push_back(dimension.n);
  Handle handle = nullptr;
  require(rank == 1 ? create_(&handle, scalar, domain, 1L, lengths[0])
                    : create_(&handle, scalar, domain, rank, lengths.data()));
  const std::shared_ptr<void> owner(handle, [release = free_](void* h) { release(&h); });
  require(set_(handle, placement, static_cast<int>(is_placed ? in_place : not_in_place)));
  if (is_real) require(set_(handle, conjugate_even_storage, static_cast<int>(complex_complex)));
  require(set_(handle, thread_limit, static_cast<long>(problem.threads)));
  Strides in = strides_of(problem, &FftwProblem::Dimension::in_stride);
  Strides out = strides_of(problem, &FftwProblem::Dimension::out_stride);
  require(set_(handle, input_strides, in.data()));
  require(set_(handle, output_strides, out.data()));
  if (problem.batch.size() > 1)
    throw Error(ErrorCode::unsupported,
                "MKL has only one loop around a transform; leave this row out");
  if (!problem.batch.empty()) {
    require(set_(handle, transforms, static_cast<long>(problem.batch[0].n)));
    require(set_(handle, input_distance, static_cast<long>(problem.batch[0].in_stride)));
    require(set_(handle, output_distance, static_cast<long>(problem.batch[0].out_stride)));
  }
  require(commit_(handle));
  const bool is_backward = problem.kind == Kind::c2r ||
                           (problem.kind == Kind::c2c && problem.direction == Direction::backward);
  return [owner, run = is_backward ? backward_ : forward_, is_placed, from = problem.in,
          to = problem.out] {
    if (is_placed)
      run(owner.get(), from);
    else
      run(owner.get(), from, to);
  };
}

}  // namespace weft::tool
