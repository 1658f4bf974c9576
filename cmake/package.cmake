# make deb: the command line, the libraries and their headers as one Debian package.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME supple)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "the authors of Supple <supple@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "makes animated characters soft")
set(CPACK_PACKAGE_DESCRIPTION "A rigged, animated character goes in (glTF, FBX, Collada, BVH); the same animation comes out with
flesh that swings, keeps its volume and dents when it is touched: a command line, a C library and
six published methods behind one character model.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS fonts-dejavu-core)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ffmpeg)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libjansson-dev, libmeshoptimizer-dev, libassimp-dev, liblo-dev")
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_BINARY_DIR}/packages)
include(CPack)
