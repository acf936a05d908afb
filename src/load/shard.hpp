// One sending thread and all it owns: reactor, connections, exchanges. Shards share nothing on a request's path; what comes of
// a hit goes to the collector through a ring.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "http/http2_memory.hpp"
#include "http/response_check.hpp"
#include "load/collector.hpp"
#include "load/connection.hpp"
#include "load/feeder.hpp"
#include "load/follow_ups.hpp"
#include "load/opening_pace.hpp"
#include "load/opening_window.hpp"
#include "load/pacer.hpp"
#include "load/plan.hpp"
#include "load/ring.hpp"
#include "load/sleeper.hpp"
#include "net/network.hpp"

namespace thrum::load {

// A hit that has left: one request and its response, and then the next one where redirects are followed. Named by its place in
// the shard's slab.
struct Exchange {
  const Request* request = nullptr;  // being sent
  const Request* target = nullptr;   // the hit's own: what it was before any redirect
  Connection* connection = nullptr;  // null: waits for one
  Capture* capture = nullptr;
  http::ResponseCheck* check = nullptr;  // null: nothing is expected but the usual
  std::uint64_t hit = 0;
  Nanos due{0}, sent{0};
  Nanos first_byte = Result::kNone;
  Nanos dns = Result::kNone, connect = Result::kNone, tls = Result::kNone, redirecting = Result::kNone;
  std::uint32_t previous = UINT32_MAX, next = UINT32_MAX;  // in the order of deadlines
  std::uint32_t place = 0;                                 // among its connection's exchanges
  std::uint16_t redirects = 0;
  std::uint8_t retries = 0;
  std::uint8_t losses = 0;  // of those: by the request that is being sent
  bool in_use = false;
};

// Lets a map of strings be searched without making one.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
};

// A hit that can't leave because its route's connections are all taken.
struct HeldHit {
  Due due;
  const Request* request;
  Limit held_by;
};

// The connections of one route.
struct Pool {
  const Route* route = nullptr;
  std::uint64_t cap = kUnlimited;
  std::uint32_t turn = 0;             // of the places that the route's connections go to
  std::uint64_t open = 0;             // being opened, idle and busy
  std::deque<Connection*> opening;    // oldest first
  std::vector<Connection*> ready;     // can take a request: idle, or with a stream to spare; the last used is taken first
  std::uint64_t streams_each = 1;     // what a connection being opened will carry at once, as far as we know
  std::deque<std::uint32_t> waiting;  // exchanges that a connection is being opened for
  std::deque<HeldHit> held;
};

// What a shard has to say of itself; read by others while it runs, exact when it is over.
struct Gauges {
  std::atomic<std::uint64_t> sent{0}, answered{0}, ok{0}, missed{0}, in_flight{0}, warmup_sent{0};
  std::atomic<std::uint64_t> connections_open{0}, connections_opened{0};
  std::atomic<double> busy{0};  // of the last second or so
};

struct ShardTotals {
  std::uint64_t scheduled = 0;
  Connections connections;
  std::vector<std::pair<net::Address, std::uint64_t>> addresses;  // connections opened to each
  std::uint64_t answered_by[http::kProtocols] = {};
  std::array<std::uint64_t, kLimits> late_by_limit{};  // hits that left late or not at all, by Limit
  double late_sum = 0;                                 // ns, of those that left
  std::uint64_t finished = 0;                          // hits that are over, well or not
  double latency_sum = 0;                              // ns, of those
  net::TcpTally::Totals tcp;
  net::ByteCounts bytes;
  double busy = 0;              // (CPU - spin) / wall
  double waiting = 0;           // ready, but without a core / wall
  std::uint64_t redirects = 0;  // followed
  Nanos ended{0};               // when the last exchange was over
  std::uint64_t truncated_captures = 0;
  std::uint64_t cut = 0;
  std::uint64_t warmup_sent = 0, warmup_failed = 0;
  bool ran_dry = false;
  bool was_cut = false;
};

class Shard final : public ConnectionOwner {
 public:
  // `feeder` is null when targets are eager.
  Shard(Plan& plan, Slice slice, Feeder* feeder);
  ~Shard() override;

  Expected<void> prepare();
  Expected<void> make_tls_ready();  // if a route that is known needs it
  void preconnect();                // on its own thread, before run(): the connections that are there before the first hit
  void join_at(std::uint64_t hit);  // before its thread starts, of one that joins an attack that goes on: so many have been sent
  // Before its thread starts: results go to this sink on that thread, and none into the ring for others.
  void keep_results(ResultSink& sink) { sink_ = &sink; }
  void stand_by();                                                 // when nothing is left to do before the start
  void run();                                                      // on its own thread, until the attack is over for this shard
  void wake();                                                     // from any thread
  void retire() { over_.store(true, std::memory_order_release); }  // instead of run()

