#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace heliostat {

// What a caller can do about a failure; anything finer belongs in the text.
enum class ErrorCode {
  kInvalidArgument,   // the caller's or the input's fault: do not retry
  kInfeasible,        // the input is valid but nothing satisfies it
  kNotFound,          // a file, zone, column or stored series that is not there
  kPermissionDenied,  // a key that is refused, a file that may not be read
  kUnsupported,       // this provider or format cannot do it, ever
  kUnavailable,       // transient: retry with back-off
  kCorrupt,           // an answer or stored state fails validation
  kInternal,          // the machine's fault: disk full, library failure
};

// One failure, said once: where it is, what is wrong and what would be right.
// Shown to people as "WHERE: WHAT; ALLOWED", without a trailing period.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string where;    // "jobs.csv:17", "--horizon", "provider neso"
  std::string what;     // names the offending value
  std::string allowed;  // what would be accepted, may be empty

  // One line, whatever bytes the parts hold: control characters and invalid
  // UTF-8 are escaped and long parts cut, so that a hostile file cannot write
  // to the terminal through an error message.
  std::string Line() const;
};

// 2 for bad usage or bad input, 3 for infeasible, 1 for anything else.
int ExitStatus(ErrorCode code);

// A value or an Error. [[nodiscard]], which tl::expected 1.0 is not: dropping a
// failure has to be written `(void)` and justified. Becomes std::expected on C++23.
template <typename T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
  // NOLINTNEXTLINE(google-explicit-constructor): .map() and .and_then() return the base.
  Result(tl::expected<T, Error> other) : tl::expected<T, Error>(std::move(other)) {}
};
using Status = Result<void>;

inline tl::unexpected<Error> Fail(ErrorCode code, std::string where, std::string what, std::string allowed = {}) {
  return tl::unexpected<Error>(Error{code, std::move(where), std::move(what), std::move(allowed)});
}

// Passes a failure on from one Result type to another.
template <typename T>
tl::unexpected<Error> Propagate(const Result<T>& failed) {
  return tl::unexpected<Error>(failed.error());
}

// `text` made safe to print on one line: escapes control characters and broken
// UTF-8, and cuts what is longer than `limit` bytes.
std::string Printable(std::string_view text, std::size_t limit = 200);

}  // namespace heliostat
