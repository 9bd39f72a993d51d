#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace heliostat {

// The kind of a failure, as far as a caller can act on it. Details belong in the text.
enum class ErrorCode {
  kInvalidArgument,   // the argument or the input is wrong: do not retry
  kInfeasible,        // the input is valid but nothing satisfies it
  kNotFound,          // a file, zone, column or stored series that is not there
  kPermissionDenied,  // a key is refused, or a file may not be read or written
  kUnsupported,       // this provider or format cannot do it: do not retry
  kUnavailable,       // transient: retry with back-off
  kCorrupt,           // an answer or stored state fails validation
  kInternal,          // the machine fails: disk full, library failure
};

// One failure: where it is, what is wrong and what is accepted. Shown to users as "WHERE: WHAT; ALLOWED", without a
// trailing period.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string where;    // "jobs.csv:17", "--horizon", "provider neso"
  std::string what;     // names the offending value
  std::string allowed;  // what is accepted; may be empty

  // The message on one line. Escapes control characters and invalid UTF-8 and cuts long parts, so that a hostile file
  // cannot write to the terminal through an error message.
  std::string Line() const;
};

// The exit status of a program that ends with such an error: 3 for kInfeasible, 1 for kUnavailable and kInternal, 2 for
// all others (bad usage or bad input).
int ExitStatus(ErrorCode code);

// A value or an Error. [[nodiscard]], which tl::expected 1.0 is not: code that ignores a failure must write `(void)`
// and give the reason. Can become std::expected on C++23. As safe to share between threads as its value.
template <typename T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
  // NOLINTNEXTLINE(google-explicit-constructor): .map() and .and_then() return the base.
  Result(tl::expected<T, Error> other) : tl::expected<T, Error>(std::move(other)) {}
};
// For functions that return no value.
using Status = Result<void>;

// An Error to return from a function of any Result type.
inline tl::unexpected<Error> Fail(ErrorCode code, std::string where, std::string what, std::string allowed = {}) {
  return tl::unexpected<Error>(Error{code, std::move(where), std::move(what), std::move(allowed)});
}

// Passes the error of `failed`, which must hold one, on to another Result type.
template <typename T>
tl::unexpected<Error> Propagate(const Result<T>& failed) {
  return tl::unexpected<Error>(failed.error());
}

// `text` made safe to print on one line: escapes control characters and invalid UTF-8 as "\x1b". Cuts after about
// `limit` bytes, at a character boundary, and then ends in "…".
std::string Printable(std::string_view text, std::size_t limit = 200);

}  // namespace heliostat
