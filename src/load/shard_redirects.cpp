// A hit that is redirected: it goes on with the request that follows, on whatever connection, and keeps its place, its deadline
// and its slot in flight. One result comes of the whole chain.
#include <utility>

#include "http/redirect.hpp"
#include "load/shard.hpp"

namespace thrum::load {

bool Shard::is_to_be_followed(const http::Response& response) const {
  return plan_.options.redirects >= 0 && response.error == http::ParseError::none && http::is_redirect(response.status) &&
         !response.location.empty();
}

void Shard::follow_redirect(Connection& c, std::uint32_t index, const http::Response& response) {
  Exchange& e = exchanges_[index];
  note_answer(c, e);
  if (e.redirects >= plan_.options.redirects) return end_chain(index, response.status, &too_many_redirects_, c.received_at());
  const auto next = follow_ups_.next(*e.request, response.status, response.location);
  if (!next) return end_chain(index, response.status, keep_words(next.error().text), c.received_at());

  const Request* before = std::exchange(e.request, *next);
  if (before != e.target && before->is_owned) delete before;
  ++e.redirects;
  e.redirecting = c.received_at() - e.sent;
  if (!is_warmup(e)) ++totals_.redirects;
  e.first_byte = Result::kNone;
  e.losses = 0;
  if (e.capture != nullptr) e.capture->clear();
  if (e.check != nullptr) e.check->clear();
  // The connection that brought the redirect is free in a moment, when all that came is handled: on_connection_turn().
  Pool& pool = pool_of(e.request->route);
  // An empty list is added to at its end, where it is taken from again: it would creep through memory else, and allocate.
  if (&pool != &c.pool() || !c.is_reusable())
    assign(index);
  else if (pool.waiting.empty())
    pool.waiting.push_back(index);
  else
    pool.waiting.push_front(index);
}

// Too many redirects, or one to where no request can be sent: the hit failed, whatever the response was. Of that the headers are
// kept, which have the Location; its body is not what was asked for.
void Shard::end_chain(std::uint32_t index, int status, const std::string* why, Nanos end) {
  if (Capture* capture = exchanges_[index].capture; capture != nullptr) capture->body.clear();
  Record record;
  record.end = end;
  record.status = static_cast<std::uint16_t>(status);
  record.outcome = Outcome::redirect;
  record.reason = why;
  finish(index, record);
}

}  // namespace thrum::load
