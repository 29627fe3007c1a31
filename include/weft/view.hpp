// SPDX-License-Identifier: BSD-3-Clause
// View: a pointer with extents and strides, with the member names of std::mdspan. It does not own
// the memory.
#pragma once

#include <array>
#include <concepts>
#include <initializer_list>
#include <ranges>
#include <span>
#include <type_traits>

#include "weft/error.hpp"
#include "weft/types.hpp"

namespace weft {

inline constexpr int max_ndim = 32;

/// std::mdspan, or any type with these members: a pointer, and per dimension an extent and a
/// stride.
template <class M>
concept MdspanLike = requires(const M& m) {
  typename M::element_type;
  { m.data_handle() } -> std::convertible_to<typename M::element_type*>;
  { m.extent(0) } -> std::convertible_to<Index>;
  { m.stride(0) } -> std::convertible_to<Index>;
  { M::rank() } -> std::convertible_to<std::size_t>;
};

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

  /// From std::mdspan, or any type with its members.
  template <MdspanLike M>
    requires std::convertible_to<typename M::element_type*, T*>
  View(const M& m) : data_(m.data_handle()), ndim_(checked_ndim(M::rank())) {
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
      throw Error(ErrorCode::invalid_argument,
                  "a view has at most 32 dimensions; merge adjacent dimensions");
    return static_cast<int>(ndim);
  }

  T* data_;
  int ndim_;
  std::array<Index, max_ndim> extents_{};
  std::array<Index, max_ndim> strides_{};
};
template <MdspanLike M>
View(const M&) -> View<typename M::element_type>;

/// An array with extents and strides: a View, or a type with the members of std::mdspan.
template <class A>
concept ShapedArray = requires(const A& a) { View(a); };
/// Contiguous memory with a length: std::vector, std::array, std::span, ...
template <class A>
concept FlatArray = std::ranges::contiguous_range<A> && std::ranges::sized_range<A> &&
                    std::ranges::borrowed_range<A> && !std::is_array_v<std::remove_reference_t<A>>;

template <ShapedArray A>
auto* first_element(const A& array) {
  return array.data_handle();
}
template <class A>
  requires FlatArray<A&>
auto* first_element(A& array) {
  return std::ranges::data(array);
}

/// What first_element() points to.
template <class A>
using ElementOf = std::remove_pointer_t<decltype(first_element(std::declval<A&>()))>;

/// An array that can be read: a ShapedArray or a FlatArray of one of weft's six element types.
template <class A>
concept InputArray =
    (ShapedArray<A> || FlatArray<const A&>) && Scalar<std::remove_const_t<ElementOf<const A>>>;
/// An array that can be written to and that outlives the call (no temporary container).
template <class A>
concept OutputArray = (ShapedArray<std::remove_cvref_t<A>> || FlatArray<A>) && Scalar<ElementOf<A>>;

}  // namespace weft
