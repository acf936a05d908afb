// What a static program can't do, and is not to try: load shared objects, and look names up by those that /etc/nsswitch.conf names.
// OpenSSL and c-ares hold calls of it that thrum has no way to; the linker's --wrap makes `f` there `__wrap_f` here. The C library's own
// would want, on the machine that thrum runs on, the very release of itself that thrum was linked with, as the linker warns at each.
#include <dlfcn.h>
#include <netdb.h>

#include <cerrno>

// NOLINTBEGIN(bugprone-reserved-identifier): so the linker names them
extern "C" {

// OpenSSL: engines and providers outside of itself (`openssl.cnf` may name some).
void* __wrap_dlopen(const char*, int) { return nullptr; }
void* __wrap_dlsym(void*, const char*) { return nullptr; }
int __wrap_dlclose(void*) { return -1; }
int __wrap_dladdr(const void*, Dl_info*) { return 0; }
char* __wrap_dlerror() {
  static char said[] = "this program is static and loads no shared objects";
  return said;
}

// OpenSSL's BIO_connect and BIO_accept, c-ares' services by name. Hosts are found by net/resolver.hpp alone.
int __wrap_getaddrinfo(const char*, const char*, const addrinfo*, addrinfo** found) {
  *found = nullptr;
  return EAI_FAIL;
}
void __wrap_freeaddrinfo(addrinfo*) {}
int __wrap_getnameinfo(const sockaddr*, socklen_t, char*, socklen_t, char*, socklen_t, int) { return EAI_FAIL; }
hostent* __wrap_gethostbyname(const char*) {
  h_errno = NO_RECOVERY;
  return nullptr;
}
servent* __wrap_getservbyname(const char*, const char*) { return nullptr; }
int __wrap_getservbyport_r(int, const char*, servent*, char*, size_t, servent** found) {
  *found = nullptr;
  return ENOENT;
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
