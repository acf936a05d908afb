// What a connection of the scripted server does, step by step.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace thrum::support {

using Millis = std::chrono::milliseconds;

// A request as it came over the wire: head, and as much body as its framing says (with the framing, if it is chunked).
struct Seen {
  std::size_t connection = 0;  // in the order in which they were accepted, from 0
  std::size_t number = 0;      // of the request, among all that the server saw
  std::string peer;            // the client's IPv4 address
  std::chrono::steady_clock::time_point at;
  std::string raw;

  std::string method() const;
  std::string target() const;                       // as in the request line
  std::string header(std::string_view name) const;  // the first of that name (any case), "" for none
  std::size_t count_header(std::string_view name) const;
  std::string body() const;
};

// A whole response with a Content-Length. `headers`: lines, each with its CRLF.
std::string response(int status, std::string_view body = "", std::string_view headers = "");

// Steps run in order; a connection whose script is at its end reads on and says nothing.
class Script {
 public:
  enum class Kind : std::uint8_t { request, head, body, bytes, reply, pause, gate, freeze, half_close, close, reset, deaf, again };
  struct Step {
    Kind kind = Kind::request;
    std::string bytes = {};
    Millis time{0};
    int times = 0;
    std::size_t to = 0;  // again: the step to go back to
    std::function<std::string(const Seen&)> reply = {};
  };

  Script& request() { return add({.kind = Kind::request}); }
  // The head of a request alone; its body is taken by body(), if at all.
  Script& head() { return add({.kind = Kind::head}); }
  Script& body() { return add({.kind = Kind::body}); }
  // Closes when no request begins within `idle`.
  Script& request_or_close(Millis idle) { return add({.kind = Kind::request, .time = idle}); }
  Script& bytes(std::string raw) { return add({.kind = Kind::bytes, .bytes = std::move(raw)}); }
  // What to send depends on the request that came last.
  Script& reply(std::function<std::string(const Seen&)> make) { return add({.kind = Kind::reply, .reply = std::move(make)}); }
  Script& pause(Millis t) { return add({.kind = Kind::pause, .time = t}); }
  Script& gate() { return add({.kind = Kind::gate}); }                         // until ScriptedServer::open_gate()
  Script& freeze(Millis t) { return add({.kind = Kind::freeze, .time = t}); }  // nothing leaves the whole server for t; once
  Script& half_close() { return add({.kind = Kind::half_close}); }             // FIN; reading goes on
  Script& close() { return add({.kind = Kind::close}); }                       // FIN and the end
  Script& reset() { return add({.kind = Kind::reset}); }                       // RST
  Script& deaf() { return add({.kind = Kind::deaf}); }                         // reads no more, for ever
  // What stands before this is done once.
  Script& from_here() {
    from_ = steps_.size();
    return *this;
  }
  // From the start, or from_here(), so many times more; -1: for ever.
  Script& again(int times = -1) { return add({.kind = Kind::again, .times = times, .to = from_}); }

  Script& answer(int status = 200, std::string_view body = "", std::string_view headers = "") {
    return request().bytes(response(status, body, headers));
  }
  Script& slowly(std::string_view raw, std::size_t piece, Millis gap) {
    for (; !raw.empty(); raw.remove_prefix(std::min(piece, raw.size()))) bytes(std::string(raw.substr(0, piece))).pause(gap);
    return *this;
  }
  const std::vector<Step>& steps() const { return steps_; }

 private:
  Script& add(Step step) {
    steps_.push_back(std::move(step));
    return *this;
  }
  std::vector<Step> steps_;
  std::size_t from_ = 0;
};

// Answers every request with 200 and this body, for ever; keeps connections.
inline Script answering(std::string_view body = "ok") { return Script().answer(200, body).again(); }
// The same, after a pause.
inline Script answering_after(Millis delay, std::string_view body = "ok") {
  return Script().request().pause(delay).bytes(response(200, body)).again();
}

}  // namespace thrum::support
