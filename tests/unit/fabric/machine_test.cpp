// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>

#include "fabric/fabric_machine.hpp"
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

TEST(FabricMachine, AllThatComeWithWeftAreComplete) {
  EXPECT_GE(machine_names().size(), 9U);
  for (const std::string& name : machine_names()) EXPECT_EQ(load_machine(name).name, name);
}

TEST(FabricMachine, SaysWhatWasFitted) {
  EXPECT_FALSE(load_machine("wse2-measured").fitted.empty());
  EXPECT_FALSE(load_machine("bluegene-p").fitted.empty());
  const auto lists = [](const std::vector<std::string>& keys, const char* key) {
    return std::ranges::find(keys, key) != keys.end();
  };
  for (const char* name : {"wse2", "wse2-measured"}) {
    const FabricMachine machine = load_machine(name);
    for (const char* rate : {"move_block", "issue", "descriptor", "scalar"})
      EXPECT_TRUE(lists(machine.fitted, (std::string("kernels.*.rates.") + rate).c_str())) << rate;
    EXPECT_TRUE(lists(machine.fitted, "kernels.f16.rates.multiply_strided"));
    EXPECT_TRUE(lists(machine.fitted, "kernels.f16.rates.accumulate_strided"));
  }
}

TEST(FabricMachine, ErrorsNameTheKey) {
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

TEST(FabricMachine, RefusesWhatCannotBeMeant) {
  const std::string wafer = machine_file("wse2");
  const std::string torus = machine_file("bluegene-p");
  const std::string systolic = machine_file("ape100-q4");
  const std::pair<std::string, const char*> cases[] = {
      {replaced(wafer, "\"colors\": 21", "\"colors\": 21, \"colours\": 3"), "`routers.colours`"},
      {replaced(wafer, "\"clock_hz\"", "\"clock_hz\": 1, \"clock_hz\""),
       "`clock_hz` is given twice"},
      {replaced(wafer, "850e6", "-1"), "`clock_hz` is -1"},
      {replaced(wafer, "850e6", "1e300"), "`clock_hz`"},
      {replaced(wafer, "850e6", "1e999"), "not JSON"},
      {replaced(wafer, "850e6", "NaN"), "not JSON"},
      {replaced(wafer, "850e6", "null"), "`clock_hz` must be a number"},
      {replaced(wafer, "[757, 996]", "[1048576, 1048576]"), "`mesh` must hold"},
      {replaced(wafer, "[757, 996]", "[18446744073709551615, 1]"), "`mesh` must hold"},
      {replaced(wafer, "routers.rewrite_cycles", "routers.rewrite"), "`assumed` lists"},
      {replaced(torus, "[4, 4, 2]", "[32768, 32768, 32768]"), "`shapes` is 32768x32768x32768"},
      {replaced(torus, "[4, 4, 2]", "[4, 4]"), "`shapes` must be a list of 3"},
      {replaced(torus, "374000000.0", "474000000.0"), "`payload_bytes_per_s`"},
      {replaced(torus, "604000000.0", "604000000000.0"), "`node_flops`"},
      {replaced(systolic, "[8, 2, 2]", "[1000, 1000, 1000]"), "`torus` is 1000x1000x1000"},
      {replaced(systolic, "false", "0"), "`local_addressing` must be true or false"},
      {replaced(systolic, "\"name\": \"ape100-q4\"", "\"name\": \"a\\nb\""), "`name`"},
      {std::string(100000, '['), "nested more than 8 levels"},
      {replaced(wafer, "850e6", std::string(100000, '[')), "nested more than 8 levels"},
      {std::string(2 << 20, ' ') + wafer, "at most 1048576"},
  };
  for (const auto& [text, because] : cases) {
    const std::string error = error_of(text);
    EXPECT_NE(error.find("machine file here.json: "), std::string::npos) << because;
    EXPECT_NE(error.find(because), std::string::npos) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    EXPECT_LT(error.size(), 400U) << error;
  }
}

TEST(FabricMachine, ShapesMayComeInAnyOrder) {
  const std::string torus = machine_file("bluegene-p");
  const FabricMachine machine =
      parse_machine(replaced(torus, "[4, 4, 2]", "[32, 32, 64]"), "here.json");
  const auto& shapes = torus_of(machine).shapes;
  EXPECT_EQ(shapes.front(), (std::array<int, 3>{4, 4, 4}));
  EXPECT_EQ(shapes.back(), (std::array<int, 3>{32, 32, 64}));
}

TEST(FabricMachine, RefusesAnotherKindThanNeeded) {
  EXPECT_THROW(wafer_of(load_machine("summit")), Error);
  EXPECT_THROW(load_machine("wse3"), Error);
  EXPECT_THROW(load_machine("/nowhere/at/all.json"), Error);
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "weft_machine.json";
  std::filesystem::create_directories(folder);
  EXPECT_THROW(load_machine(folder.string()), Error);
}

}  // namespace
}  // namespace weft::fabric
