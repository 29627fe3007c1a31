// SPDX-License-Identifier: BSD-3-Clause
#include "kraichnan/scalar.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "common/program.hpp"

namespace weft::apps {
namespace {

/// Modes of the source, one of each pair k, -k: |k|^2 is 1 or 2.
constexpr std::array<std::array<int, 2>, 4> source_modes = {{{1, 0}, {0, 1}, {1, 1}, {1, -1}}};

/// The weights of a cubic spline's four coefficients for a point `t` after the second.
std::array<double, 4> spline_weights(double t) {
  const double s = 1 - t;
  return {s * s * s / 6, (4 - 6 * t * t + 3 * t * t * t) / 6, (4 - 6 * s * s + 3 * s * s * s) / 6,
          t * t * t / 6};
}

}  // namespace

Scalar2d::Scalar2d(const Team& team, Index size, double diffusivity, double time_step, int seed,
                   double reach)
    : team_(team),
      size_(size),
      margin_(static_cast<Index>(std::ceil(reach)) + 3),
      time_step_(time_step),
      seed_(seed),
      transform_(team, {size, size}) {
  const Box& box = transform_.field_box();
  rows_ = box.extent(0);
  const Index fewest = size / team.size();
  if (fewest < margin_)
    refuse(
        fmt::format("{} ranks have {} rows each, but points move up to {:.0f} rows in a step; "
                    "use at most {} ranks, or a smaller step",
                    team.size(), fewest, reach, size / margin_));
  const double h = 2 * std::numbers::pi / static_cast<double>(size);
  const auto diffuse = at_every_mode([=](const auto& wave, auto u) {
    // 1 / the spectrum of a cubic spline's samples, per axis.
    const auto spline = [h](double k) { return 3 / (2 + std::cos(k * h)); };
    u[0] *=
        std::exp(-diffusivity * wave.squared() * time_step) * spline(wave.k[0]) * spline(wave.k[1]);
  });
  diffuse_.emplace(team, r2c({size, size}), diffuse,
                   slabs({{size, size}}, 0, team.size(), team.rank()), std::vector<double>{});
  field_.resize(as_size(transform_.field_count()));
  coefficients_.resize(as_size((rows_ + 2 * margin_) * size));
  spectrum_.resize(as_size(transform_.spectrum_count()));
  if (team.size() == 1) return;
  const int up = (team.rank() + team.size() - 1) % team.size(),
            down = (team.rank() + 1) % team.size();
  const Index bytes = margin_ * size * static_cast<Index>(sizeof(double));
  // Our first rows go up and become the rows after the last there; our last rows go down.
  messages_.push_back({team.comm().prepare_send(bytes, up, 1),
                       team.comm().prepare_receive(bytes, down, 1), margin_, margin_ + rows_});
  messages_.push_back({team.comm().prepare_send(bytes, down, 2),
                       team.comm().prepare_receive(bytes, up, 2), rows_, 0});
}

void Scalar2d::exchange_margins() {
  double* const c = coefficients_.data();
  if (messages_.empty()) {
    std::copy_n(c + margin_ * size_, margin_ * size_, c + (margin_ + rows_) * size_);
    std::copy_n(c + rows_ * size_, margin_ * size_, c);
    return;
  }
  for (Message& message : messages_) {
    message.receive->start(nullptr, c + message.to_row * size_);
    message.send->start(c + message.from_row * size_, nullptr);
  }
  for (Message& message : messages_) {
    message.send->wait();
    message.receive->wait();
  }
}

void Scalar2d::advance(Index step, const aligned_vector<double>& down,
                       const aligned_vector<double>& right) {
  diffuse_->execute(field_.data(), coefficients_.data() + margin_ * size_);
  exchange_margins();
  const double lowest = -static_cast<double>(margin_ - 2);
  const double highest = static_cast<double>(rows_ + margin_ - 3);
  const auto n = static_cast<double>(size_);
  team_.for_range(rows_, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row)
      for (Index column = 0; column < size_; ++column) {
        const std::size_t at = as_size(row * size_ + column);
        // Eight standard deviations fit the margin; what might come beyond is cut.
        const double x = std::clamp(static_cast<double>(row) - down[at], lowest, highest);
        double y = static_cast<double>(column) - right[at];
        y -= n * std::floor(y / n);
        const Index i = static_cast<Index>(std::floor(x)), j = static_cast<Index>(y);
        const auto wx = spline_weights(x - static_cast<double>(i));
        const auto wy = spline_weights(y - static_cast<double>(j));
        const double* line = coefficients_.data() + (margin_ + i - 1) * size_;
        double sum = 0;
        if (j >= 1 && j + 2 < size_) {
          for (std::size_t a = 0; a < 4; ++a, line += size_)
            sum += wx[a] * (wy[0] * line[j - 1] + wy[1] * line[j] + wy[2] * line[j + 1] +
                            wy[3] * line[j + 2]);
        } else {
          for (std::size_t a = 0; a < 4; ++a, line += size_)
            for (Index b = 0; b < 4; ++b)
              sum += wx[a] * wy[as_size(b)] * line[(j + b - 1 + size_) % size_];
        }
        field_[at] = sum;
      }
  });
  add_source(step);
}

