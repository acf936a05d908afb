# A file as a C++ function that returns its bytes. Run as a script:
#   cmake -DINPUT=page.html -DOUTPUT=page.cpp -DHEADER=report/page.hpp -DFUNCTION=thrum::report::page -P Embed.cmake
file(READ ${INPUT} bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "#include \"${HEADER}\"
static constexpr unsigned char kBytes[${size}] = {${bytes}};
std::string_view ${FUNCTION}() { return {reinterpret_cast<const char*>(kBytes), ${size}}; }
")
