// SPDX-License-Identifier: BSD-3-Clause
#include "comm/agree.hpp"
#include "tune/wisdom_store.hpp"
#include "weft/wisdom.hpp"

namespace weft::wisdom {

void gather(const Comm& comm) {
  std::string all, measured;
  agree(comm, [&] {
    all = tune::wisdom_text(tune::WisdomPart::all);
    measured = tune::wisdom_text(tune::WisdomPart::measured);
  });
  // What comes later replaces what was there: what was measured is last, and the lowest rank.
  for (const std::string& mine : {all, measured}) {
    const std::vector<std::string> texts = gather_texts(comm, mine);
    agree(comm, [&] {
      for (std::size_t rank = texts.size(); rank-- > 0;) from_string(texts[rank]);
    });
  }
}

}  // namespace weft::wisdom
