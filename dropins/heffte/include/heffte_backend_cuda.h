// SPDX-License-Identifier: BSD-3-Clause
// heFFTe's backend cufft: weft on an NVIDIA GPU. For programs that define Heffte_ENABLE_CUDA and
// link CUDA's runtime library; weft itself finds the driver at run time.
#ifndef HEFFTE_BACKEND_CUDA_H
#define HEFFTE_BACKEND_CUDA_H

#include <cuda_runtime_api.h>

#include "heffte_common.h"

namespace heffte {

namespace cuda {

inline void check_error(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string("heffte: ") + what + ": " + cudaGetErrorString(status));
}

}  // namespace cuda

template <>
struct is_ccomplex<float2> : std::true_type {};
template <>
struct is_zcomplex<double2> : std::true_type {};

namespace backend {

template <>
struct device_instance<tag::gpu> {
  using stream_type = cudaStream_t;
  device_instance(cudaStream_t stream = nullptr) : stream_(stream) {}
  cudaStream_t stream() const { return stream_; }
  void synchronize_device() const {
    cuda::check_error(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }

 private:
  cudaStream_t stream_;
};

template <>
struct default_backend<tag::gpu> {
  using type = cufft;
};

/// Copies within the device and between it and the host, in the order of a stream. Those that touch
/// the host's memory are finished when they return.
template <>
struct data_manipulator<tag::gpu> {
  using stream_type = cudaStream_t;
  using backend_device = device_instance<tag::gpu>;

  template <typename scalar>
  static scalar* allocate(cudaStream_t, std::size_t count) {
    void* memory = nullptr;
    if (count > 0) cuda::check_error(cudaMalloc(&memory, count * sizeof(scalar)), "cudaMalloc");
    return static_cast<scalar*>(memory);
  }
  template <typename scalar>
  static void free(cudaStream_t, scalar* memory) {
    if (memory != nullptr) cudaFree(memory);
  }
  template <typename scalar>
  static void copy_n(cudaStream_t stream, const scalar source[], std::size_t count,
                     scalar destination[]) {
    copy_device_to_device(stream, source, count, destination);
  }
  /// Real numbers as complex ones.
  template <typename real>
  static void copy_n(cudaStream_t stream, const real source[], std::size_t count,
                     std::complex<real> destination[]) {
    if (count == 0) return;
    cuda::check_error(cudaMemsetAsync(destination, 0, count * 2 * sizeof(real), stream),
                      "cudaMemsetAsync");
    cuda::check_error(cudaMemcpy2DAsync(destination, 2 * sizeof(real), source, sizeof(real),
                                        sizeof(real), count, cudaMemcpyDeviceToDevice, stream),
                      "cudaMemcpy2DAsync");
  }
  template <typename scalar>
  static void copy_device_to_device(cudaStream_t stream, const scalar source[], std::size_t count,
                                    scalar destination[]) {
    cuda::check_error(cudaMemcpyAsync(destination, source, count * sizeof(scalar),
                                      cudaMemcpyDeviceToDevice, stream),
                      "cudaMemcpyAsync");
  }
  template <typename scalar>
  static void copy_device_to_host(cudaStream_t stream, const scalar source[], std::size_t count,
                                  scalar destination[]) {
    cuda::check_error(cudaMemcpyAsync(destination, source, count * sizeof(scalar),
                                      cudaMemcpyDeviceToHost, stream),
                      "cudaMemcpyAsync");
    cuda::check_error(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }
  template <typename scalar>
  static void copy_host_to_device(cudaStream_t stream, const scalar source[], std::size_t count,
                                  scalar destination[]) {
    cuda::check_error(cudaMemcpyAsync(destination, source, count * sizeof(scalar),
                                      cudaMemcpyHostToDevice, stream),
                      "cudaMemcpyAsync");
    cuda::check_error(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }
};

}  // namespace backend

namespace gpu {

/// An array on the device that belongs to this object.
template <typename scalar>
class vector {
  using memory = backend::data_manipulator<tag::gpu>;

 public:
  using value_type = scalar;
  using backend_device = backend::device_instance<tag::gpu>;
  using stream_type = cudaStream_t;

  explicit vector(std::size_t count = 0) : vector(backend_device(), count) {}
  explicit vector(const backend_device& on, std::size_t count)
      : device_(on), count_(count), data_(memory::allocate<scalar>(on.stream(), count)) {}
  vector(const scalar* begin, const scalar* end) : vector(static_cast<std::size_t>(end - begin)) {
    memory::copy_device_to_device(device_.stream(), begin, count_, data_);
  }
  /// Takes what a pointer owns.
  vector(scalar*&& raw, std::size_t count) : count_(count), data_(raw) { raw = nullptr; }
  vector(const vector& other) : vector(other.device_, other.count_) {
    memory::copy_device_to_device(device_.stream(), other.data_, count_, data_);
  }
  vector(vector&& other) noexcept : vector() { swap(other); }
  vector& operator=(vector other) noexcept {
    swap(other);
    return *this;
  }
  ~vector() { memory::free(device_.stream(), data_); }

