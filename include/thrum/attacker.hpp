// An attack: targets sent at a shape's rate, results handed to a sink. The library never prints, never exits, and touches
// neither signals nor process limits; run() works on the caller's thread and on sending threads of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "thrum/error.hpp"
#include "thrum/expectation.hpp"
#include "thrum/io.hpp"
#include "thrum/result.hpp"
#include "thrum/shape.hpp"
#include "thrum/target.hpp"
#include "thrum/watcher.hpp"

namespace thrum {

inline constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

// What to do with hits that could not leave when they were due.
struct CatchUp {
  enum class Mode : std::uint8_t { all, percent, none } mode = Mode::all;
  std::uint32_t percent = 100;  // with `percent`: send at most at this share of the current rate until even
};

// The order in which targets are sent, where they are not read in the course of the attack. Hit n goes to the same target whatever the
// number of sending threads.
enum class Order : std::uint8_t {
  sequence,  // in turn, round and round
  shuffle,   // all of them in each round, in an order drawn for that round
  random,    // each hit draws one, all alike
  weighted,  // by Target::weight: after any number of hits each has had its share, less than one hit off
};
Expected<Order> parse_order(std::string_view text);
std::string_view name_of(Order order);

struct TlsOptions {
  bool verify = true;                        // false: accept any certificate (-insecure)
  std::vector<std::string> root_cert_files;  // PEM; empty: the system's roots
  std::string cert_file;                     // client certificate, PEM
  std::string key_file;                      // empty: the key is in cert_file
  bool session_tickets = false;              // true: later connections resume the session of earlier ones
};

// Requests for `host` and `port` go to `to_host` and `to_port` instead; their Host header and TLS name stay. Of several entries
// for the same, connections go to each in turn.
struct ConnectTo {
  std::string host;           // empty: any
  std::uint16_t port = 0;     // 0: any
  std::string to_host;        // empty: the target's own
  std::uint16_t to_port = 0;  // 0: the target's own
};

// Proxies are written "http://user:password@host:3128", https://, socks5:// (we look names up) or socks5h:// (the proxy does).
struct ProxyOptions {
  std::string url;                  // for every target; empty: as the environment's say
  std::string for_http, for_https;  // the environment's: for targets of that scheme that are not on this machine's loopback …
  std::string except;               // … nor in this list, written as NO_PROXY is
  std::vector<std::pair<std::string, std::string>> headers;  // for the proxy: with CONNECT, and with each plain request
};

// Where an attack may go. Asked on sending threads, by several at once; outlives the attack.
class Boundary {
 public:
  virtual ~Boundary() = default;
  // What is wrong with a host (as it stands in a URL, without brackets) that a request is to go to, in words; empty: nothing.
  virtual std::string host_fault(std::string_view host) const = 0;
  // Whether connections may be opened to an address: 4 or 16 bytes, in network order.
  virtual bool allows_address(std::span<const unsigned char> address) const = 0;
};

struct AttackOptions {
  std::string name;  // sent as X-Thrum-Attack when not empty
  Shape shape = Shape::constant({50'000'000'000, Nanos(1'000'000'000)});
  Nanos duration{0};                // 0: until stopped, or the shape, the targets or `hits` run out
  std::uint64_t hits = kUnlimited;  // exact count
  // Before all that hits are sent for so long, which count for nothing, except that their connections stay open.
  Nanos warmup{0};
  std::optional<Shape> warmup_shape;  // at this rate; none: at the one with which the attack begins
  bool is_steerable = false;          // change_rate(), pause() and resume() will be used: the attack goes on to its planned end
  std::optional<Order> order;         // none given: weighted if any target has a weight, else in sequence
  Nanos timeout{30'000'000'000};      // per hit with all its redirects, from when it is sent; 0: none
  Nanos grace = Result::kNone;        // how long to wait for what is in flight after the end; none given: the timeout
  CatchUp catch_up;
  std::uint64_t workers = 10;                  // slots in flight made ready before the first hit
  std::uint64_t max_workers = kUnlimited;      // most hits in flight
  std::uint64_t connections = 10'000;          // most idle connections kept per host
  std::uint64_t max_connections = kUnlimited;  // most connections per host
  // Opened to each host of the targets before the first hit, and no more than these from then on; 0: opened as hits need them.
  std::uint64_t preconnect = 0;
  Shape connect_rate = Shape::closed();  // at which they are opened; closed: as fast as they come up
  bool keep_alive = true;
  bool http2 = true;            // offer HTTP/2 to https targets; the server chooses
  bool http2_only = false;      // offer nothing else, and take nothing else: a server that doesn't speak it fails the hit
  bool h2c = false;             // send to http targets by HTTP/2, which the server is known to speak; never by anything else
  std::uint32_t streams = 0;    // most requests at once on a connection of HTTP/2; 0: as many as the server allows, 250 at most
  std::int32_t redirects = 10;  // most to follow in one hit, more is an error; -1: none is followed, a 3xx is the response
  std::vector<std::pair<std::string, std::string>> headers;  // for every target; a target's own header of that name wins
  SharedBytes body;                                          // for every target that names none
  bool chunked = false;                                      // bodies are sent with Transfer-Encoding: chunked
  bool compression = true;                                   // Accept-Encoding: gzip is sent; what comes is counted as it came
  Expectations expect;                                       // what responses have to be like, to every target
  std::uint32_t sample_failures = 0;  // so many responses that are no success are kept, with headers and the body's first 4 KiB
  // Captures are for so many responses a second of each sending thread, spread evenly, and for more while responses fail; 0: for all.
  std::uint32_t captures_per_second = 0;
  bool capture_headers = false;
  std::int64_t max_body = 0;                 // bytes of each response body to keep; -1: all
  Io io = Io::automatic;                     // how sockets are served
  std::uint32_t shards = 0;                  // sending threads; 0: as many as the rate needs, more or fewer as it turns out
  Nanos dns_ttl{0};                          // how long an address stays cached; 0: for the whole attack; < 0: never cached
  std::vector<std::string> resolvers;        // name servers, "IP" or "IP:port"; empty: the system's
  std::string unix_socket;                   // every connection goes here, "@name": abstract; empty: over the network
  std::vector<ConnectTo> connect_to;         // the first entry that fits a target counts
  std::vector<std::string> local_addresses;  // to connect from, in turn: "IP", "IP-IP", "IP/PREFIX"; empty: the kernel chooses
  ProxyOptions proxy;
  TlsOptions tls;
  const Boundary* boundary = nullptr;    // of targets, redirects and addresses; none: anywhere
  ConnectionWatcher* watcher = nullptr;  // sees all that goes over connections; outlives the attack
  std::uint64_t seed = 0;                // of all that is drawn: random arrivals, the order of targets
  std::optional<Nanos> spin;             // how long before a hit is due to stop sleeping; none given: adaptive; 0: never
};

// The order in which an attack with these options sends these targets.
Order order_of(const AttackOptions& options, std::span<const Target> targets);

// The warm-up: what was sent in it, and how many of these failed.
struct Warmup {
  Nanos length{0};
  std::uint64_t sent = 0, failed = 0;
};

// scheduled = sent + missed; sent = ok + failed + cut (once the attack is over).
struct Books {
  std::uint64_t scheduled = 0, sent = 0, missed = 0, ok = 0, failed = 0, cut = 0;
};

// What kept hits from leaving when they were due, if anything did; or, where all left in time, what made answers late on their way.
enum class Limit : std::uint8_t {
  none,
  workers,      // -max-workers
  connections,  // -max-connections
  descriptors,  // open files
  local_ports,
  targets,  // the source of targets was slow
  cpu,      // this machine: too little CPU, or sleeps that ended late
  target,   // responses came slower than hits were due, and connections can't be opened without end; or it took none for a while
  network,  // segments were lost on the way
};
inline constexpr std::size_t kLimits = 9;

struct Connections {
  std::uint64_t opened = 0, failed = 0, reused = 0, peak = 0, stale_retries = 0;
  std::uint64_t preconnected = 0;  // of those opened: before the first hit that counts
};

// Connections that were opened to one address: the target's, or a proxy's.
struct AddressCount {
  std::string address;
  std::uint64_t connections = 0;
};

// What went over connections, and how TCP fared (TCP_INFO). Segments are those of connections that were asked about when they ended:
// of all, or of a sample where many end quickly. On unix sockets there are none.
struct Traffic {
  std::uint64_t bytes_in = 0, bytes_out = 0;             // of all connections: heads, bodies, TLS
  std::uint64_t connections = 0;                         // asked about
  std::uint64_t segments_in = 0, segments_out = 0;       // that carried data, and SYNs sent
  std::uint64_t retransmitted = 0;                       // of segments_out
  std::uint64_t retransmitted_opening = 0;               // of these: before the connection was up
  std::uint64_t out_of_order = 0;                        // of segments_in
  Nanos rtt = Result::kNone, least_rtt = Result::kNone;  // round trip as TCP measures it: the mean, the shortest
};

// What this machine did to the run.
struct Interference {
  double quota = 0;                          // cores that its control group may use; 0: as many as there are
  std::uint64_t periods = 0, throttled = 0;  // of the quota: in all, and those in which it was used up
  Nanos throttled_time{0};                   // for which the group was stopped then, on all cores together
  double stolen = 0;                         // share of the cores' time that the host of a virtual machine kept for others
  std::uint64_t listen_overflows = 0;        // connections that listeners on this machine had no room for, if a target is on it
};

// Whole responses, by the protocol they came by.
struct Protocols {
  std::uint64_t http1 = 0, http2 = 0;
};

struct Summary {
  Books books;
  Connections connections;
  std::vector<AddressCount> addresses;  // the most used first, of each sending thread the first 256; connections.opened has all
  Protocols protocols;
  Traffic traffic;
  Interference interference;
  Warmup warmup;
  Limit limit = Limit::none;
  std::uint64_t limit_value = 0;   // the cap or count that was reached, where there is one
  std::uint64_t limit_needed = 0;  // an estimate of what would have been enough, 0 if unknown
  std::string proxies;             // those that targets went by, comma-separated, without passwords; empty: none
  Timestamp started;               // wall clock of the attack's t = 0
  Nanos elapsed{0};                // until the last result
  Nanos sending{0};                // length of the schedule that was carried out
  std::uint32_t shards = 0;
  Io io = Io::automatic;                 // how their sockets were served; automatic: unknown
  double busiest_shard = 0;              // (CPU - spin) / wall of the busiest, 0 … 1
  double waited_for_core = 0;            // share of the time in which a sending thread was ready but had no core, of the worst
  std::uint64_t redirects = 0;           // followed
  std::uint64_t truncated_captures = 0;  // bodies cut short because captures in flight reached their cap
  bool stopped = false;                  // by stop(), before the schedule's end
  bool ran_dry = false;                  // lazily read targets ended before the schedule did
  bool was_cut = false;                  // by cut(), or by the grace period
};

// Live figures, for a progress line. A snapshot, not books.
struct Progress {
  Timestamp started{};  // wall clock of the attack's t = 0
  Nanos elapsed{0};
  Nanos warmup_left{0};  // > 0: the attack is still warming up, and `sent` is of that
  bool is_paused = false;
  std::uint64_t due = 0, sent = 0, answered = 0, ok = 0, in_flight = 0, missed = 0;
  std::uint64_t connections_open = 0, connections_opened = 0;
  double busiest_shard = 0;  // as in Summary, of the last second or so
};

// Receives results in batches, on run()'s thread, in the order in which they ended (roughly).
class ResultSink {
 public:
  virtual ~ResultSink() = default;
  // An error stops the attack and is what run() returns.
  virtual Expected<void> take(std::span<const Result> results) = 0;
  // Called about ten times a second, results or not: the moment to flush.
  virtual Expected<void> tick() { return {}; }
};

// For who wants figures of results, and no results: a sink for each sending thread, called on that thread, so that nothing of a hit
// has to leave it. A sink's tick() comes at turns of the thread's loop, at least once between two of the ticks below: the moment to
// hand over what it has gathered.
class ShardSinks {
 public:
  virtual ~ShardSinks() = default;
  // Asked for each once, on run()'s thread: before any starts, and before one joins later; `shards`: how many there are, with it.
  virtual ResultSink& sink_of(std::uint32_t shard, std::uint32_t shards) = 0;
  // On run()'s thread, about ten times a second. An error stops the attack and is what run() returns.
  virtual Expected<void> tick() = 0;
};

class Attacker {
 public:
  // `targets` are sent round and round, in options.order. Errors: a target that can't be sent, options that contradict each other.
  static Expected<std::unique_ptr<Attacker>> create(AttackOptions options, std::vector<Target> targets);
  // Targets read while the attack runs; each is sent once, in sequence, whatever it weighs; the attack ends with them.
  static Expected<std::unique_ptr<Attacker>> create(AttackOptions options, std::unique_ptr<TargetSource> targets);
  virtual ~Attacker() = default;

