#pragma once

#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heliostat/base/core/names.h"
#include "heliostat/base/core/time.h"
#include "heliostat/base/io/json.h"

namespace heliostat::ledger {

// Reads the members of one record. Keeps the first error as the status; later reads then return defaults, so that
// callers check once, at the end. Members that were never read are unknown (AddUnknownTo()). `json` must outlive it.
// Not thread-safe.
class RecordFields {
 public:
  explicit RecordFields(const io::Json& json) : json_(json) {
    if (auto members = json.Members(); !members) status_ = Propagate(members);
  }

  double Number(std::string_view key) { return Must<double>(key, &io::Json::Number); }
  double Number(std::string_view key, double otherwise) { return MaybeNumber(key).value_or(otherwise); }
  std::optional<double> MaybeNumber(std::string_view key) { return May<double>(key, &io::Json::Number); }
  std::int64_t Integer(std::string_view key) { return Must<std::int64_t>(key, &io::Json::Integer); }
  std::int64_t Integer(std::string_view key, std::int64_t otherwise) {
    return May<std::int64_t>(key, &io::Json::Integer).value_or(otherwise);
  }
  bool Flag(std::string_view key) { return May<bool>(key, &io::Json::Boolean).value_or(false); }
  std::string Text(std::string_view key) { return Must<std::string>(key, &io::Json::Text); }
  std::optional<std::string> MaybeText(std::string_view key) { return May<std::string>(key, &io::Json::Text); }

  Instant Time(std::string_view key) {
    const std::string text = Text(key);
    if (!status_) return {};
    auto time = ParseInstant(text, json_.where() + "." + std::string(key));
    if (!time) return Refuse(time.error(), Instant{});
    return *time;
  }
  // nullptr when absent.
  const io::Json* Child(std::string_view key) {
    asked_.insert(std::string(key));
    return status_ ? json_.Find(key) : nullptr;
  }
  // Each element of an array that must be there.
  template <typename Take>
  void Each(std::string_view key, Take take) {
    asked_.insert(std::string(key));
    if (!status_) return;
    const auto child = json_.Get(key);
    if (!child) return (void)Refuse(child.error(), 0);
    const auto elements = (*child)->Elements();
    if (!elements) return (void)Refuse(elements.error(), 0);
    for (const io::Json& element : **elements) {
      if (Status taken = take(element); !taken) return (void)Refuse(taken.error(), 0);
    }
  }
  // One of `names`; kCorrupt for any other text.
  template <typename Enum, std::size_t n>
  Enum Choice(std::string_view key, const Names<Enum, n>& names) {
    const std::string text = Text(key);
    if (const auto found = names.Find(text)) return *found;
    const Enum first = names.rows.front().value;
    if (!status_) return first;
    std::string allowed;
    for (const auto& row : names.rows) allowed += (allowed.empty() ? "one of " : ", ") + std::string(row.name);
    return Refuse(
        {ErrorCode::kCorrupt, json_.where() + "." + std::string(key), "'" + Printable(text, 40) + "'", allowed}, first);
  }

  void Refuse(const Error& error) { (void)Refuse(error, 0); }
  const Status& status() const { return status_; }
  // Appends the members that were never read. To be called after all reads.
  void AddUnknownTo(std::vector<std::string>& unknown) const {
    const auto members = json_.Members();
    if (!members) return;
    for (const auto& [key, value] : **members) {
      if (asked_.count(key) == 0) unknown.push_back(key);
    }
  }

 private:
  template <typename T>
  T Refuse(const Error& error, T value) {
    if (status_) status_ = tl::unexpected<Error>(error);
    return value;
  }
  template <typename T>
  T Must(std::string_view key, Result<T> (io::Json::*as)() const) {
    asked_.insert(std::string(key));
    if (!status_) return T{};
    const auto child = json_.Get(key);
    if (!child) return Refuse(child.error(), T{});
    auto value = ((*child)->*as)();
    return value ? *std::move(value) : Refuse(value.error(), T{});
  }
  template <typename T>
  std::optional<T> May(std::string_view key, Result<T> (io::Json::*as)() const) {
    const io::Json* const child = Child(key);
    if (child == nullptr) return std::nullopt;
    auto value = (child->*as)();
    return value ? std::optional<T>(*std::move(value)) : Refuse(value.error(), std::optional<T>());
  }

  const io::Json& json_;
  std::set<std::string, std::less<>> asked_;
  Status status_;
};

}  // namespace heliostat::ledger
