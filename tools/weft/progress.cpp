// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "streams.hpp"
#include "text.hpp"

namespace weft::tool {

Progress::Progress(ShowProgress show, double total)
    : shown_(show == ShowProgress::always ||
             (show == ShowProgress::on_terminal && isatty(STDERR_FILENO) != 0)),
      total_(std::max(total, 1e-300)) {}

Progress::~Progress() { clear(); }

void Progress::phase(const std::string& name) {
  phase_ = name;
  draw();
}

void Progress::advance(double amount) {
  done_ = std::min(done_ + amount, total_);
  using namespace std::chrono_literals;
  if (done_ >= total_ || Clock::now() - last_drawn_ > 100ms) draw();
}

void Progress::clear() {
  if (!drawn_) return;
  tell("\r\033[K");
  drawn_ = false;
}

void Progress::draw() {
  if (!shown_) return;
  last_drawn_ = Clock::now();
  const double elapsed = std::chrono::duration<double>(last_drawn_ - start_).count();
  const double fraction = done_ / total_;
  std::string left;
  if (fraction > 0.02 && fraction < 1 && elapsed > 0.5)
    left = fmt::format(", {} left", seconds_text(elapsed * (1 - fraction) / fraction));
  tell(fmt::format("\r\033[K[{}] {:3.0f} %  {}{}", bar(fraction, 30), 100 * fraction, phase_, left)
           .c_str());
  drawn_ = true;
}

}  // namespace weft::tool
