// SPDX-License-Identifier: BSD-3-Clause
// Matrices in cache whose rows are shorter than a register: the lanes that are left over read the
// points after each row. They must change no result, and read nothing after the array.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <complex>
#include <string>

#include "codelet/runtime/isa.hpp"
#include "codelet/runtime/names.hpp"
#include "support/oracle.hpp"
#include "support/run_plan.hpp"
#include "weft/plan.hpp"

namespace weft::local {
namespace {

struct Narrow {
  Index n;
  std::string recipe;
};

/// Rows of one point less than a register has lanes, on each instruction set that has such kernels.
std::vector<Narrow> narrow_recipes(Precision precision) {
  std::vector<Narrow> list;
  for (codelet::Isa isa : codelet::available_isas()) {
    const int lanes = codelet::lanes(isa, precision), n2 = lanes - 1;
    if (n2 != 7 && n2 != 15) continue;
    list.push_back({Index{21} * n2, std::string("axes 1: ") + to_string(isa) + ":four_step(7.3," +
                                        std::to_string(n2) + ")"});
  }
  return list;
}

/// Memory that ends where its page does.
class PagesBeforeNone {
 public:
  explicit PagesBeforeNone(std::size_t bytes)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        bytes_(bytes),
        pages_((bytes + page_ - 1) / page_ + 1),
        map_(static_cast<char*>(mmap(nullptr, pages_ * page_, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    mprotect(map_ + (pages_ - 1) * page_, page_, PROT_NONE);
  }
  ~PagesBeforeNone() { munmap(map_, pages_ * page_); }
  PagesBeforeNone(const PagesBeforeNone&) = delete;
  PagesBeforeNone& operator=(const PagesBeforeNone&) = delete;
  template <class T>
  T* data() const {
    return reinterpret_cast<T*>(map_ + (pages_ - 1) * page_ - bytes_);
  }

 private:
  std::size_t page_, bytes_, pages_;
  char* map_;
};

template <class Real>
void check_the_end(Precision precision) {
  using Point = std::complex<Real>;
  for (const auto& [n, recipe] : narrow_recipes(precision))
    for (Index batch : {1, 2, 5}) {
      const auto points = static_cast<std::size_t>(n * batch);
      const PagesBeforeNone in(points * sizeof(Point)), out(points * sizeof(Point));
      const Plan plan(c2c({batch, n}, {.axes = {1}, .precision = precision}), Layout{}, Layout{},
                      {.threads = 2, .use_wisdom = false, .recipe = recipe});
      std::fill_n(in.data<Point>(), points, Point(1));
      plan.execute(in.data<Point>(), out.data<Point>());
      for (std::size_t i = 0; i < points; ++i) {
        const Real wanted = i % static_cast<std::size_t>(n) == 0 ? static_cast<Real>(n) : 0;
        ASSERT_NEAR(out.data<Point>()[i].real(), wanted, 1e-3) << recipe << " " << i;
      }
    }
}

TEST(NarrowMatrices, ReadNothingAfterTheArray) {
  check_the_end<float>(Precision::f32);
  check_the_end<double>(Precision::f64);
}

TEST(NarrowMatrices, TransformLinesThatTouchAndLinesThatDoNot) {
  for (Precision precision : {Precision::f32, Precision::f64}) {
    for (const auto& [n, recipe] : narrow_recipes(precision))
      for (Index batch : {1, 4})
        for (bool backward : {false, true}) {
          const Transform transform =
              c2c({batch, n}, {.axes = {1},
                               .direction = backward ? Direction::backward : Direction::forward,
                               .normalization = Normalization::backward,
                               .precision = precision});
          const test::Field input =
              test::rounded(test::random_field({batch, n}, true, 11), precision);
          const test::Field wanted = test::expected(transform, input);
          for (Index gap : {0, 3})
            for (bool in_place : {false, true}) {
              const Layout layout{.strides = {n + gap, 1}};
              const auto result = test::run_plan(transform, input,
                                                 {.input = layout,
                                                  .output = layout,
                                                  .in_place = in_place,
                                                  .plan = {.threads = 3, .recipe = recipe}});
              EXPECT_LT(test::relative_error(result.output, wanted), test::tolerance(precision, n))
                  << recipe << " " << batch << " " << gap << in_place;
              EXPECT_TRUE(result.input_kept && result.guards_intact) << recipe;
            }
        }
  }
}

}  // namespace
}  // namespace weft::local
