#include "net/reactor.hpp"

#include "net/epoll_reactor.hpp"
#include "net/uring_reactor.hpp"

namespace thrum::net {

Expected<std::unique_ptr<Reactor>> Reactor::create(Io io) {
  if (io == Io::epoll) return EpollReactor::create();
  auto made = UringReactor::create({});
  if (!made && io == Io::automatic) return EpollReactor::create();
  return made;
}

}  // namespace thrum::net
