#pragma once

#include <string>
#include <string_view>

#include "heliostat/signals/provider/secret.h"

namespace heliostat::provider {

// A URL under construction, in two versions: the one for the request, and the one for messages, in which each secret is
// replaced by "REDACTED". Not thread-safe.
class Url {
 public:
  // `base` is not encoded: "https://api.carbonintensity.org.uk".
  explicit Url(std::string base) : full_(base), shown_(std::move(base)) {}

  // Adds "/segment", percent-encoded.
  Url& Segment(std::string_view segment);
  // Add "name=value", percent-encoded. Segments must be added before queries.
  Url& Query(std::string_view name, std::string_view value);
  Url& Query(std::string_view name, const Secret& value);

  // Holds secrets: for the request only.
  const std::string& full() const { return full_; }
  const std::string& shown() const { return shown_; }
  bool has_secret() const { return has_secret_; }

 private:
  void Add(std::string_view name, std::string_view value, std::string_view shown_value);

  std::string full_;
  std::string shown_;
  bool has_query_ = false;
  bool has_secret_ = false;
};

}  // namespace heliostat::provider
