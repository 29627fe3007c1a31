// SPDX-License-Identifier: BSD-3-Clause
// predict, simulate, sweep and paper as a user sees them.
#include <map>
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
  for (const char* command : {"predict", "simulate", "sweep", "paper", "animate", "design"}) {
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
  const json quarter = json_of(
      "simulate --size 16^3 --schedule crossed --sending quarter --timed --level whole --json");
  EXPECT_NE(quarter["plan"].get<std::string>().find("a quarter first"), std::string::npos);
  EXPECT_LT(quarter["numbers"]["relative_error"], quarter["numbers"]["allowed"]);
  const json back = json_of(
      "simulate --size 16^3 --schedule crossed --sending quarter --timed --round-trip --json");
  EXPECT_GT(back["backward"]["cycles"], 0);
  EXPECT_LT(back["round_trip_error"], 1e-6);
  const json rewritten = json_of("simulate --size 20^3 --schedule segmented --groups 20 --json");
  EXPECT_EQ(rewritten["forward"]["colors"], 21);
}

TEST_F(FabricCommands, SimulateCarriesRecipesOverTheLinksOfATorusOrTree) {
  const json torus = json_of("simulate --machine bluegene-p --size 12x10x8 --ranks 12 --json");
  EXPECT_LT(torus["numbers"]["relative_error"], torus["numbers"]["allowed"]);
  EXPECT_EQ(torus["topology"], "mesh 4x4x2");
  EXPECT_EQ(torus["ranks"], 12);
  ASSERT_EQ(torus["exchanges"].size() + 1, torus["stages"].size());
  EXPECT_GT(torus["links"].size(), 0U);
  const std::string recipe = "slab: input[] > 6x1x1[1,2] > 1x6x1[0] > output[] by point_to_point";
  const json tree = json_of(
      "simulate --machine summit --size 6x6x6 --nodes 3 --ranks-per-node 2 "
      "--precision f32 --inverse --recipe '" +
      recipe + "' --svg links.svg --json");
  EXPECT_EQ(tree["recipe"], recipe);
  EXPECT_LT(tree["numbers"]["relative_error"], tree["numbers"]["allowed"]);
  EXPECT_EQ(text_of("links.svg").rfind("<svg", 0), 0U);
  const ToolRun text = run("simulate --machine cluster --size 48 --ranks 4 --ranks-per-node 1");
  EXPECT_NE(text.out.find("right numbers, error"), std::string::npos) << text.out << text.err;
}

TEST_F(FabricCommands, SimulateCarriesRealTransformsToo) {
  for (const char* machine : {"bluegene-p --ranks 12", "summit --nodes 2", "cluster --ranks 4"})
    for (const char* way : {"", " --inverse"}) {
      const json run =
          json_of(std::string("simulate --real --size 12x10x9 --json --machine ") + machine + way);
      EXPECT_LT(run["numbers"]["relative_error"], run["numbers"]["allowed"]) << machine << way;
      EXPECT_GT(run["exchanges"].size(), 0U);
    }
  const ToolRun text = run("simulate --machine summit --size 8^3 --nodes 2 --real --precision f32");
  EXPECT_EQ(text.out.find("r2c 8x8x8 f32 on summit"), 0U) << text.out << text.err;
}

TEST_F(FabricCommands, PredictKnowsEveryMachine) {
  EXPECT_GE(json_of("predict --machines --json")["machines"].size(), 9U);
  const json summit =
      json_of("predict --machine summit --size 256^3 --precision f64 --nodes 64 --json");
  ASSERT_EQ(summit["predictions"].size(), 4U);  // two closed forms, two recipes
  const std::string recipe = "slab: input[] > 1x1x32[0,1] > 32x1x1[2] > output[] by all_to_all";
  const json given = json_of("predict --machine bluegene-p --size 64^3 --nodes 32 --recipe '" +
                             recipe + "' --json");
  ASSERT_EQ(given["predictions"].size(), 4U);  // the Global FFT, two recipes, this one
  EXPECT_EQ(given["predictions"][3]["notes"][0], "recipe          " + recipe);
  const auto& heffte = summit["predictions"][2];
  const auto& node_aware = summit["predictions"][3];
  EXPECT_NE(heffte["notes"][0].get<std::string>().find("by all_to_all_v"), std::string::npos);
  EXPECT_NE(node_aware["notes"][0].get<std::string>().find("by node_aware"), std::string::npos);
  EXPECT_LT(node_aware["seconds"], heffte["seconds"]);
  EXPECT_GE(node_aware["exchange_s"], node_aware["bound_s"]);
  EXPECT_EQ(json_of("predict --machine ape100-qh4 --size 8192^2 --json")["predictions"].size(), 2U);
  EXPECT_EQ(
      json_of("predict --machine bluegene-p --size 8192^2 --nodes 32 --json")["predictions"].size(),
      3U);  // a closed form, two recipes
  const json wafer = json_of("predict --size 1024^3 --mesh 512x512 --json");
  EXPECT_FALSE(wafer["predictions"][0]["fits"]);  // 64 KB of 48
}

