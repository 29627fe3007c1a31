// SPDX-License-Identifier: BSD-3-Clause
// A shared library that is looked for at run time: the driver, NVRTC, NCCL, cuFFT.
#pragma once

#include <dlfcn.h>

#include <initializer_list>

namespace weft::gpu {

/// Stays loaded until the process ends.
class Library {
 public:
  /// The first of `names` that the machine has.
  explicit Library(std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (handle_ == nullptr) handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  bool is_open() const { return handle_ != nullptr; }

  /// Sets `function` to the symbol; false, and null, where the library lacks it.
  template <class Function>
  bool load(Function& function, const char* symbol) const {
    function = is_open() ? reinterpret_cast<Function>(dlsym(handle_, symbol)) : nullptr;
    return function != nullptr;
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace weft::gpu
