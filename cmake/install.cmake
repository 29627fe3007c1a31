# SPDX-License-Identifier: BSD-3-Clause
# What `cmake --install` leaves behind: library, public headers, tool, CMake package, pkg-config.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The packages behind the targets that the static library leaves to its clients to link.
get_property(needs GLOBAL PROPERTY WEFT_NEEDS)
list(REMOVE_DUPLICATES needs)
set(WEFT_DEPENDENCIES "")
set(WEFT_LINK_FLAGS "")
foreach(need ${needs})
  if(need STREQUAL "OpenMP::OpenMP_CXX")
    string(APPEND WEFT_DEPENDENCIES "find_dependency(OpenMP COMPONENTS CXX)\n")
    string(APPEND WEFT_LINK_FLAGS " -fopenmp")
  elseif(need STREQUAL "Threads::Threads")
    string(APPEND WEFT_DEPENDENCIES "find_dependency(Threads)\n")
    string(APPEND WEFT_LINK_FLAGS " -pthread")
  elseif(need MATCHES "^[a-z]+$")
    string(APPEND WEFT_LINK_FLAGS " -l${need}")
  elseif(IS_ABSOLUTE "${need}")
    string(APPEND WEFT_LINK_FLAGS " ${need}")
  else()
    message(FATAL_ERROR "weft links ${need}: tell cmake/install.cmake which package provides it")
  endif()
endforeach()
if(BUILD_SHARED_LIBS)  # the library itself knows what it needs
  set(WEFT_DEPENDENCIES "")
  set(WEFT_LINK_FLAGS "")
endif()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
configure_package_config_file(cmake/weft-config.cmake.in weft-config.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(weft-config-version.cmake COMPATIBILITY SameMinorVersion)
# Prefix relative to the .pc file, so that the installed tree may be moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX OUTPUT_VARIABLE WEFT_PC_TO_PREFIX
           BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
configure_file(cmake/weft.pc.in weft.pc @ONLY)

install(TARGETS weft EXPORT weft)
install(DIRECTORY include/weft TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp")
install(EXPORT weft NAMESPACE weft:: DESTINATION ${package_folder})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/weft-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/weft-config-version.cmake
        DESTINATION ${package_folder})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/weft.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES LICENSE TYPE DOC)
# To copy and edit: the tool has them inside as well.
install(DIRECTORY src/fabric/machines DESTINATION ${CMAKE_INSTALL_DATADIR}/weft)
if(TARGET weft_tool)
  install(TARGETS weft_tool)
endif()
# One small library and one plugin of the tool per MPI; weft-config.cmake finds the client's MPI.
foreach(mpi ${weft_mpis})
  install(TARGETS weft_${mpi} EXPORT weft)
  if(TARGET weft_tool)
    install(TARGETS weft_mpi_plugin_${mpi} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/weft)
  endif()
endforeach()
