// What a curl command may be, where it may come from, and what is said of one that can't be sent.
#include "targets/curl_command.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace thrum::targets {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string error_of(std::string_view text) {
  const auto command = read_curl_text(text);
  return command ? "" : command.error().text;
}

struct Slip {
  std::string_view text, error;
};

TEST(CurlCommand, MistakesAreTold) {
  constexpr Slip kSlips[] = {
      {"", "the curl command has no URL"},
      {"curl", "the curl command has no URL"},
      {"curl -s", "the curl command has no URL"},
      {"curl http://a/ http://b/", "the curl command has more than one URL: \"http://a/\" and \"http://b/\"; quote what belongs together"},
      {"curl --url http://a/ http://b/",
       "the curl command has more than one URL: \"http://a/\" and \"http://b/\"; quote what belongs together"},
      {"curl http://a/ --next http://b/", "the curl command has --next: it begins a second request, and one is sent"},
      {"curl http://a/ --heder x", "the curl command has --heder, which is no option of curl that is known here; did you mean --header?"},
      {"curl http://a/ --frobnicate", "the curl command has --frobnicate, which is no option of curl that is known here"},
      {"curl http://a/ --no-data x", "the curl command has --no-data, which is no option of curl that is known here"},
      {"curl http://a/ -sW", "the curl command has -sW, and -W is no option of curl"},
      {"curl http://a/ -H", "-H at the end of the curl command needs a value"},
      {"curl http://a/ --data", "--data at the end of the curl command needs a value"},
      {"curl http://a/ -d x -F a=b", "the curl command has -d and -F, which curl can't do both; leave one out"},
      {"curl http://a/ -d x -I", "the curl command has -d and -I, which curl can't do both; leave one out"},
      {"curl http://a/ -d x -T y", "the curl command has -d and -T, which curl can't do both; leave one out"},
      {"curl http://a/ -X 'G T'", "-X \"G T\" of the curl command is no method: letters, digits and - only"},
      {"curl http://a/ -K x", "the curl command has -K: it reads more options from a file; write them out"},
      {"curl http://a/ --help", "the curl command has --help: it asks for help"},
      {"curl http://a/ -u anna", "-u of the curl command needs a password too, as in user:password; none is asked for"},
      {"curl http://a/ -F x", "-F \"x\" of the curl command: write name=content, name=@file or name=<file"},
      {"curl http://a/ -F x=@a,b", "-F \"x=@a,b\" of the curl command: several files in one field; give each a -F of its own"},
      {"curl http://a/ -F 'x=(;type=multipart/mixed'",
       "-F \"x=(;type=multipart/mixed\" of the curl command: fields within fields are not known here"},
      {"curl http://a/ -F 'x=y;encoder=base64'",
       "-F \"x=y;encoder=base64\" of the curl command: encoder base64 is not known here; binary, 8bit and 7bit are"},
      {"curl http://a/ -d @no-such-file", "-d of the curl command: file \"no-such-file\": no such file"},
      {"curl http://a/ -H 'a b: c'", "-H of the curl command: header name \"a b\" must not contain \" \""},
      {"curl http://a/ -H $'a: b\\nc'", "-H of the curl command: the value of header \"a\" must not contain \"\\n\""},
      {"curl 'http://a/b c'",
       "the curl command's URL \"http://a/b c\": a blank or control character; curl refuses it too, write %20 for a blank"},
      {"curl 'http://a/{1,2}'",
       "the curl command's URL \"http://a/{1,2}\": {...} and [...] stand for several URLs, and one is sent; -g takes them as they are"},
      {"curl 'http://a/[1-9]'",
       "the curl command's URL \"http://a/[1-9]\": {...} and [...] stand for several URLs, and one is sent; -g takes them as they are"},
      {"curl http://a/ --request-target 'a b'", "a blank or control character in what its request line asks for"},
      {"curl ftp://a/", "only http and https are sent"},
      {"curl http://:80/", "no host"},
  };
  for (const Slip& slip : kSlips) EXPECT_THAT(error_of(slip.text), HasSubstr(slip.error)) << slip.text;
}

TEST(CurlCommand, NotesWhatIsNotPartOfIt) {
  const auto notes = [](std::string_view text) {
    auto command = read_curl_text(text);
    return command ? command->notes : std::vector<std::string>{command.error().text};
  };
  EXPECT_THAT(notes("curl http://a/"), IsEmpty());
  EXPECT_THAT(notes("curl http://a/ | jq ."), ElementsAre("left out, as it is no part of the command: | jq ."));
  EXPECT_THAT(notes("curl http://a/?x=1&y=2"), ElementsAre("left out, as it is no part of the command: &y=2"));
  EXPECT_THAT(notes("curl http://a/\ncurl http://b/"), ElementsAre("left out, as it is no part of the command: curl http://b/"));
  EXPECT_THAT(notes("curl -H \"Authorization: Bearer $TOKEN\" http://a/"),
              ElementsAre("$TOKEN is sent as it is written: no shell has put in what it stands for"));
  EXPECT_THAT(notes("curl http://a/ -H 'Host:' -H nothing"),
              ElementsAre("-H \"nothing\" has no colon, and curl sends nothing for it", "-H \"Host:\": it is sent all the same"));
  EXPECT_THAT(notes("curl http://a/ -d abc -H 'Content-Length: 7'"),
              ElementsAre("-H \"Content-Length: 7\": the body has 3 bytes, and that is what is sent"));
}

TEST(CurlCommand, ComesAsWordsATextOrAFile) {
  const auto url = [](std::vector<std::string> arguments) {
    const auto command = read_curl(arguments);
    return command ? command->target.method + " " + command->target.url : command.error().text;
  };
  EXPECT_EQ(url({"curl", "http://a/x", "-X", "PUT"}), "PUT http://a/x");
  EXPECT_EQ(url({"http://a/x", "-I"}), "HEAD http://a/x");
  EXPECT_EQ(url({"http://a/x"}), "GET http://a/x");
  EXPECT_EQ(url({"curl -X PUT 'http://a/x'"}), "PUT http://a/x");
  EXPECT_EQ(url({"curl ^\"http://a/x^\" ^\n  -X PUT"}), "PUT http://a/x");
  const std::string file = (std::filesystem::temp_directory_path() / ("thrum-curl-" + std::to_string(::getpid()) + ".txt")).string();
  std::ofstream(file) << "curl -X PATCH \\\n  http://a/x\n";
  EXPECT_EQ(url({"@" + file}), "PATCH http://a/x");
  std::filesystem::remove(file);
  EXPECT_THAT(url({"@" + file}), HasSubstr("-curl of the curl command: file"));
}

TEST(CurlCommand, ReadsStdinOnceAtMost) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const int before = ::dup(STDIN_FILENO);
  ::dup2(ends[0], STDIN_FILENO);
  constexpr std::string_view kCommand = "curl -d @- http://a/";
  ASSERT_EQ(::write(ends[1], kCommand.data(), kCommand.size()), static_cast<ssize_t>(kCommand.size()));
  ::close(ends[1]);
  const auto from_stdin = read_curl({});
  ::dup2(before, STDIN_FILENO);
  ::close(before);
  ::close(ends[0]);
  ASSERT_FALSE(from_stdin);
  EXPECT_EQ(from_stdin.error().text, "-d of the curl command reads stdin, which is read already; name a file");
  EXPECT_THAT(error_of("curl -d @- -d @- http://a/ </dev/null"), HasSubstr("which is read already"));
}

}  // namespace
}  // namespace thrum::targets
