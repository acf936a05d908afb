// What a failed accept means, and when a listener that lacks descriptors is tried again.
#pragma once

#include <chrono>

namespace thrum::net {

inline constexpr auto kAcceptRetry = std::chrono::milliseconds(20);

// accept(2): errors of the network that belong to the connection just taken, not to the listener.
bool is_of_one_connection(int error);

}  // namespace thrum::net
