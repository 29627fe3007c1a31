// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "formula/rules/rules.hpp"
#include "support/matrices.hpp"

namespace weft::formula {
namespace {

TEST(PairedCooleyTukey, EveryChoiceEqualsTheDftMatrix) {
  EXPECT_GT((proved_choices<Dft, paired_cooley_tukey>(2, 48)), 0);
}

}  // namespace
}  // namespace weft::formula
