// SPDX-License-Identifier: BSD-3-Clause
// Every number that `weft paper` calls published is in the paper, at the given place.
#include "fabric/paper.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <regex>

#include "fabric/cost_formula.hpp"
#include "fabric/flow_picture.hpp"
#include "fabric/paper_on_ranks.hpp"
#include "formula/matrix.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace {

const std::vector<PaperReport>& reports() {
  static const std::vector<PaperReport> all = {wsfft_report({}), ape_report(), spiral_report({}),
                                               heffte_report({})};
  return all;
}

/// All numbers of a text: "24,000" is one, "0.8", "90%" and "2.85x" begin with one.
std::vector<double> numbers_in(std::string_view text) {
  static const std::regex number(R"(\d{1,3}(,\d{3})+|\d+(\.\d+)?)");
  const std::string copy(text);
  std::vector<double> result;
  for (std::sregex_iterator at(copy.begin(), copy.end(), number), end; at != end; ++at) {
    std::string digits = at->str();
    std::erase(digits, ',');
    result.push_back(std::stod(digits));
  }
  return result;
}

TEST(Papers, PublishedNumbersArePrintedWhereTheRowSays) {
  int printed = 0;
  for (const PaperReport& report : reports())
    for (const PaperRow& row : report.rows) {
      if (row.basis != Basis::printed) continue;
      ++printed;
      ASSERT_NE(row.quote, nullptr) << row.item;
      EXPECT_FALSE(row.quote->place.empty()) << row.item;
      const std::vector<double> numbers = numbers_in(row.quote->text);
      EXPECT_NE(std::ranges::find(numbers, std::fabs(row.expected)), numbers.end())
          << row.id << " " << row.item << ": " << row.expected << " is not in '" << row.quote->text
          << "'";
    }
  EXPECT_GE(printed, 35);
}

TEST(Papers, DerivedNumbersAreCalledSo) {
  for (const PaperReport& report : reports())
    for (const PaperRow& row : report.rows) {
      EXPECT_EQ(row.quote != nullptr, row.basis == Basis::printed || row.basis == Basis::evaluated)
          << row.item;
      if (row.basis == Basis::derived) {
        EXPECT_EQ(row.verdict(), Verdict::derived) << row.item;
        EXPECT_EQ(row.source(), "weft's own");
      }
      if (row.basis == Basis::evaluated) {
        EXPECT_EQ(row.source().rfind("from ", 0), 0U) << row.item;
      }
      if (row.verdict() == Verdict::explained) {
        EXPECT_FALSE(row.remark.empty()) << row.item;
      }
    }
}

TEST(Papers, OnlyPrintedNumbersStandInThePublishedColumn) {
  const PaperReport report{
      .name = "x",
      .title = "X",
      .rows = {{.item = "a", .basis = Basis::derived, .expected = 512, .weft = 512},
               {.item = "b",
                .basis = Basis::printed,
                .expected = 959,
                .weft = 950,
                .tolerance = 0.01,
                .is_fitted = true,
                .quote = quote("wsfft 959")}},
      .items = {},
      .notes = {}};
  const std::string text = to_text(report);
  const std::size_t end_of_published = text.find("published") + std::string("published").size();
  const std::size_t line = text.find('\n') + 1;  // the head, then the rows
  const auto row = [&](const char* item) {
    const std::size_t begin = text.find(item, text.find("derived")) - 7;
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  const std::size_t column = end_of_published - line;
  EXPECT_EQ(row("a ").find("512"), row("a ").find_first_of("0123456789"));
  EXPECT_GT(row("a ").find("512"), column);
  EXPECT_LT(row("b ").find("959"), column);
  EXPECT_NE(row("b ").find("agrees (fitted); abstract"), std::string::npos) << row("b ");
}

TEST(Papers, NoNumberIsOutsideItsTolerance) {
  for (const PaperReport& report : reports()) EXPECT_TRUE(report.good()) << to_text(report);
}

std::string all_text_of(const PaperReport& report) { return to_text(report) + to_html(report); }

TEST(Papers, SpiralHasNoExplicitReordering) {
  const PaperReport& spiral = reports()[2];
  EXPECT_EQ(std::ranges::count(spiral.rows, Basis::printed, &PaperRow::basis), 1);
  EXPECT_NE(all_text_of(spiral).find("is the 2008 Class I run of FFTE"), std::string::npos);
}

TEST(Papers, EveryFigureAndTableIsShownOrSaysWhyNot) {
  const std::vector<std::vector<std::string>> expected = {
      {"Figure 1", "Figure 2", "Figure 3", "Table 1", "Figure 4", "Figure 5", "Figure 6",
       "Figure 7", "Table 2"},
      {"Figure 1", "Figures 2-5", "Figure 6", "Figure 7", "Figure 8", "Figure 9"},
      {"Figure 1", "Table 1", "Figure 2", "Figure 3", "Figure 4", "Figure 5", "Figure 6",
       "Figure 7"},
      {"Figure 1", "Figure 2", "Table 1", "Figure 3", "Figure 4", "Figure 5", "Figure 6",
       "Figure 7", "Figure 8", "Figure 9"}};
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const std::string html = to_html(reports()[k]);
    for (const std::string& name : expected[k]) {
      const auto item = std::ranges::find(reports()[k].items, name, &PaperItem::name);
      ASSERT_NE(item, reports()[k].items.end()) << reports()[k].name << " " << name;
      EXPECT_FALSE(item->subject.empty() || item->answer.empty()) << name;
      EXPECT_NE(html.find("<h2 id='" + name + "'>"), std::string::npos) << name;
    }
  }
}

