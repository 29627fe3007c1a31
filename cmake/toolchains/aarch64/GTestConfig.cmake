# SPDX-License-Identifier: BSD-3-Clause
# GoogleTest from the sources that Debian's libgtest-dev brings along.
if(NOT TARGET GTest::gtest_main)
  set(INSTALL_GTEST OFF)
  set(BUILD_GMOCK OFF)
  add_subdirectory(/usr/src/googletest ${CMAKE_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
endif()
