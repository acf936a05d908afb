// From what a curl command asks for to the request that curl would send: headers in curl's order, those of its own unless a -H replaces
// them or takes them away.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/text.hpp"
#include "http/request.hpp"
#include "http/syntax.hpp"
#include "targets/curl_asked.hpp"
#include "targets/header_fault.hpp"

namespace thrum::targets {
namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names, [=](std::string_view n) { return equal_ignoring_case(name, n); });
}

class CurlRequest {
 public:
  explicit CurlRequest(CurlAsked asked) : asked_(std::move(asked)) {}

  Expected<CurlCommand> make() && {
    if (auto fine = check(); !fine) return std::unexpected(std::move(fine.error()));
    if (auto done = url(); !done) return std::unexpected(std::move(done.error()));
    method();
    if (auto done = body(); !done) return std::unexpected(std::move(done.error()));
    if (auto done = credentials(); !done) return std::unexpected(std::move(done.error()));
    own_headers();
    if (auto done = users_headers(); !done) return std::unexpected(std::move(done.error()));
    content_type();
    remarks();
    if (asked_.proxy_user)
      if (auto done = add_proxy_user(*asked_.proxy_user, asked_.settings); !done) return std::unexpected(std::move(done.error()));
    if (!asked_.settings.no_proxy.empty() && !asked_.settings.says_proxy())
      asked_.note("--noproxy: without -x it changes nothing; NO_PROXY excepts hosts from the environment's proxies");
    // Whatever else can't be sent is told now, not when the run begins.
    if (const auto sendable = http::prepare(target_, {}); !sendable) return usage_error("the curl command: " + sendable.error().text);
    return CurlCommand{std::move(target_), std::move(asked_.settings), std::move(asked_.notes)};
  }

 private:
  Expected<void> check() const {
    if (!asked_.url) return usage_error("the curl command has no URL");
    std::vector<std::string_view> bodies;
    if (asked_.has_data && !asked_.get) bodies.push_back("-d");
    if (!asked_.form.empty()) bodies.push_back("-F");
    if (asked_.upload) bodies.push_back("-T");
    if (asked_.head && !bodies.empty()) bodies.push_back("-I");
    if (bodies.size() > 1)
      return usage_error(fmt::format("the curl command has {} and {}, which curl can't do both; leave one out", bodies[0], bodies[1]));
    if (!asked_.method.empty() && !http::is_token(asked_.method))
      return usage_error(
          fmt::format("-X \"{}\" of the curl command is no method: letters, digits and - only", printable_prefix(asked_.method, 40)));
    return {};
  }

  Expected<void> url() {
    CurlUrlRules rules = asked_.rules;
    if (asked_.get && asked_.has_data) add_query(rules, asked_.data);
    if (asked_.has_url_query) add_query(rules, asked_.url_query);
    if (asked_.upload && *asked_.upload != "-" && *asked_.upload != ".") rules.file = *asked_.upload;
    auto url = read_curl_url(*asked_.url, rules);
    if (!url) return std::unexpected(std::move(url.error()));
    target_.url = std::move(url->url);
    target_.request_target = asked_.request_target.empty() ? std::move(url->request_target) : asked_.request_target;
    if (!asked_.user && !url->user_info.empty()) asked_.user = std::move(url->user_info);
    return {};
  }

  static void add_query(CurlUrlRules& rules, const std::string& more) {
    if (rules.has_query && !rules.query.empty()) rules.query += '&';
    rules.query += more;
    rules.has_query = true;
  }

  bool has_data_body() const { return asked_.has_data && !asked_.get; }

  void method() {
    target_.method = !asked_.method.empty()                    ? asked_.method
                     : asked_.upload                           ? "PUT"
                     : has_data_body() || !asked_.form.empty() ? "POST"
                     : asked_.head                             ? "HEAD"
                                                               : "GET";
  }

  Expected<void> body() {
    if (has_data_body()) {
      put_body(std::move(asked_.data));
    } else if (!asked_.form.empty()) {
      for (const CurlAsked::Header& h : asked_.headers)
        if (equal_ignoring_case(h.name, "Content-Type") && !h.is_removal) form_type_ = h.value;
      FormBody form =
          render_form(asked_.form, {.backslashes = asked_.form_escape, .is_form = lower(form_type_).starts_with("multipart/form-data")});
      boundary_ = std::move(form.boundary);
      put_body(std::move(form.bytes));
    } else if (asked_.upload) {
      // A pipe has no length to be told.
      const bool is_stdin = *asked_.upload == "-" || *asked_.upload == ".";
      auto bytes = asked_.files.read(is_stdin ? "-" : *asked_.upload, "-T");
      if (!bytes) return std::unexpected(std::move(bytes.error()));
      asked_.settings.chunked = is_stdin;
      put_body(std::move(*bytes));
    }
    return {};
  }
  void put_body(std::string bytes) {
    if (!bytes.empty()) target_.body = std::make_shared<const std::string>(std::move(bytes));
  }

