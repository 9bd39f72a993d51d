#pragma once

#include <string>
#include <string_view>

#include "heliostat/signals/provider/secret.h"

namespace heliostat::provider {

// An address under construction, in two versions: the one to ask, and the one to
// show, in which every secret reads "REDACTED".
class Url {
 public:
  // `base` is taken as it is: "https://api.carbonintensity.org.uk".
  explicit Url(std::string base) : full_(base), shown_(std::move(base)) {}

  // Adds "/segment", percent-encoded.
  Url& Segment(std::string_view segment);
  Url& Query(std::string_view name, std::string_view value);
  Url& Query(std::string_view name, const Secret& value);

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
