#include "serve/demo_site.hpp"

#include <fmt/format.h>

#include <iterator>

#include "serve/demo_answers.hpp"

namespace thrum::serve {

// Which methods a route takes: all, or GET and HEAD, or POST.
enum class Methods : std::uint8_t { any, get, post };

struct DemoSite::Route {
  std::string_view path;  // one that ends in '/' takes an argument
  Methods methods;
  void (DemoSite::*answer)(const Call& call);
  std::string_view shown;
  std::string_view help;
};

const DemoSite::Route DemoSite::kTable[kRoutes] = {
    {"/", Methods::get, &DemoSite::home, "/", "this page"},
    {"/api/products", Methods::get, &DemoSite::products, "/api/products", "803 bytes of JSON"},
    {"/api/report", Methods::get, &DemoSite::report, "/api/report", "a report that keeps a worker of a small pool busy"},
    {"/api/login", Methods::post, &DemoSite::login, "/api/login", "POST a JSON body with user and password: a token"},
    {"/api/me", Methods::get, &DemoSite::me, "/api/me", "with Authorization: Bearer TOKEN who you are, else 401"},
    {"/status/", Methods::any, &DemoSite::status, "/status/N", "that status, 100 to 599"},
    {"/bytes/", Methods::any, &DemoSite::bytes, "/bytes/N", "a body of N bytes"},
    {"/delay", Methods::any, &DemoSite::delay, "/delay?ms=N", "an answer after N milliseconds; &bytes=N"},
    {"/echo", Methods::any, &DemoSite::echo, "/echo", "the request's own bytes, head and body"},
    {"/redirect/", Methods::any, &DemoSite::redirect, "/redirect/N", "N redirects, then 200; ?status=301, 302, 303, 307 or 308"},
    {"/chunked/", Methods::any, &DemoSite::chunked, "/chunked/N", "a body in N chunks; ?size=BYTES, &trailers=1"},
    {"/close", Methods::any, &DemoSite::close, "/close", "an answer, and the end of the connection"},
    {"/stats", Methods::get, &DemoSite::stats, "/stats", "what this server has counted so far"},
};

const DemoSite::Route* DemoSite::find_route(std::string_view path) {
  for (const Route& r : kTable) {
    const bool takes_more = r.path.size() > 1 && r.path.back() == '/';
    if (takes_more ? path.starts_with(r.path) : path == r.path) return &r;
  }
  return nullptr;
}

DemoSite::DemoSite(net::Timers& timers, DemoOptions options)
    : log_(options.log),
      pool_(timers, options.clock, options.workers, options.work,
            [work = options.work](Ticket ticket, Nanos waited) {
              const auto ms = [](Nanos d) { return static_cast<double>(d.count()) / 1e6; };
              const std::string body =
                  fmt::format("{{\"report\":\"ready\",\"waited_ms\":{:.3f},\"work_ms\":{:.3f}}}\n", ms(waited), ms(work));
              ticket.answer({.type = kJson, .body = body});
            }),
      delays_(timers, options.clock, answer_pattern) {
  home_page_ = "thrum serve: a target to try load on.\n\n";
  std::string routes;
  for (const Route& r : kTable) {
    fmt::format_to(std::back_inserter(home_page_), "{:<14} {}\n", r.shown, r.help);
    fmt::format_to(std::back_inserter(routes), "{}\"{}\"", routes.empty() ? "" : ",", r.shown);
  }
  unknown_path_ = fmt::format("{{\"error\":\"no such path\",\"paths\":[{}]}}\n", routes);
}

// Only these look at a body; /echo wants it as it came, whoever sends it.
BodyUse DemoSite::use_of_body(const RequestHead& head) {
  if (head.path == "/echo") return BodyUse::raw;
  return head.path == "/api/login" ? BodyUse::content : BodyUse::discard;
}

void DemoSite::handle(Ticket ticket, const Request& request) {
  if (log_ != nullptr) log_->note(request.head);
  const std::string_view path = request.head.path;
  const Route* route = find_route(path);
  by_route_[static_cast<std::size_t>(route == nullptr ? std::ssize(kTable) : route - kTable)].add();
  if (route == nullptr) {
    ticket.answer({.status = 404, .type = kJson, .body = unknown_path_});
    return;
  }
  const std::string_view method = request.head.method;
  if (route->methods == Methods::get && method != "GET" && method != "HEAD")
    return answer_error(ticket, 405, "only GET and HEAD work here", "Allow: GET, HEAD\r\n");
  if (route->methods == Methods::post && method != "POST") return answer_error(ticket, 405, "only POST works here", "Allow: POST\r\n");
  (this->*route->answer)({ticket, request, path.substr(route->path.size())});
}

std::uint64_t DemoSite::requests(std::string_view route) const {
  for (std::size_t i = 0; i < kRoutes; ++i)
    if (kTable[i].shown == route) return by_route_[i].get();
  return 0;
}

void DemoSite::home(const Call& call) { call.ticket.answer({.body = home_page_}); }

void DemoSite::stats(const Call& call) {
  std::string out = fmt::format("{{\"uptime_s\":{:.3f}", std::chrono::duration<double>(now() - started_).count());
  const auto to = std::back_inserter(out);
  if (server_ != nullptr) {
    const Counters& c = server_->counters();
    fmt::format_to(to, ",\"connections\":{{\"open\":{},\"peak\":{},\"total\":{}}}", c.connections_open.get(), c.connections_peak.get(),
                   c.connections_total.get());
    fmt::format_to(to, ",\"requests\":{},\"responses\":{},\"in_progress\":{},\"in_progress_peak\":{}", c.requests.get(), c.responses.get(),
                   c.in_progress.get(), c.in_progress_peak.get());
    fmt::format_to(to, ",\"malformed\":{},\"timed_out\":{},\"tls_failed\":{},\"bytes_in\":{},\"bytes_out\":{}", c.malformed.get(),
                   c.timed_out.get(), c.tls_failed.get(), c.bytes_in.get(), c.bytes_out.get());
    std::string statuses;
    for (std::size_t status = 0; status < c.by_status.size(); ++status)
      if (c.by_status[status].get() != 0)
        fmt::format_to(std::back_inserter(statuses), "{}\"{}\":{}", statuses.empty() ? "" : ",", status, c.by_status[status].get());
    fmt::format_to(to, ",\"statuses\":{{{}}}", statuses);
  }
  out += ",\"paths\":{";
  for (std::size_t i = 0; i < kRoutes; ++i) fmt::format_to(to, "\"{}\":{},", kTable[i].shown, by_route_[i].get());
  fmt::format_to(to, "\"unknown\":{}}}", unknown_paths());
  fmt::format_to(to, ",\"report\":{{\"queued\":{},\"done\":{}}}}}\n", pool_.queued(), pool_.done());
  call.ticket.answer({.type = kJson, .body = out});
}

}  // namespace thrum::serve
