#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <utility>

#include "heliostat/base/core/environment.h"
#include "heliostat/base/core/error.h"

namespace heliostat::provider {

// A key or password. Has no text form: neither fmt nor a stream takes it, so it
// reaches a log or a message only where somebody writes Reveal().
class Secret {
 public:
  explicit Secret(std::string text) : text_(std::move(text)) {}

  // For the header or the address that needs it, and nothing else.
  const std::string& Reveal() const { return text_; }

  friend std::ostream& operator<<(std::ostream&, const Secret&) = delete;

 private:
  std::string text_;
};

// The secret in `variable`, or in the file that `variable`_FILE names. The file
// must be closed to group and others. Blanks around the text are dropped.
// kPermissionDenied when there is none, or when others could have read it.
Result<Secret> ReadSecret(const Environment& environment, const std::string& variable);

}  // namespace heliostat::provider
