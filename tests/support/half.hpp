// SPDX-License-Identifier: BSD-3-Clause
// Halves by arithmetic: conversion as weft does it would hide errors of its own.
#pragma once

#include "weft/types.hpp"

namespace weft::test {

double half_to_double(Half h);
Half double_to_half(double value);  ///< to nearest, ties to even; overflow becomes infinity

}  // namespace weft::test
