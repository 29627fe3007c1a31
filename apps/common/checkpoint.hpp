// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints: the state of a program in one file. All ranks write their parts into a temporary
// file, which is then renamed: there is always a whole checkpoint, the old one or the new one.
// Fields lie in natural order, so a run may go on with another number of ranks.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/team.hpp"

namespace weft::apps {

/// Numbers with names: parameters, times, series. The same on all ranks.
using SavedNumbers = std::map<std::string, std::vector<double>>;

/// This rank's box of a field, contiguous and row-major.
struct SavedField {
  std::vector<Index> shape;  ///< of the whole field
  Box box;
  Index element_bytes = 8;
  void* data = nullptr;
};

/// Collective, as all functions here. Throws weft::Error on all ranks.
void write_checkpoint(const Team& team, const std::string& path, const std::string& program,
                      const SavedNumbers& numbers, const std::vector<SavedField>& fields);

/// The numbers of a checkpoint. Refuses files of other programs.
SavedNumbers read_checkpoint_numbers(const Team& team, const std::string& path,
                                     const std::string& program);
/// Fills the fields, which must have the shapes that were written.
void read_checkpoint_fields(const Team& team, const std::string& path,
                            const std::vector<SavedField>& fields);

/// Refuses a checkpoint that was made with another value of a parameter.
void expect_same(const SavedNumbers& numbers, const std::string& name, double value);

}  // namespace weft::apps
