# What `cmake --install` puts where: the program with its man pages and completions (the component `program`, which scripts/release
# packs), and the library as one shared object with its public headers. Third-party code stays inside the library, its symbols hidden, so that a program that uses
# thrum needs none of it and may have versions of its own.
include(CMakePackageConfigHelpers)

set(_objects "")
foreach(room base host net http load targets measure)
  list(APPEND _objects $<TARGET_OBJECTS:thrum_${room}>)
endforeach()
add_library(thrum_shared SHARED ${_objects})
set_target_properties(thrum_shared PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME thrum EXPORT_NAME thrum VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/library.map)
# The archives of RE2 and nghttp2 are not made for shared objects: these two stay outside.
find_library(THRUM_RE2_SHARED NAMES libre2.so REQUIRED)
find_library(THRUM_NGHTTP2_SHARED NAMES libnghttp2.so REQUIRED)
target_link_libraries(thrum_shared PRIVATE thrum_dep_fmt thrum_dep_z thrum_dep_cares thrum_dep_uring ${THRUM_NGHTTP2_SHARED} ${THRUM_RE2_SHARED} OpenSSL::SSL OpenSSL::Crypto Threads::Threads)
target_link_options(thrum_shared PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/library.map)
if(NOT THRUM_SANITIZE)  # a sanitizer's own names come from the program
  target_link_options(thrum_shared PRIVATE LINKER:--no-undefined)
endif()
target_include_directories(thrum_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(thrum_shared INTERFACE cxx_std_23)

install(TARGETS thrum RUNTIME COMPONENT program)
install(TARGETS thrum_shared EXPORT thrum LIBRARY)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/thrum DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.hpp)

set(_config ${CMAKE_INSTALL_LIBDIR}/cmake/thrum)
install(EXPORT thrum NAMESPACE thrum:: FILE thrumConfig.cmake DESTINATION ${_config})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/thrumConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/thrumConfigVersion.cmake DESTINATION ${_config})

# Man pages and completions come out of the program itself, so they can't disagree with it.
set(_generated ${PROJECT_BINARY_DIR}/generated)
set(_pages "")
foreach(page thrum run attack report plot encode shape capacity control doctor serve schema)
  if(page STREQUAL thrum)
    set(_file ${_generated}/thrum.1)
    set(_word "")
  else()
    set(_file ${_generated}/thrum-${page}.1)
    set(_word ${page})
  endif()
  add_custom_command(OUTPUT ${_file} COMMAND thrum man ${_word} > ${_file} DEPENDS thrum VERBATIM)
  list(APPEND _pages ${_file})
endforeach()
set(_completions "")
foreach(shell bash zsh fish)
  add_custom_command(OUTPUT ${_generated}/completion.${shell} COMMAND thrum completion ${shell} > ${_generated}/completion.${shell}
    DEPENDS thrum VERBATIM)
  list(APPEND _completions ${_generated}/completion.${shell})
endforeach()
add_custom_target(thrum_pages ALL DEPENDS ${_pages} ${_completions})
install(FILES ${_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES ${_generated}/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME thrum COMPONENT program)
install(FILES ${_generated}/completion.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _thrum COMPONENT program)
install(FILES ${_generated}/completion.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME thrum.fish COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
