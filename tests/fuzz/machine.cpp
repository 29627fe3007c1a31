// SPDX-License-Identifier: BSD-3-Clause
// Fuzzes machine files: with a file that is accepted, `weft predict` must give times or say why it
// cannot.
#include <cmath>

#include "fabric/fabric_machine.hpp"
#include "fabric/prediction.hpp"
#include "fuzz/target.hpp"

namespace weft::fuzz {
namespace {

void check_machine(const std::string& text) {
  try {
    const fabric::FabricMachine machine = fabric::parse_machine(text, "input.json");
    ++accepted;
    // Machines that are systolic transform squares on all nodes that they have, 0.
    for (const auto& [size, nodes] :
         {std::pair{"16^3", 1}, {"16^3", 16}, {"64x32", 1}, {"64x32", 16}, {"512^2", 0}}) {
      tool::PredictionRequest request;
      request.wafer.size = size;
      request.nodes = nodes;
      try {
        for (const tool::Prediction& prediction : tool::predict(machine, request))
          if (!std::isfinite(prediction.seconds) || prediction.seconds < 0)
            fail("'" + prediction.scheme + "' takes " + std::to_string(prediction.seconds) + " s");
      } catch (const Error& error) {  // this machine does not do this size
        if (error.code() == ErrorCode::internal) fail(error.what());
      }
    }
  } catch (const Error&) {
    return;
  }
}

}  // namespace
}  // namespace weft::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::fuzz::check_machine(std::string(weft::fuzz::text_of(data, size)));
  return 0;
}