  Ring<Record>& results() { return results_; }
  const Gauges& gauges() const { return gauges_; }
  const ShardTotals& totals() const { return totals_; }  // after run()
  // After preconnect(): why not all of them were opened; empty if they were.
  const std::string& preconnect_error() const { return preconnect_error_; }
  // After run(): of the sink given to keep_results().
  Expected<void> sink_status() const { return own_collector_ ? own_collector_->status() : Expected<void>{}; }
  Io io() const { return network_->network().reactor.io(); }  // after prepare()
  bool is_over() const { return over_.load(std::memory_order_acquire); }
  Nanos end_of_sending() const { return sending_over_at_; }  // after run()

  // ConnectionOwner
  Nanos clock() const override { return now() - plan_.start; }
  net::Network& network() override { return network_->network(); }
  void on_connection_up(Connection& c) override;
  void on_connection_down(Connection& c, const net::Fault& fault) override;
  void on_first_byte(std::uint32_t exchange) override;
  void on_response(Connection& c, std::uint32_t exchange, const http::Response& response) override;
  void on_connection_turn(Connection& c) override;
  void on_connection_unflushed(Connection& c) override { flush_later(c); }
  ConnectionWatcher* watcher() const override { return plan_.options.watcher; }
  std::unique_ptr<http::Session> make_session(Connection& c) override;

 private:
  // Starting hits (shard.cpp)
  void pump(Nanos t, int most);
  bool is_closed() const { return plan_.options.shape.is_closed(); }
  bool may_be_due(Nanos t) const { return !ending_ && !is_preconnecting_ && (is_closed() ? claims_left_ && !paused_at_ : next_due() <= t); }
  Limit what_blocks(Nanos t);
  void notice_dry_source();
  bool must_look_first(Nanos t);
  void look();
  bool take_hit(Nanos t, Due& due);
  void start_hit(const Due& due, const Request* request, Nanos t);
  void begin_to_count(Nanos t);
  void apply_changes();
  void take_share(std::uint32_t shards);
  bool is_past_dividing();
  void close_division();
  void apply_to_loop(const Change& change);
  Nanos next_due() const;
  bool has_no_more();
  void settle_the_end(Nanos t);
  void end_sending();
  void begin_stop(Nanos t);
  Nanos sleep(Nanos t);
  void note_late(Nanos late);
  void note_missed(std::uint64_t count) { note_missed(count, last_blocked_by_); }
  void note_missed(std::uint64_t count, Limit limit);
  Instant instant(Nanos t) const { return t >= kForEver ? kNever : plan_.start + t; }
  void publish();
  void hand_over();
  void measure_busy(Nanos t);
  void finish_totals(Nanos t);

  // Redirects (shard_redirects.cpp)
  bool is_to_be_followed(const http::Response& response) const;
  void follow_redirect(Connection& c, std::uint32_t index, const http::Response& response);
  void end_chain(std::uint32_t index, int status, const std::string* why, Nanos end);

  // Expectations (shard_checks.cpp)
  void begin_check(std::uint32_t index);
  void judge(std::uint32_t index, const http::Response& response, Record& record);
  bool wants_capture(Nanos t);
  bool claim_sample();
  void keep_sample(Exchange& e);

  // Exchanges and connections (shard_exchanges.cpp)
  static bool is_warmup(const Exchange& e) { return e.due < Nanos(0); }
  std::uint32_t take_exchange();
  void free_exchange(std::uint32_t index);
  void assign(std::uint32_t index);
  void submit(Connection& c, std::uint32_t index);
  void serve_waiting(Connection& c);
  void serve_held(Connection& c);
  Pacer::Late start_first_held(Pool& pool);
  void open_connection(Pool& pool);
  void drop(Connection& c, bool abort);
  void drop_all();
  void detach(Connection& c, std::uint32_t index);
  bool retry(Connection& c, std::uint32_t index, bool nothing_left);
  bool submit_later(const Connection& c, std::uint32_t index, bool is_left_out);
  bool may_be_lost_again(std::uint32_t index);
  void ready_again(std::uint32_t index);
  void give_up_share(Pool& pool, const net::Fault& fault);
  void put_back(std::uint32_t index);
  void note_answer(Connection& c, const Exchange& e);
  void note_reuse(std::uint32_t index) {
    if (!is_warmup(exchanges_[index])) ++totals_.connections.reused;
  }
  void expire(Nanos t);
  void cut_everything();
  void fail(std::uint32_t index, Outcome outcome, const net::Fault& fault = {}, Waiting waiting = Waiting::for_connection);
  void finish(std::uint32_t index, Record& record);
  void count(const Record& record);
  Waiting waiting_of(std::uint32_t index) const;
  static Waiting waiting_of(const net::LinkTimes& times);  // of a connection that is being opened
  const std::string* own_reason(int status, std::string_view reason);
  const std::string* keep_words(std::string_view words);
  bool make_room(const Pool& pool);
  void bury();
  void refill();
  void count_address(const std::optional<net::Address>& address);

