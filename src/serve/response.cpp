#include "serve/response.hpp"

#include <fmt/format.h>

#include <array>
#include <ctime>
#include <utility>

namespace thrum::serve {
namespace {

constexpr int kFirstStatus = 100, kEndStatus = 600;

// IANA's registry of HTTP status codes.
constexpr std::pair<int, std::string_view> kReasons[] = {
    {100, "Continue"},
    {101, "Switching Protocols"},
    {102, "Processing"},
    {103, "Early Hints"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {203, "Non-Authoritative Information"},
    {204, "No Content"},
    {205, "Reset Content"},
    {206, "Partial Content"},
    {207, "Multi-Status"},
    {208, "Already Reported"},
    {226, "IM Used"},
    {300, "Multiple Choices"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {305, "Use Proxy"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {407, "Proxy Authentication Required"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {423, "Locked"},
    {424, "Failed Dependency"},
    {425, "Too Early"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {451, "Unavailable For Legal Reasons"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {506, "Variant Also Negotiates"},
    {507, "Insufficient Storage"},
    {508, "Loop Detected"},
    {511, "Network Authentication Required"},
};

using Lines = std::array<std::string, kEndStatus - kFirstStatus>;

Lines make_lines() {
  Lines lines;
  for (int status = kFirstStatus; status < kEndStatus; ++status)
    lines[static_cast<std::size_t>(status - kFirstStatus)] = fmt::format("HTTP/1.1 {} \r\n", status);
  for (const auto& [status, reason] : kReasons)
    lines[static_cast<std::size_t>(status - kFirstStatus)] = fmt::format("HTTP/1.1 {} {}\r\n", status, reason);
  return lines;
}

}  // namespace

std::string_view status_line(int status) {
  static const Lines lines = make_lines();
  if (status < kFirstStatus || status >= kEndStatus) status = 500;
  return lines[static_cast<std::size_t>(status - kFirstStatus)];
}

bool status_has_body(int status) { return status >= 200 && status != 204 && status != 304; }

std::string date_header(std::int64_t unix_seconds) {
  static constexpr std::string_view kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto seconds = static_cast<std::time_t>(unix_seconds);
  std::tm t{};
  gmtime_r(&seconds, &t);
  return fmt::format("Date: {}, {:02} {} {:04} {:02}:{:02}:{:02} GMT\r\n", kDays[t.tm_wday], t.tm_mday, kMonths[t.tm_mon], t.tm_year + 1900,
                     t.tm_hour, t.tm_min, t.tm_sec);
}

}  // namespace thrum::serve
