#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <utility>

#include "heliostat/base/core/environment.h"
#include "heliostat/base/core/error.h"

namespace heliostat::provider {

// A key or password. It has no text form: neither fmt nor a stream accepts it, so it can reach a log or a message only
// through an explicit Reveal(). Immutable.
class Secret {
 public:
  explicit Secret(std::string text) : text_(std::move(text)) {}

  // Only for the header or URL that needs it.
  const std::string& Reveal() const { return text_; }

  friend std::ostream& operator<<(std::ostream&, const Secret&) = delete;

 private:
  std::string text_;
};

// Reads the secret in `variable`, or in the file that `variable`_FILE names. Drops blanks around the text.
// kPermissionDenied when neither is set, or when group or others have access to the file; kInvalidArgument when the
// text is empty or holds blanks or control characters.
Result<Secret> ReadSecret(const Environment& environment, const std::string& variable);

}  // namespace heliostat::provider