TEST(FlowPicture, ItsFactorsMultiplyToTheTransform) {
  for (const auto& [points, ranks] :
       {std::pair<Index, Index>{16, 1}, {16, 2}, {16, 4}, {36, 3}, {12, 2}, {1, 1}, {7, 1}}) {
    std::vector<formula::Formula> factors;
    for (const FlowStage& stage : global_fft_stages(points, ranks))
      factors.insert(factors.begin(), stage.factor);
    EXPECT_LT(formula::max_difference(formula::matrix_of(formula::compose(factors)),
                                      formula::matrix_of(formula::dft(points))),
              1e-13L)
        << points << " on " << ranks;
  }
  EXPECT_THROW(global_fft_stages(20, 3), Error);
  EXPECT_THROW(global_fft_stages(256, 1), Error);
  const std::string svg = flow_svg("title", global_fft_stages(16, 4), 4);
  EXPECT_NE(svg.find("rank 3"), std::string::npos);
  EXPECT_NE(svg.find("all-to-all"), std::string::npos);
}

TEST(CostFormula, KnowsPrecedenceNamesAndFunctions) {
  const std::map<std::string, double> names = {{"nodes", 8}, {"routers.colors", 21}};
  EXPECT_EQ(value_of_formula("2 + 3 * nodes ^ 2 ^ 1 - 1", names), 193);
  EXPECT_EQ(value_of_formula(" -nodes + (routers.colors - 1) / 4 ", names), -3);
  EXPECT_EQ(value_of_formula("log2(nodes) * sqrt(16) + 1e1", names), 22);
  for (const char* bad : {"", "2 +", "(2", "2)", "foo", "exp(1)", "1/0", "2 3"})
    EXPECT_THROW(value_of_formula(bad, names), Error) << bad;
}

TEST(Plot, HasTicksAtPowersOfTwoAndALegendBelow) {
  const Chart chart{.title = "t",
                    .x_label = "n",
                    .y_label = "y",
                    .log_x = true,
                    .series = {{.name = "a series", .points = {{32, 1}, {512, 2}}}}};
  const std::string svg = to_svg(chart);
  for (const char* tick : {">32<", ">64<", ">128<", ">256<", ">512<"})
    EXPECT_NE(svg.find(tick), std::string::npos) << tick;
  EXPECT_EQ(svg.find(">50<"), std::string::npos);
  EXPECT_NE(svg.find("translate(12.0 350.0)"), std::string::npos) << svg;  // below 340
}

