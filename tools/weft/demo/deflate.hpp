// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace weft::tool {

/// The data compressed by DEFLATE (RFC 1951), with its fixed code: no table to build, and pictures
/// become a third to a tenth of their size.
std::string deflated(const std::string& data);

}  // namespace weft::tool
