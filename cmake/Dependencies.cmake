# Third-party libraries, all from Debian's packages (scripts/setup installs them). Static archives are preferred where the
# distribution has them: fewer pages to relocate means a faster start and a smaller process.
option(THRUM_STATIC_DEPS "link third-party libraries statically where their archives exist" ON)

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
if(THRUM_STATIC_DEPS)
  set(OPENSSL_USE_STATIC_LIBS ON)
endif()
find_package(OpenSSL 3 REQUIRED)

# thrum_find(NAME zstd HEADER zstd.h) makes the imported target thrum_dep_zstd from lib<name>.a or lib<name>.so.
function(thrum_find)
  cmake_parse_arguments(F "" "NAME;HEADER" "" ${ARGN})
  if(THRUM_STATIC_DEPS)
    find_library(THRUM_${F_NAME}_LIBRARY NAMES lib${F_NAME}.a ${F_NAME})
  else()
    find_library(THRUM_${F_NAME}_LIBRARY NAMES ${F_NAME})
  endif()
  find_path(THRUM_${F_NAME}_INCLUDE ${F_HEADER})
  if(NOT THRUM_${F_NAME}_LIBRARY OR NOT THRUM_${F_NAME}_INCLUDE)
    message(FATAL_ERROR "${F_NAME} (${F_HEADER}) not found: run scripts/setup, which installs every package thrum needs")
  endif()
  add_library(thrum_dep_${F_NAME} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(thrum_dep_${F_NAME} PROPERTIES IMPORTED_LOCATION ${THRUM_${F_NAME}_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${THRUM_${F_NAME}_INCLUDE})
endfunction()
thrum_find(NAME zstd HEADER zstd.h)
thrum_find(NAME z HEADER zlib.h)
thrum_find(NAME xxhash HEADER xxhash.h)
thrum_find(NAME cares HEADER ares.h)
thrum_find(NAME simdjson HEADER simdjson.h)
find_package(nlohmann_json REQUIRED)

if(THRUM_DEVELOPER)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()
