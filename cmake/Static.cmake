# The program as one file that needs no shared object: it runs on any Linux of its architecture, starts without a dynamic linker, and
# holds only those pages of its libraries that it touches. THRUM_STATIC asks for it; THRUM_STATIC_PROGRAM says whether it is so, which
# takes every library's archive, the C library's too. libthrum.so is the same either way.
option(THRUM_STATIC "link the program without shared objects, where every library has an archive" OFF)

# Not -static-pie: that has 100 KB of relocated pages more in memory at 64 connections over TLS, 300 KB at 64 and 400 KB at 1,000
# over plain HTTP, and twice the page faults at every start. Its price is that code and constants lie at fixed addresses; stacks, heap
# and mappings do not. Who minds has a position independent program with THRUM_STATIC=OFF.
set(THRUM_STATIC_OPTIONS -static)

set(THRUM_STATIC_PROGRAM OFF)
if(THRUM_STATIC AND THRUM_STATIC_DEPS AND NOT THRUM_SANITIZE)
  set(_libraries OpenSSL::SSL OpenSSL::Crypto thrum_dep_re2 thrum_dep_nghttp2 thrum_dep_cares thrum_dep_uring thrum_dep_zstd thrum_dep_z thrum_dep_xxhash)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_LIBRARIES ${_libraries} Threads::Threads ${THRUM_STATIC_OPTIONS})
  set(CMAKE_REQUIRED_QUIET ON)
  check_cxx_source_compiles("
    #include <ares.h>
    #include <nghttp2/nghttp2.h>
    #include <openssl/ssl.h>
    #include <re2/re2.h>
    #include <thread>
    #include <xxhash.h>
    #include <zlib.h>
    #include <zstd.h>
    int main(int argc, char** argv) {
      std::thread([] {}).join();
      return ares_library_init(0) + (nghttp2_version(0) == nullptr) + (SSL_CTX_new(TLS_method()) == nullptr) + RE2::FullMatch(argv[0], \"x\") +
             (XXH64(argv[0], 1, 0) == 0) + (zlibVersion() == nullptr) + static_cast<int>(ZSTD_versionNumber());
    }" THRUM_LINKS_STATIC)
  unset(CMAKE_REQUIRED_LIBRARIES)
  unset(CMAKE_REQUIRED_QUIET)
  if(THRUM_LINKS_STATIC)
    set(THRUM_STATIC_PROGRAM ON)
  else()
    message(STATUS "thrum: archives of some libraries are missing, so the program needs shared objects")
  endif()
endif()