  // Blocks until the attack is over. Once per Attacker.
  virtual Expected<Summary> run(ResultSink& sink) = 0;
  virtual Expected<Summary> run(ShardSinks& sinks) = 0;

  // From any thread, signal handlers included; harmless before and after run().
  virtual void stop() = 0;  // no more hits; wait for what is in flight
  virtual void cut() = 0;   // end what is in flight, too

  // From any thread, but no signal handler; only of an attack that is_steerable; a closed loop has no rate to change. Hits that have not
  // left follow the new rate from now on; the planned end stays, unless `shape` ends before. In a pause no hit is due, and what is left
  // of the attack moves back by its length. Pausing twice, or resuming what goes on, is harmless. Each gives the time from the attack's
  // start. Errors: the attack can't be steered, is still warming up, or has ended.
  virtual Expected<Nanos> change_rate(Shape shape) = 0;
  virtual Expected<Nanos> pause() = 0;
  virtual Expected<Nanos> resume() = 0;
  // How many hits may be in flight from now on, one for each sending thread at least. What is in flight beyond that is waited for.
  virtual Expected<Nanos> change_workers(std::uint64_t max_workers) = 0;
  // Hits that have not left are sent by so many threads from now on, more or fewer than before. From any thread, but no signal handler;
  // of an attack that is_steerable, or whose `shards` is 0. Errors: caps of connections, or targets that are read in the course of the
  // attack, have been dealt to threads for good; more threads than this machine has cores; the attack is warming up, or has ended.
  virtual Expected<Nanos> change_shards(std::uint32_t shards) = 0;
  virtual Progress progress() const = 0;
};

}  // namespace thrum
