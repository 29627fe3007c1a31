// SPDX-License-Identifier: BSD-3-Clause
// The memory that a transform's arrays lie in, the host's or a GPU's: what must be done there
// besides transforms, and a scratch array that grows with what is asked for.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "dropins/heffte/include/weft_heffte.h"

namespace weft::heffte {

class Memory {
 public:
  explicit Memory(const weft_heffte_request& request);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Valid until the next call. Throws weft::Error.
  void* scratch(std::size_t bytes);
  void copy(const void* in, std::size_t bytes, void* out) const;
  /// Real numbers as complex ones, and back without the imaginary parts.
  template <class Real>
  void widen(const Real* in, std::size_t count, std::complex<Real>* out) const;
  template <class Real>
  void narrow(const std::complex<Real>* in, std::size_t count, Real* out) const;
  /// Throws weft::Error on GPUs.
  template <class Real>
  void multiply(Real* array, std::size_t count, Real factor) const;

 private:
  void copy_steps(void* to, std::size_t to_step, const void* from, std::size_t from_step,
                  std::size_t width, std::size_t count) const;

  bool on_gpu_;
  void* stream_;
  weft_heffte_memory gpu_;
  std::vector<std::byte> host_scratch_;
  void* gpu_scratch_ = nullptr;
  std::size_t gpu_bytes_ = 0;
};

}  // namespace weft::heffte