TEST(Plot, HasTicksWhereTheRangeIsShort) {
  const Chart chart{.title = "t",
                    .x_label = "n",
                    .y_label = "y",
                    .log_x = true,
                    .log_y = true,
                    .series = {{.name = "a", .points = {{16, 0.025}, {32, 0.065}}}}};
  const std::string svg = to_svg(chart);
  for (const char* tick : {">0.03<", ">0.04<", ">0.05<", ">0.06<"})
    EXPECT_NE(svg.find(tick), std::string::npos) << tick;
}

TEST(Plot, HasTicksInLessThanAnOctave) {
  const Chart chart{.title = "t",
                    .x_label = "n",
                    .y_label = "y",
                    .log_x = true,
                    .log_y = true,
                    .series = {{.name = "a", .points = {{16, 0.095}, {32, 0.13}}}}};
  const std::string svg = to_svg(chart);
  for (const char* tick : {">0.1<", ">0.11<", ">0.12<", ">0.13<"})
    EXPECT_NE(svg.find(tick), std::string::npos) << tick;
}

TEST(Plot, TicksLeaveRoomForTheNameOfTheirAxis) {
  const Chart chart{.title = "t",
                    .x_label = "n",
                    .y_label = "y",
                    .log_x = true,
                    .log_y = true,
                    .series = {{.name = "a", .points = {{65536, 9000}, {1048576, 1.1e6}}}}};
  const std::string svg = to_svg(chart);
  for (const char* tick : {">10000<", ">1e5<", ">1e6<", ">1048576<"})
    EXPECT_NE(svg.find(tick), std::string::npos) << tick;
  EXPECT_EQ(svg.find(">100000<"), std::string::npos);
}

/// Separate transforms and one operator are two ways to the same field.
TEST(Papers, TheMeshOfAParticleStepIsTheSameBothWays) {
  for (const int ranks : {1, 3})
    run_as_threads(ranks, [ranks](const Comm& comm) {
      const MeshStepTime time = measure_mesh_step(comm, 12, 1);
      EXPECT_EQ(time.ranks, ranks);
      EXPECT_GT(time.difference, 0);  // they round differently
      EXPECT_LT(time.difference, 1e-14);
      EXPECT_GT(time.separate_s, 0);
      EXPECT_GT(time.operator_s, 0);
    });
}

TEST(Papers, MergedAndExplicitReorderingGiveTheSame) {
  const MeasuredOnRanks measured = measure_on_ranks("spiral", nullptr, {256, 2304});
  EXPECT_EQ(measured.transport, "threads");
  ASSERT_EQ(measured.reorderings.size(), 4U);  // on two ranks and on four
  for (std::size_t k = 0; k < 4; ++k) {
    const ReorderingTime& time = measured.reorderings[k];
    EXPECT_EQ(time.ranks, k < 2 ? 2 : 4);
    EXPECT_EQ(time.points, k % 2 == 0 ? 256 : 2304);
    EXPECT_GT(time.difference, 0);  // they round differently
    EXPECT_LT(time.difference, 2 * 0x1p-53 * std::log2(static_cast<double>(time.points)));
    EXPECT_GT(time.ratio, 0);
  }
  EXPECT_THROW(measure_on_ranks("spiral", nullptr, {24}), Error);  // no multiple of 4 x 4
  EXPECT_TRUE(measure_on_ranks("ape", nullptr).reorderings.empty());
}

TEST(Papers, WsfftShowsItsErrataAndLevels) {
  const std::string text = to_text(reports()[0]);
  for (const char* said :
       {"erratum: on 64^2 it needs 71680 of 49152 bytes", "by blocks of words, not wavelets",
        "half along ky", "set the routers back", "the paper contradicts its Table 1",
        "times faster than the schedule and kernel of the paper", "where the paper says four"})
    EXPECT_NE(text.find(said), std::string::npos) << said;
  const auto simulated = std::ranges::find(
      reports()[0].rows, "the same with four pencils per element", &PaperRow::item);
  ASSERT_NE(simulated, reports()[0].rows.end());
  EXPECT_EQ(simulated->verdict(), Verdict::explained);
  EXPECT_NEAR(simulated->weft, 2.35, 0.01);
  EXPECT_EQ(simulated->expected, 2.54);
}

}  // namespace
}  // namespace weft::tool
