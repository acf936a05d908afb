#include "mode/exchange_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace thrum::mode {
namespace {

using testing::HasSubstr;

Result answered() {
  Result r;
  r.method = "GET";
  r.url = "http://shop.test/";
  r.code = 200;
  r.latency = Nanos(1'500'000);
  r.connect = Nanos(200'000);
  r.first_byte = Nanos(1'000'000);
  r.bytes_in = 2;
  return r;
}

std::string text_of(ExchangeText& t, const Result& r) {
  t.on_end(r.seq);
  return t.take(r);
}

TEST(ExchangeText, ShowsBothDirectionsTheConnectionAndTheTimes) {
  ExchangeText t(-1);
  ConnectionFacts facts;
  facts.peer = "127.0.0.1:443";
  facts.tls = "TLSv1.3";
  facts.cipher = "TLS_AES_256_GCM_SHA384";
  facts.is_resumed = true;
  facts.certificate = "CN = shop.test";
  t.on_connection(facts);
  t.on_sent("GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n");
  t.on_received("HTTP/1.1 200 OK\r\nA: b\r\n");
  t.on_received("\r\nok");
  EXPECT_EQ(text_of(t, answered()),
            "* GET http://shop.test/\n* connected to 127.0.0.1:443, HTTP/1.1\n* TLSv1.3, TLS_AES_256_GCM_SHA384, session resumed\n"
            "* certificate: CN = shop.test\n> GET / HTTP/1.1\n> Host: shop.test\n>\n< HTTP/1.1 200 OK\n< A: b\n<\nok\n"
            "* 200 after 1.5ms, connect 200µs, first byte 1ms; body: 0 bytes out, 2 bytes in\n\n");
}

TEST(ExchangeText, InterimResponsesAreHeadsAndTheBodyAfterThemIsABody) {
  ExchangeText t(-1);
  t.on_sent("PUT / HTTP/1.1\r\nExpect: 100-continue\r\n\r\n");
  t.on_received("HTTP/1.1 100 Continue\r\n\r\n");
  t.on_sent("the body\nof it");
  t.on_received("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_THAT(text_of(t, answered()), HasSubstr(">\n< HTTP/1.1 100 Continue\n<\nthe body\nof it\n< HTTP/1.1 103 Early Hints\n< Link: x\n<\n"
                                                "< HTTP/1.1 204 No Content\n<\n* 200"));
}

TEST(ExchangeText, WhatAServerSaysCannotDriveATerminal) {
  ExchangeText t(-1);
  t.on_received("HTTP/1.1 200 \x1b[2J\r\n\r\nx\x1b[31my");
  const std::string text = text_of(t, answered());
  EXPECT_EQ(text.find('\x1b'), text.npos);
  EXPECT_THAT(text, HasSubstr("(7 bytes that are not text)"));
}

TEST(ExchangeText, BodiesAreShownAsFarAsAsked) {
  ExchangeText t(4);
  t.on_received("HTTP/1.1 200 OK\r\n\r\n0123456789");
  t.on_received(std::string(1'000'000, 'x'));
  EXPECT_THAT(text_of(t, answered()), HasSubstr("<\n0123\n(4 of 1000010 bytes shown; -max-body=-1 shows all)\n"));
}

TEST(ExchangeText, AHeadWithoutAnEndIsShown) {
  ExchangeText t(4);
  t.on_received("HTTP/1.1 200 OK\r\nA: b");
  EXPECT_THAT(text_of(t, answered()), HasSubstr("< HTTP/1.1 200 OK\n< A: b\n"));
}

TEST(ExchangeText, ResultsThatComeLateHaveTheirOwnText) {
  ExchangeText t(-1);
  t.on_sent("first\r\n\r\n");
  t.on_end(0);
  t.on_sent("second\r\n\r\n");
  t.on_end(1);
  Result r = answered();
  EXPECT_THAT(t.take(r), HasSubstr("> first\n"));
  r.seq = 1;
  r.redirects = 1;
  r.error = "connect: \x1b";
  EXPECT_THAT(t.take(r), testing::AllOf(HasSubstr("> second\n"), HasSubstr("1 redirect followed"), HasSubstr("connect: \\x1b")));
  EXPECT_THAT(t.take(r), testing::Not(HasSubstr("second")));
}

}  // namespace
}  // namespace thrum::mode
