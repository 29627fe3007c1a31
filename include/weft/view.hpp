// SPDX-License-Identifier: BSD-3-Clause
// View: a pointer with extents and strides, by the names of std::mdspan. It owns nothing.
#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <type_traits>

#include "weft/error.hpp"
#include "weft/types.hpp"

namespace weft {

inline constexpr int max_ndim = 32;

template <class T>
class View {
 public:
  using element_type = T;

  /// Contiguous, row-major (the last index is adjacent in memory).
  View(T* data, std::span<const Index> extents) : data_(data), ndim_(checked_ndim(extents.size())) {
    Index stride = 1;
    for (int d = ndim_ - 1; d >= 0; --d) {
      extents_[d] = extents[d];
      strides_[d] = stride;
      stride *= extents[d];
    }
  }
  View(T* data, std::initializer_list<Index> extents)
      : View(data, std::span<const Index>(extents.begin(), extents.size())) {}

  /// Any strides, counted in elements; they may be negative.
  View(T* data, std::span<const Index> extents, std::span<const Index> strides)
      : data_(data), ndim_(checked_ndim(extents.size())) {
    if (strides.size() != extents.size())
      throw Error(ErrorCode::invalid_argument,
                  "a view needs as many strides as extents; pass one stride per dimension");
    for (int d = 0; d < ndim_; ++d) {
      extents_[d] = extents[d];
      strides_[d] = strides[d];
    }
  }
  View(T* data, std::initializer_list<Index> extents, std::initializer_list<Index> strides)
      : View(data, std::span<const Index>(extents.begin(), extents.size()),
             std::span<const Index>(strides.begin(), strides.size())) {}

  /// From std::mdspan and everything shaped like it.
  template <class Mdspan>
    requires requires(const Mdspan& m) {
      m.data_handle();
      m.extent(0);
      m.stride(0);
      Mdspan::rank();
    }
  View(const Mdspan& m) : data_(m.data_handle()), ndim_(checked_ndim(Mdspan::rank())) {
    for (int d = 0; d < ndim_; ++d) {
      extents_[d] = static_cast<Index>(m.extent(d));
      strides_[d] = static_cast<Index>(m.stride(d));
    }
  }

  /// View<T> converts to View<const T>.
  operator View<const T>() const
    requires(!std::is_const_v<T>)
  {
    return View<const T>(data_, extents(), strides());
  }

  T* data_handle() const { return data_; }
  int ndim() const { return ndim_; }
  Index extent(int d) const { return extents_[d]; }
  Index stride(int d) const { return strides_[d]; }
  std::span<const Index> extents() const { return {extents_.data(), std::size_t(ndim_)}; }
  std::span<const Index> strides() const { return {strides_.data(), std::size_t(ndim_)}; }
  Index size() const {
    Index count = 1;
    for (Index n : extents()) count *= n;
    return count;
  }

  template <class... I>
  T& operator()(I... i) const {
    Index offset = 0;
    int d = 0;
    ((offset += static_cast<Index>(i) * strides_[d++]), ...);
    return data_[offset];
  }

 private:
  static int checked_ndim(std::size_t ndim) {
    if (ndim > static_cast<std::size_t>(max_ndim))
      throw Error(ErrorCode::invalid_argument, "a view has at most 32 dimensions; merge some");
    return static_cast<int>(ndim);
  }

  T* data_;
  int ndim_;
  std::array<Index, max_ndim> extents_{};
  std::array<Index, max_ndim> strides_{};
};

}  // namespace weft
