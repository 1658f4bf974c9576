# Files of a folder of src/. A new file needs no line anywhere.
function(supple_sources variable)
  set(found)
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.c ${PROJECT_SOURCE_DIR}/src/${folder}/*.h)
    list(APPEND found ${files})
  endforeach()
  list(FILTER found EXCLUDE REGEX "_kernel\\.c$")
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# What makes a bug harder to exploit (docs/security.md; test/package/hardening.sh checks the result): canaries, checked
# C library calls, shadow stacks, and nothing writable that could be executed or redirected.
function(supple_harden target)
  if(NOT CMAKE_SYSTEM_NAME STREQUAL Linux)
    return()
  endif()
  target_compile_options(${target} PRIVATE -fstack-protector-strong -fstack-clash-protection)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
    target_compile_options(${target} PRIVATE -fcf-protection=full)
  endif()
  if(NOT SUPPLE_SANITIZE)
    # needs an optimiser, and hides what sanitizers would find
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE>
                                             $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-D_FORTIFY_SOURCE=2>)
  endif()
  target_link_options(${target} PRIVATE LINKER:-z,relro,-z,now,-z,noexecstack)
endfunction()

# Warnings and the arithmetic that every target shares: the same bits on every machine (no contraction), square roots
# without errno so that loops vectorise.
function(supple_compile target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes
                                           -Wvla -Wundef -Wpointer-arith -Wcast-qual -Wno-psabi -fno-math-errno -ffp-contract=off
                                           # no trace of where it was built: the same bytes everywhere
                                           $<$<CONFIG:Release>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>)
  if(SUPPLE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  supple_harden(${target})
endfunction()

function(supple_library target)
  supple_compile(${target})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
                                       PRIVATE ${PROJECT_SOURCE_DIR}/src)
  if(BUILD_SHARED_LIBS)
    target_compile_definitions(${target} PUBLIC SUPPLE_SHARED PRIVATE SUPPLE_BUILDING)
  endif()
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden VERSION ${PROJECT_VERSION}
                                             SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endfunction()

# Device code with all that it includes, as a C array; see cmake/embed_device.cmake.
function(supple_device_code target source name)
  set(output ${PROJECT_BINARY_DIR}/${name}.c)
  # what it is made of may be any of these
  file(GLOB_RECURSE parts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cl ${PROJECT_SOURCE_DIR}/src/*_math.h)
  list(APPEND parts ${PROJECT_SOURCE_DIR}/include/supple/math.h)
  foreach(part math/matrix.h math/rotation.c math/svd.c character/dual_joint.c volume/binding/bind_turn.h method/position/slack.h
               method/position/crowd_layout.h)
    list(APPEND parts ${PROJECT_SOURCE_DIR}/src/${part})
  endforeach()
  add_custom_command(OUTPUT ${output}
                     COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DSOURCE=${source} -DNAME=${name} -DOUTPUT=${output}
                             -P ${PROJECT_SOURCE_DIR}/cmake/embed_device.cmake
                     DEPENDS ${parts} ${PROJECT_SOURCE_DIR}/cmake/embed_device.cmake VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()

# Every *_kernel.c is compiled once per instruction set; see src/core/wide.h.
function(supple_kernels target)
  file(GLOB_RECURSE kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*_kernel.c)
  set(sets base)
  if(SUPPLE_AVX2 AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
    list(APPEND sets avx2)
    target_compile_definitions(${target} PRIVATE SUP_HAVE_AVX2=1)
  endif()
  # written out lane by lane for every width: -O3 takes four times as long as -O2 for the same code
  set_source_files_properties(src/method/lattice/sums_kernel.c PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O2>)
  if(SUPPLE_SANITIZE MATCHES fuzzer)
    # clang needs minutes and a gigabyte for its checks of addresses; those of gcc (preset asan) run over it
    set_property(SOURCE src/method/lattice/sums_kernel.c APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=address,undefined)
  endif()
  foreach(set IN LISTS sets)
    set(objects supple_kernels_${set})
    add_library(${objects} OBJECT ${kernels})
    supple_library(${objects})
    target_compile_definitions(${objects} PRIVATE SUP_KERNEL_SET=${set})
    if(SUPPLE_SANITIZE MATCHES address AND SUPPLE_SANITIZE MATCHES undefined)
      # the address sanitizer finds the same where such a pointer is used; asking twice takes a third more time to compile
      target_compile_options(${objects} PRIVATE -fno-sanitize=null,object-size)
    endif()
    if(set STREQUAL avx2)
      target_compile_options(${objects} PRIVATE -mavx2)
    endif()
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
  endforeach()
endfunction()

# Links web/jansson, under other names, and jansson into one program (test/web/json_table.h).
function(supple_json_ours target)
  set(folder ${PROJECT_SOURCE_DIR}/test/web)
  file(GLOB ours CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/jansson/*.c)
  add_library(${target}_ours OBJECT ${ours} ${folder}/json_ours.c)
  supple_compile(${target}_ours)
  target_compile_options(${target}_ours PRIVATE -include ${folder}/json_renamed.h)
  target_include_directories(${target}_ours BEFORE PRIVATE ${PROJECT_SOURCE_DIR}/web/jansson)
  target_sources(${target} PRIVATE ${folder}/json_jansson.c $<TARGET_OBJECTS:${target}_ours>)
  target_include_directories(${target} PRIVATE ${folder})
  target_link_libraries(${target} PRIVATE PkgConfig::JANSSON)
endfunction()
