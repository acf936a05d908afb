#include "mode/proxy_environment.hpp"

#include <gtest/gtest.h>

#include <map>

namespace thrum::mode {
namespace {

std::string read(const std::map<std::string, std::string>& variables) {
  ProxyOptions o;
  add_environment(o, [&](const char* name) {
    const auto at = variables.find(name);
    return at == variables.end() ? std::string() : at->second;
  });
  return o.for_http + "|" + o.for_https + "|" + o.except;
}

TEST(ProxyEnvironment, IsReadInCapitalsFirst) {
  EXPECT_EQ(read({}), "||");
  EXPECT_EQ(read({{"HTTP_PROXY", "a"}, {"http_proxy", "b"}, {"https_proxy", "c"}, {"no_proxy", "d"}}), "a|c|d");
  EXPECT_EQ(read({{"http_proxy", "b"}, {"HTTPS_PROXY", "c"}, {"https_proxy", "e"}, {"NO_PROXY", "d"}, {"no_proxy", "f"}}), "b|c|d");
}

TEST(ProxyEnvironment, AllProxyIsForWhatHasNoneOfItsOwn) {
  EXPECT_EQ(read({{"ALL_PROXY", "x"}}), "x|x|");
  EXPECT_EQ(read({{"all_proxy", "x"}, {"http_proxy", "b"}}), "b|x|");
  EXPECT_EQ(read({{"all_proxy", "x"}, {"https_proxy", "b"}}), "x|b|");
}

TEST(ProxyEnvironment, ACgiProgramsClientDoesNotChooseIt) {
  EXPECT_EQ(read({{"HTTP_PROXY", "evil"}, {"REQUEST_METHOD", "GET"}}), "||");
  EXPECT_EQ(read({{"HTTP_PROXY", "evil"}, {"http_proxy", "mine"}, {"REQUEST_METHOD", "GET"}}), "mine||");
}

}  // namespace
}  // namespace thrum::mode
