// SPDX-License-Identifier: BSD-3-Clause
// heFFTe's transforms of a box that one rank holds: what its tests compare distributed transforms
// to.
#ifndef HEFFTE_EXECUTOR_H
#define HEFFTE_EXECUTOR_H

#include "heffte_common.h"

namespace heffte {

namespace weft_detail {

template <typename index>
weft_heffte_box plain_box(const box3d<index>& box) {
  weft_heffte_box plain;
  for (std::size_t d = 0; d < 3; ++d) {
    plain.low[d] = box.low[d];
    plain.high[d] = box.high[d];
    plain.order[d] = box.order[d];
  }
  return plain;
}

/// Transforms along one, two or three directions. They need no workspace.
class lines {
 public:
  template <typename index>
  lines(const box3d<index>& box, const std::vector<int>& directions, int kind,
        double backward_factor)
      : count_(box.count()) {
    const weft_heffte_box plain = plain_box(box);
    check(weft_heffte_lines_create(&plan_, &plain, kind, static_cast<int>(directions.size()),
                                   directions.data(), backward_factor));
  }
  ~lines() { weft_heffte_lines_destroy(plan_); }
  lines(const lines&) = delete;
  lines& operator=(const lines&) = delete;

  template <typename scalar>
  void forward(scalar data[], scalar*) const {
    run(0, data);
  }
  template <typename scalar>
  void backward(scalar data[], scalar*) const {
    run(1, data);
  }
  template <typename real>
  void forward(const real in[], std::complex<real> out[], std::complex<real>*) const {
    std::copy_n(in, count_, out);
    run(0, out);
  }
  /// The real parts; `in` is overwritten.
  template <typename real>
  void backward(std::complex<real> in[], real out[], std::complex<real>*) const {
    run(1, in);
    for (long long i = 0; i < count_; ++i) out[i] = in[i].real();
  }
  int box_size() const { return static_cast<int>(count_); }
  int complex_size() const { return box_size(); }
  std::size_t workspace_size() const { return 0; }

 private:
  template <typename scalar>
  void run(int backward, scalar* data) const {
    const bool is_double =
        std::is_same<scalar, double>::value || std::is_same<scalar, std::complex<double>>::value;
    check(weft_heffte_lines_execute(plan_, backward, is_double ? 1 : 0, data));
  }
  long long count_;
  weft_heffte_lines* plan_ = nullptr;
};

#ifdef Heffte_ENABLE_CUDA
/// The same of arrays on the GPU, by way of the host.
class gpu_lines : public lines {
 public:
  using lines::lines;
  template <typename scalar>
  void forward(scalar data[], scalar*) const {
    auto host = gpu::transfer::unload(data, size());
    lines::forward(host.data(), static_cast<scalar*>(nullptr));
    gpu::transfer::load(host, data);
  }
  template <typename scalar>
  void backward(scalar data[], scalar*) const {
    auto host = gpu::transfer::unload(data, size());
    lines::backward(host.data(), static_cast<scalar*>(nullptr));
    gpu::transfer::load(host, data);
  }
  template <typename real>
  void forward(const real in[], std::complex<real> out[], std::complex<real>* none) const {
    backend::data_manipulator<tag::gpu>::copy_n(nullptr, in, size(), out);
    forward(out, none);
  }

 private:
  std::size_t size() const { return static_cast<std::size_t>(box_size()); }
};
#endif

template <typename location>
struct lines_of {
  using type = lines;
};
#ifdef Heffte_ENABLE_CUDA
template <>
struct lines_of<tag::gpu> {
  using type = gpu_lines;
};
#endif

}  // namespace weft_detail

template <typename backend_tag>
struct one_dim_backend {
  using executor =
      typename weft_detail::lines_of<typename backend::buffer_traits<backend_tag>::location>::type;
};

namespace weft_detail {

template <typename backend_tag, typename index>
std::unique_ptr<typename one_dim_backend<backend_tag>::executor> make_lines(
    const box3d<index>& box, const std::vector<int>& directions) {
  using executor = typename one_dim_backend<backend_tag>::executor;
  using what = description<backend_tag>;
  if (box.empty()) return nullptr;
  return std::unique_ptr<executor>(
      new executor(box, directions, what::kind, what::backward_factor()));
}

}  // namespace weft_detail

template <typename backend_tag, typename index>
std::unique_ptr<typename one_dim_backend<backend_tag>::executor> make_executor(
    void*, const box3d<index> box, int direction) {
  return weft_detail::make_lines<backend_tag>(box, {direction});
}
template <typename backend_tag, typename index>
std::unique_ptr<typename one_dim_backend<backend_tag>::executor> make_executor(
    void*, const box3d<index> box, int direction1, int direction2) {
  return weft_detail::make_lines<backend_tag>(box, {direction1, direction2});
}
template <typename backend_tag, typename index>
std::unique_ptr<typename one_dim_backend<backend_tag>::executor> make_executor(
    void*, const box3d<index> box) {
  return weft_detail::make_lines<backend_tag>(box, {0, 1, 2});
}

template <typename pointer>
std::size_t get_max_work_size(const std::array<pointer, 3>& executors) {
  std::size_t most = 0;
  for (const pointer& executor : executors)
    if (executor) most = std::max(most, executor->workspace_size());
  return most;
}
template <typename pointer>
std::size_t get_max_box_size(const std::array<pointer, 3>& executors) {
  std::size_t most = 0;
  for (const pointer& executor : executors)
    if (executor) most = std::max(most, static_cast<std::size_t>(executor->box_size()));
  return most;
}

}  // namespace heffte

#endif
