#include "net/tls_stream.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/mapped_file.hpp"

namespace thrum::net {
namespace {

constexpr std::size_t kChunk = 128 * 1024;  // of a large body: encrypted at once, then sent

// The library would clear each of its places for an error, whether there is one or not.
void clear_errors() {
  if (ERR_peek_error() != 0) ERR_clear_error();
}

// Whether these bytes are a record and nothing else (RFC 8446 section 5.1), if they begin with one.
bool is_one_record(std::span<const char> bytes) {
  constexpr std::size_t kHead = 5;
  if (bytes.size() < kHead) return false;
  const auto at = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  return bytes.size() == kHead + (at(3) << 8 | at(4));
}

}  // namespace

// The library's view of the socket: reads what received() was given, writes into the shared buffer. It never blocks, never
// ends (the end of a stream is ours to judge) and never touches a descriptor, so nothing can raise SIGPIPE.
struct TlsBio {
  static int read(BIO* bio, char* into, std::size_t size, std::size_t* got) {
    auto& in = static_cast<TlsStream*>(BIO_get_data(bio))->in_;
    BIO_clear_retry_flags(bio);
    if (in.empty()) {
      BIO_set_retry_read(bio);
      return 0;
    }
    *got = std::min(size, in.size());
    std::memcpy(into, in.data(), *got);
    in = in.subspan(*got);
    return 1;
  }

  static int write(BIO* bio, const char* from, std::size_t size, std::size_t* put) {
    auto& out = static_cast<TlsStream*>(BIO_get_data(bio))->buffers_.out;
    BIO_clear_retry_flags(bio);
    out.insert(out.end(), from, from + size);
    *put = size;
    return 1;
  }

  static long control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

  static int create(BIO* bio) {
    BIO_set_init(bio, 1);
    return 1;
  }

  static BIO_METHOD* method() {
    static BIO_METHOD* const made = [] {
      BIO_METHOD* m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "thrum");
      if (m == nullptr) return m;
      BIO_meth_set_read_ex(m, read);
      BIO_meth_set_write_ex(m, write);
      BIO_meth_set_ctrl(m, control);
      BIO_meth_set_create(m, create);
      return m;
    }();
    return made;
  }
};

void SslDelete::operator()(SSL* ssl) const { SSL_free(ssl); }

TlsStream::TlsStream(Ssl ssl, Reactor& reactor, SocketId socket, TlsBuffers& buffers, Owner& owner)
    : ssl_(std::move(ssl)), reactor_(reactor), buffers_(buffers), owner_(owner), socket_(socket) {
  ++buffers_.streams;
  BIO* bio = BIO_new(TlsBio::method());
  if (bio != nullptr) BIO_set_data(bio, this);
  SSL_set_bio(ssl_.get(), bio, bio);  // without one the handshake fails, which is told
}

TlsStream::~TlsStream() {
  --buffers_.streams;
  // The library takes a session for bad when its connection was not closed by the book (SSL_free); RFC 8446 does not.
  SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  if (is_gone_ != nullptr) *is_gone_ = true;
}

void TlsStream::start() {
  assert(state_ == State::shaking);
  shake();
}

void TlsStream::received(std::span<const char> ciphertext) {
  if (state_ == State::down) return;
  in_ = ciphertext;
  bool gone = false;
  is_gone_ = &gone;
  if (state_ == State::up || (shake() && !gone)) decrypt();
  if (gone) return;
  is_gone_ = nullptr;
  in_ = {};
}

// Carries the handshake on. True when it is done.
bool TlsStream::shake() {
  ERR_clear_error();
  const int r = SSL_do_handshake(ssl_.get());
  if (r == 1) {
    state_ = State::up;
    flush();
    owner_.on_tls_up();
    return true;
  }
  if (SSL_get_error(ssl_.get(), r) == SSL_ERROR_WANT_READ)
    flush();
  else
    go_down(fault_of_library());
  return false;
}

