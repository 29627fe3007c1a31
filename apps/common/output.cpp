// SPDX-License-Identifier: BSD-3-Clause
#include "common/output.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <sstream>

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

/// The program in PATH; empty: there is none.
std::string found_in_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const std::string name = folder + "/" + program; access(name.c_str(), X_OK) == 0)
      return name;
  return "";
}

/// Runs it without a shell and waits. Returns its exit code; -1: it did not run.
int run_and_wait(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  int status = 0;
  if (posix_spawn(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0)
    return -1;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

void add_film_option(Options& options, std::string& word) {
  options.add("--film", word, {"html", "mp4"}, "a page that a browser plays, or MP4 by ffmpeg");
}

Film::Film(std::string title, const std::string& word)
    : title_(std::move(title)), is_mp4_(word == "mp4") {
  if (is_mp4_ && found_in_path("ffmpeg").empty())
    refuse("--film mp4 needs ffmpeg, which is not in PATH; install it, or leave --film out");
}

void Film::add(const Picture& picture, const std::string& caption) {
  side_ = std::max({side_, picture.height, picture.width});
  frames_.push_back({tool::as_png(picture, 1), caption});
}

std::string Film::save(const Team& team, const std::string& prefix) const {
  if (frames_.empty()) return "";
  const std::string path = prefix + (is_mp4_ ? "_film.mp4" : "_film.html");
  team.first_rank_does([&] {
    if (is_mp4_)
      write_mp4(path);
    else
      tool::write_file(path, page());
  });
  return path;
}

/// Small lattices are shown with larger pixels; H.264 wants even sides.
void Film::write_mp4(const std::string& path) const {
  const std::string pictures = path + ".pictures", part = path + ".part";
  std::string all;
  for (const Frame& frame : frames_) all += frame.png;
  tool::write_file(pictures, all);
  const Index scale = std::max<Index>(1, 512 / side_);
  const std::string resize =
      fmt::format("scale=2*ceil(iw*{0}/2):2*ceil(ih*{0}/2):flags=neighbor", scale);
  const int code = run_and_wait({found_in_path("ffmpeg"),
                                 "-nostdin",
                                 "-loglevel",
                                 "error",
                                 "-y",
                                 "-framerate",
                                 "8",
                                 "-f",
                                 "image2pipe",
                                 "-c:v",
                                 "png",
                                 "-i",
                                 pictures,
                                 "-vf",
                                 resize,
                                 "-pix_fmt",
                                 "yuv420p",
                                 "-f",
                                 "mp4",
                                 part});
  std::remove(pictures.c_str());
  if (code == 0 && std::rename(part.c_str(), path.c_str()) == 0) return;
  std::remove(part.c_str());
  throw Error(ErrorCode::io, "ffmpeg could not write " + path + "; leave --film out for a page");
}

std::string Film::page() const {
  std::string frames;
  for (const Frame& frame : frames_)
    frames += fmt::format("{{c:\"{}\",p:\"{}\"}},\n", tool::escaped_markup(frame.caption),
                          base64(frame.png));
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
