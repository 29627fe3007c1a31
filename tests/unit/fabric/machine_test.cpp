// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/machine.hpp"

#include <gtest/gtest.h>

#include <string>

#include "weft/error.hpp"

namespace weft::fabric {
namespace {

std::string error_of(const std::string& text) {
  try {
    parse_machine(text, "here.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Machine, AllThatComeWithWeftAreComplete) {
  EXPECT_GE(machine_names().size(), 9U);
  for (const std::string& name : machine_names()) EXPECT_EQ(load_machine(name).name, name);
}

TEST(Machine, SaysWhatWasFitted) {
  EXPECT_FALSE(load_machine("wse2-measured").fitted.empty());
  EXPECT_FALSE(load_machine("bluegene-p").fitted.empty());
}

TEST(Machine, ErrorsNameTheKey) {
  const std::string good = machine_file("wse2");
  EXPECT_EQ(error_of(good), "");
  EXPECT_NE(error_of(replaced(good, "\"clock_hz\"", "\"clock\"")).find("`clock_hz` is missing"),
            std::string::npos);
  EXPECT_NE(
      error_of(replaced(good, "\"colors\": 21", "\"colors\": 0")).find("`routers.colors` is 0"),
      std::string::npos);
  EXPECT_NE(error_of(replaced(good, "\"n\": 35", "\"n\": \"x\"")).find("`kernels.f32.pencil.n`"),
            std::string::npos);
  EXPECT_NE(error_of(replaced(good, "[757, 996]", "[757]")).find("`mesh` must be a list of 2"),
            std::string::npos);
  EXPECT_NE(error_of(replaced(good, "\"wafer\"", "\"waver\"")).find("`kind` is waver"),
            std::string::npos);
  EXPECT_NE(error_of(replaced(good, "\"rewrite_cycles\": 16", "\"rewrite_cycles\": 30"))
                .find("`routers.rewrite_cycles`"),
            std::string::npos);
  EXPECT_NE(error_of("{").find("not JSON"), std::string::npos);
  EXPECT_NE(error_of("[]").find("must be an object"), std::string::npos);
}

TEST(Machine, RefusesAnotherKindThanNeeded) {
  EXPECT_THROW(wafer_of(load_machine("summit")), Error);
  EXPECT_THROW(load_machine("wse3"), Error);
  EXPECT_THROW(load_machine("/nowhere/at/all.json"), Error);
}

}  // namespace
}  // namespace weft::fabric
