#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/time.h"
#include "heliostat/base/io/json.h"

namespace heliostat::loop {

// Reads members of one JSON object in turn. The first member that is missing or of the wrong type sets status(); values
// read after that are empty. Refers to the object, which must outlive it. Used from one thread.
class LogFields {
 public:
  explicit LogFields(const io::Json& json) : json_(json) {}

  double Number(std::string_view key) { return Take<double>(key, &io::Json::Number); }
  std::int64_t Integer(std::string_view key) { return Take<std::int64_t>(key, &io::Json::Integer); }
  int Count(std::string_view key) { return static_cast<int>(Integer(key)); }
  bool Boolean(std::string_view key) { return Take<bool>(key, &io::Json::Boolean); }
  std::string Text(std::string_view key) { return Take<std::string>(key, &io::Json::Text); }
  Instant Time(std::string_view key) {
    const std::string text = Text(key);
    if (!status_) return {};
    const auto time = ParseInstant(text, json_.where());
    if (!time) status_ = Propagate(time);
    return time ? *time : Instant{};
  }
  // Nothing when the member is absent or null.
  std::optional<double> MaybeNumber(std::string_view key) {
    return Has(key) ? std::optional(Number(key)) : std::nullopt;
  }
  std::optional<Instant> MaybeTime(std::string_view key) { return Has(key) ? std::optional(Time(key)) : std::nullopt; }
  // The elements of an array. Empty when the member is absent.
  const io::Json::Array& Elements(std::string_view key) {
    static const io::Json::Array kNone;
    if (!Has(key) || !status_) return kNone;
    const auto elements = json_.Find(key)->Elements();
    if (!elements) status_ = Propagate(elements);
    return elements ? **elements : kNone;
  }
  std::vector<double> Numbers(std::string_view key) {
    std::vector<double> numbers;
    for (const io::Json& element : Elements(key)) {
      const auto number = element.Number();
      if (!number) status_ = Propagate(number);
      numbers.push_back(number ? *number : 0.0);
    }
    return numbers;
  }
  bool Has(std::string_view key) const { return json_.Find(key) != nullptr; }
  // Sets the error, unless there is one already.
  void Refuse(Error error) {
    if (status_) status_ = tl::make_unexpected(std::move(error));
  }
  const Status& status() const { return status_; }

 private:
  template <typename T>
  T Take(std::string_view key, Result<T> (io::Json::*read)() const) {
    if (!status_) return {};
    const auto member = json_.Get(key);
    if (!member) {
      status_ = Propagate(member);
      return {};
    }
    auto value = ((**member).*read)();
    if (value) return *std::move(value);
    status_ = Propagate(value);
    return {};
  }

  const io::Json& json_;
  Status status_;
};

}  // namespace heliostat::loop
