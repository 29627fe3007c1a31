// SPDX-License-Identifier: BSD-3-Clause
#include "api/gather_boxes.hpp"

#include <cstring>

#include "comm/agree.hpp"

namespace weft::api {

reshape::Layout gather_boxes(const Comm& comm, const LocalBoxes& mine) {
  std::string bytes;
  for (const LocalBox& local : mine)
    bytes.append(reinterpret_cast<const char*>(&local.box), sizeof(Box));
  reshape::Layout layout;
  for (const std::string& text : gather_texts(comm, bytes)) {
    layout.emplace_back(text.size() / sizeof(Box));
    if (text.empty()) continue;
    std::memcpy(static_cast<void*>(layout.back().data()), text.data(), text.size());
  }
  return layout;
}

}  // namespace weft::api
