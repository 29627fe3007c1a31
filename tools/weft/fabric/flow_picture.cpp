// SPDX-License-Identifier: BSD-3-Clause
#include "flow_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <complex>
#include <numbers>
#include <numeric>

#include "../text.hpp"
#include "base/index.hpp"
#include "formula/matrix.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace flow_picture {

using formula::Formula;
using formula::identity;
using formula::stride_permutation;
using formula::tensor;

constexpr Index most_points = 128;

std::pair<Index, Index> factors_for(Index points, Index ranks) {
  std::pair<Index, Index> best{0, 0};
  for (Index m = ranks; m * m <= points; m += ranks)
    if (points % m == 0 && points / m % ranks == 0) best = {m, points / m};
  if (points < 1 || points > most_points || ranks < 1 || best.first == 0)
    throw Error(ErrorCode::invalid_argument,
                fmt::format("data flow of {} points on {} ranks: at most {} points, with two "
                            "factors that the ranks divide, such as 16 on 4",
                            points, ranks, most_points));
  return best;
}

/// The diagonal of library (20), after its scatter: element (a, b), b = q n/p + b', of process i is
/// at ((q m/p) + a) n/p + b' and is turned by (i m/p + a) b.
Formula scattered_twiddles(Index m, Index n, Index p) {
  std::vector<formula::Complex> values;
  for (Index i = 0; i < p; ++i)
    for (Index q = 0; q < p; ++q)
      for (Index a = 0; a < m / p; ++a)
        for (Index b = 0; b < n / p; ++b) {
          const Index turn = (i * (m / p) + a) * (q * (n / p) + b);
          const long double angle = -2 * std::numbers::pi_v<long double> *
                                    static_cast<long double>(turn % (m * n)) /
                                    static_cast<long double>(m * n);
          values.push_back(std::polar(1.0L, angle));
        }
  return formula::diagonal(std::move(values));
}

/// Rows and columns of a matrix that belong together: no entry joins them with others.
struct Part {
  std::vector<Index> columns, rows;
  bool is_turned = false;  ///< one number, multiplied
};

std::vector<Part> parts_of(const Formula& factor) {
  const formula::Matrix matrix = formula::matrix_of(factor);
  const Index n = matrix.rows;
  std::vector<Index> group(at(2 * n));  // columns, then rows
  std::iota(group.begin(), group.end(), 0);
  const auto root = [&](Index k) {
    while (group[at(k)] != k) k = group[at(k)] = group[at(group[at(k)])];
    return k;
  };
  const auto is_zero = [&](Index i, Index j) { return std::abs(matrix(i, j)) < 1e-12L; };
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (!is_zero(i, j)) group[at(root(n + i))] = root(j);
  std::vector<Part> parts(at(2 * n));
  for (Index j = 0; j < n; ++j) parts[at(root(j))].columns.push_back(j);
  for (Index i = 0; i < n; ++i) parts[at(root(n + i))].rows.push_back(i);
  std::erase_if(parts, [](const Part& part) { return part.columns.empty(); });
  for (Part& part : parts)
    part.is_turned =
        part.rows.size() == 1 && std::abs(matrix(part.rows[0], part.columns[0]) - 1.0L) > 1e-12L;
  return parts;
}

bool is_run(const std::vector<Index>& numbers) {
  return numbers.back() - numbers.front() + 1 == std::ssize(numbers);
}

/// Where things are in the picture.
struct Sheet {
  double line, left = 66, top = 86, stage = 96;
  Index points, ranks;
  double y(Index k) const {  // ranks stand a little apart
    return top + line * static_cast<double>(k) +
           (ranks > 1 ? 0.8 * line * static_cast<double>(k / (points / ranks)) : 0);
  }
  double x(std::size_t number) const { return left + stage * static_cast<double>(number); }
};

const char* color_of(Index number, Index points, Index ranks) {
  constexpr std::array<const char*, 8> colors = {"#0b66c3", "#d1495b", "#2a9d5c", "#8e5bb5",
                                                 "#d98a00", "#3c4a57", "#119da4", "#a05195"};
  return colors[at(number / (points / ranks) % 8)];
}

std::string wire(const Sheet& sheet, std::size_t stage, Index from, Index to) {
  const double begin = sheet.x(stage), end = sheet.x(stage + 1), third = sheet.stage / 3;
  return fmt::format(
      "<path d='M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}' stroke='{}' "
      "fill='none'/>\n",
      begin, sheet.y(from), begin + third, sheet.y(from), end - third, sheet.y(to), end,
      sheet.y(to), color_of(from, sheet.points, sheet.ranks));
}

