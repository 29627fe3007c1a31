// SPDX-License-Identifier: BSD-3-Clause
// Names, numbers and files that are unusual but valid; and invalid numbers.
#include <cmath>
#include <nlohmann/json.hpp>

#include "run_tool.hpp"
#include "support/in_child.hpp"

namespace weft::tool {
namespace {

class OddArguments : public ToolTest {
 protected:
  OddArguments() { write_array("x.npy", {4, 6}, complex_noise(24)); }
};

TEST_F(OddArguments, NamesAsLongAsTheyMayBe) {
  const std::string name(250, 'y');
  ASSERT_EQ(shell("$weft fft x.npy " + name + ".npy --quiet"), 0);
  EXPECT_EQ(read_array<std::complex<double>>(name + ".npy").values.size(), 24u);
  ASSERT_EQ(shell("$weft plan 64 --json=" + name), 0);
  EXPECT_EQ(nlohmann::json::parse(text_of(name))["transform"], "c2c 64 f64 forward");
}

TEST_F(OddArguments, NamesThatAreNotUtf8) {
  write_array("\xff.npy", {4}, complex_noise(4));
  ASSERT_EQ(shell("$weft fft \xff.npy \xfe.npy --json > out.txt"), 0);
  EXPECT_EQ(nlohmann::json::parse(text_of("out.txt"))["output"]["path"], "\uFFFD.npy");
  ASSERT_EQ(shell("$weft fft \xff.npy \xfe.npy --quiet --json=f.json"), 0);
  EXPECT_TRUE(nlohmann::json::accept(text_of("f.json")));
}

TEST_F(OddArguments, AJsonFileIsReplacedWholeOrNotAtAll) {
  const std::string old = "{\"old\": true}";
  write_text("f.json", old);
  EXPECT_EQ(shell("ulimit -f 1; $weft plan 1024x1000x1009 --json=f.json 2>err.txt"), 2)
      << text_of("err.txt");
  EXPECT_EQ(text_of("f.json"), old);
  EXPECT_EQ(shell("ln -s f.json link; $weft plan 64 --json=link"), 0);
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_TRUE(nlohmann::json::parse(text_of("f.json")).contains("recipe"));
  EXPECT_EQ(files(), (std::vector<std::string>{"f.json", "link", "x.npy"}));
}

TEST_F(OddArguments, ArraysOfManyDimensions) {
  std::vector<Index> shape(32, 1);
  shape[3] = 4;
  shape[31] = 6;
  write_array("many.npy", shape, complex_noise(24));
  ASSERT_EQ(shell("$weft fft x.npy y.npy --quiet; $weft fft many.npy z.npy --quiet"), 0);
  const auto y = read_array<std::complex<double>>("y.npy");
  const auto z = read_array<std::complex<double>>("z.npy");
  EXPECT_EQ(z.header.shape, shape);
  EXPECT_EQ(y.values, z.values);
  ASSERT_EQ(shell("$weft fft many.npy z.npy --axes 31 --quiet"), 0);
  ASSERT_EQ(shell("$weft fft x.npy y.npy --axes 1 --quiet"), 0);
  EXPECT_EQ(read_array<std::complex<double>>("y.npy").values,
            read_array<std::complex<double>>("z.npy").values);
}

TEST_F(OddArguments, RealArraysOfManyDimensions) {
  std::vector<Index> shape(32, 1);
  shape[5] = 6;
  write_array("many.npy", shape, noise(6));
  write_array("few.npy", {6, 1}, noise(6));
  const auto elements = [&](const std::string& name) {
    const std::string file = text_of(name);
    return file.substr(read_npy_header(std::as_bytes(std::span(file)), name).data_offset);
  };
  ASSERT_EQ(shell("$weft fft --quiet --real many.npy z.npy"), 0);  // the halved axis has length 1
  ASSERT_EQ(shell("$weft fft --quiet --real few.npy y.npy"), 0);
  EXPECT_EQ(elements("y.npy"), elements("z.npy"));
  const std::string dct = "$weft fft --quiet --r2r dct2 --norm none ";  // doubles a single point
  ASSERT_EQ(shell(dct + "many.npy z.npy --axes 5,31"), 0);
  ASSERT_EQ(shell(dct + "few.npy y.npy"), 0);
  EXPECT_EQ(elements("y.npy"), elements("z.npy"));
}

TEST_F(OddArguments, TooManyDimensionsAreCountedAsTheFileHasThem) {
  write_array("many.npy", std::vector<Index>(33, 1), noise(1));
  const ToolRun result = run("fft many.npy y.npy --r2r dct2");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("33 dimensions"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("many.npy"), std::string::npos) << result.err;
}

TEST_F(OddArguments, ChunksOfAnySize) {
  const auto run_with = [&](const std::string& chunk) {
    return run("fft x.npy y.npy --axes 1 --chunk " + chunk);
  };
  for (const char* chunk : {"1e30", "1e300", "inf"}) {
    const ToolRun result = run_with(chunk);
    EXPECT_EQ(result.exit_code, 0) << chunk << result.err;
    EXPECT_EQ(result.out.find("chunks"), std::string::npos) << result.out;
  }
  EXPECT_NE(run_with("1e-300").out.find("4 chunks"), std::string::npos);
  for (const char* chunk : {"nan", "0", "-1", "much"}) {
    const ToolRun result = run_with(chunk);
    EXPECT_EQ(result.exit_code, 2) << chunk;
    EXPECT_EQ(result.complaints(), 1) << result.err;
  }
}

TEST_F(OddArguments, BoundsAreNamedShortly) {
  for (const char* arguments : {"fft x.npy y.npy --n 0", "fft x.npy y.npy --threads -1",
                                "plan 8 --threads -1", "explain 8 --ranks 2 --ranks-per-node 0",
                                "tune 8 --threads -1", "fft x.npy y.npy --chunk 0",
                                "bench local --block-ms 0", "simulate --size 8^3 --threads -1"}) {
    const ToolRun result = run(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_LT(result.err.size(), 150u) << result.err;
  }
}

TEST_F(OddArguments, ManyMoreThreadsThanCores) {
  EXPECT_EQ(shell("timeout 20 $weft explain 64x64 --threads 20000 > out.txt"), 0);
  EXPECT_NE(text_of("out.txt").find("20000 threads"), std::string::npos);
}

TEST_F(OddArguments, ThreadsThatCannotBeMadeAreAnErrorThatLeavesNoFile) {
  if (test::is_sanitized) GTEST_SKIP() << "sanitizers need the address space";
  write_array("x.npy", {512, 512}, complex_noise(512 * 512));
  EXPECT_EQ(shell("ulimit -v 400000; $weft fft x.npy y.npy --threads 200 2>err.txt >out.txt"), 2);
  const std::string message = text_of("err.txt");
  EXPECT_EQ(std::ranges::count(message, '\n'), 1) << message;
  EXPECT_NE(message.find("200 threads were requested"), std::string::npos) << message;
  EXPECT_EQ(files(), (std::vector<std::string>{"x.npy"}));
}

TEST_F(OddArguments, TuneStopsBeforeItMeasuresIntoAFileThatItMustKeep) {
  for (const char* text : {"junk", "{\"format\": \"weft wisdom\", \"version\": 2}"}) {
    write_text("w.json", text);
    const ToolRun result = run("tune 64 --wisdom w.json");
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.complaints(), 1) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find("w.json"), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find("ignored"), std::string::npos) << result.err;
    EXPECT_EQ(text_of("w.json"), text);
  }
  for (const char* path : {".", "x.npy/w.json"})
    EXPECT_EQ(run(std::string("tune 64 --wisdom ") + path).exit_code, 2) << path;
  const ToolRun long_name = run("tune 64 --wisdom " + std::string(300, 'w'));
  EXPECT_EQ(long_name.exit_code, 2) << long_name.err;
}

TEST_F(OddArguments, WisdomThatIsNoneIsIgnoredByEveryoneElse) {
  write_text("wisdom.json", "junk");
  const ToolRun result = run("plan 64");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.complaints(), 1) << result.err;
  EXPECT_NE(result.err.find("wisdom ignored"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace weft::tool
