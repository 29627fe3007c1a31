// SPDX-License-Identifier: BSD-3-Clause
// heFFTe, loaded at run time for the comparison: it is neither linked nor included. What is
// declared here and in heffte.cpp is the part of its documented C interface that is needed.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "mpi/runtime.hpp"

namespace weft::tool {

class Heffte {
 public:
  /// Loads libheffte from `folder`, a build for this MPI. Throws weft::Error on this rank alone.
  explicit Heffte(const std::string& folder);

  std::string backend() const;
  /// Collective; throws on all ranks or on none.
  std::unique_ptr<PeerPlan> plan(const HeffteProblem& problem, const Comm& comm,
                                 MPI_Comm mpi) const;

  struct Options {
    int use_reorder = 0, algorithm = 0, use_pencils = 0, use_gpu_aware = 0;
  };
  /// A plan of heFFTe's, opaque.
  using Handle = void*;
  using Execute = void (*)(Handle, const void*, void*, void*, int);

 private:
  friend class HefftePlan;
  template <class Function>
  void load(Function& function, const char* name);

  void* library_ = nullptr;
  int backend_ = 0;
  int (*set_default_options_)(int, Options*) = nullptr;
  int (*create_)(int, const int*, const int*, const int*, const int*, const int*, const int*,
                 MPI_Comm, const Options*, Handle*) = nullptr;
  int (*create_r2c_)(int, const int*, const int*, const int*, const int*, const int*, const int*,
                     int, MPI_Comm, const Options*, Handle*) = nullptr;
  int (*destroy_)(Handle) = nullptr;
  int (*size_workspace_)(Handle) = nullptr;
  Execute forward_z2z_ = nullptr, forward_c2c_ = nullptr, forward_d2z_ = nullptr,
          forward_s2c_ = nullptr;
};

}  // namespace weft::tool
