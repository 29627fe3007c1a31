// SPDX-License-Identifier: BSD-3-Clause
#include "dropins/heffte/memory.hpp"

#include <algorithm>
#include <cstring>

#include "weft/error.hpp"

namespace weft::heffte {

Memory::Memory(const weft_heffte_request& request)
    : on_gpu_(request.on_gpu != 0), stream_(request.stream), gpu_(request.memory) {}

Memory::~Memory() {
  if (gpu_scratch_ != nullptr) gpu_.release(gpu_scratch_);
}

void* Memory::scratch(std::size_t bytes) {
  if (!on_gpu_) {
    if (host_scratch_.size() < bytes) host_scratch_.resize(bytes);
    return host_scratch_.data();
  }
  if (gpu_bytes_ < bytes) {
    if (gpu_scratch_ != nullptr) gpu_.release(gpu_scratch_);
    gpu_scratch_ = gpu_.allocate(bytes);
    gpu_bytes_ = gpu_scratch_ == nullptr ? 0 : bytes;
    if (gpu_scratch_ == nullptr)
      throw Error(ErrorCode::out_of_memory,
                  "heFFTe: the GPU has no memory for a copy of the array");
  }
  return gpu_scratch_;
}

void Memory::copy_steps(void* to, std::size_t to_step, const void* from, std::size_t from_step,
                        std::size_t width, std::size_t count) const {
  if (count > 0 && gpu_.copy(stream_, to, to_step, from, from_step, width, count) != 0)
    throw Error(ErrorCode::internal, "heFFTe: a copy on the GPU failed");
}

void Memory::copy(const void* in, std::size_t bytes, void* out) const {
  if (bytes == 0) return;
  if (!on_gpu_)
    std::memcpy(out, in, bytes);
  else
    copy_steps(out, bytes, in, bytes, bytes, 1);
}

template <class Real>
void Memory::widen(const Real* in, std::size_t count, std::complex<Real>* out) const {
  if (!on_gpu_) {
    std::copy_n(in, count, out);
    return;
  }
  if (count > 0 && gpu_.clear(stream_, out, count * sizeof(*out)) != 0)
    throw Error(ErrorCode::internal, "heFFTe: memory of the GPU could not be cleared");
  copy_steps(out, sizeof(*out), in, sizeof(*in), sizeof(*in), count);
}

template <class Real>
void Memory::narrow(const std::complex<Real>* in, std::size_t count, Real* out) const {
  if (!on_gpu_)
    std::transform(in, in + count, out, [](std::complex<Real> z) { return z.real(); });
  else
    copy_steps(out, sizeof(*out), in, sizeof(*in), sizeof(*out), count);
}

template <class Real>
void Memory::multiply(Real* array, std::size_t count, Real factor) const {
  if (on_gpu_)
    throw Error(
        ErrorCode::unsupported,
        "heFFTe: cosine and sine transforms on GPUs are scaled by weft forward with none and "
        "backward with full only");
  for (std::size_t i = 0; i < count; ++i) array[i] *= factor;
}

template void Memory::widen(const float*, std::size_t, std::complex<float>*) const;
template void Memory::widen(const double*, std::size_t, std::complex<double>*) const;
template void Memory::narrow(const std::complex<float>*, std::size_t, float*) const;
template void Memory::narrow(const std::complex<double>*, std::size_t, double*) const;
template void Memory::multiply(float*, std::size_t, float) const;
template void Memory::multiply(double*, std::size_t, double) const;

}  // namespace weft::heffte
