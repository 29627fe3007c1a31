// SPDX-License-Identifier: BSD-3-Clause
// Predictions for random machines, sizes, nodes and precisions, and for damaged machine files: they
// give finite numbers or are refused with weft::Error.
#include "fabric/prediction.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "weft/error.hpp"

namespace weft::tool {
namespace {

using nlohmann::json;

class Dice {
 public:
  explicit Dice(unsigned seed) : generator_(seed) {}
  int below(int count) { return std::uniform_int_distribution<int>(0, count - 1)(generator_); }
  template <class T>
  const T& one_of(const std::vector<T>& values) {
    return values[static_cast<std::size_t>(below(static_cast<int>(values.size())))];
  }

 private:
  std::mt19937 generator_;
};

/// More take too long under sanitizers.
constexpr int most_ranks = 256;

std::int64_t ranks_on(const fabric::FabricMachine& machine, int nodes) {
  if (const auto* cluster = std::get_if<fabric::ClusterMachine>(&machine.what))
    return std::int64_t{nodes} * cluster->ranks_per_node;
  if (const auto* torus = std::get_if<fabric::TorusMachine>(&machine.what))
    for (const auto& [x, y, z] : torus->shapes)
      if (x * y * z >= nodes) return std::int64_t{x} * y * z * torus->cores_per_node;
  return 1;
}

void expect_sensible(const Prediction& prediction, const std::string& what) {
  EXPECT_TRUE(std::isfinite(prediction.seconds) && prediction.seconds > 0) << what;
  EXPECT_TRUE(std::isfinite(prediction.tflops()) && prediction.tflops() >= 0) << what;
  EXPECT_TRUE(prediction.exchange_s >= 0 && prediction.exchange_s <= 1.000001 * prediction.seconds)
      << what;
  EXPECT_TRUE(std::isfinite(prediction.bound_s) && prediction.bound_s >= 0) << what;
  EXPECT_FALSE(prediction.scheme.empty() || prediction.memory.empty()) << what;
}

/// Whether the machine gave predictions; what it refused is a weft::Error.
bool predicts(const fabric::FabricMachine& machine, const PredictionRequest& request,
              const std::string& what) {
  try {
    for (const Prediction& prediction : predict(machine, request))
      expect_sensible(prediction, what + ": " + prediction.scheme);
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    EXPECT_NE(error.code(), ErrorCode::internal) << what << ": " << error.what();
    return false;
  }
}

TEST(Prediction, IsFiniteForAnyMachineSizeAndNumberOfNodes) {
  Dice dice(17);
  int given = 0;
  for (int round = 0; round < 400; ++round) {
    const fabric::FabricMachine machine =
        fabric::load_machine(dice.one_of(fabric::machine_names()));
    PredictionRequest request;
    const int ndim = 1 + dice.below(3);
    request.wafer.size = fmt::format("{}", 1 + dice.below(70));
    for (int d = 1; d < ndim; ++d) request.wafer.size += fmt::format("x{}", 1 + dice.below(70));
    if (dice.below(2) == 0)
      request.wafer.size =
          fmt::format("{}^{}", dice.one_of<int>({2, 4, 8, 32, 64, 512}), 1 + dice.below(3));
    request.wafer.precision = dice.one_of<std::string>({"", "f16", "f32", "f64"});
    request.wafer.schedule = dice.one_of<std::string>({"paper", "segmented", "crossed"});
    request.nodes = dice.one_of<int>({0, 1, 2, 3, 4, 16, 25, 31});
    if (ranks_on(machine, std::max(request.nodes, 1)) > most_ranks) request.nodes = 1;
    given += predicts(machine, request,
                      fmt::format("{} {} {} {} {}", machine.name, request.wafer.size,
                                  request.wafer.precision, request.wafer.schedule, request.nodes));
  }
  EXPECT_GT(given, 120);
}

TEST(Prediction, LeavesRanksIdleWhereTheGridHasFewer) {
  const auto request = [](const char* size, int nodes) {
    PredictionRequest result;
    result.wafer.size = size;
    result.nodes = nodes;
    return result;
  };
  EXPECT_EQ(predict(fabric::load_machine("summit"), request("64^3", 1024)).size(), 4U);
  EXPECT_EQ(predict(fabric::load_machine("bluegene-p"), request("8^2", 16)).size(), 3U);
  EXPECT_EQ(predict(fabric::load_machine("summit"), request("4^3", 64)).size(), 4U);
}

/// Somewhere in the document: a value, with the key or number that leads to it.
void collect(json& at, std::vector<json*>& places) {
  places.push_back(&at);
  if (at.is_structured())
    for (json& below : at) collect(below, places);
}

json nasty_value(Dice& dice, const json& old) {
  if (old.is_number() && dice.below(2) == 0) {
    const double value = old.get<double>();
    const double factor = dice.one_of<double>({-1, 0, 1e-9, 0.5, 0.999, 2, 3.7, 1e3, 1e9, 1e30});
    if (old.is_number_integer() && std::fabs(value * factor) < 1e15)
      return static_cast<std::int64_t>(value * factor);
    return value * factor;
  }
  return dice.one_of<json>({nullptr,
                            true,
                            false,
                            0,
                            1,
                            -1,
                            2147483647,
                            2147483648LL,
                            -2147483649LL,
                            9223372036854775807LL,
                            18446744073709551615ULL,
                            1e300,
                            -1e300,
                            5e-324,
                            0.5,
                            "",
                            "x",
                            json::array(),
                            json::object(),
                            json::array({1, 2, 3}),
                            json::array({1, 1}),
                            json::array({json::array({1, 1, 1})})});
}

std::string damaged(const std::string& text, Dice& dice) {
  if (dice.below(4) == 0) {  // bytes
    std::string result = text;
    for (int change = 1 + dice.below(3); change > 0; --change) {
      const auto at = static_cast<std::size_t>(dice.below(static_cast<int>(result.size())));
      const int what = dice.below(3);
      if (what == 0) result.erase(at, static_cast<std::size_t>(1 + dice.below(6)));
      if (what == 1) result[at] = static_cast<char>(dice.below(256));
      if (what == 2) result.insert(at, dice.one_of<std::string>({"9", "-", "[", "{", ",", "e9"}));
    }
    return result;
  }
  json document = json::parse(text, nullptr, true, true);
  for (int change = 1 + dice.below(2); change > 0; --change) {
    std::vector<json*> places;
    collect(document, places);
    json& place = *dice.one_of(places);
    if (place.is_object() && !place.empty() && dice.below(2) == 0)
      place.erase(std::next(place.begin(), dice.below(static_cast<int>(place.size()))).key());
    else if (place.is_array() && !place.empty() && dice.below(2) == 0)
      place.push_back(place[0]);
    else
      place = nasty_value(dice, place);
    if (!document.is_object()) break;
  }
  return document.dump();
}

void try_machine(const fabric::FabricMachine& machine, int mutant) {
  PredictionRequest request;
  request.wafer.size = "64^2";
  request.nodes = 1;
  const std::string what = fmt::format("{} mutant {}", machine.name, mutant);
  if (const auto* wafer = std::get_if<fabric::WaferMachine>(&machine.what)) {
    request.wafer.size = "8^3";
    request.nodes = 0;
    request.wafer.schedule = mutant % 3 == 0 ? "paper" : mutant % 3 == 1 ? "segmented" : "crossed";
    if (!predicts(machine, request, what) || mutant % 8 != 0) return;
    try {
      request.wafer.size = "4^3";
      EXPECT_GT(fabric::time_on_wafer(make_wafer_plan(request.wafer), *wafer).cycles, 0U) << what;
    } catch (const Error& error) {
      EXPECT_NE(error.code(), ErrorCode::internal) << what << ": " << error.what();
    }
    return;
  }
  if (std::holds_alternative<fabric::SystolicMachine>(machine.what)) request.nodes = 0;
  if (ranks_on(machine, 1) > most_ranks) request.wafer.size = "4096";  // formulas alone
  predicts(machine, request, what);
}

/// All of Summit is priced, recipes and all; a machine of more ranks says that they are left out.
TEST(Prediction, PricesRecipesForTheLargestPublishedMachine) {
  fabric::FabricMachine summit = fabric::load_machine("summit");
  PredictionRequest request;
  request.wafer.size = "1024^3";
  request.nodes = 4608;
  const std::vector<Prediction> all = predict(summit, request);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_NE(all.back().notes.back().find("pencil: "), std::string::npos) << all.back().notes.back();
  std::get<fabric::ClusterMachine>(summit.what).ranks_per_node = 64;
  const std::vector<Prediction> formulas = predict(summit, request);
  ASSERT_EQ(formulas.size(), 2u);
  EXPECT_NE(formulas.back().notes.back().find("294912"), std::string::npos);
}

TEST(Prediction, DamagedMachineFilesAreRefusedOrGiveFiniteTimes) {
  constexpr int mutants = 2000;
  unsigned seed = 29;
  for (const std::string& name : fabric::machine_names()) {
    Dice dice(seed++);
    const std::string text = fabric::machine_file(name);
    int refused = 0;
    for (int mutant = 0; mutant < mutants; ++mutant) {
      const std::string mutated = damaged(text, dice);
      try {
        try_machine(fabric::parse_machine(mutated, "mutant.json"), mutant);
      } catch (const Error& error) {
        ++refused;
        const std::string what = error.what();
        EXPECT_EQ(what.rfind("machine file mutant.json: ", 0), 0U) << what;
        EXPECT_EQ(what.find('\n'), std::string::npos) << what;
      }
    }
    EXPECT_GT(refused, mutants / 4) << name;
    EXPECT_LT(refused, mutants) << name;
  }
}

}  // namespace
}  // namespace weft::tool
