#include "net/accepting.hpp"

#include <cerrno>

namespace thrum::net {

bool is_of_one_connection(int error) {
  switch (error) {
    case ECONNABORTED:
    case EINTR:
    case ENETDOWN:
    case EPROTO:
    case ENOPROTOOPT:
    case EHOSTDOWN:
    case ENONET:
    case EHOSTUNREACH:
    case EOPNOTSUPP:
    case ENETUNREACH:
    case EPERM:
      return true;
    default:
      return false;
  }
}

}  // namespace thrum::net
