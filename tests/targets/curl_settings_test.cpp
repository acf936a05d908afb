// What a curl command says about how its request is sent, as the attack's options have it.
#include "targets/curl_settings.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/duration.hpp"
#include "targets/curl_command.hpp"

namespace thrum::targets {
namespace {

// Only what differs from an attack's own options, and from what any curl command does: it follows nothing and asks for no compression.
std::string outcome(std::string_view options) {
  const auto command = read_curl_text("curl http://shop.test/ " + std::string(options));
  if (!command) return "error: " + command.error().text;
  const AttackOptions plain;
  AttackOptions o;
  apply(command->settings, o);
  std::string out;
  const auto add = [&](bool differs, const std::string& text) {
    if (differs) out += (out.empty() ? "" : ", ") + text;
  };
  EXPECT_FALSE(o.compression);
  add(o.redirects != -1, fmt::format("redirects {}", o.redirects));
  add(!o.tls.verify, "insecure");
  add(!o.keep_alive, "keepalive off");
  add(o.chunked, "chunked");
  add(!o.http2, "http2 off");
  add(o.http2_only, "http2 only");
  add(o.timeout != plain.timeout, "timeout " + format_duration(o.timeout));
  add(command->settings.says_proxy(), "own proxy");
  add(!o.proxy.url.empty(), "proxy " + o.proxy.url);
  add(!o.proxy.for_http.empty(), "proxy for http " + o.proxy.for_http + " but " + o.proxy.except);
  for (const auto& [name, value] : o.proxy.headers) add(true, "proxy header " + name + ": " + value);
  for (const ConnectTo& c : o.connect_to) add(true, fmt::format("connect {}|{}|{}|{}", c.host, c.port, c.to_host, c.to_port));
  add(!o.unix_socket.empty(), "socket " + o.unix_socket);
  for (const std::string& each : o.local_addresses) add(true, "from " + each);
  for (const std::string& each : o.resolvers) add(true, "resolver " + each);
  for (const std::string& each : o.tls.root_cert_files) add(true, "roots " + each);
  add(!o.tls.cert_file.empty(), "cert " + o.tls.cert_file);
  add(!o.tls.key_file.empty(), "key " + o.tls.key_file);
  for (const std::string& note : command->notes) add(true, "note " + note);
  return out;
}

struct Row {
  std::string_view options, outcome;
};

TEST(CurlSettings, AreTheAttacksOptions) {
  constexpr Row kRows[] = {
      {"", ""},
      {"-k", "insecure"},
      {"-k --no-insecure", ""},
      {"-L", "redirects 50"},
      {"-L --max-redirs 3", "redirects 3"},
      {"--max-redirs -1 -L", "redirects 10000"},
      {"--max-redirs 3", ""},
      {"--no-keepalive", "keepalive off"},
      {"-m 2", "timeout 2s"},
      {"--max-time 0.25", "timeout 250ms"},
      {"-m 0", "timeout 0s"},
      {"--http1.1", "http2 off"},
      {"--no-alpn", "http2 off"},
      {"--http2", ""},
      {"--http2-prior-knowledge", "http2 only"},
      {"-H 'Transfer-Encoding: chunked' -d x", "chunked"},
      {"-x proxy.test", "own proxy, proxy http://proxy.test:1080"},
      {"-x http://proxy.test:3128/", "own proxy, proxy http://proxy.test:3128"},
      {"-x https://proxy.test", "own proxy, proxy https://proxy.test"},
      {"-x socks5h://10.0.0.1", "own proxy, proxy socks5h://10.0.0.1:1080"},
      {"-x '[::1]'", "own proxy, proxy http://[::1]:1080"},
      {"-x http://a:b@proxy.test", "own proxy, proxy http://a:b@proxy.test:1080"},
      {"-x proxy.test:1 -U 'anna:p@ss:w'", "own proxy, proxy http://anna:p%40ss%3Aw@proxy.test:1"},
      {"-x http://a:b@proxy.test:1 -U c:d", "own proxy, proxy http://c:d@proxy.test:1"},
      {"--socks5 10.0.0.1:9", "own proxy, proxy socks5://10.0.0.1:9"},
      {"--socks5-hostname 10.0.0.1", "own proxy, proxy socks5h://10.0.0.1:1080"},
      {"-x ''", "own proxy"},
      {"--noproxy '*'", "own proxy"},
      {"-x p:1 --noproxy '*'", "own proxy"},
      {"-x p:1 --noproxy a.test,b.test", "own proxy, proxy for http http://p:1 but a.test,b.test"},
      {"-x p:1 --proxy-header 'X-P: 1'", "own proxy, proxy http://p:1, proxy header X-P: 1"},
      {"--connect-to a:1:b:2 --connect-to ::c:", "connect a|1|b|2, connect |0|c|0"},
      {"--resolve shop.test:80:10.0.0.1", "connect shop.test|80|10.0.0.1|0"},
      {"--resolve +shop.test:80:10.0.0.1,10.0.0.2", "connect shop.test|80|10.0.0.1|0, connect shop.test|80|10.0.0.2|0"},
      {"--resolve '*:443:[::1],[::2]'", "connect |443|::1|0, connect |443|::2|0"},
      {"--resolve -shop.test:80", ""},
      {"--unix-socket /run/x.sock", "socket /run/x.sock"},
      {"--abstract-unix-socket x", "socket @x"},
      {"--interface 127.0.0.2", "from 127.0.0.2"},
      {"--interface 'host!::1'", "from ::1"},
      {"--interface eth0", "note --interface eth0: the kernel chooses the interface; give an address of it"},
      {"--dns-servers 10.0.0.1,10.0.0.2:53", "resolver 10.0.0.1, resolver 10.0.0.2:53"},
      {"--cacert ca.pem -E me.pem --key me.key", "roots ca.pem, cert me.pem, key me.key"},
      {"--cert me.pem:word", "cert me.pem, note --cert: keys with a passphrase can't be read"},
      // What is passed over, and what is named.
      {"-sSviOJRN# -o x -w y -D - --retry 3 --fail --trace-time --tlsv1.2 -q -Z", ""},
      {"-4", "note -4: both families of addresses are tried"},
      {"--http3", "note --http3: HTTP/3 is not spoken"},
      {"--digest -u a:b", "note --digest: no Digest authentication: credentials are not sent"},
      {"--connect-timeout 5", "note --connect-timeout: the time to connect counts in the timeout of the whole request"},
      {"-b jar.txt -c jar.txt", "note -b jar.txt: a file of cookies is not read, and none is kept from one request to the next"},
      {"-L -X DELETE", "redirects 50, note -X DELETE: after a redirect by 301, 302 or 303 it is a GET, where curl repeats it"},
      {"--location-trusted", "redirects 50, note --location-trusted: a redirect to another host gets no credentials"},
      {"--noproxy a.test", "note --noproxy: without -x it changes nothing; NO_PROXY excepts hosts from the environment's proxies"},
      // Mistakes.
      {"-m soon", "error: -m \"soon\" of the curl command is not a number of seconds, like 2.5"},
      {"-m -1", "error: -m \"-1\" of the curl command is not a number of seconds, like 2.5"},
      {"-m nan", "error: -m \"nan\" of the curl command is not a number of seconds, like 2.5"},
      {"-L --max-redirs x", "error: --max-redirs \"x\" of the curl command is not a number of redirects"},
      {"-x ftp://p", "error: -x of the curl command: proxy \"ftp://p:1080\": proxies are spoken to by http, https, socks5 or socks5h"},
      {"--socks4 p", "error: the curl command has --socks4: SOCKS4 is not spoken"},
      {"-x p -U anna", "error: -U of the curl command needs a password too, as in user:password; none is asked for"},
      {"--resolve a:b:c", "error: --resolve \"a:b:c\" of the curl command is not HOST:PORT:ADDRESS, like shop.test:443:10.0.0.7"},
      {"--connect-to x",
       "error: --connect-to of the curl command: \"x\" is not HOST:PORT:HOST:PORT, like shop.test:443:10.0.0.7:8443 or "
       "shop.test:443:[::1]:8443"},
  };
  for (const Row& row : kRows) EXPECT_EQ(outcome(row.options), row.outcome) << row.options;
}

TEST(CurlSettings, LeaveAloneWhatTheCommandDoesNotSpeakOf) {
  AttackOptions o;
  o.timeout = Nanos(5);
  o.tls.verify = false;
  o.proxy.for_http = "http://p:1";
  o.connect_to = {{"a", 1, "b", 2}};
  const auto command = read_curl_text("curl http://shop.test/ --connect-to c:3:d:4");
  ASSERT_TRUE(command);
  apply(command->settings, o);
  EXPECT_EQ(o.timeout, Nanos(5));
  EXPECT_FALSE(o.tls.verify);
  EXPECT_EQ(o.proxy.for_http, "http://p:1");
  ASSERT_EQ(o.connect_to.size(), 2U);
  EXPECT_EQ(o.connect_to[1].to_host, "d");
}

}  // namespace
}  // namespace thrum::targets
