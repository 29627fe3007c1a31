// SPDX-License-Identifier: BSD-3-Clause
#include "paper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "../text.hpp"

namespace weft::tool {
namespace {

std::string number(double value) {
  if (value != 0 && std::fabs(value) >= 1000) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

std::string in_column(const PaperRow& row, bool published) {
  if (row.basis == Basis::none || (row.basis == Basis::printed) != published) return "";
  return (row.is_limit ? "< " : "") + number(row.expected);
}

std::string deviation(const PaperRow& row) {
  if (row.basis == Basis::none || row.is_limit) return "";
  if (row.is_absolute || row.expected == 0) return fmt::format("{:+.3g}", row.weft - row.expected);
  return fmt::format("{:+.2f} %", 100 * (row.weft / row.expected - 1));
}

/// The verdict, where the number compared with comes from, and what else is to be said.
std::string verdict_text(const PaperRow& row) {
  std::string text = to_string(row.verdict());
  for (const std::string& more : {row.source(), row.remark})
    if (!more.empty()) text += "; " + more;
  return text;
}

}  // namespace

std::string PaperRow::source() const {
  switch (basis) {
    case Basis::printed: return std::string(quote->place);
    case Basis::evaluated: return "from " + std::string(quote->place);
    case Basis::derived: return "weft's own";
    case Basis::none: return "";
  }
  return "";
}

Verdict PaperRow::verdict() const {
  if (basis == Basis::none) return Verdict::reported;
  const double difference =
      is_absolute || expected == 0 ? std::fabs(weft - expected) : std::fabs(weft / expected - 1);
  const bool holds = is_limit ? weft <= expected : difference <= tolerance * (1 + 1e-9) + 1e-12;
  if (!holds) return is_explained ? Verdict::explained : Verdict::deviates;
  if (basis == Basis::derived) return Verdict::derived;
  return is_fitted ? Verdict::fitted : Verdict::agrees;
}

bool PaperReport::good() const {
  return std::ranges::none_of(
      rows, [](const PaperRow& row) { return row.verdict() == Verdict::deviates; });
}

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees: return "agrees";
    case Verdict::fitted: return "agrees (fitted)";
    case Verdict::derived: return "as derived";
    case Verdict::explained: return "differs";
    case Verdict::deviates: return "DEVIATES";
    case Verdict::reported: return "reported";
  }
  return "";
}

const char* to_string(Basis basis) {
  switch (basis) {
    case Basis::printed: return "printed";
    case Basis::evaluated: return "evaluated";
    case Basis::derived: return "derived";
    case Basis::none: return "none";
  }
  return "";
}

