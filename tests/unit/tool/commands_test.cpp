// SPDX-License-Identifier: BSD-3-Clause
// The sub-commands as a user meets them: text, JSON, help.
#include <nlohmann/json.hpp>

#include "run_tool.hpp"

namespace weft::tool {
namespace {

using nlohmann::json;

class Commands : public ToolTest {
 protected:
  json json_of(const std::string& arguments) {
    const ToolRun result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << arguments << "\n" << result.err;
    return json::parse(result.out, nullptr, false);
  }
};

TEST_F(Commands, EveryOneHasHelpWithExamples) {
  EXPECT_NE(run("--help").out.find("Examples:"), std::string::npos);
  for (const char* command :
       {"fft", "plan", "explain", "tune", "info", "demo", "codegen", "bench local"}) {
    const ToolRun result = run(std::string(command) + " --help");
    EXPECT_EQ(result.exit_code, 0) << command;
    EXPECT_NE(result.out.find("Examples:\n  weft " + std::string(command)), std::string::npos)
        << command << "\n"
        << result.out;
    EXPECT_NE(result.out.find("--json"), std::string::npos) << command;
  }
}

TEST_F(Commands, VersionIsOneLine) {
  const ToolRun result = run("--version");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out.substr(0, 5), "weft ");
}

TEST_F(Commands, PlanPrintsTheRecipeAsOneLine) {
  const ToolRun result = run("plan 64*1000");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1) << result.out;
  EXPECT_EQ(json_of("plan 64*1000 --json")["recipe"].get<std::string>() + "\n", result.out);
}

TEST_F(Commands, ExplainNamesFormulaRecipeCostAndFloor) {
  const ToolRun result = run("explain 96x100");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* part : {"c2c 96x100 f64", "Formula", "Recipe", "Cost", "passes", "floor"})
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
}

TEST_F(Commands, ExplainGivesNumbersThatMakeSense) {
  const json e = json_of("explain 64*1000 --real --precision f32 --run --json");
  EXPECT_EQ(e["transform"], "r2c 64*1000 f32");
  EXPECT_GT(e["flops"].get<double>(), 0);
  EXPECT_GT(e["predicted_s"].get<double>(), 0);
  EXPECT_GT(e["measured_s"].get<double>(), 0);
  EXPECT_GT(e["floor_s"].get<double>(), 0);
  EXPECT_FALSE(e["formula"].get<std::string>().empty());
  EXPECT_FALSE(e["formula_latex"].get<std::string>().empty());
}

TEST_F(Commands, TuneFillsTheWisdomFile) {
  const json tuned = json_of("tune 48 60 --time-limit 0.2 --json");
  EXPECT_EQ(tuned["tuned"].size(), 2u);
  EXPECT_GE(tuned["recipes"].get<int>(), 2);
  EXPECT_FALSE(json::parse(text_of("wisdom.json"), nullptr, false).is_discarded());
  // What was tuned is what a plan takes from now on.
  EXPECT_EQ(json_of("plan 60 --json")["recipe"], tuned["tuned"][1]["recipe"]);
}

TEST_F(Commands, DamagedWisdomIsReportedAndIgnored) {
  write_text("wisdom.json", "{ damaged");
  const ToolRun result = run("plan 60");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.err.find("wisdom ignored"), std::string::npos) << result.err;
}

TEST_F(Commands, InfoKnowsTheMachine) {
  const json info = json_of("info --quick --json");
  EXPECT_GE(info["cores"].get<int>(), 1);
  EXPECT_GE(info["page_bytes"].get<int>(), 4096);
  EXPECT_FALSE(info["cpu"].get<std::string>().empty());
}

TEST_F(Commands, CodegenShowsCountsTextAndPasses) {
  const json table = json_of("codegen --json");
  ASSERT_GT(table.size(), 4u);
  for (const json& row : table)
    if (row["radix"] == 16) {
      EXPECT_LE(row["before_fma"]["additions"].get<int>(), 144);
      EXPECT_LE(row["before_fma"]["multiplications"].get<int>(), 24);
    }
  EXPECT_NE(run("codegen 4 --isa scalar").out.find("void"), std::string::npos);
  EXPECT_GT(json_of("codegen 4 --isa scalar --dump=all --json")["passes"].size(), 3u);
  EXPECT_EQ(run("codegen 4 --dump=strange").exit_code, 2);
  EXPECT_EQ(run("codegen 4 --isa strange").exit_code, 2);
}

}  // namespace
}  // namespace weft::tool
