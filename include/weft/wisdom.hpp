// SPDX-License-Identifier: BSD-3-Clause
// Wisdom: the fastest measured recipes, stored per CPU and problem, as in FFTW. There is one store
// per process; several threads may use it. On disk it is a JSON file with a version number; many
// processes may read and write one file. A recipe that a plan cannot use (damaged, or from another
// build) is ignored.
#pragma once

#include <cstddef>
#include <string>

#include "weft/export.h"

namespace weft {
class Comm;
}

namespace weft::wisdom {

/// Merges a file into the store. Throws Error with code io if the file is missing or unreadable,
/// and with code wisdom if it is damaged, has another version or is not a wisdom file; the store is
/// then unchanged. Entries of other CPUs are stored but not used here; entries that this version of
/// weft does not know are skipped.
WEFT_API void load(const std::string& path);
/// Merges the store into the file and replaces the file in one step, under a lock: entries of other
/// processes and other versions of weft are kept. Recipes measured by this process replace those in
/// the file; loaded recipes are only added where the file has none. A file that load() would refuse
/// is not changed, and save() throws the same error; it also throws for anything that is not a
/// regular, writable file.
WEFT_API void save(const std::string& path);
/// The whole store as the text of a wisdom file.
WEFT_API std::string to_string();
/// Merges such a text into the store, as load() does a file.
WEFT_API void from_string(const std::string& text);
/// Collective: every rank then has the recipes of all ranks. If several ranks have a recipe for one
/// problem, that of the lowest rank which measured it is kept, else that of the lowest rank; so all
/// ranks make the same plans.
WEFT_API void gather(const Comm& comm);
/// Where the tool keeps wisdom: $WEFT_WISDOM, or weft/wisdom.json in the user's cache folder.
WEFT_API std::string default_path();
/// load(default_path()) if that file exists. Returns the error message, or an empty string.
WEFT_API std::string load_default() noexcept;
WEFT_API void forget();
WEFT_API std::size_t size();

}  // namespace weft::wisdom