  // Which connection carries what (shard_connections.cpp)
  Pool& pool_of(const Route* route);
  std::unique_ptr<Pool> make_pool(const Route* route) const;
  static bool speaks_http2(Connection& c);
  static void show(Connection& c, ConnectionWatcher& watcher);
  bool has_room(const Pool& pool) const { return pool.open < pool.cap && open_ < most_open_; }
  bool has_place(const Pool& pool) const { return !pool.ready.empty() || will_carry_more(pool) || has_room(pool); }
  static bool will_carry_more(const Pool& pool) { return pool.opening.size() * pool.streams_each > pool.waiting.size(); }
  static bool needs_connection(const Pool& pool) { return pool.opening.size() * pool.streams_each < pool.waiting.size(); }
  Connection* take_ready(Pool& pool);
  void make_ready(Connection& c);
  void leave_ready(Connection& c);
  void settle(Connection& c);
  void flush_later(Connection& c);
  void flush_all();
  void sample_connections(Nanos t);

  Plan& plan_;
  const Slice slice_;
  Feeder* feeder_;
  Pacer pacer_;                        // of the warm-up, as long as that lasts
  std::optional<Pacer> after_warmup_;  // the attack's own, until it begins
  bool is_warming_;
  std::uint64_t warmup_hits_ = 0;  // of a closed loop
  std::size_t changes_ = 0;        // of the schedule, that were applied
  Claims::Block block_;            // closed mode
  bool claims_left_ = true;
  std::optional<Nanos> paused_at_;  // of a closed loop: since when, and …
  Nanos end_before_pause_{0};       // … what its end was then
  Sleeper sleeper_;
  std::unique_ptr<net::OwnNetwork> network_;
  http::Http1Shared http1_;
  std::vector<char> http2_out_;  // what a session of HTTP/2 sends in one go
  http::Http2Memory http2_memory_;
  Ring<Record> results_{4096};
  ResultSink* sink_ = nullptr;              // of its own results; null: they are the collector's of the attack
  std::optional<Collector> own_collector_;  // if there is a sink

  std::deque<Exchange> exchanges_;
  std::vector<std::unique_ptr<http::ResponseCheck>> checks_;  // by exchange, of those that ever needed one
  http::CheckRoom check_room_;
  std::vector<std::uint32_t> free_exchanges_;
  std::uint32_t oldest_ = UINT32_MAX, newest_ = UINT32_MAX;
  std::uint64_t in_flight_ = 0;  // exchanges in use
  std::uint64_t max_in_flight_;
  bool is_retired_ = false;  // of the hits that are dealt now, none is its own
  std::uint64_t workers_;    // of the whole attack, that slots in flight are dealt of …
  std::uint32_t dealt_to_;   // … to so many shards
  const std::uint64_t max_idle_;

  std::vector<std::unique_ptr<Pool>> pools_;  // by route
  std::uint64_t held_ = 0;
  OpeningWindow opening_window_;  // of a closed loop
  bool is_opening_enough_ = false;
  Nanos held_until_ = Nanos::max();       // catch-up by percent: when the next of them may leave, if it is that which holds it
  std::uint64_t open_ = 0;                // connections
  std::uint64_t most_open_ = kUnlimited;  // what the machine let us open
  std::unordered_map<Connection*, std::unique_ptr<Connection>> connections_;
  std::vector<std::unique_ptr<Connection>> graveyard_;
  std::vector<Connection*> unflushed_;
  std::unordered_map<std::string, std::unique_ptr<std::string>, TextHash, std::equal_to<>> reasons_;
  FollowUps follow_ups_;
  const std::string too_many_redirects_;

  bool is_preconnecting_ = false;
  std::string preconnect_error_;
  Nanos end_;                         // of sending
  const Request* pending_ = nullptr;  // lazy: read, not yet sent
  bool ending_ = false;               // no more hits will be started
  bool stopping_ = false;
  Nanos sending_over_at_{0};
  Limit blocked_by_ = Limit::none;  // what the next hit, which is due, waits for
  Limit last_blocked_by_ = Limit::none;
  OpeningPace opening_pace_;
  bool look_first_ = false;
  std::uint64_t sent_ = 0, answered_ = 0, ok_ = 0, missed_ = 0;
  Nanos sample_at_{100'000'000};
  Nanos next_capture_{INT64_MIN};
  std::uint64_t warmup_sent_ = 0, warmup_ok_ = 0;
  Gauges gauges_;
  net::ByteCounts bytes_before_;      // of the warm-up
  std::uint64_t waited_before_ = 0;   // for a core, ns, before the attack
  Nanos busy_from_{0}, busy_cpu_{0};  // where the stretch began that `busy` is measured over, and the CPU without spinning by then
  ShardTotals totals_;
  std::atomic<bool> over_{false};
};

}  // namespace thrum::load
