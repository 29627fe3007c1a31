// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/roots.hpp"
#include "bench/accuracy.hpp"
#include "bench/efforts.hpp"
#include "bench/gpu_row.hpp"
#include "bench/report.hpp"
#include "run_tool.hpp"

namespace weft::tool {
namespace {

TEST(BenchRows, CoverWhatWasPromised) {
  RowSelection selection;
  selection.threads = {1};
  const auto rows = select_rows(selection);
  const auto has = [&](const std::string& label) {
    return std::ranges::any_of(rows, [&](const Row& row) { return row.label() == label; });
  };
  EXPECT_TRUE(has("4096*16 c2c f64 out 1t"));
  EXPECT_TRUE(has("8192*16 c2c f32 in 1t"));
  EXPECT_TRUE(has("64*1009 r2c f64 in 1t"));
  EXPECT_TRUE(has("columns 512*512 c2c f32 in 1t"));
  EXPECT_TRUE(has("4194304 r2c f64 out 1t"));
  EXPECT_TRUE(has("4096x4096 c2c f32 out 1t"));
  EXPECT_TRUE(has("512x512x512 r2c f64 in 1t"));
}

TEST(BenchRows, AreChosenByGroupNameAndExpression) {
  RowSelection selection;
  selection.kinds = {Kind::c2c};
  selection.precisions = {Precision::f64};
  selection.places = {Place::out};
  selection.rows = {"3d"};
  EXPECT_EQ(select_rows(selection).size(), 3u);
  selection.rows = {"1024x1024", "^65537 "};
  EXPECT_EQ(select_rows(selection).size(), 2u);
}

TEST(BenchRows, OfARangeOfLengthsAreOneTransformEach) {
  RowSelection selection{.rows = {"2-256"}, .threads = {1, 2}};
  const auto rows = select_rows(selection);
  EXPECT_EQ(rows.size(), 255u * 8);  // kinds, precisions, places
  std::set<std::string> labels;
  for (const Row& row : rows) labels.insert(row.label());
  EXPECT_EQ(labels.size(), rows.size());
  for (const char* label : {"2 c2c f64 in 1t", "77 r2c f32 out 1t", "256 c2c f64 out 1t"})
    EXPECT_TRUE(labels.contains(label)) << label;
  selection.rows = {"7-7"};
  EXPECT_EQ(select_rows(selection).size(), 8u);
  selection.rows = {"9-7"};
  EXPECT_THROW(select_rows(selection), Error);
}

TEST(BenchRows, InPlaceRealArraysArePadded) {
  Row row;
  row.shape = {6, 10};
  row.kind = Kind::r2c;
  row.place = Place::in;
  const Geometry geometry = geometry_of(row, Direction::forward);
  EXPECT_EQ(geometry.in.strides, (std::vector<Index>{12, 1}));
  EXPECT_EQ(geometry.out.strides, (std::vector<Index>{6, 1}));
  EXPECT_EQ(geometry.in_bytes, geometry.out_bytes);
}

/// The output at a position by its definition; `x` holds one transform, complex, row by row.
std::complex<long double> by_definition(const std::vector<std::complex<long double>>& x,
                                        const std::vector<Index>& shape,
                                        const std::vector<Index>& frequency) {
  std::complex<long double> sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::complex<long double> root = 1;
    auto rest = static_cast<Index>(i);
    for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d])
      root *= root_of_unity(shape[d], rest % shape[d] * frequency[d]);
    sum += x[i] * root;
  }
  return sum;
}

TEST(BenchReference, EqualsTheDefinition) {
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const std::vector<Index>& shape : {std::vector<Index>{12}, {9, 10}, {4, 6, 5}}) {
      Row row;
      row.shape = shape;
      row.kind = kind;
      const Geometry geometry = geometry_of(row, Direction::forward);
      const std::vector<double> input = noise(geometry.in_bytes / sizeof(double));
      std::vector<std::complex<long double>> x;
      if (kind == Kind::r2c)
        x.assign(input.begin(), input.end());
      else
        for (std::size_t i = 0; i < input.size(); i += 2) x.emplace_back(input[i], input[i + 1]);
      const auto points =
          reference_points(row, geometry, reinterpret_cast<const std::byte*>(input.data()));
      ASSERT_GE(points.size(), 4u);
      for (const ReferencePoint& point : points) {
        std::vector<Index> frequency;
        Index rest = point.offset;
        for (const Index stride : geometry.out.strides) {
          frequency.push_back(rest / stride);
          rest %= stride;
        }
        EXPECT_LT(std::abs(point.value - by_definition(x, shape, frequency)), 1e-16L);
      }
    }
}