// Hands out all that can be read, many records at once: a server that answers on many streams makes a small one of each answer.
// Afterwards the library holds at most a part of a record. It isn't asked for more when it has nothing left, and gives back its
// buffer, if at all, with the last record, not with each.
void TlsStream::decrypt() {
  bool* const gone = is_gone_;
  clear_errors();
  if (!keeps_buffers_) SSL_clear_mode(ssl_.get(), SSL_MODE_RELEASE_BUFFERS);
  while (state_ == State::up) {
    std::size_t size = 0;
    int error = SSL_ERROR_NONE;
    bool is_dry = false;
    while (error == SSL_ERROR_NONE && !is_dry && size < TlsBuffers::kPlain) {
      std::size_t n = 0;
      if (!keeps_buffers_ && (in_.empty() || is_one_record(in_))) SSL_set_mode(ssl_.get(), SSL_MODE_RELEASE_BUFFERS);
      const int r = SSL_read_ex(ssl_.get(), buffers_.plain.get() + size, TlsBuffers::kPlain, &n);
      error = r == 1 ? SSL_ERROR_NONE : SSL_get_error(ssl_.get(), r);
      size += n;
      is_dry = r == 1 && in_.empty() && SSL_has_pending(ssl_.get()) == 0;
    }
    if (is_dry) keep_buffers(size <= TlsBuffers::kSmallRead && buffers_.streams <= TlsBuffers::kFewStreams);
    // Before anybody else calls the library: its errors are the thread's.
    const bool is_over = error != SSL_ERROR_NONE && error != SSL_ERROR_WANT_READ;
    const Fault fault = is_over && error != SSL_ERROR_ZERO_RETURN ? fault_of_library() : Fault{};
    flush();  // reading makes the library answer now and then: it refuses to renegotiate
    if (size > 0) owner_.on_tls_bytes({buffers_.plain.get(), size});
    if (*gone || is_dry || error == SSL_ERROR_WANT_READ) return;
    if (is_over && state_ == State::up) return go_down(fault);
  }
}

// The library's own, from now on. It has read all that there was.
void TlsStream::keep_buffers(bool keep) {
  if (keep && keeps_buffers_) return;
  keeps_buffers_ = keep;
  if (keep) {
    SSL_clear_mode(ssl_.get(), SSL_MODE_RELEASE_BUFFERS);
  } else {
    SSL_set_mode(ssl_.get(), SSL_MODE_RELEASE_BUFFERS);
    SSL_free_buffers(ssl_.get());
  }
}

SendOutcome TlsStream::send(std::span<const char> head, std::span<const char> body) {
  if (state_ != State::up) return {SendOutcome::State::failed, ENOTCONN};
  assert(!is_sending_);
  clear_errors();
  if (!head.empty() && !body.empty() && head.size() + body.size() <= TlsBuffers::kPlain) {
    std::memcpy(buffers_.joined.get(), head.data(), head.size());
    std::memcpy(buffers_.joined.get() + head.size(), body.data(), body.size());
    head = {buffers_.joined.get(), head.size() + body.size()};
    body = {};
  }
  if (!encrypt(head)) return {SendOutcome::State::failed, EPROTO};
  rest_ = body;
  const SendOutcome outcome = push();
  is_sending_ = outcome.state == SendOutcome::State::pending;
  return outcome;
}

void TlsStream::sent() {
  if (!queued_.empty()) {
    const std::vector<char> next = std::exchange(queued_, {});
    if (send_below(next).state != SendOutcome::State::done) return;  // if it failed, ended() follows
  }
  if (!is_sending_) return;
  const SendOutcome outcome = push();
  if (outcome.error == EFAULT) return go_down(Fault::os(Fault::Phase::send, EFAULT));  // nothing else will tell
  if (outcome.state != SendOutcome::State::done) return;
  is_sending_ = false;
  owner_.on_tls_sent();
}

void TlsStream::ended(int error) {
  if (state_ == State::down) return;
  if (state_ == State::shaking)
    return go_down(error == 0 ? Fault::other(Fault::Phase::tls, Fault::kHandshakeEnded) : Fault::os(Fault::Phase::tls, error));
  if (error == 0) return go_down(Fault::other(Fault::Phase::receive, Fault::kTruncated));
  go_down(Fault::os(is_of_sending(error) ? Fault::Phase::send : Fault::Phase::receive, error));
}