  scalar* data() { return data_; }
  const scalar* data() const { return data_; }
  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  /// The memory, which is now the caller's.
  scalar* release() {
    scalar* const raw = data_;
    data_ = nullptr;
    count_ = 0;
    return raw;
  }
  cudaStream_t device_stream() const { return device_.stream(); }

 private:
  void swap(vector& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(count_, other.count_);
    std::swap(data_, other.data_);
  }
  backend_device device_;
  std::size_t count_;
  scalar* data_;
};

/// Between arrays of the host and of the device.
struct transfer {
  using memory = backend::data_manipulator<tag::gpu>;
  template <typename scalar>
  static vector<scalar> load(cudaStream_t stream, const scalar* source, std::size_t count) {
    vector<scalar> result(stream, count);
    memory::copy_host_to_device(stream, source, count, result.data());
    return result;
  }
  template <typename scalar>
  static vector<scalar> load(const scalar* source, std::size_t count) {
    return load(cudaStream_t(nullptr), source, count);
  }
  template <typename scalar>
  static vector<scalar> load(const std::vector<scalar>& source) {
    return load(source.data(), source.size());
  }
  template <typename scalar>
  static void load(const std::vector<scalar>& source, scalar destination[]) {
    memory::copy_host_to_device(nullptr, source.data(), source.size(), destination);
  }
  template <typename scalar>
  static std::vector<scalar> unload(cudaStream_t stream, const scalar source[], std::size_t count) {
    std::vector<scalar> result(count);
    memory::copy_device_to_host(stream, source, count, result.data());
    return result;
  }
  template <typename scalar>
  static std::vector<scalar> unload(const scalar source[], std::size_t count) {
    return unload(cudaStream_t(nullptr), source, count);
  }
  template <typename scalar>
  static std::vector<scalar> unload(const vector<scalar>& source) {
    return unload(source.device_stream(), source.data(), source.size());
  }
  template <typename scalar>
  static void unload(const vector<scalar>& source, scalar* destination) {
    memory::copy_device_to_host(source.device_stream(), source.data(), source.size(), destination);
  }
  /// Arrays of the host stay as they are.
  template <typename scalar>
  static std::vector<scalar> unload(const std::vector<scalar>& source) {
    return source;
  }
  template <typename scalar>
  static vector<scalar> capture(scalar*&& raw, std::size_t count) {
    return vector<scalar>(std::move(raw), count);
  }
};

inline int device_count() {
  int count = 0;
  cuda::check_error(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  return count;
}
inline void device_set(int device) { cuda::check_error(cudaSetDevice(device), "cudaSetDevice"); }
inline void synchronize_default_stream() {
  cuda::check_error(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
}

}  // namespace gpu

namespace backend {

template <typename backend_tag>
struct buffer_traits<backend_tag,
                     typename std::enable_if<std::is_same<backend_tag, cufft>::value ||
                                             std::is_same<backend_tag, cufft_cos>::value ||
                                             std::is_same<backend_tag, cufft_sin>::value ||
                                             std::is_same<backend_tag, cufft_cos1>::value>::type> {
  using location = tag::gpu;
  template <typename T>
  using container = gpu::vector<T>;
};

}  // namespace backend

template <typename scalar>
gpu::vector<scalar> make_buffer_container(cudaStream_t stream, std::size_t size) {
  return gpu::vector<scalar>(stream, size);
}

namespace weft_detail {

// What libweft_heffte does with memory of the device, see weft_heffte_memory.
inline void* allocate_on_gpu(std::size_t bytes) {
  void* memory = nullptr;
  return cudaMalloc(&memory, bytes) == cudaSuccess ? memory : nullptr;
}
inline void release_on_gpu(void* memory) { cudaFree(memory); }
inline int clear_on_gpu(void* stream, void* to, std::size_t bytes) {
  return cudaMemsetAsync(to, 0, bytes, static_cast<cudaStream_t>(stream)) != cudaSuccess;
}
inline int copy_on_gpu(void* stream, void* to, std::size_t to_step, const void* from,
                       std::size_t from_step, std::size_t width, std::size_t count) {
  return cudaMemcpy2DAsync(to, to_step, from, from_step, width, count, cudaMemcpyDeviceToDevice,
                           static_cast<cudaStream_t>(stream)) != cudaSuccess;
}

}  // namespace weft_detail

namespace backend {

inline void describe_device(weft_heffte_request& request, const device_instance<tag::gpu>& device) {
  request.on_gpu = 1;
  cuda::check_error(cudaGetDevice(&request.device_number), "cudaGetDevice");
  request.stream = device.stream();
  request.memory.allocate = &weft_detail::allocate_on_gpu;
  request.memory.release = &weft_detail::release_on_gpu;
  request.memory.clear = &weft_detail::clear_on_gpu;
  request.memory.copy = &weft_detail::copy_on_gpu;
}

}  // namespace backend

}  // namespace heffte

#endif
