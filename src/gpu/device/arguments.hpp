// SPDX-License-Identifier: BSD-3-Clause
// Checks of what a caller passes as arrays; each throws weft::Error (invalid_argument).
#pragma once

#include "weft/types.hpp"

namespace weft::gpu {

struct ElementType {
  Precision precision;
  bool is_complex;
  friend bool operator==(const ElementType&, const ElementType&) = default;
};

/// `side` ("input", "output") heads the message.
void check_elements(const ElementType& planned, const ElementType& given, const char* side);

/// Host memory, or memory of another GPU, must not reach a kernel.
void check_on_device(const void* pointer, int device, const char* side);

}  // namespace weft::gpu
