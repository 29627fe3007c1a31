// SPDX-License-Identifier: BSD-3-Clause
#include "bench/convolution.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <ctime>
#include <functional>

#include "base/buffer.hpp"
#include "base/names.hpp"
#include "local/choose/machine_model.hpp"
#include "spectral/choose_operator.hpp"
#include "timing.hpp"

namespace weft::tool {
namespace {

/// exp(-m^2 / 2 w^2) for every mode of every axis.
template <class Real>
std::vector<std::vector<Real>> gaussians(const ConvolutionRow& row) {
  std::vector<std::vector<Real>> tables;
  for (std::size_t d = 0; d < row.shape.size(); ++d) {
    const Index n = row.shape[d];
    const bool is_halved = row.kind == Kind::r2c && d + 1 == row.shape.size();
    std::vector<Real> table;
    for (Index i = 0; i < (is_halved ? n / 2 + 1 : n); ++i) {
      const double m = static_cast<double>(2 * i <= n ? i : i - n) / static_cast<double>(n);
      table.push_back(static_cast<Real>(std::exp(-20 * m * m)));
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

/// Multiplies a tile, row by row.
template <class Real>
void multiply(const ModeTile<Real>& tile, const std::vector<std::vector<Real>>& tables,
              std::size_t d, Real factor, std::complex<Real>* at) {
  const auto& dimension = tile.dimensions[d];
  const Real* table = tables[d].data() + dimension.begin;
  if (d + 1 < tile.dimensions.size()) {
    for (Index i = 0; i < dimension.extent; ++i)
      multiply(tile, tables, d + 1, factor * table[i], at + i * dimension.stride);
    return;
  }
  for (Index i = 0; i < dimension.extent; ++i) at[i] *= factor * table[i];
}

template <class Real>
class Convolution {
 public:
  Convolution(const ConvolutionRow& row, const ConvolutionOptions& options, Fftw* fftw)
      : row_(row), options_(options), tables_(gaussians<Real>(row)) {
    const TransformOptions precise{.precision = row.precision};
    forward_ = row.kind == Kind::c2c ? c2c(row.shape, precise) : r2c(row.shape, precise);
    points_ = modes_ = 1;
    for (Index n : row.shape) points_ *= n;
    for (const auto& table : tables_) modes_ *= static_cast<Index>(table.size());
    in_ = Buffer<Real>(points_ * width());
    out_ = Buffer<Real>(points_ * width());
    wanted_ = Buffer<Real>(points_ * width());
    spectrum_ = Buffer<std::complex<Real>>(modes_);
    if (fftw != nullptr) plan_fftw(*fftw);  // which overwrites the arrays
    fill_random(in_.data(), static_cast<std::size_t>(in_.size()) * sizeof(Real), row.precision);
  }

  ConvolutionResult run() {
    ConvolutionResult result{.row = row_, .fftw_s = {}, .explanation = {}, .ways = {}};
    const SpectralOperator op(forward_, multiplying(),
                              {.effort = options_.effort,
                               .threads = row_.threads,
                               .time_limit_s = options_.time_limit_s,
                               .use_wisdom = options_.use_wisdom});
    Transform inverted = inverse(forward_);
    inverted.normalization = Normalization::backward;
    const PlanOptions plan_options{.effort = options_.effort,
                                   .threads = row_.threads,
                                   .time_limit_s = options_.time_limit_s,
                                   .use_wisdom = options_.use_wisdom};
    const Plan there(forward_, plan_options), back(inverted, plan_options);
    Workspace workspace(
        std::max({op.workspace_bytes(), there.workspace_bytes(), back.workspace_bytes()}));
    const auto by_operator = [&] { execute(op, workspace); };
    const auto by_steps = [&] {
      execute(there, in_.data(), spectrum_.data(), workspace);
      sweep(1);
      execute(back, spectrum_.data(), wanted_.data(), workspace);
    };
    const auto by_fftw = [&] {
      fftw_there_();
      sweep(1 / static_cast<Real>(points_));
      fftw_back_();
    };
    by_steps();
    by_operator();
    result.difference = difference();
    std::vector<TimedWay> ways;
    if (options_.all_ways) ways = other_ways();
    std::vector<double> operator_s, steps_s, fftw_s;
    const auto time = [&](const std::function<void()>& body) {
      const Stopwatch watch;
      const std::clock_t start = std::clock();
      body();
      if (!options_.processor_time) return watch.seconds();
      return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    };
    if (fftw_there_) by_fftw();
    for (int round = 0; round < options_.rounds; ++round) {
      operator_s.push_back(time(by_operator));
      steps_s.push_back(time(by_steps));
      if (fftw_there_) fftw_s.push_back(time(by_fftw));
      for (TimedWay& way : ways)
        for (std::size_t part = 0; part < way.parts_s.size(); ++part)
          way.parts_s[part].push_back(time([&] { way.run(static_cast<int>(part)); }));
    }
    for (const TimedWay& way : ways) result.ways.push_back(way.summary());
    result.operator_s = median(operator_s);
    result.steps_s = median(steps_s);
    if (!fftw_s.empty()) result.fftw_s = median(fftw_s);
    result.passes = op.passes();
    result.explanation = op.explain();
    return result;
  }

 private:
  /// The operator in one of its ways, whose sweeps are timed apart.
  struct TimedWay {
    std::string name;
    std::shared_ptr<const spectral::RunnableOperator> built;
    std::shared_ptr<Buffer<std::byte>> workspace;
    const void* in;
    void* out;
    std::vector<std::vector<double>> parts_s = {};

    void run(int part) const { built->execute_part(part, &in, &out, workspace->data()); }
    WayTimes summary() const {
      WayTimes times{name, {}, built->explain()};
      for (const auto& part : parts_s) times.parts_s.push_back(median(part));
      return times;
    }
  };
  std::vector<TimedWay> other_ways() {
    const ModeFunction function = multiplying();
    const spectral::OperatorProblem problem = spectral::check_operator(forward_, function, {});
    const spectral::OperatorChoice choice{
        .effort = options_.effort,
        .time_limit_s = options_.time_limit_s / 4,
        .use_wisdom = options_.use_wisdom,
        .executor = row_.threads == 1 ? serial_executor() : openmp_executor(row_.threads)};
    std::vector<TimedWay> ways;
    for (const spectral::OperatorWay& way :
         spectral::ways_of(problem, row_.threads, local::machine_model())) {
      TimedWay timed{to_text(way),
                     spectral::make_operator(problem, way, function, choice),
                     {},
                     in_.data(),
                     out_.data()};
      timed.workspace =
          std::make_shared<Buffer<std::byte>>(static_cast<Index>(timed.built->workspace_bytes()));
      timed.parts_s.resize(static_cast<std::size_t>(timed.built->parts()));
      for (int part = 0; part < timed.built->parts(); ++part) timed.run(part);
      ways.push_back(std::move(timed));
    }
    return ways;
  }
  ModeFunction multiplying() {
    return ModeFunction([this](const ModeTile<Real>& tile) {
      multiply(tile, tables_, 0, Real{1}, tile.fields[0]);
    });
  }

  Index width() const { return row_.kind == Kind::c2c ? 2 : 1; }

  void plan_fftw(Fftw& fftw) {
    FftwProblem problem{.transformed = {},
                        .batch = {},
                        .kind = row_.kind,
                        .in = in_.data(),
                        .out = spectrum_.data(),
                        .threads = row_.threads};
    Index in_stride = 1, out_stride = 1;
    for (std::size_t d = row_.shape.size(); d-- > 0;) {
      problem.transformed.insert(problem.transformed.begin(),
                                 {row_.shape[d], in_stride, out_stride});
      in_stride *= row_.shape[d];
      out_stride *= static_cast<Index>(tables_[d].size());
    }
    fftw_there_ = fftw.plan(problem, row_.precision);
    FftwProblem inverted = problem;
    inverted.kind = row_.kind == Kind::c2c ? Kind::c2c : Kind::c2r;
    inverted.direction = Direction::backward;
    inverted.in = spectrum_.data();
    inverted.out = out_.data();
    for (auto& dimension : inverted.transformed)
      std::swap(dimension.in_stride, dimension.out_stride);
    fftw_back_ = fftw.plan(inverted, row_.precision);
    if (!fftw_there_ || !fftw_back_) fftw_there_ = fftw_back_ = nullptr;
  }

  void execute(const SpectralOperator& op, Workspace& workspace) {
    if (row_.kind == Kind::c2c)
      op.execute(reinterpret_cast<const std::complex<Real>*>(in_.data()),
                 reinterpret_cast<std::complex<Real>*>(out_.data()), workspace);
    else
      op.execute(in_.data(), out_.data(), workspace);
  }
  void execute(const Plan& plan, const void* in, void* out, Workspace& workspace) {
    using Complex = std::complex<Real>;
    if (row_.kind == Kind::c2c)
      plan.execute(static_cast<const Complex*>(in), static_cast<Complex*>(out), workspace);
    else if (plan.transform().kind == Kind::r2c)
      plan.execute(static_cast<const Real*>(in), static_cast<Complex*>(out), workspace);
    else
      plan.execute(static_cast<const Complex*>(in), static_cast<Real*>(out), workspace);
  }

  /// The spectrum times the Gaussian, by all threads.
  void sweep(Real scale) {
    const Index rows = static_cast<Index>(tables_[0].size());
    const Index row_modes = modes_ / rows;
    const int tasks = static_cast<int>(std::min<Index>(row_.threads, rows));
    const auto body = [&](int task) {
      std::vector<typename ModeTile<Real>::Dimension> dimensions(tables_.size());
      Index stride = 1;
      for (std::size_t d = tables_.size(); d-- > 0;) {
        dimensions[d].extent = static_cast<Index>(tables_[d].size());
        dimensions[d].stride = stride;
        stride *= dimensions[d].extent;
      }
      dimensions[0].begin = rows * task / tasks;
      dimensions[0].extent = rows * (task + 1) / tasks - dimensions[0].begin;
      const ModeTile<Real> tile{dimensions, nullptr, static_cast<int>(tables_.size())};
      multiply(tile, tables_, 0, scale, spectrum_.data() + dimensions[0].begin * row_modes);
    };
    if (!executor_)
      executor_ = row_.threads == 1 ? serial_executor() : openmp_executor(row_.threads);
    executor_->run(tasks, body);
  }

  double difference() {
    double error = 0, norm = 0;
    for (Index i = 0; i < out_.size(); ++i) {
      const double wanted = static_cast<double>(wanted_[i]);
      error += (static_cast<double>(out_[i]) - wanted) * (static_cast<double>(out_[i]) - wanted);
      norm += wanted * wanted;
    }
    return std::sqrt(error / norm);
  }

  const ConvolutionRow& row_;
  const ConvolutionOptions& options_;
  std::vector<std::vector<Real>> tables_;
  Transform forward_;
  Index points_ = 1, modes_ = 1;
  Buffer<Real> in_, out_, wanted_;
  Buffer<std::complex<Real>> spectrum_;
  std::function<void()> fftw_there_, fftw_back_;
  std::shared_ptr<const Executor> executor_;
};

}  // namespace

std::string label(const ConvolutionRow& row) {
  return fmt::format("{} {} {} {} threads", fmt::join(row.shape, "x"), to_string(row.kind),
                     to_string(row.precision), row.threads);
}

ConvolutionResult measure(const ConvolutionRow& row, const ConvolutionOptions& options,
                          Fftw* fftw) {
  if (row.precision == Precision::f64) return Convolution<double>(row, options, fftw).run();
  return Convolution<float>(row, options, fftw).run();
}

}  // namespace weft::tool
