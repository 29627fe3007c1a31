// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/device/arguments.hpp"

#include "base/format.hpp"
#include "base/names.hpp"
#include "gpu/device/driver.hpp"
#include "weft/error.hpp"

namespace weft::gpu {
namespace {

std::string text_of(const ElementType& type) {
  return weft::format("{} {}", type.is_complex ? "complex" : "real", to_string(type.precision));
}

}  // namespace

void check_elements(const ElementType& planned, const ElementType& given, const char* side) {
  if (planned == given) return;
  throw Error(ErrorCode::invalid_argument,
              weft::format("the plan's {} is {}, the array given is {}; pass arrays of the planned "
                           "type or plan for this one",
                           side, text_of(planned), text_of(given)));
}

void check_on_device(const void* pointer, int device, const char* side) {
  constexpr int memory_type = 2, device_number = 9, host = 1;
  const auto address = reinterpret_cast<DevicePointer>(pointer);
  unsigned type = 0;
  if (driver().pointer_attribute(&type, memory_type, address) != 0 || type == host)
    throw Error(ErrorCode::invalid_argument,
                weft::format("the {} array is in host memory; a GPU plan needs device memory: copy "
                             "it there first",
                             side));
  int owner = device;
  if (driver().pointer_attribute(&owner, device_number, address) == 0 && owner != device)
    throw Error(ErrorCode::invalid_argument,
                weft::format("the {} array is on GPU {}, the plan on GPU {}; plan with device = {}",
                             side, owner, device, owner));
}

}  // namespace weft::gpu
