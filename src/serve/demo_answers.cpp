#include "serve/demo_answers.hpp"

#include <fmt/format.h>

#include <memory>

#include "serve/pattern.hpp"

namespace thrum::serve {
namespace {

constexpr std::size_t kSmall = 16 * 1024;

}  // namespace

void answer_error(Ticket ticket, int status, std::string_view why, std::string_view headers) {
  const std::string body = fmt::format("{{\"error\":\"{}\"}}\n", why);
  ticket.answer({.status = status, .type = kJson, .headers = headers, .body = body});
}

void answer_pattern(Ticket ticket, std::uint64_t n) {
  if (n <= kSmall) {
    ticket.answer({.body = pattern(static_cast<std::size_t>(n))});
  } else {
    ticket.answer({.stream = std::make_unique<PatternBody>(n), .stream_length = n});
  }
}

}  // namespace thrum::serve
