// SPDX-License-Identifier: BSD-3-Clause
// What all functions of the C interface share: exceptions become a status and a text, structures
// are read by the size that the caller knows. Everything here stands on the public C++ interface.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/distributed.hpp"
#include "weft/plan.hpp"
#include "weft/weft.h"

struct weft_comm {
  std::shared_ptr<const weft::Comm> owned;  ///< null: it belongs to someone else
  const weft::Comm* comm = nullptr;
};
struct weft_workspace {
  weft::Workspace workspace;
};
struct weft_boxes {
  weft::LocalBoxes boxes;
};
struct weft_distributed_memory {
  std::shared_ptr<weft::DistributedMemory> memory;
};
struct weft_distributed_workspace {
  std::shared_ptr<weft::DistributedWorkspace> workspace;
};

namespace weft::c {

/// To be called while an exception is handled: its status; its text becomes weft_last_error().
weft_status caught() noexcept;

/// Runs `work`; nothing that it throws leaves here.
template <class Work>
weft_status guarded(const Work& work) noexcept {
  try {
    work();
    return WEFT_SUCCESS;
  } catch (...) {
    return caught();
  }
}

[[noreturn]] void refuse(const std::string& message);  ///< throws invalid_argument

/// What a pointer points to; throws if it is null.
template <class T>
T& given(T* pointer, const char* name) {
  if (pointer == nullptr) refuse(std::string(name) + " is NULL; pass a valid pointer");
  return *pointer;
}

/// Makes a handle: *result is null unless `make` has returned one.
template <class Handle, class Make>
weft_status create(Handle** result, const Make& make) noexcept {
  return guarded([&] {
    given(result, "the pointer to the handle") = nullptr;
    std::unique_ptr<Handle> handle = make();
    *result = handle.release();
  });
}

/// A copy for the caller, to be freed with weft_free().
void put_text(char** result, const std::string& text);

/// `count` numbers as a vector; throws if there are some and the pointer is null.
template <class To, class From>
std::vector<To> list(const From* numbers, int count, const char* name) {
  if (count < 0) refuse("the number of " + std::string(name) + " is negative");
  if (count > 0 && numbers == nullptr) refuse(std::string(name) + " is NULL; pass an array");
  std::vector<To> result;
  for (int i = 0; i < count; ++i) result.push_back(static_cast<To>(numbers[i]));
  return result;
}
/// The same where null means an empty list.
template <class To, class From>
std::vector<To> optional_list(const From* numbers, int count) {
  return numbers == nullptr ? std::vector<To>() : list<To>(numbers, count, "list");
}
/// Throws unless it is from 0 to max_ndim.
void check_ndim(int ndim);

/// The enumerator with this number; throws unless it is between those of 0 and `last`.
template <class Enum>
Enum enumerator(int number, Enum last, const char* name) {
  if (number < 0 || number > static_cast<int>(last))
    refuse(std::string(name) + " is " + std::to_string(number) + "; use a constant of weft.h");
  return static_cast<Enum>(number);
}

/// Throws if a structure of `size` bytes cannot be one whose first version had `smallest` bytes and
/// that has `known` bytes here.
void check_size(std::size_t size, std::size_t smallest, std::size_t known, const char* name);
/// Throws unless the members after those that this version knows are zero.
void check_unknown_members(const void* structure, std::size_t size, std::size_t known,
                           const char* name);

/// Fills a structure of the caller, who knows `size` bytes of it, with `defaults`. When members are
/// added to a structure, `smallest` stays what sizeof was before.
template <class T>
weft_status initialize(T* structure, std::size_t size, T defaults, const char* name,
                       std::size_t smallest = sizeof(T)) noexcept {
  return guarded([&] {
    given(structure, name);
    check_size(size, smallest, sizeof(T), name);
    std::memset(static_cast<void*>(structure), 0, size);
    defaults.struct_size = size;
    std::memcpy(static_cast<void*>(structure), &defaults, size < sizeof(T) ? size : sizeof(T));
  });
}
/// A whole structure from one of the caller's size.
template <class T>
T known_members(const T& structure, T defaults, const char* name,
                std::size_t smallest = sizeof(T)) {
  const std::size_t size = structure.struct_size;
  check_size(size, smallest, sizeof(T), name);
  check_unknown_members(&structure, size, sizeof(T), name);
  std::memcpy(static_cast<void*>(&defaults), &structure, size < sizeof(T) ? size : sizeof(T));
  return defaults;
}

template <class Real, class Complex, class Call>
void with_kind(Kind kind, const void* in, void* out, const Call& call) {
  const bool real_in = kind == Kind::r2c || kind == Kind::r2r;
  const bool real_out = kind == Kind::c2r || kind == Kind::r2r;
  if (real_in && real_out)
    call(static_cast<const Real*>(in), static_cast<Real*>(out));
  else if (real_in)
    call(static_cast<const Real*>(in), static_cast<Complex*>(out));
  else if (real_out)
    call(static_cast<const Complex*>(in), static_cast<Real*>(out));
  else
    call(static_cast<const Complex*>(in), static_cast<Complex*>(out));
}
/// Calls call(in, out) with pointers to the elements of the transform.
template <class Call>
void with_elements(const Transform& transform, const void* in, void* out, const Call& call) {
  switch (transform.precision) {
    case Precision::f16: return with_kind<Half, ComplexHalf>(transform.kind, in, out, call);
    case Precision::f32:
      return with_kind<float, std::complex<float>>(transform.kind, in, out, call);
    case Precision::f64:
      return with_kind<double, std::complex<double>>(transform.kind, in, out, call);
  }
}

}  // namespace weft::c
