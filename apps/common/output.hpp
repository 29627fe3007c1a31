// SPDX-License-Identifier: BSD-3-Clause
// Pictures, plots and films. Only the first rank writes.
#pragma once

#include <string>
#include <vector>

#include "common/program.hpp"
#include "common/team.hpp"
#include "demo/picture.hpp"
#include "fabric/plot.hpp"

namespace weft::apps {

using tool::Chart;
using tool::Picture;
using tool::Series;

/// A plane whose rows are spread over the ranks: this rank has rows [begin, end) of `width` values.
struct PlaneOfRanks {
  Index height = 0, width = 0, begin = 0, end = 0;
  std::vector<double> values;
};
/// Collective: the plane on the first rank, every `step`-th point so that neither side is longer
/// than `largest`.
Picture gathered(const Team& team, const PlaneOfRanks& plane, Index largest = 512);
/// Values from `low` to `high` become 0 to 1.
Picture scaled(Picture picture, double low, double high);
/// The same from the smallest to the largest value.
Picture scaled(Picture picture);

/// Collective, but only the first rank writes; errors are thrown on all. An empty path: nothing.
void save_picture(const Team& team, const std::string& path, const Picture& picture);
void save_plot(const Team& team, const std::string& path, const Chart& chart);
void save_text(const Team& team, const std::string& path, const std::string& text);

/// --film html or mp4.
void add_film_option(Options& options, std::string& word);

/// Pictures in a row: one HTML page that plays them, or MP4 by ffmpeg.
class Film {
 public:
  /// Throws weft::Error (invalid_argument) for mp4 where there is no ffmpeg.
  Film(std::string title, const std::string& word);
  void add(const Picture& picture, const std::string& caption);
  /// Collective, but only the first rank writes: PREFIX_film.html or PREFIX_film.mp4. Returns the
  /// name; empty if there are no pictures.
  std::string save(const Team& team, const std::string& prefix) const;

 private:
  struct Frame {
    std::string png, caption;
  };
  std::string page() const;
  void write_mp4(const std::string& path) const;

  std::string title_;
  bool is_mp4_;
  Index side_ = 1;  // of a picture
  std::vector<Frame> frames_;
};

}  // namespace weft::apps
