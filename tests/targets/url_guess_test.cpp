#include "targets/url_guess.hpp"

#include <gtest/gtest.h>

namespace thrum::targets {
namespace {

TEST(UrlGuess, TellsAUrlFromAWord) {
  for (const char* url : {"http://a/", "htp://x", "a.test", "a.test/x", "localhost", "LOCALHOST", "x:8080", "[::1]", "::1", "a/b",
                          "me.localhost", "127.0.0.1", "user@host.test"})
    EXPECT_TRUE(looks_like_url(url)) << url;
  for (const char* word : {"", "logz", "attack", "-x.y", "/", "/etc/passwd", ":", "?a.b"}) EXPECT_FALSE(looks_like_url(word)) << word;
}

TEST(UrlGuess, GuessesTheScheme) {
  const auto guess = [](const char* word) { return guessed_url(word).value_or("as it is"); };
  EXPECT_EQ(guess("http://a/"), "as it is");
  EXPECT_EQ(guess("a.test"), "https://a.test");
  EXPECT_EQ(guess("a.test/x?y=1"), "https://a.test/x?y=1");
  EXPECT_EQ(guess("a.test:8080/x"), "http://a.test:8080/x");
  EXPECT_EQ(guess("a.test/x:8080"), "https://a.test/x:8080");
  EXPECT_EQ(guess("localhost"), "http://localhost");
  EXPECT_EQ(guess("api.localhost/x"), "http://api.localhost/x");
  EXPECT_EQ(guess("127.0.0.1"), "http://127.0.0.1");
  EXPECT_EQ(guess("[::1]"), "http://[::1]");
  EXPECT_EQ(guess("[2001:db8::1]:81/x"), "http://[2001:db8::1]:81/x");
  EXPECT_EQ(guess("::1"), "http://[::1]");
  EXPECT_EQ(guess("2001:db8::1/x"), "https://[2001:db8::1]/x");
  EXPECT_EQ(guess("me:secret@a.test"), "https://me:secret@a.test");
}

}  // namespace
}  // namespace thrum::targets
