// Curl commands as flags of thrum run.
#include "mode/curl_flags.hpp"

#include <gmock/gmock.h>

#include <string>

namespace thrum::mode {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// "flag=value" a line each, then the notes.
std::string flags(std::string_view text) {
  const auto command = targets::read_curl_text(text);
  if (!command) return "error: " + command.error().text;
  const auto said = flags_of(*command);
  if (!said) return "error: " + said.error().text;
  std::string out;
  for (const auto& [flag, value] : said->flags) out += flag + '=' + value + '\n';
  for (const std::string& note : said->notes) out += "note: " + note + '\n';
  return out;
}

struct Row {
  std::string_view command, flags;
};

TEST(CurlFlags, SayWhatTheCommandSays) {
  constexpr Row kRows[] = {
      {"curl http://a.test/", "url=http://a.test/\nheader=Accept: */*\nredirects=-1\ncompression=false\n"},
      {"curl -L -k -m 2.5 http://a.test/",
       "url=http://a.test/\nheader=Accept: */*\nredirects=50\ncompression=false\ninsecure=true\ntimeout=2.5s\n"},
      {"curl -X PUT -d 'a=1' -H 'X: it is' http://a.test/x",
       "url=http://a.test/x\nmethod=PUT\nheader=Accept: */*\nheader=X: it is\nheader=Content-Type: application/x-www-form-urlencoded\n"
       "data=a=1\nredirects=-1\ncompression=false\n"},
      {"curl -x http://p.test:3128 --connect-to a.test:80:[::1]:8080 --unix-socket /s --cacert c.pem http://a.test/",
       "url=http://a.test/\nheader=Accept: */*\nredirects=-1\ncompression=false\nproxy=http://p.test:3128\n"
       "connect-to=a.test:80:[::1]:8080\nunix-socket=/s\nroot-certs=c.pem\n"},
      {"curl --noproxy '*' --http1.1 http://a.test/",
       "url=http://a.test/\nheader=Accept: */*\nredirects=-1\ncompression=false\nhttp2=false\nproxy=none\n"},
  };
  for (const Row& row : kRows) EXPECT_EQ(flags(row.command), row.flags) << row.command;
}

TEST(CurlFlags, ABodyHasToStandInALine) {
  EXPECT_THAT(flags("curl --data-raw @x http://a.test/"), HasSubstr("error: the curl command's body begins with @"));
  EXPECT_THAT(flags("curl -d '" + std::string(70'000, 'x') + "' http://a.test/"), HasSubstr("(70000 bytes) can't stand in a command line"));
}

}  // namespace
}  // namespace thrum::mode