namespace {

/// In columns as wide as their longest cell.
std::string to_text(const TextTable& table) {
  std::vector<std::vector<std::string>> lines = table.rows;
  lines.insert(lines.begin(), table.head);
  std::vector<std::size_t> widths(table.head.size(), 0);
  for (const std::vector<std::string>& line : lines)
    for (std::size_t k = 0; k < line.size(); ++k) widths[k] = std::max(widths[k], line[k].size());
  std::string text;
  for (const std::vector<std::string>& line : lines) {
    std::string row = "      ";
    for (std::size_t k = 0; k < line.size(); ++k)
      row += fmt::format("       {:<{}}", line[k], widths[k]).substr(k == 0 ? 0 : 4);
    text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace

std::string to_text(const PaperReport& report) {
  std::string text = report.title + "\n";
  const auto line = [&](const auto&... column) {
    text += fmt::format("  {:<4} {:<54} {:>9} {:>9} {:>9} {:>9}  {}\n", column...);
  };
  line("", "", "published", "derived", "weft", "", "");
  for (const PaperRow& row : report.rows)
    line(row.id, row.item + (row.unit.empty() ? "" : ", " + row.unit), in_column(row, true),
         in_column(row, false), number(row.weft), deviation(row), verdict_text(row));
  if (!report.items.empty()) text += "  figures and tables of the paper (--html shows them):\n";
  for (const PaperItem& item : report.items) {
    text += fmt::format("  {:<10} {}: {}\n", item.name, item.subject, item.answer);
    if (item.table) text += to_text(*item.table);
  }
  for (const std::string& note : report.notes) text += "  note: " + note + "\n";
  return text;
}

namespace {

/// As markup, with `commands` as code.
std::string with_code(const std::string& text) {
  std::string markup;
  bool code = false;
  for (const char letter : escaped_markup(text))
    if (letter == '`')
      markup += (code = !code) ? "<code>" : "</code>";
    else
      markup += letter;
  return markup;
}

/// The same as a sentence; names such as heFFTe and paths keep their first letter.
std::string sentence(std::string text) {
  const std::string word = text.substr(0, text.find(' '));
  if (std::ranges::all_of(word, [](unsigned char letter) {
        return std::islower(letter) || letter == ';' || letter == ',';
      }))
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return with_code(text) + ".";
}

/// Phones show a row below the other: each cell after the head of its column.
std::string cell(const std::string& head, const std::string& text, const std::string& more = {}) {
  return fmt::format("<td data-head='{}'{}>{}</td>", escaped_markup(head), more, text);
}

std::string to_html(const PaperItem& item) {
  std::string html =
      fmt::format("<h2 id='{0}'>{0}</h2>\n<p>{1} <em>{2}</em></p>\n", escaped_markup(item.name),
                  sentence(item.subject), sentence(item.answer));
  for (const std::string& picture : item.pictures)
    html += "<div class='wide'>" + picture + "</div>";
  if (!item.table) return html;
  html += "<div class='wide'><table><tr>";
  for (const std::string& head : item.table->head) html += "<th>" + escaped_markup(head) + "</th>";
  html += "</tr>\n";
  for (const std::vector<std::string>& row : item.table->rows) {
    html += "<tr>";
    for (std::size_t k = 0; k < row.size(); ++k)
      html += cell(item.table->head[k], escaped_markup(row[k]));
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

std::string to_html(const PaperRow& row) {
  const Verdict verdict = row.verdict();
  const char* style = verdict == Verdict::agrees     ? "agrees"
                      : verdict == Verdict::fitted   ? "fitted"
                      : verdict == Verdict::deviates ? "deviates"
                                                     : "";
  const std::string title =
      row.quote == nullptr
          ? ""
          : fmt::format(" title='{}'", escaped_markup(std::string(row.quote->text)));
  return "<tr>" + cell("", row.id) +
         cell("", escaped_markup(row.item + (row.unit.empty() ? "" : ", " + row.unit))) +
         cell("published", escaped_markup(in_column(row, true)), " class='n'") +
         cell("derived", escaped_markup(in_column(row, false)), " class='n'") +
         cell("weft", number(row.weft), " class='n'") +
         cell("difference", deviation(row), " class='n'") +
         cell("", escaped_markup(verdict_text(row)), fmt::format(" class='{}'{}", style, title)) +
         "</tr>\n";
}

constexpr const char* style_of_pages =
    "body{font:15px/1.5 sans-serif;max-width:1080px;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;width:100%}td,th{padding:.25em .6em;border-bottom:1px solid "
    "#ddd;text-align:left}td.n,th.n{text-align:right;white-space:nowrap;"
    "font-variant-numeric:tabular-nums}"
    ".agrees{color:#1a7f3c}.fitted{color:#8a6d00}.deviates{color:#b00020;font-weight:bold}"
    "svg{max-width:100%;height:auto;margin:.6em 0}svg.fixed{max-width:none}.wide{overflow-x:auto}"
    "@media(max-width:700px){th{display:none}tr{display:block;border-bottom:1px solid "
    "#bbb;padding:.3em 0}td{display:inline-block;border:0;padding:0 .7em 0 0}"
    "td.n{text-align:left}td:empty{display:none}"
    "td:not([data-head=''])::before{content:attr(data-head) ': ';color:#666}}"
    "td[data-head='time'],td[data-head='bound']{white-space:nowrap}";

}  // namespace

std::string to_html(const PaperReport& report) {
  std::string html = fmt::format(
      "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
      "<meta name='viewport' content='width=device-width'><title>{0}</title>\n<style>{1}</style>"
      "</head><body>\n<h1>{0}</h1>\n",
      escaped_markup(report.title), style_of_pages);
  if (!report.rows.empty()) {
    html +=
        "<div class='wide'><table>"
        "<tr><th></th><th>item</th><th class='n'>published</th><th class='n'>derived</th>"
        "<th class='n'>weft</th><th class='n'>difference</th><th>verdict</th></tr>\n";
    for (const PaperRow& row : report.rows) html += to_html(row);
    html += "</table></div>\n";
  }
  for (const std::string& note : report.notes) html += "<p>" + with_code(note) + "</p>\n";
  for (const PaperItem& item : report.items) html += to_html(item);
  return html + "</body></html>\n";
}

}  // namespace weft::tool