TEST_F(FabricCommands, PredictComparesLikeWithLikeAndSaysWhatIsAssumed) {
  const std::string torus = "predict --machine bluegene-p --size 4096^2 --nodes 32";
  EXPECT_EQ(json_of(torus + " --json")["precision"], "f64");  // that of the published runs
  EXPECT_EQ(json_of(torus + " --json"), json_of(torus + " --precision f64 --json"));
  const json single = json_of(torus + " --precision f32 --json");
  const json twice = json_of(torus + " --json");
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_LT(single["predictions"][k]["exchange_s"], twice["predictions"][k]["exchange_s"]);
  EXPECT_EQ(json_of("predict --size 64^3 --json")["precision"], "f32");
  expect_refused("predict --machine ape100-q4 --size 1024^2 --precision f64", "computes in f32");
  expect_refused("predict --machine ape100-qh4 --size 256^2", "an edge of at least 512");
  EXPECT_FALSE(twice["assumed"].empty());
  const std::string text = run(torus).out;
  EXPECT_NE(text.find("fitted to measurements: link_efficiency"), std::string::npos) << text;
  EXPECT_NE(text.find("assumed, not published: shapes"), std::string::npos) << text;
  EXPECT_NE(text.find("precision f64, by formulas"), std::string::npos) << text;
}

TEST_F(FabricCommands, SweepSaysWhichPointsDoNotFit) {
  const ToolRun result =
      run("sweep --machine wse2 --size 256^3 --nodes 4096,16384,65536 --svg a.svg");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out.rfind("nodes,paper,does not fit\n4096,", 0), 0U) << result.out;
  EXPECT_NE(result.out.find(",paper\n16384,"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find(",\n65536,"), std::string::npos) << result.out;
  EXPECT_NE(text_of("a.svg").find("hollow: does not fit the memory"), std::string::npos);
  const json points =
      json_of("sweep --machine wse2 --size 256^3 --nodes 4096,65536 --json")["series"][0];
  EXPECT_EQ(points["does_not_fit"], json::array({4096.0}));
}

TEST_F(FabricCommands, SweepKeepsSchemesThatSomePointsLack) {
  const ToolRun result = run("sweep --machine cluster --size 64^3 --nodes 4,1024");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("recipe of weft"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find(",,,"), std::string::npos) << result.out;  // 65536 ranks: not priced
}

TEST_F(FabricCommands, RoundTripsSayWhatIsNotCharged) {
  const ToolRun result = run("simulate --size 8^3 --round-trip");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("setting the routers back in between is not charged"),
            std::string::npos)
      << result.out;
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

TEST_F(FabricCommands, SimulateCarriesMatricesAndLinesOverSystolicCells) {
  const json matrix = json_of("simulate --machine ape100-q4 --size 64^2 --json");
  EXPECT_LT(matrix["numbers"]["relative_error"], matrix["numbers"]["allowed"]);
  EXPECT_EQ(matrix["row_hops"], 96);
  EXPECT_EQ(matrix["row_moves"], 2 * 5 * 32);
  const json line = json_of("simulate --machine ape100-q4 --size 4096 --strides 1,2,4,8,16 --json");
  EXPECT_LT(line["numbers"]["relative_error"], line["numbers"]["allowed"]);
  EXPECT_EQ(line["shifts"], 5);
  const json mille = json_of("simulate --machine apemille --size 512^2 --restored --json");
  EXPECT_EQ(mille["row_moves"], 0);
  EXPECT_NE(run("simulate --machine ape100-q4 --size 64^2").out.find("% of peak"),
            std::string::npos);
}

TEST_F(FabricCommands, SimulateStreamsPlanesAndSharesThemBetweenWafers) {
  const json streamed = json_of("simulate --size 16x16x6 --stream --json");
  EXPECT_LT(streamed["numbers"]["relative_error"], streamed["numbers"]["allowed"]);
  EXPECT_EQ(streamed["limit"], "computing");
  const json wafers = json_of("simulate --size 16x16x6 --stream --wafers 3 --link 1e9 --json");
  EXPECT_EQ(wafers["limit"], "the links between wafers");
  const json formulas =
      json_of("simulate --size 1024^3 --kernel listing1 --stream --level closed-form --json");
  EXPECT_FALSE(formulas.contains("numbers"));
  EXPECT_EQ(formulas["limit"], "the link to the host");
  const json line = json_of("simulate --size 16^3 --one-line --schedule segmented --json");
  EXPECT_LT(line["numbers"]["relative_error"], line["numbers"]["allowed"]);
}

