# SPDX-License-Identifier: BSD-3-Clause
# What `cmake --install` installs: library, public headers, tool, CMake package, pkg-config.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# What the static library leaves to its clients to link, by names that every compiler driver knows.
# OpenMP is the client's own, so that a program has one OpenMP runtime.
get_property(needs GLOBAL PROPERTY WEFT_NEEDS)
list(REMOVE_DUPLICATES needs)
set(WEFT_LINK_LIBRARIES "")
set(WEFT_LINKS_OPENMP FALSE)
foreach(need ${needs})
  if(need STREQUAL "OpenMP::OpenMP_CXX")
    set(WEFT_LINKS_OPENMP TRUE)
  elseif(need STREQUAL "Threads::Threads")
    list(APPEND WEFT_LINK_LIBRARIES -pthread)
  elseif(need MATCHES "^[a-z]+$")
    list(APPEND WEFT_LINK_LIBRARIES -l${need})
  elseif(IS_ABSOLUTE "${need}")
    list(APPEND WEFT_LINK_LIBRARIES ${need})
  else()
    message(FATAL_ERROR "weft links ${need}: tell cmake/install.cmake what clients are to link")
  endif()
endforeach()
# The C++ runtime, for clients that are not linked as C++.
set(WEFT_CXX_RUNTIME ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(FILTER WEFT_CXX_RUNTIME INCLUDE REGEX "^(stdc\\+\\+|c\\+\\+|c\\+\\+abi|m)$")
list(REMOVE_DUPLICATES WEFT_CXX_RUNTIME)
list(TRANSFORM WEFT_CXX_RUNTIME PREPEND -l)
if(BUILD_SHARED_LIBS)  # the library itself knows what it needs
  set(WEFT_LINK_LIBRARIES "")
  set(WEFT_LINKS_OPENMP FALSE)
  set(WEFT_CXX_RUNTIME "")
endif()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
configure_package_config_file(cmake/weft-config.cmake.in weft-config.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(weft-config-version.cmake COMPATIBILITY SameMinorVersion)
# Prefix relative to the .pc file, so that the installed tree may be moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX OUTPUT_VARIABLE WEFT_PC_TO_PREFIX
           BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
set(pc_flags "")
if(NOT BUILD_SHARED_LIBS)
  set(pc_flags ${WEFT_LINK_LIBRARIES} ${WEFT_CXX_RUNTIME})
  if(WEFT_LINKS_OPENMP)
    list(PREPEND pc_flags -fopenmp)
  endif()
endif()
list(JOIN pc_flags " " WEFT_PC_FLAGS)
configure_file(cmake/weft.pc.in weft.pc @ONLY)
set(pc_files weft.pc)

install(TARGETS weft EXPORT weft)
install(DIRECTORY include/weft TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
# Not weft.cmake: it would include every weft-*.cmake beside it, weft-config.cmake among them.
install(EXPORT weft FILE weft-targets.cmake NAMESPACE weft:: DESTINATION ${package_folder})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/weft-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/weft-config-version.cmake
        DESTINATION ${package_folder})

# One small library and one plugin of the tool per MPI; weft-config.cmake finds the client's MPI.
# weft-mpi.pc is for the first of them.
foreach(WEFT_MPI_NAME ${weft_mpis})
  install(TARGETS weft_${WEFT_MPI_NAME} EXPORT weft)
  if(TARGET weft_tool)
    install(TARGETS weft_mpi_plugin_${WEFT_MPI_NAME} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/weft)
  endif()
  configure_file(cmake/weft-mpi.pc.in weft-${WEFT_MPI_NAME}.pc @ONLY)
  list(APPEND pc_files weft-${WEFT_MPI_NAME}.pc)
  if(NOT weft-mpi.pc IN_LIST pc_files)
    configure_file(cmake/weft-mpi.pc.in weft-mpi.pc @ONLY)
    list(APPEND pc_files weft-mpi.pc)
  endif()
endforeach()

# The Fortran modules for this compiler, and their sources for others.
if(TARGET weft_fortran)
  install(TARGETS weft_fortran EXPORT weft)
  get_target_property(modules weft_fortran Fortran_MODULE_DIRECTORY)
  get_target_property(module_sources weft_fortran BINARY_DIR)
  install(FILES ${modules}/weft.mod ${modules}/weft_mpi.mod ${module_sources}/weft.f90
                bindings/fortran/weft_mpi.f90
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weft)
  configure_file(cmake/weft-fortran.pc.in weft-fortran.pc @ONLY)
  list(APPEND pc_files weft-fortran.pc)
endif()
list(TRANSFORM pc_files PREPEND ${CMAKE_CURRENT_BINARY_DIR}/)
install(FILES ${pc_files} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES LICENSE README.md CHANGELOG.md CITATION.cff TYPE DOC)
install(DIRECTORY docs/ TYPE DOC)
install(DIRECTORY examples TYPE DOC)
# To copy and edit: the tool has them inside as well.
install(DIRECTORY src/fabric/machines DESTINATION ${CMAKE_INSTALL_DATADIR}/weft)
if(TARGET weft_tool)
  install(TARGETS weft_tool)
  install(FILES $<TARGET_PROPERTY:weft_man_page,MAN_PAGE> DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
get_property(programs GLOBAL PROPERTY WEFT_APP_TARGETS)
foreach(program ${programs})
  install(TARGETS ${program})
endforeach()
