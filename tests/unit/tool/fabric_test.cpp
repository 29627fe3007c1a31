// SPDX-License-Identifier: BSD-3-Clause
// predict, simulate, sweep and paper as a user meets them.
#include <nlohmann/json.hpp>

#include "run_tool.hpp"

namespace weft::tool {
namespace {

using nlohmann::json;

class FabricCommands : public ToolTest {
 protected:
  json json_of(const std::string& arguments, int exit_code = 0) {
    const ToolRun result = run(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << arguments << "\n" << result.err;
    return json::parse(result.out, nullptr, false);
  }
  void expect_refused(const std::string& arguments, const std::string& because) {
    const ToolRun result = run(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_EQ(result.complaints(), 1) << result.err;
    EXPECT_NE(result.err.find(because), std::string::npos) << result.err;
  }
};

TEST_F(FabricCommands, HaveHelpWithExamples) {
  for (const char* command : {"predict", "simulate", "sweep", "paper", "animate"}) {
    const ToolRun result = run(std::string(command) + " --help");
    EXPECT_EQ(result.exit_code, 0) << command;
    EXPECT_NE(result.out.find("Examples:\n  weft " + std::string(command)), std::string::npos);
    EXPECT_NE(result.out.find("--json"), std::string::npos) << command;
  }
}

TEST_F(FabricCommands, SimulateGivesCheckedNumbersAndTheSameCyclesEveryTime) {
  const std::string arguments = "simulate --size 16^3 --round-trip --json";
  const json once = json_of(arguments);
  EXPECT_LT(once["numbers"]["relative_error"], once["numbers"]["allowed"]);
  EXPECT_GT(once["round_trip_error"], 0.0);
  EXPECT_EQ(json_of(arguments)["forward"], once["forward"]);
  const json crossed = json_of("simulate --size 16^3 --schedule crossed --precision f16 --json");
  EXPECT_LT(crossed["forward"]["cycles"], once["forward"]["cycles"]);
  const json halves =
      json_of("simulate --size 16^3 --schedule crossed --sending halves --level whole --json");
  EXPECT_NE(halves["plan"].get<std::string>().find("in halves"), std::string::npos);
  EXPECT_LT(halves["numbers"]["relative_error"], halves["numbers"]["allowed"]);
  const json rewritten = json_of("simulate --size 20^3 --schedule segmented --groups 20 --json");
  EXPECT_EQ(rewritten["forward"]["colors"], 21);
}

TEST_F(FabricCommands, PredictKnowsEveryMachine) {
  EXPECT_GE(json_of("predict --machines --json")["machines"].size(), 9U);
  const json summit =
      json_of("predict --machine summit --size 256^3 --precision f64 --nodes 64 --json");
  ASSERT_EQ(summit["predictions"].size(), 4U);  // two closed forms, two recipes
  const auto& heffte = summit["predictions"][2];
  const auto& node_aware = summit["predictions"][3];
  EXPECT_NE(heffte["notes"][0].get<std::string>().find("by all_to_all_v"), std::string::npos);
  EXPECT_NE(node_aware["notes"][0].get<std::string>().find("by node_aware"), std::string::npos);
  EXPECT_LT(node_aware["seconds"], heffte["seconds"]);
  EXPECT_GE(node_aware["exchange_s"], node_aware["bound_s"]);
  EXPECT_EQ(json_of("predict --machine ape100-qh4 --size 8192^2 --json")["predictions"].size(), 2U);
  EXPECT_EQ(json_of("predict --machine bluegene-p --size 65536^2 --nodes 512 --json")["predictions"]
                .size(),
            4U);
  const json wafer = json_of("predict --size 1024^3 --mesh 512x512 --json");
  EXPECT_FALSE(wafer["predictions"][0]["fits"]);  // 64 KB of 48
}

TEST_F(FabricCommands, MachineFilesCanBeCopiedAndEdited) {
  write_text("mine.json", run("predict --show wse2").out);
  EXPECT_EQ(json_of("predict --machine mine.json --size 32^3 --json")["machine"], "wse2");
  write_text("broken.json", "{\"name\": \"x\", \"kind\": \"wafer\", \"description\": \"\"}");
  expect_refused("predict --machine broken.json --size 32^3", "`clock_hz` is missing");
}

TEST_F(FabricCommands, SweepWritesCsvAndSvg) {
  const ToolRun result = run(
      "sweep --machine summit --size 512^3 --precision f64 --nodes 32,64 --csv a.csv --svg a.svg");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(text_of("a.csv"), result.out);
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 3);
  EXPECT_EQ(text_of("a.svg").rfind("<svg", 0), 0U);
  EXPECT_NE(text_of("a.svg").find(">Tflop/s<"), std::string::npos);
}

TEST_F(FabricCommands, PapersAgree) {
  for (const char* paper : {"ape", "spiral", "heffte"}) {
    const json report =
        json_of(std::string("paper ") + paper + " --json --html " + paper + ".html");
    EXPECT_TRUE(report["good"]) << paper;
    EXPECT_NE(text_of(std::string(paper) + ".html").find("</svg>"), std::string::npos);
  }
}

TEST_F(FabricCommands, BadInputIsRefusedInOneLine) {
  expect_refused("simulate --size 64^4", "two or three dimensions");
  expect_refused("simulate --size 60^2", "give --mesh");
  expect_refused("simulate --size 10x10x10 --mesh 4x5", "not a multiple");
  expect_refused("simulate --size 2048^3 --mesh 512x512", "does not fit");
  expect_refused("simulate --size 9^3 --schedule crossed", "n even");
  expect_refused("simulate --size 16^3 --level half", "level half");
  expect_refused("simulate --size 16^3 --sending halves", "other than `paper`");
  expect_refused("simulate --size 16^3 --schedule crossed --sending thirds", "sending thirds");
  expect_refused("simulate --size 20^3 --schedule segmented --groups 20 --level whole",
                 "rewrite all routes");
  expect_refused("simulate --size 12^3", "powers of two");
  expect_refused("simulate --machine summit", "a wafer is needed");
  expect_refused("predict --machine wse9", "not known");
  expect_refused("sweep --machine summit --size 512^3", "over one thing");
  expect_refused("paper fftw", "one of wsfft");
}

}  // namespace
}  // namespace weft::tool