TEST_F(FabricCommands, SweepGrowsNodesAndSizeTogether) {
  const ToolRun result =
      run("sweep --machine summit --size 64^3 --nodes 2,16 --edges 64,128 --value seconds");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 3);
  const json small = json_of("predict --machine summit --size 128^3 --nodes 16 --json");
  const json both = json_of(
      "sweep --machine summit --size 64^3 --nodes 2,16 --edges 64,128 --value seconds "
      "--json");
  EXPECT_DOUBLE_EQ(both["series"][0]["points"][1][1].get<double>(),
                   small["predictions"][0]["seconds"].get<double>());
}

/// Each machine has a page with every number of its file and where it comes from.
TEST_F(FabricCommands, EveryMachineHasAPage) {
  const json list = json_of("predict --machines --json");
  for (const json& machine : list["machines"]) {
    const std::string name = machine["name"];
    const bool is_wafer = machine["kind"] == "wafer";
    json_of("predict --machine " + name + " --size 512^2 " + (is_wafer ? "--mesh 16x16 " : "") +
            "--json --html page.html");
    const std::string page = text_of("page.html");
    EXPECT_NE(page.find("</svg>"), std::string::npos) << name;
    EXPECT_NE(page.find("name='viewport'"), std::string::npos) << name;
    for (const char* origin : {"fitted", "assumed"})
      for (const json& key : machine[origin]) {
        const std::string pattern = key;
        if (pattern.find('*') != std::string::npos) continue;
        const std::size_t at = page.find("data-head='key'>" + pattern);
        ASSERT_NE(at, std::string::npos) << name << ": " << pattern;
        const std::string before = "data-head='origin'>";
        EXPECT_EQ(page.substr(page.find(before, at) + before.size()).find(origin), 0U)
            << name << ": " << pattern;
      }
  }
  json_of("predict --machine wse2 --size 64^3 --json --html page.html");
  EXPECT_NE(text_of("page.html").find("kernels.f16.rates.issue"), std::string::npos);
  expect_refused("predict --machine summit --html no_folder/page.html", "no_folder");
}

TEST_F(FabricCommands, DesignFindsTheFront) {
  write_text("design.json", run("design --example").out);
  const json design = json_of("design design.json --svg a.svg --html a.html --json");
  double cost = -1, seconds = 1e9;
  std::map<double, double> front;
  for (const auto& point : design["points"])
    if (point["best"]) front[point["cost"]] = point["seconds"];
  ASSERT_GE(front.size(), 3U);
  for (const auto& [price, time] : front) {
    EXPECT_GT(price, cost);
    EXPECT_LT(time, seconds);
    cost = price;
    seconds = time;
  }
  for (const auto& point : design["points"]) {  // nobody beats the front
    if (!point["fits"]) continue;
    for (const auto& [price, time] : front)
      EXPECT_FALSE(point["cost"] < price && point["seconds"] < time) << point;
  }
  EXPECT_NE(text_of("a.html").find("const design = {"), std::string::npos);
  EXPECT_EQ(text_of("a.svg").rfind("<svg", 0), 0U);
}

TEST_F(FabricCommands, DesignIsThePredictionAtAPublishedMachine) {
  write_text("one.json", R"({"workload": {"size": "1024^3", "precision": "f64"}, "families": [
    {"name": "summit", "base": "summit", "ranges": {"nodes": [1024]}, "cost": "2 * nodes^2"}]})");
  const json point = json_of("design one.json --json")["points"][0];
  const json prediction = json_of("predict --machine summit --size 1024^3 --nodes 1024 --json");
  EXPECT_DOUBLE_EQ(point["seconds"].get<double>(),
                   prediction["predictions"][1]["seconds"].get<double>());  // the node-aware one
  EXPECT_EQ(point["cost"], 2.0 * 1024 * 1024);
}

