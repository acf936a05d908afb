// The multipart body of curl's -F (RFC 7578): what a field's value says, and the bytes that are made of all fields.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "targets/curl_data.hpp"
#include "thrum/error.hpp"

namespace thrum::targets {

struct FormField {
  std::string name = {};
  std::optional<std::string> filename = {};
  std::string type = {};                  // empty: none
  std::string encoder = {};               // Content-Transfer-Encoding, empty: none
  std::vector<std::string> headers = {};  // more lines of its own
  std::string content = {};
};

// The value of -F: name=content, name=@file, name=<file, each with ;type= ;filename= ;headers= ;encoder=
Expected<FormField> read_form_field(std::string_view value, CurlFiles& files);
// The value of --form-string: name=content, nothing in it means anything.
Expected<FormField> read_form_string(std::string_view value);

struct FormBody {
  std::string boundary;  // the same for the same fields
  std::string bytes;
};
struct FormStyle {
  bool backslashes = false;  // quotes in names are escaped by these (--form-escape), else as %22
  bool is_form = true;       // the body's type is multipart/form-data; other fields are "attachment"
};
FormBody render_form(const std::vector<FormField>& fields, FormStyle style);

}  // namespace thrum::targets
