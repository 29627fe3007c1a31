// SPDX-License-Identifier: BSD-3-Clause
// The sub-commands as a user sees them: text, JSON, help.
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

TEST_F(Commands, HelpSaysDefaultsInWordsAndKeepsLinesShort) {
  const std::string help = run("fft --help").out;
  EXPECT_NE(help.find("--norm TEXT  "), std::string::npos) << help;
  EXPECT_NE(help.find("(default: backward)"), std::string::npos) << help;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
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

TEST_F(Commands, ExplainsRealArraysOfSeveralAxes) {
  for (const char* arguments : {"explain 16x16 --real", "explain 9x8x7 --real --latex"}) {
    const ToolRun result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find("HDFT"), std::string::npos) << result.out;
  }
}

TEST_F(Commands, ExplainPrintsTheFormulaOfARecipeOverRanks) {
  const ToolRun text = run("explain 16x12 --ranks 3");
  EXPECT_NE(text.out.find("Formula"), std::string::npos) << text.out << text.err;
  EXPECT_NE(text.out.find("DFT(12)"), std::string::npos) << text.out;
  const json line = json_of("explain 65536 --ranks 4 --json");
  EXPECT_NE(line["formula"].get<std::string>().find("T(65536; "), std::string::npos);
  EXPECT_NE(line["formula_latex"].get<std::string>().find("\\underbrace"), std::string::npos);
  EXPECT_GE(line["factors"].size(), 5U);
  EXPECT_NE(run("explain 65536 --ranks 4 --latex").out.find("\\otimes"), std::string::npos);
}

TEST_F(Commands, ExplainsEveryStrategyOverRanksAndItsTextAgain) {
  const std::pair<const char*, const char*> asked[] = {{"slab", "12x10x8"},  {"pencil", "12x10x8"},
                                                       {"brick", "12x10x8"}, {"mixed", "6x6x6x6"},
                                                       {"line", "240"},      {"line", "241"}};
  for (const auto& [strategy, shape] : asked) {
    const std::string start = std::string("explain ") + shape + " --ranks 4 --json ";
    const json chosen = json_of(start + "--strategy " + strategy);
    const std::string recipe = chosen["recipe"];
    EXPECT_TRUE(recipe.starts_with(strategy) || recipe.starts_with("chirp ")) << recipe;
    EXPECT_GE(chosen["factors"].size(), 2U) << recipe;
    const json again = json_of(start + "--recipe '" + recipe + "'");
    EXPECT_EQ(again["recipe"], recipe);
    EXPECT_EQ(again["formula"], chosen["formula"]) << recipe;
  }
  const ToolRun none = run("explain 12x10x8 --ranks 4 --strategy line");
  EXPECT_NE(none.exit_code, 0);
  EXPECT_NE(none.err.find("no recipe of the strategy 'line'"), std::string::npos) << none.err;
  const ToolRun other = run("explain 12x10 --ranks 2 --recipe 'slab: input[1] > output[1]'");
  EXPECT_NE(other.exit_code, 0);
  EXPECT_NE(other.err.find("does not fit"), std::string::npos) << other.err;
  EXPECT_NE(run("explain 12x10 --strategy slab").exit_code, 0);
}

TEST_F(Commands, PlanListsCandidatesForAxesAndCuts) {
  const std::string arguments = "plan 12x10x9 --candidates --effort patient --time-limit 0.4";
  const json listed = json_of(arguments + " --json");
  EXPECT_EQ(listed["axes"].size(), 3U);
  ASSERT_GT(listed["cuts"].size(), 1U);
  for (const json& cut : listed["cuts"]) {
    EXPECT_GT(cut["predicted_s"].get<double>(), 0);
    const json again = json_of("plan 12x10x9 --json --recipe '" + std::string(cut["recipe"]) + "'");
    EXPECT_EQ(again["recipe"], cut["recipe"]);
  }
  EXPECT_NE(run(arguments).out.find("whole array"), std::string::npos);
}

TEST_F(Commands, ExplainGivesNumbersThatMakeSense) {
  const json e = json_of("explain 64*1000 --real --precision f32 --run --json");
  EXPECT_EQ(e["transform"], "r2c 64*1000 f32");
  EXPECT_GT(e["flops"].get<double>(), 0);
  EXPECT_GT(e["predicted_s"].get<double>(), 0);
  EXPECT_GT(e["measured_s"].get<double>(), 0);
  EXPECT_GT(e["floor_s"].get<double>(), 0);
  EXPECT_GT(e["limit_s"].get<double>(), 0);
  EXPECT_FALSE(e["formula"].get<std::string>().empty());
  EXPECT_FALSE(e["formula_latex"].get<std::string>().empty());
}

TEST_F(Commands, ExplainTimesEveryStep) {
  const std::string steps = " --recipe 'axes 0: scalar:lanes(12,1) | axes 1: scalar:lanes(10,1)'";
  const json parts = json_of("explain 12x10 --run --json" + steps)["parts"];
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1]["name"], "step 2");
  for (const json& part : parts) EXPECT_GT(part["measured_s"].get<double>(), 0);
  EXPECT_NE(run("explain 12x10 --run" + steps).out.find("- step 2"), std::string::npos);
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