void TlsStream::end(bool politely) {
  const bool can_speak = state_ == State::up && !is_sending_ && !is_sending_below();
  state_ = State::down;
  if (!politely || !can_speak) return;
  ERR_clear_error();
  SSL_shutdown(ssl_.get());
  flush();
}

std::string_view TlsStream::protocol() const {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_.get(), &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

void TlsStream::tell(ConnectionFacts& facts) const {
  facts.tls = SSL_get_version(ssl_.get());
  facts.cipher = SSL_get_cipher_name(ssl_.get());
  facts.is_resumed = SSL_session_reused(ssl_.get()) == 1;
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(SSL_get1_peer_certificate(ssl_.get()), X509_free);
  const std::unique_ptr<BIO, decltype(&BIO_free)> words(BIO_new(BIO_s_mem()), BIO_free);
  if (certificate == nullptr || words == nullptr) return;
  X509_NAME_print_ex(words.get(), X509_get_subject_name(certificate.get()), 0, XN_FLAG_ONELINE);
  BIO_puts(words.get(), ", issued by ");
  X509_NAME_print_ex(words.get(), X509_get_issuer_name(certificate.get()), 0, XN_FLAG_ONELINE);
  BIO_puts(words.get(), ", valid until ");
  ASN1_TIME_print(words.get(), X509_get0_notAfter(certificate.get()));
  char* text = nullptr;
  const long size = BIO_get_mem_data(words.get(), &text);
  if (size > 0) facts.certificate.assign(text, static_cast<std::size_t>(size));
}

bool TlsStream::encrypt(std::span<const char> plain) {
  std::size_t n = 0;
  if (plain.empty() || SSL_write_ex(ssl_.get(), plain.data(), plain.size(), &n) == 1) return true;
  buffers_.out.clear();
  return false;
}

SendOutcome TlsStream::send_below(std::span<const char> ciphertext) {
  return outer_ != nullptr ? outer_->send(ciphertext) : reactor_.send(socket_, ciphertext);
}

bool TlsStream::is_sending_below() const { return outer_ != nullptr ? outer_->is_sending() : reactor_.is_sending(socket_); }

// Sends what is encrypted, and encrypts and sends what is left of the body as long as the socket takes it.
SendOutcome TlsStream::push() {
  const bool mapped = !rest_.empty() && is_mapped(rest_);
  for (;;) {
    auto part = rest_.first(std::min(rest_.size(), mapped ? TlsBuffers::kPlain : kChunk));
    if (mapped) {
      if (!copy_bytes(part, buffers_.joined.get())) return {SendOutcome::State::failed, EFAULT};
      part = {buffers_.joined.get(), part.size()};
    }
    if (!encrypt(part)) return {SendOutcome::State::failed, EPROTO};
    rest_ = rest_.subspan(part.size());
    const SendOutcome outcome = flush();
    if (outcome.state != SendOutcome::State::done || rest_.empty()) return outcome;
  }
}

// The shared buffer is empty after it: the next call may be another stream's.
SendOutcome TlsStream::flush() {
  auto& out = buffers_.out;
  if (out.empty()) return {};
  SendOutcome outcome{SendOutcome::State::pending, 0};
  if (is_sending_below())
    queued_.insert(queued_.end(), out.begin(), out.end());
  else
    outcome = send_below(out);
  out.clear();
  return outcome;
}

void TlsStream::go_down(Fault fault) {
  state_ = State::down;
  flush();  // the alert that says why
  owner_.on_tls_down(fault);
}

Fault TlsStream::fault_of_library() const {
  const unsigned long code = ERR_peek_error();  // the first is the cause
  if (ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) == SSL_R_CERTIFICATE_VERIFY_FAILED)
    return {Fault::Phase::tls, Fault::Source::certificate, SSL_get_verify_result(ssl_.get())};
  return {Fault::Phase::tls, Fault::Source::tls_library, static_cast<std::int64_t>(code)};
}

}  // namespace thrum::net
