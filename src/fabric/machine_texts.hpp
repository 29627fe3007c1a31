// SPDX-License-Identifier: BSD-3-Clause
// The files of the folder machines/, inside the library: written by the build.
#pragma once

#include <span>

namespace weft::fabric {

struct MachineText {
  const char* name;
  const char* text;
};
extern const std::span<const MachineText> machine_texts;

}  // namespace weft::fabric