/// A machine of one's own is a base, and has a page, by its path as by its name.
TEST_F(FabricCommands, AMachineOfOnesOwnHasAPageAndAFamily) {
  std::string machine = run("predict --show cluster").out;
  const std::string given = "\"ranks_per_node\": 64";
  ASSERT_NE(machine.find(given), std::string::npos);
  machine.replace(machine.find(given), given.size(), "\"ranks_per_node\": 61");
  write_text("mine.json", machine);
  write_text("one.json", R"({"workload": {"size": "64^3", "precision": "f64"}, "families": [
    {"name": "a", "base": "mine.json", "cost": "nodes * ranks_per_node",
     "ranges": {"node_bytes_per_s": [12.5e9], "nodes": [4]}}]})");
  EXPECT_EQ(json_of("design one.json --json")["points"][0]["cost"], 4.0 * 61);
  EXPECT_NE(run("design one.json").out.find("nodes 4, node_bytes_per_s 1.25e+10"),
            std::string::npos);
  json_of("predict --machine mine.json --size 64^3 --nodes 4 --html page.html --json");
  EXPECT_NE(text_of("page.html").find("<td data-head='value'>61</td>"), std::string::npos);
  EXPECT_NE(text_of("page.html").find(">2.5e+10<"), std::string::npos);  // node_bytes_per_s
  write_text("bad.json", R"({"workload": {"size": "64^3", "precision": "f64"}, "families": [
    {"name": "a", "base": "torn.json", "ranges": {}, "cost": "1"}]})");
  write_text("torn.json", machine.substr(0, machine.size() / 2));
  expect_refused("design bad.json", "torn.json");
}

TEST_F(FabricCommands, DesignRefusesBadFilesInOneLine) {
  const auto refused = [&](const std::string& family, const std::string& because) {
    write_text("bad.json", R"({"workload": {"size": "64^3", "precision": "f64"}, "families": [)" +
                               family + "]}");
    expect_refused("design bad.json", because);
  };
  const std::string start = R"({"name": "a", "base": "summit", )";
  refused(start + R"("ranges": {"nodes": [4]}, "cost": "nodes * (2"})", "closing parenthesis");
  refused(start + R"("ranges": {"nodes": [4]}, "cost": "price"})", "'price' is neither");
  refused(start + R"("ranges": {"nodes": [4]}, "cost": "1 / 0"})", "no finite value");
  refused(start + R"("ranges": {"speed": [4]}, "cost": "1"})", "has no such key");
  refused(start + R"("ranges": {"nodes": []}, "cost": "1"})", "at least one value");
  refused(start + R"("ranges": {"nodes": [0]}, "cost": "1"})", "from 1 to 2^24");
  refused(start + R"("ranges": {"nodes": [99999]}, "cost": "1"})", "no machine carries out");
  refused(start + R"("ranges": {}, "cost": "1", "colour": 1})", "`colour` is not known");
  refused(start + R"("ranges": {"nodes": [4]}, "cost": "4 - nodes"})", "must be above zero");
  refused(start + R"("ranges": {"nodes": [4]}, "cost": "2 - nodes"})", "family a: formula");
  expect_refused("design nowhere.json", "cannot be read");
  expect_refused("design", "give a design file");
  write_text("broken.json", "{");
  expect_refused("design broken.json", "not a JSON object");
  write_text("broken.json", "{\n  \"workload\": {},\n}");
  expect_refused("design broken.json", "line 3 has a mistake");
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
  expect_refused("predict --machine summit --size 8^3 --recipe 'slab: input[0] > output[1,2]'",
                 "does not fit");
  expect_refused("simulate --machine ape100-q4", "matrices or lines");
  expect_refused("simulate --machine ape100-q4 --size 100^2", "multiples of the cells");
  expect_refused("simulate --machine ape100-q4 --size 1000", "divide two factors");
  expect_refused("simulate --machine ape100-q4 --size 64^2 --strides 1,3,2", "ascend from 1");
  expect_refused("simulate --machine ape100-q4 --size 64^2 --precision f64", "compute in f32");
  expect_refused("paper spiral --length 20 --ranks 3 --flow x.svg", "two factors");
  expect_refused("simulate --machine ape100-q4 --size 64^2 --inverse", "for torus and cluster");
  expect_refused("simulate --machine ape100-q4 --size 64^2 --real", "for torus and cluster");
  expect_refused("simulate --size 16^3 --real", "for torus and cluster");
  expect_refused("simulate --machine summit --size 512^3", "use weft predict");
  expect_refused("simulate --machine summit --nodes 2 --ranks 13", "or more nodes");
  expect_refused("simulate --machine cluster --size 8^3 --nodes 100", "ranks are simulated");
  expect_refused("simulate --machine summit --size 8^3 --exchange pigeon", "exchange pigeon");
  expect_refused("simulate --machine summit --size 8^3 --recipe 'slab: input[0] > output[1,2]'",
                 "does not fit");
  expect_refused("predict --machine wse9", "not known");
  expect_refused("sweep --machine summit --size 512^3", "exactly one of --nodes");
  expect_refused("sweep --machine summit --size 64^3 --nodes 2,4 --edges 64", "as many");
  expect_refused("simulate --size 16^3 --one-line --schedule crossed", "paper or segmented");
  expect_refused("simulate --size 16^2 --stream", "three dimensions");
  expect_refused("paper fftw", "choose wsfft");
}

}  // namespace
}  // namespace weft::tool
