// SPDX-License-Identifier: BSD-3-Clause
#include "common/output.hpp"

#include <fmt/format.h>

#include "file.hpp"
#include "text.hpp"

namespace weft::apps {

Picture gathered(const Team& team, const PlaneOfRanks& plane, Index largest) {
  const Index step =
      std::max<Index>(1, (std::max(plane.height, plane.width) + largest - 1) / largest);
  Picture picture =
      tool::blank_picture((plane.height + step - 1) / step, (plane.width + step - 1) / step);
  // A rank sends the rows that it has; the sum puts zeros elsewhere together with them.
  for (Index row = 0; row < picture.height; ++row)
    if (const Index y = row * step; y >= plane.begin && y < plane.end)
      for (Index column = 0; column < picture.width; ++column)
        picture.at(row, column) =
            plane.values[static_cast<std::size_t>((y - plane.begin) * plane.width + column * step)];
  team.sum(picture.pixels);
  return picture;
}

Picture scaled(Picture picture, double low, double high) {
  const double range = high > low ? high - low : 1;
  for (double& pixel : picture.pixels) pixel = (pixel - low) / range;
  return picture;
}

Picture scaled(Picture picture) {
  const auto [low, high] = std::ranges::minmax(picture.pixels);
  return scaled(std::move(picture), low, high);
}

void save_text(const Team& team, const std::string& path, const std::string& text) {
  if (path.empty()) return;
  team.first_rank_does([&] { tool::write_file(path, text); });
}

namespace {

/// Small lattices are drawn with larger pixels.
std::string png_of(const Picture& picture) {
  const Index side = std::max<Index>(1, std::max(picture.height, picture.width));
  return tool::as_png(picture, std::max<Index>(1, 320 / side));
}

}  // namespace

void save_picture(const Team& team, const std::string& path, const Picture& picture) {
  if (path.empty()) return;
  save_text(team, path, team.is_first() ? png_of(picture) : "");
}

void save_plot(const Team& team, const std::string& path, const Chart& chart) {
  if (path.empty()) return;
  save_text(team, path, team.is_first() ? tool::to_svg(chart) : "");
}

namespace {

std::string base64(const std::string& bytes) {
  constexpr const char* letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    unsigned word = 0;
    for (std::size_t i = 0; i < 3; ++i)
      word = word << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i)
      text += i <= count ? letters[word >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

}  // namespace

void Film::add(const Picture& picture, const std::string& caption) {
  frames_.push_back({base64(tool::as_png(picture, 1)), caption});
}

std::string Film::page() const {
  std::string frames;
  for (const Frame& frame : frames_)
    frames +=
        fmt::format("{{c:\"{}\",p:\"{}\"}},\n", tool::escaped_markup(frame.caption), frame.png);
  return "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>" +
         tool::escaped_markup(title_) + R"(</title>
<style>body{font:15px sans-serif;margin:2em;background:#fff;color:#222}img{image-rendering:pixelated;
width:min(90vmin,768px)}input{width:min(90vmin,768px);display:block}</style></head><body>
<h1>)" + tool::escaped_markup(title_) +
         R"(</h1><img id="i" alt="frame"><input id="s" type="range" min="0" value="0">
<p><button id="b">pause</button> <span id="c"></span></p><script>
const frames=[
)" + frames +
         R"(];
let at=0,on=true;const id=n=>document.getElementById(n);id("s").max=frames.length-1;
function show(n){at=n;id("i").src="data:image/png;base64,"+frames[n].p;id("c").textContent=frames[n].c;id("s").value=n}
id("s").oninput=e=>{on=false;id("b").textContent="play";show(+e.target.value)};
id("b").onclick=()=>{on=!on;id("b").textContent=on?"pause":"play"};
setInterval(()=>{if(on)show((at+1)%frames.length)},120);show(0);
</script></body></html>
)";
}

}  // namespace weft::apps
