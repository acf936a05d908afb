// The believable part of the demo site: a shop's small API.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "serve/demo_answers.hpp"
#include "serve/demo_site.hpp"

namespace thrum::serve {
namespace {

constexpr std::string_view kProducts =
    R"({"products":[{"id":1001,"name":"Pour-over kettle, 1 l","category":"kitchen","price_cents":4990,"in_stock":42},)"
    R"({"id":1002,"name":"Stoneware mug, blue","category":"kitchen","price_cents":1450,"in_stock":310},)"
    R"({"id":1003,"name":"Chef's knife, 20 cm","category":"kitchen","price_cents":7900,"in_stock":27},)"
    R"({"id":1004,"name":"Linen apron","category":"textiles","price_cents":3200,"in_stock":88},)"
    R"({"id":1005,"name":"Wool blanket, grey","category":"textiles","price_cents":8950,"in_stock":15},)"
    R"({"id":1006,"name":"Oak cutting board","category":"kitchen","price_cents":3900,"in_stock":64},)"
    R"({"id":1007,"name":"Desk lamp, brass","category":"lighting","price_cents":11900,"in_stock":9},)"
    R"({"id":1008,"name":"Beeswax candles, 6","category":"lighting","price_cents":1800,"in_stock":140}],)"
    R"("total":8,"page":1,"currency":"EUR"})";
static_assert(kProducts.size() == 803, "the manual and its examples say so");

constexpr std::size_t kMaxLogin = 16 * 1024;

// The member `name` of `object` if it is a string of 1 to `most` bytes.
const std::string* text_member(const nlohmann::json& object, const char* name, std::size_t most) {
  const auto at = object.find(name);
  if (at == object.end() || !at->is_string()) return nullptr;
  const auto& text = at->get_ref<const std::string&>();
  return text.empty() || text.size() > most ? nullptr : &text;
}

}  // namespace

void DemoSite::products(const Call& call) { call.ticket.answer({.type = kJson, .body = kProducts}); }

void DemoSite::report(const Call& call) { pool_.submit(call.ticket); }

// Any password is right: it is the token that later requests must bring.
void DemoSite::login(const Call& call) {
  const std::string_view body = call.request.body;
  if (body.size() > kMaxLogin) return answer_error(call.ticket, 413, "the body is larger than any login");
  const auto document = nlohmann::json::parse(body, nullptr, false);
  if (!document.is_object()) return answer_error(call.ticket, 400, "the body should be a JSON object with user and password");
  const std::string* user = text_member(document, "user", kMaxUserName);
  if (user == nullptr) return answer_error(call.ticket, 400, "user should be a string of 1 to 256 bytes");
  if (text_member(document, "password", kMaxLogin) == nullptr)
    return answer_error(call.ticket, 400, "password should be a string, not empty");
  const std::string answer = fmt::format("{{\"token\":\"{}\"}}\n", mint_.issue(*user));
  call.ticket.answer({.type = kJson, .body = answer});
}

void DemoSite::me(const Call& call) {
  constexpr std::string_view kScheme = "Bearer ";
  const std::string_view given = call.request.head.header("Authorization").value_or("");
  if (given.size() > kScheme.size() && equal_ignoring_case(given.substr(0, kScheme.size()), kScheme)) {
    if (const auto user = mint_.verify(trim(given.substr(kScheme.size())))) {
      const std::string body = nlohmann::json{{"user", *user}}.dump() + "\n";
      call.ticket.answer({.type = kJson, .body = body});
      return;
    }
  }
  answer_error(call.ticket, 401, "a token is needed: POST /api/login gives one", "WWW-Authenticate: Bearer\r\n");
}

}  // namespace thrum::serve