std::string drawn(const Sheet& sheet, std::size_t stage, const Part& part) {
  const double begin = sheet.x(stage), end = sheet.x(stage + 1), middle = (begin + end) / 2;
  if (part.rows.size() == 1) {
    std::string svg = wire(sheet, stage, part.columns[0], part.rows[0]);
    if (part.is_turned)
      svg += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='{:.1f}' fill='#222'/>\n", middle,
                         sheet.y(part.rows[0]), std::min(3.0, 0.3 * sheet.line));
    return svg;
  }
  std::string svg;
  if (!is_run(part.rows) || !is_run(part.columns)) {  // a transform at a stride: all to all
    for (const Index from : part.columns)
      for (const Index to : part.rows) svg += wire(sheet, stage, from, to);
    return svg;
  }
  for (const Index k : part.columns)
    svg += fmt::format("<path d='M{:.1f} {:.1f}H{:.1f}' stroke='{}'/>\n", begin, sheet.y(k), end,
                       color_of(k, sheet.points, sheet.ranks));
  const double high = sheet.y(part.rows.front()) - 0.4 * sheet.line;
  const double low = sheet.y(part.rows.back()) + 0.4 * sheet.line;
  svg += fmt::format(
      "<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' rx='3' class='box'/>"
      "<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>DFT {}</text>\n",
      begin + 18, high, sheet.stage - 36, low - high, middle, (high + low) / 2 + 4,
      part.rows.size());
  return svg;
}

}  // namespace flow_picture

std::vector<FlowStage> global_fft_stages(Index points, Index ranks) {
  using namespace flow_picture;
  const auto [m, n] = factors_for(points, ranks);
  const Index p = ranks;
  using formula::dft;
  if (p == 1)
    return {{"transpose", stride_permutation(m * n, m)},
            {"transforms", tensor({identity(m), dft(n)})},
            {"twiddles", formula::twiddles(m * n, n)},
            {"transpose", stride_permutation(m * n, n)},
            {"transforms", tensor({identity(n), dft(m)})},
            {"transpose", stride_permutation(m * n, m)}};
  const auto here = [&](Formula local) { return tensor({identity(p), std::move(local)}); };
  const Formula exchange = tensor({stride_permutation(p * p, p), identity(m * n / (p * p))});
  return {{"local", here(tensor({stride_permutation(n, p), identity(m / p)}))},
          {"all-to-all", exchange},
          {"merged: gather", here(stride_permutation(m * n / p, m / p))},
          {"transforms", here(tensor({identity(m / p), dft(n)}))},
          {"merged: scatter", here(tensor({stride_permutation(m, p), identity(n / p)}))},
          {"merged: twiddles", scattered_twiddles(m, n, p)},
          {"all-to-all", exchange},
          {"transforms", here(tensor({dft(m), identity(n / p)}))},
          {"all-to-all", exchange},
          {"local", here(tensor({stride_permutation(m, m / p), identity(n / p)}))}};
}

std::string flow_svg(const std::string& title, const std::vector<FlowStage>& stages, Index ranks) {
  using namespace flow_picture;
  const Index points = stages.front().factor.columns();
  Sheet sheet{.line = points <= 32   ? 20.0
                      : points <= 64 ? 13.0
                                     : 8.0,
              .points = points,
              .ranks = ranks};
  if (ranks == 1) sheet.stage = 110;
  const double width = sheet.x(stages.size()) + 30, height = sheet.y(points - 1) + 40;
  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' class='fixed' viewBox='0 0 {0:.0f} {1:.0f}' "
      "width='{0:.0f}' "
      "height='{1:.0f}'>\n<style>text{{font:12px sans-serif;fill:#222}}.title{{font-size:16px;"
      "font-weight:bold}}.box{{fill:#eef3fa;stroke:#3c4a57}}path{{stroke-width:1.3}}</style>\n"
      "<rect width='{0:.0f}' height='{1:.0f}' fill='white'/>\n"
      "<text x='20' y='28' class='title'>{2}</text>\n",
      width, height, escaped_markup(title));
  for (Index rank = 0; ranks > 1 && rank < ranks; ++rank) {
    const double begin = sheet.y(rank * (points / ranks)) - 0.6 * sheet.line;
    const double end = sheet.y((rank + 1) * (points / ranks) - 1) + 0.6 * sheet.line;
    svg += fmt::format(
        "<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='#f6f6f2'/>"
        "<text x='8' y='{:.1f}'>rank {}</text>\n",
        sheet.left - 4, begin, width - sheet.left - 16, end - begin, (begin + end) / 2 + 4, rank);
  }
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    const std::string& name = stages[stage].name;  // "merged: twiddles" stands in two lines
    const std::size_t colon = name.find(": ");
    const double middle = sheet.x(stage) + sheet.stage / 2;
    if (colon != std::string::npos)
      svg += fmt::format("<text x='{:.1f}' y='52' text-anchor='middle'>{}</text>\n", middle,
                         name.substr(0, colon));
    svg += fmt::format("<text x='{:.1f}' y='67' text-anchor='middle'>{}</text>\n", middle,
                       colon == std::string::npos ? name : name.substr(colon + 2));
    for (const Part& part : parts_of(stages[stage].factor)) svg += drawn(sheet, stage, part);
  }
  return svg + "</svg>\n";
}

}  // namespace weft::tool
