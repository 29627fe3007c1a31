// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reshape/messages.hpp"
#include "weft/comm.hpp"

namespace weft::api {

/// Collective. Every rank's boxes.
reshape::Layout gather_boxes(const Comm& comm, const LocalBoxes& mine);

}  // namespace weft::api
