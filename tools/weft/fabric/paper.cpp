// SPDX-License-Identifier: BSD-3-Clause
#include "paper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../text.hpp"

namespace weft::tool {
namespace {

std::string number(double value) {
  if (value != 0 && std::fabs(value) >= 1000) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

std::string deviation(const PaperRow& row) {
  if (!row.has_published) return "";
  if (row.is_absolute || row.published == 0)
    return fmt::format("{:+.3g}", row.weft - row.published);
  return fmt::format("{:+.2f} %", 100 * (row.weft / row.published - 1));
}

}  // namespace

Verdict PaperRow::verdict() const {
  if (!has_published) return Verdict::no_number;
  const double difference =
      is_absolute || published == 0 ? std::fabs(weft - published) : std::fabs(weft / published - 1);
  if (!(difference <= tolerance * (1 + 1e-9) + 1e-12)) return Verdict::deviates;
  return is_fitted ? Verdict::fitted : Verdict::agrees;
}

bool PaperReport::good() const {
  return std::ranges::none_of(
      rows, [](const PaperRow& row) { return row.verdict() == Verdict::deviates; });
}

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees: return "agrees";
    case Verdict::fitted: return "agrees (fitted)";
    case Verdict::deviates: return "DEVIATES";
    case Verdict::no_number: return "reported";
  }
  return "";
}

std::string to_text(const PaperReport& report) {
  std::string text = report.title + "\n";
  for (const PaperRow& row : report.rows)
    text += fmt::format("  {:<4} {:<46} {:>11} {:>11} {:>9}  {}{}\n", row.id,
                        row.item + (row.unit.empty() ? "" : ", " + row.unit),
                        row.has_published ? number(row.published) : "-", number(row.weft),
                        deviation(row), name_of(row.verdict()),
                        row.remark.empty() ? "" : "; " + row.remark);
  for (const std::string& note : report.notes) text += "  note: " + note + "\n";
  return text;
}

std::string to_html(const PaperReport& report) {
  std::string html = fmt::format(
      "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><title>{0}</title>\n<style>"
      "body{{font:15px/1.5 sans-serif;max-width:960px;margin:2em auto;padding:0 1em;color:#222}}"
      "table{{border-collapse:collapse;width:100%}}td,th{{padding:.25em .6em;border-bottom:1px "
      "solid "
      "#ddd;text-align:left}}td.n,th.n{{text-align:right;white-space:nowrap;font-variant-numeric:"
      "tabular-nums}}"
      ".agrees{{color:#1a7f3c}}.fitted{{color:#8a6d00}}.deviates{{color:#b00020;font-weight:bold}}"
      "svg{{max-width:100%;height:auto;margin:1em 0}}</style></head><body>\n<h1>{0}</h1>\n<table>"
      "<tr><th></th><th>item</th><th class='n'>published</th><th class='n'>weft</th>"
      "<th class='n'>difference</th><th>verdict</th>"
      "</tr>\n",
      escaped_markup(report.title));
  for (const PaperRow& row : report.rows) {
    const Verdict verdict = row.verdict();
    const char* style = verdict == Verdict::agrees     ? "agrees"
                        : verdict == Verdict::fitted   ? "fitted"
                        : verdict == Verdict::deviates ? "deviates"
                                                       : "";
    html += fmt::format(
        "<tr><td>{}</td><td>{}{}</td><td class='n'>{}</td><td class='n'>{}</td>"
        "<td class='n'>{}</td><td class='{}'>{}{}</td></tr>\n",
        row.id, escaped_markup(row.item), row.unit.empty() ? "" : ", " + escaped_markup(row.unit),
        row.has_published ? number(row.published) : "", number(row.weft), deviation(row), style,
        name_of(verdict), row.remark.empty() ? "" : "; " + escaped_markup(row.remark));
  }
  html += "</table>\n";
  for (const std::string& note : report.notes) html += "<p>" + escaped_markup(note) + "</p>\n";
  for (const Chart& chart : report.charts) html += to_svg(chart);
  return html + "</body></html>\n";
}

}  // namespace weft::tool