/// Lengths too long, and primes too large, for a whole reference: some outputs, each correct.
TEST(BenchReference, OfLongLengthsIsAPartOfTheOutputs) {
  for (const Index n : {Index{1} << 17, Index{65537}}) {
    Row row;
    row.shape = {n};
    const Geometry geometry = geometry_of(row, Direction::forward);
    std::vector<double> input(static_cast<std::size_t>(2 * n), 0.0);
    input[2 * 5] = 1;  // an impulse at 5: X[k] = exp(-2 pi i 5 k / n)
    const auto points =
        reference_points(row, geometry, reinterpret_cast<const std::byte*>(input.data()));
    ASSERT_GE(points.size(), 64u);
    for (const ReferencePoint& point : points)
      EXPECT_LT(std::abs(point.value - root_of_unity(n, 5 * point.offset)), 1e-17L);
  }
}

TEST(BenchReport, GeometricMeanMultiplies) {
  EXPECT_NEAR(geometric_mean({2.0, 0.5}), 1.0, 1e-15);
  EXPECT_NEAR(geometric_mean({1.0, 10.0, 100.0}), 10.0, 1e-13);
}

class Bench : public ToolTest {};

TEST_F(Bench, ComparesWithFftwAndWritesJson) {
  const ToolRun result =
      run("bench local --rows '^65536\\*16 |^1092\\*60 ' --precisions f64,f32 --kinds c2c,r2c "
          "--threads 1 "
          "--rounds 3 --block-ms 1 --effort estimate --fftw-effort estimate --accuracy --plan-time "
          "--json bench.json --html bench.html");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(text_of("bench.html").find("\"name\":\"1092*60\""), std::string::npos);
  const auto document = nlohmann::json::parse(text_of("bench.json"), nullptr, false);
  ASSERT_FALSE(document.is_discarded());
  ASSERT_EQ(document["rows"].size(), 4u);  // 1092*60 f64, in and out, c2c and r2c
  for (const auto& row : document["rows"]) {
    EXPECT_GT(row["ratio"].get<double>(), 0);
    EXPECT_LT(row["difference"].get<double>(), 1e-14);
    EXPECT_LT(row["error"]["weft"].get<double>(), 1e-15);
    EXPECT_LT(row["error"]["weft_round_trip"].get<double>(), 1e-15);
    EXPECT_GT(row["estimate_s"]["again"].get<double>(), 0);
    EXPECT_GT(row["limit_s"].get<double>(), 0);
  }
  EXPECT_NE(result.out.find("geometric mean"), std::string::npos);
}

TEST_F(Bench, ComparesEffortsForAllKindsAndWritesJson) {
  const ToolRun result = run(
      "bench local --compare-efforts --rows '^1092\\*60 |^columns ' --precisions f64 "
      "--threads 1,2 --place out --rounds 3 --block-ms 0.1 --time-limit 0.1 --json efforts.json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto document = nlohmann::json::parse(text_of("efforts.json"), nullptr, false);
  ASSERT_FALSE(document.is_discarded());
  ASSERT_EQ(document["rows"].size(), 12u);  // two sizes, three kinds, two thread counts
  std::map<std::string, int> kinds;
  for (const auto& row : document["rows"]) {
    ++kinds[row["kind"].get<std::string>()];
    EXPECT_GT(row["estimate_s"].get<double>(), 0);
    EXPECT_GT(row["timed_s"].get<double>(), 0);
    EXPECT_GT(row["ratio"].get<double>(), 0);
    const bool is_same = row["estimate_recipe"] == row["timed_recipe"];
    EXPECT_TRUE(!is_same || row["ratio"].get<double>() == 1) << row;
  }
  EXPECT_EQ(kinds, (std::map<std::string, int>{{"c2c", 4}, {"c2r", 4}, {"r2c", 4}}));
  EXPECT_NE(result.out.find("|  estimate |   measure | ratio"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("estimate time / measure time, 2 threads: geometric mean, highest"),
            std::string::npos)
      << result.out;
}

TEST_F(Bench, ComparesEstimateOnlyWithAnotherEffort) {
  const ToolRun same = run("bench local --compare-efforts --effort estimate --rows columns");
  EXPECT_EQ(same.exit_code, 2);
  EXPECT_NE(same.err.find("--effort measure"), std::string::npos) << same.err;
  EXPECT_NE(run("bench local --compare-efforts --accuracy --rows columns").exit_code, 0);
  EXPECT_NE(run("bench local --kinds c2r --rows columns").exit_code, 0);
}

/// One row of each kind of result: the recipes are printed only where the estimate is far off.
TEST(BenchReport, NamesBothRecipesOfRowsAboveTheBound) {
  Row row;
  row.group = "columns";
  row.shape = {512};
  const EffortResult slow{.row = row,
                          .times = {.first_s = 1, .second_s = 1.3, .ratio = 1.3, .rounds = 3},
                          .timed_recipe = "fast recipe",
                          .estimate_recipe = "slow recipe"};
  EffortResult near = slow;
  near.times.ratio = 1.1;
  near.estimate_recipe = "near recipe";
  testing::internal::CaptureStdout();
  print_summary({near, slow}, "measure");
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_NE(text.find("Highest row: 1.30, 512 c2c f64 out 1t"), std::string::npos) << text;
  EXPECT_NE(text.find("Rows above 1.2: 1"), std::string::npos) << text;
  EXPECT_NE(text.find("slow recipe"), std::string::npos) << text;
  EXPECT_NE(text.find("fast recipe"), std::string::npos) << text;
  EXPECT_EQ(text.find("near recipe"), std::string::npos) << text;
}

TEST(UnseenRows, AreTheSameHundredEveryTime) {
  const RowSelection selection{.rows = {"unseen"}, .threads = {1, 2}};
  const std::vector<Row> rows = select_rows(selection), again = select_rows(selection);
  ASSERT_EQ(rows.size(), 100u);
  bool has_columns = false;
  std::set<std::string> labels;
  std::set<std::size_t> dimensions;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].label(), again[i].label());
    labels.insert(rows[i].label());
    dimensions.insert(rows[i].shape.size());
    has_columns = has_columns || rows[i].arrangement == Arrangement::columns;
    EXPECT_NO_THROW(geometry_of(rows[i], Direction::forward));
  }
  EXPECT_GT(labels.size(), 95u);
  EXPECT_EQ(dimensions.size(), 3u);
  EXPECT_TRUE(has_columns);
}

