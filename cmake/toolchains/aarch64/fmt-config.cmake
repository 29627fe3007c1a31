# SPDX-License-Identifier: BSD-3-Clause
# fmt from the host's headers, compiled into whoever uses it.
if(NOT TARGET fmt::fmt)
  add_library(fmt::fmt-header-only INTERFACE IMPORTED GLOBAL)
  target_compile_definitions(fmt::fmt-header-only INTERFACE FMT_HEADER_ONLY=1)
  add_library(fmt::fmt ALIAS fmt::fmt-header-only)
endif()
