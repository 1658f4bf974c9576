# `find_package(supple)` and `pkg-config supple`.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/supple)
set(installed supple)
if(SUPPLE_IO)
  list(APPEND installed supple_io)
endif()
install(TARGETS ${installed} EXPORT supple_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
                                                   LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
                                                   RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(SUPPLE_IO AND BUILD_SHARED_LIBS)
  # the same run path built and installed: where they differ, CMake fills the shorter one up with colons, and the empty
  # entries between these name the current folder
  set_target_properties(supple_io PROPERTIES INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
endif()
if(TARGET supple_tool)
  install(TARGETS supple_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  # manual pages and completion, as the program itself writes them
  if(NOT CMAKE_CROSSCOMPILING)
    install(CODE "execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/manual.sh $<TARGET_FILE:supple_tool> ${PROJECT_BINARY_DIR}/manual
                                  COMMAND_ERROR_IS_FATAL ANY)")
    install(DIRECTORY ${PROJECT_BINARY_DIR}/manual/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
    install(FILES ${PROJECT_BINARY_DIR}/manual/supple.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME supple)
    install(FILES ${PROJECT_BINARY_DIR}/manual/_supple DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
    install(FILES ${PROJECT_BINARY_DIR}/manual/supple.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  endif()
endif()
# the page of `supple studio`, where it was made (make studio-page)
if(EXISTS ${PROJECT_BINARY_DIR}/web/studio/index.html)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/web/studio DESTINATION ${CMAKE_INSTALL_DATADIR}/supple)
endif()
# the Python package with shared libraries of its own, where it was made (make python): Debian's Python looks there
if(EXISTS ${PROJECT_BINARY_DIR}/python/site/supple/__init__.py)
  find_package(Python3 QUIET COMPONENTS Interpreter)
  if(CMAKE_INSTALL_PREFIX STREQUAL /usr)
    set(python_dir lib/python3/dist-packages)
  else()
    set(python_dir lib/python${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}/dist-packages)
  endif()
  install(DIRECTORY ${PROJECT_BINARY_DIR}/python/site/ DESTINATION ${python_dir})
endif()
install(DIRECTORY include/supple DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT supple_targets NAMESPACE supple:: DESTINATION ${package_dir})
configure_package_config_file(cmake/supple-config.cmake.in ${PROJECT_BINARY_DIR}/supple-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/supple-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/supple-config.cmake ${PROJECT_BINARY_DIR}/supple-config-version.cmake
        DESTINATION ${package_dir})
# the installed folder may be moved: paths are relative to the .pc file
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH SUPPLE_PC_PREFIX /${pkgconfig_dir} /)
# a static library leaves its dependencies to whoever links it; a shared one brings them along
if(NOT BUILD_SHARED_LIBS)
  set(SUPPLE_PC_REQUIRES "jansson assimp")
  if(LIBLO_FOUND)
    string(APPEND SUPPLE_PC_REQUIRES " liblo")
  endif()
  set(SUPPLE_PC_LIBS "-lmeshoptimizer")
endif()
configure_file(cmake/supple.pc.in ${PROJECT_BINARY_DIR}/supple.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/supple.pc DESTINATION ${pkgconfig_dir})
if(SUPPLE_IO)
  configure_file(cmake/supple-io.pc.in ${PROJECT_BINARY_DIR}/supple-io.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/supple-io.pc DESTINATION ${pkgconfig_dir})
endif()
