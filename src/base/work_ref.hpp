// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace weft {

/// A reference to a callable. Unlike std::function it allocates nothing, so it cannot fail on a
/// single rank.
class WorkRef {
 public:
  template <class Function>
  WorkRef(const Function& function)
      : object_(&function),
        call_([](const void* object) { (*static_cast<const Function*>(object))(); }) {}
  void operator()() const { call_(object_); }

 private:
  const void* object_;
  void (*call_)(const void*);
};

}  // namespace weft