TEST(Rows, MayBeNamedByWholeLabels) {
  const std::string columns = "columns 3*1125 c2r f32 out 2t", boxes = "5*31x40x72 c2c f64 in 1t";
  const std::vector<Row> rows = select_rows({.rows = {columns, boxes}});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].label(), columns);
  EXPECT_EQ(rows[1].label(), boxes);
  EXPECT_EQ(geometry_of(rows[0], Direction::forward).transform.axes, std::vector<int>{0});
  EXPECT_EQ(geometry_of(rows[1], Direction::forward).transform.shape,
            (std::vector<Index>{5, 31, 40, 72}));
  EXPECT_EQ(select_rows({.rows = {"4 c2c f64 out 1t"}}).size(), 1u);
  // Real columns have no room for their spectrum in place.
  EXPECT_THROW(select_rows({.rows = {"columns 3*1125 r2c f32 in 1t"}}), Error);
  EXPECT_THROW(select_rows({.rows = {"4 c2c f64 in 99999999999t"}}), Error);
}

TEST(UnseenRows, AreOthersWithAnotherSeed) {
  const RowSelection first{.rows = {"unseen"}}, second{.rows = {"unseen"}, .seed = 2};
  std::set<std::string> labels;
  for (const Row& row : select_rows(first)) labels.insert(row.label());
  int shared = 0;
  for (const Row& row : select_rows(second)) shared += labels.contains(row.label()) ? 1 : 0;
  EXPECT_LT(shared, 10);
}

TEST(UnseenGpuRows, AreSixtyThatTheBenchmarkHasNot) {
  std::set<std::string> seen, unseen;
  for (const GpuRow& row : gpu_rows()) seen.insert(label(row));
  for (const GpuRow& row : select_gpu_rows({"unseen"})) {
    unseen.insert(label(row));
    EXPECT_FALSE(seen.contains(label(row))) << label(row);
    const std::vector<GpuRow> again = select_gpu_rows({label(row)});
    ASSERT_EQ(again.size(), 1u);
    EXPECT_EQ(label(again[0]), label(row));
    EXPECT_EQ(problem_of(again[0]).dimensions.size(), problem_of(row).dimensions.size());
  }
  EXPECT_EQ(unseen.size(), 60u);
}

TEST(GpuRows, AreChosenByLabelAndExpression) {
  EXPECT_EQ(select_gpu_rows({}).size(), gpu_rows().size());
  const std::vector<GpuRow> rows =
      select_gpu_rows({"^512x512x512 c2c", "512x512x512 c2c f64", "7x9*3 r2c f64"});
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[3].shape, (std::vector<Index>{7, 9}));
  EXPECT_EQ(rows[3].batch, 3);
  EXPECT_EQ(rows[3].kind, Kind::r2c);
  EXPECT_EQ(rows[3].precision, Precision::f64);
  EXPECT_THROW(select_gpu_rows({"no such row"}), Error);
  EXPECT_THROW(select_gpu_rows({"["}), Error);
}

TEST_F(Bench, ListsWithoutRunning) {
  const ToolRun result = run("bench local --list --rows columns --threads 1");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.out.find("columns 512*512 c2c f64 in 1t"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace weft::tool
