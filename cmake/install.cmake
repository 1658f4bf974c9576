# `find_package(supple)` and `pkg-config supple`.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/supple)
set(installed supple)
if(SUPPLE_IO)
  list(APPEND installed supple_io)
endif()
install(TARGETS ${installed} EXPORT supple_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
                                                   LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
                                                   RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET supple_tool)
  install(TARGETS supple_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY include/supple DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT supple_targets NAMESPACE supple:: DESTINATION ${package_dir})
configure_package_config_file(cmake/supple-config.cmake.in ${CMAKE_BINARY_DIR}/supple-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/supple-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/supple-config.cmake ${CMAKE_BINARY_DIR}/supple-config-version.cmake
        DESTINATION ${package_dir})
configure_file(cmake/supple.pc.in ${CMAKE_BINARY_DIR}/supple.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/supple.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(SUPPLE_IO)
  configure_file(cmake/supple-io.pc.in ${CMAKE_BINARY_DIR}/supple-io.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/supple-io.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