std::array<SourceMode, 4> source_of_step(Index step, int seed, double time_step) {
  const double scale = std::sqrt(time_step / source_modes.size());
  std::array<SourceMode, source_modes.size()> all{};
  for (std::size_t m = 0; m < all.size(); ++m) {
    const NormalPair drawn =
        normal_pair(hash(~static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(step), m));
    all[m] = {source_modes[m][0], source_modes[m][1], scale * drawn.first, scale * drawn.second};
  }
  return all;
}

/// White in time, with variance 1 per time.
void Scalar2d::add_source(Index step) {
  const double h = 2 * std::numbers::pi / static_cast<double>(size_);
  const auto source = source_of_step(step, seed_, time_step_);
  std::vector<double> cosine(as_size(size_)), sine(as_size(size_));
  for (Index i = 0; i < size_; ++i) {
    cosine[as_size(i)] = std::cos(h * static_cast<double>(i));
    sine[as_size(i)] = std::sin(h * static_cast<double>(i));
  }
  const Index first = transform_.field_box().begin[0];
  team_.for_range(rows_, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row)
      for (const auto& [k, l, a, b] : source) {
        const double c = k == 0 ? 1 : cosine[as_size(first + row)];
        const double s = k == 0 ? 0 : sine[as_size(first + row)];
        // a cos(kx + ly) + b sin(kx + ly) = p cos(ly) + q sin(ly)
        const double p = a * c + b * s, q = (b * c - a * s) * l;
        for (Index column = 0; column < size_; ++column)
          field_[as_size(row * size_ + column)] +=
              l == 0 ? p : p * cosine[as_size(column)] + q * sine[as_size(column)];
      }
  });
}

/// (2 / r^2) times the integral of F(s) s ds from 0 to r, with F the mean of J0(|k| s).
double source_flux(double r) {
  double sum = 0;
  for (const auto& [i, j] : source_modes) {
    const double x = r * std::sqrt(static_cast<double>(i * i + j * j));
    sum += 2 * j1(x) / x;
  }
  return sum / static_cast<double>(source_modes.size());
}

void Scalar2d::add_to(Shells& shells) {
  transform_.forward(field_.data(), spectrum_.data());
  const double scale = 1 / (transform_.points() * transform_.points());
  shells.add(team_, transform_.spectrum_box(),
             [&](std::size_t i) { return scale * std::norm(spectrum_[i]); });
}

double Scalar2d::variance() const {
  return team_.sum(transform_.field_count(), 4096, [&](Index begin, Index end) {
    double sum = 0;
    for (Index i = begin; i < end; ++i) sum += field_[as_size(i)] * field_[as_size(i)];
    return sum;
  }) / transform_.points();
}

Passes Scalar2d::passes() const { return diffuse_->passes(); }

Picture Scalar2d::picture() const {
  const Box& box = transform_.field_box();
  return gathered(team_, {size_, size_, box.begin[0], box.end[0], {field_.begin(), field_.end()}});
}

std::vector<SavedField> Scalar2d::saved() {
  return {{transform_.shape(), transform_.field_box(), sizeof(double), field_.data()}};
}

}  // namespace weft::apps
