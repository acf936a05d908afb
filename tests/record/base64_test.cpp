#include "record/base64.hpp"

#include <gtest/gtest.h>

#include <string>

namespace thrum {
namespace {

std::optional<std::string> decoded(std::string_view text) {
  std::string into(text.size() * 3 / 4 + 3, '\0');
  const auto size = decode_base64(text, into.data());
  if (!size) return std::nullopt;
  into.resize(*size);
  return into;
}

TEST(Base64, GoesThereAndBackAtEveryLength) {
  std::string bytes;
  for (int i = 0; i < 100; ++i) {
    std::string text;
    append_base64(bytes, text);
    EXPECT_EQ(text.size(), (bytes.size() + 2) / 3 * 4);
    EXPECT_EQ(decoded(text), bytes);
    bytes += static_cast<char>(i * 37);
  }
}

TEST(Base64, KnownTexts) {
  for (const auto& [bytes, text] :
       {std::pair<std::string, std::string>{"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}}) {
    std::string out;
    append_base64(bytes, out);
    EXPECT_EQ(out, text);
  }
}

TEST(Base64, LineEndsInsideAreIgnored) {
  EXPECT_EQ(decoded("Zm9v\r\nYm\nFy"), "foobar");
  EXPECT_EQ(decoded("Zg=\n="), "f");
}

TEST(Base64, RefusesWhatIsNone) {
  for (const std::string_view text : {"Z", "Zg", "Zg=", "Zm8", "=", "Z===", "Zg===", "Zg==Zg==", "Zm9v!", "Zm 9v", "Zm9v=", "-_-_"})
    EXPECT_EQ(decoded(text), std::nullopt) << text;
}

}  // namespace
}  // namespace thrum