  // What a -H says of a header of curl's own: it is there, or it is taken away.
  bool is_said(std::string_view name) const {
    return std::ranges::any_of(asked_.headers, [=](const CurlAsked::Header& h) { return equal_ignoring_case(h.name, name); });
  }
  void line(std::string_view name, std::string value) {
    if (!is_said(name)) target_.headers.emplace_back(name, std::move(value));
  }

  Expected<void> credentials() {
    if (asked_.bearer) {
      line("Authorization", "Bearer " + *asked_.bearer);
    } else if (asked_.user && !asked_.has_other_auth) {
      if (asked_.user->find(':') == std::string::npos)
        return usage_error("-u of the curl command needs a password too, as in user:password; none is asked for");
      line("Authorization", http::basic_credentials(*asked_.user));
    }
    return {};
  }

  void own_headers() {
    if (!asked_.range.empty() && !has_data_body() && asked_.form.empty() && !asked_.upload)
      line("Range", "bytes=" + asked_.range);
    else if (!asked_.range.empty())
      asked_.note("-r: no Range is sent with a body");
    if (asked_.user_agent) line("User-Agent", *asked_.user_agent);
    if (!asked_.is_json || is_said("Accept")) line("Accept", "*/*");
    if (asked_.compressed) line("Accept-Encoding", "deflate, gzip, br, zstd");
    if (!asked_.referer.empty()) line("Referer", asked_.referer);
    std::string cookies;
    for (const std::string& each : asked_.cookies) cookies += (cookies.empty() ? "" : ";") + each;
    if (!cookies.empty()) line("Cookie", std::move(cookies));
  }

  Expected<void> users_headers() {
    if (asked_.is_json) {
      const bool types = is_said("Content-Type"), accepts = is_said("Accept");
      if (!types) asked_.headers.push_back({"Content-Type", "application/json", false});
      if (!accepts) asked_.headers.push_back({"Accept", "application/json", false});
    }
    for (const CurlAsked::Header& header : asked_.headers) {
      if (const std::string fault = header_fault(header.name, header.value); !fault.empty())
        return usage_error("-H of the curl command: " + fault);
      if (auto done = users_header(header); !done) return done;
    }
    return {};
  }

  Expected<void> users_header(const CurlAsked::Header& h) {
    if (h.is_removal) {
      // Ours goes as well. Without a Host there is no request (RFC 9112 section 3.2).
      if (equal_ignoring_case(h.name, "User-Agent")) target_.headers.emplace_back(h.name, "");
      if (is_one_of(h.name, {"Host", "Content-Length"})) asked_.note(fmt::format("-H \"{}:\": it is sent all the same", h.name));
    } else if (equal_ignoring_case(h.name, "Transfer-Encoding")) {
      if (http::list_holds(h.value, "chunked")) asked_.settings.chunked = true;
    } else if (equal_ignoring_case(h.name, "Content-Length")) {
      if (h.value != std::to_string(target_.body.size()))
        asked_.note(fmt::format("-H \"Content-Length: {}\": the body has {} bytes, and that is what is sent", printable_prefix(h.value, 20),
                                target_.body.size()));
    } else if (equal_ignoring_case(h.name, "Content-Type") && !boundary_.empty()) {
      // Goes with the boundary, at the end.
    } else if (h.value.empty() && is_one_of(h.name, {"User-Agent", "Accept-Encoding", "Authorization", "Connection", "Host"})) {
      asked_.note(fmt::format("-H \"{};\": it is left out, where curl sends it empty", h.name));
      if (equal_ignoring_case(h.name, "User-Agent")) target_.headers.emplace_back(h.name, "");
    } else {
      target_.headers.emplace_back(h.name, h.value);
    }
    return {};
  }

  // Comes last, as in curl.
  void content_type() {
    if (!boundary_.empty())
      target_.headers.emplace_back("Content-Type", form_type_ + "; boundary=" + boundary_);
    else if (has_data_body())
      line("Content-Type", "application/x-www-form-urlencoded");
  }

  void remarks() {
    const std::string& m = target_.method;
    if (!asked_.method.empty() && asked_.settings.location && m != "GET" && m != "HEAD")
      asked_.note(fmt::format("-X {}: after a redirect by 301, 302 or 303 it is a GET, where curl repeats it", m));
  }

  CurlAsked asked_;
  Target target_;
  std::string boundary_, form_type_ = "multipart/form-data";
};

}  // namespace

Expected<CurlCommand> make_curl_command(CurlAsked asked) { return CurlRequest(std::move(asked)).make(); }

}  // namespace thrum::targets
