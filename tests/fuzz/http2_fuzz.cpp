// Any bytes as what an HTTP/2 server says. Requests wait on a link that never comes up, so what is sent goes nowhere.
// The first byte of the input chooses: bits 0-1 how many requests, bit 2 HEAD requests, bit 3 request bodies, bit 4 nobody
// captures, bit 5 one is cancelled half-way, bit 6 in pieces of three bytes. However it goes, each request that was not
// cancelled is answered exactly once, at the latest when the connection ends.
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "http/session.hpp"
#include "net/network.hpp"
#include "require.hpp"

using thrum::fuzz::require;

namespace {

using namespace thrum;

class Recorder final : public http::ResponseCapture {
 public:
  void on_header(std::string_view name, std::string_view value) override { require(!name.empty() && value.data() != nullptr); }
  void on_body(std::span<const char> bytes) override { body += bytes.size(); }
  std::uint64_t body = 0;
};

struct Owner final : net::LinkOwner, http::SessionOwner {
  void on_up() override {}
  void on_bytes(std::span<const char>) override {}
  void on_skipped(std::size_t) override {}
  void on_sent() override {}
  void on_down(const net::Fault&) override {}

  void on_first_byte(http::StreamId stream) override { require(waiting.contains(stream)); }
  void on_response(http::StreamId stream, const http::Response& r) override {
    const auto found = waiting.find(stream);
    require(found != waiting.end());
    require(found->second == nullptr || found->second->body == r.body_bytes);
    require(r.error != http::ParseError::none || (r.status >= 200 && r.status < 1000 && r.has_begun && !r.is_unprocessed));
    waiting.erase(found);
  }
  void on_unflushed() override {}
  std::map<http::StreamId, std::unique_ptr<Recorder>> waiting;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const auto network = *net::OwnNetwork::create();
  static std::vector<char> out;
  const std::uint8_t options = data[0];
  std::span<const char> bytes(reinterpret_cast<const char*>(data) + 1, size - 1);

  const Target target{(options & 4) != 0 ? "HEAD" : "POST",
                      "http://h.test/",
                      {},
                      (options & 8) != 0 ? std::make_shared<const std::string>(100, 'b') : nullptr};
  auto request = http::prepare(target, {});
  http::add_http2_head(*request);
  Owner owner;
  net::Link link(network->network(), owner);
  const auto session = http::make_http2_session(link, owner, out, {});
  const http::StreamId requests = 1 + (options & 3);
  for (http::StreamId i = 0; i < requests; ++i) {
    auto& recorder = owner.waiting[i];
    if ((options & 16) == 0) recorder = std::make_unique<Recorder>();
    require(session->submit(i, *request, i, recorder.get()).state == net::SendOutcome::State::done);
  }
  session->flush();
  const std::size_t most = (options & 64) != 0 ? 3 : bytes.size();
  bool cancels = (options & 32) != 0;
  while (!bytes.empty()) {
    const std::size_t n = std::min(most, bytes.size());
    session->on_bytes(bytes.first(n));
    bytes = bytes.subspan(n);
    if (std::exchange(cancels, false) && owner.waiting.contains(0)) {
      session->cancel(0);
      owner.waiting.erase(0);
    }
    session->flush();
    require(session->streams_free() <= session->most_streams());
  }
  session->on_end(true);
  require(owner.waiting.empty());
  require(!session->is_reusable());
  return 0;
}
