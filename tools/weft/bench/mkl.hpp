// SPDX-License-Identifier: BSD-3-Clause
// MKL, loaded at run time for the comparison: it is neither linked nor included. What is declared
// here and in mkl.cpp is the part of its documented DFTI interface that is needed.
#pragma once

#include <functional>
#include <string>

#include "bench/fftw.hpp"

namespace weft::tool {

class Mkl {
 public:
  /// Loads libmkl_rt from `folder`, the libraries of PyPI's package mkl. Throws weft::Error if it
  /// is not there. With one thread MKL loads no threads of its own.
  Mkl(const std::string& folder, int most_threads);

  std::string version() const;
  /// Commits a descriptor for the problem and returns a function that executes it. Throws
  /// weft::Error with MKL's message if it refuses.
  std::function<void()> plan(const FftwProblem& problem, Precision precision) const;

 private:
  template <class Function>
  void load(Function& function, const char* name);

  using Handle = void*;
  void* library_ = nullptr;
  long (*create_)(Handle*, int, int, long, ...) = nullptr;
  long (*set_)(Handle, int, ...) = nullptr;
  long (*commit_)(Handle) = nullptr;
  long (*forward_)(Handle, void*, ...) = nullptr;
  long (*backward_)(Handle, void*, ...) = nullptr;
  long (*free_)(Handle*) = nullptr;
  const char* (*message_)(long) = nullptr;
  void (*version_)(char*, int) = nullptr;
};

}  // namespace weft::tool
