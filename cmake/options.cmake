# SPDX-License-Identifier: BSD-3-Clause
option(WEFT_TESTS "Build tests and examples" ${PROJECT_IS_TOP_LEVEL})
option(WEFT_WERROR "Treat warnings as errors" OFF)
option(WEFT_CCACHE "Compile through ccache where it is installed" ON)
set(WEFT_SANITIZE "" CACHE STRING "Sanitizers to build with, e.g. address,undefined or thread")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)  # weft::weft links what its folders have found

find_program(WEFT_CCACHE_PROGRAM ccache)
if(WEFT_CCACHE AND WEFT_CCACHE_PROGRAM AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${WEFT_CCACHE_PROGRAM})
endif()

# Usage requirements of every target of this repository, never of its clients. GCC 12 warns of
# overlaps in plain std::string concatenation (-Wrestrict) where there are none.
add_library(weft_build_flags INTERFACE)
target_compile_options(weft_build_flags INTERFACE -Wall -Wextra -Wno-psabi -Wno-restrict
                       $<$<BOOL:${CMAKE_UNITY_BUILD}>:-Wno-subobject-linkage>
                       $<$<BOOL:${WEFT_WERROR}>:-Werror>)
if(WEFT_SANITIZE)
  target_compile_options(weft_build_flags INTERFACE
                         -fsanitize=${WEFT_SANITIZE} -fno-sanitize-recover=all
                         -fno-omit-frame-pointer)
  target_link_options(weft_build_flags INTERFACE -fsanitize=${WEFT_SANITIZE})
endif()

# weft_precompile(TARGET HEADERS...): reads heavy headers once, where there is no ccache: that does
# as well for a second build, and does not go with precompiled headers.
function(weft_precompile target)
  if(NOT WEFT_CCACHE OR NOT WEFT_CCACHE_PROGRAM)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# weft_library(NAME SOURCES... [LINK targets...]): one folder of src/ as one static target. The
# folders of src/ together become the library weft::weft (cmake/install.cmake).
function(weft_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/src/")
    set_property(GLOBAL APPEND PROPERTY WEFT_PARTS ${name})
  endif()
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                                            $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  target_link_libraries(${name} PUBLIC ${arg_LINK}
                        PRIVATE $<BUILD_INTERFACE:weft_build_flags> ${arg_PRIVATE_LINK})
endfunction()

# weft_test(NAME SOURCES... LINK targets...): one GoogleTest binary, one ctest entry.
function(weft_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${arg_LINK} weft_build_flags GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
endfunction()
