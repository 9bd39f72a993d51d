#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "heliostat/base/io/toml.h"

namespace heliostat::io {

// Reads members of a table one after another. Keeps the first error; later calls return nothing, so the caller need not
// check after each key. Refuses keys that are not known. Refers to the table, which must outlive it. Not thread-safe.
class TomlMembers {
 public:
  TomlMembers(const Toml& table, std::span<const std::string_view> known) : table_(table) {
    status_ = table.RefuseOtherKeys(known);
  }

  std::string Text(std::string_view key) { return Take<std::string>(key, &Toml::Text); }
  double Number(std::string_view key) { return Take<double>(key, &Toml::Number); }
  Instant Time(std::string_view key) { return Take<Instant>(key, &Toml::Time); }
  std::int64_t Integer(std::string_view key) { return Take<std::int64_t>(key, &Toml::Integer); }
  // From 0 to the largest int.
  int Count(std::string_view key);
  double NumberOr(std::string_view key, double otherwise) {
    return table_.Find(key) == nullptr ? otherwise : Number(key);
  }
  // An empty text when the key is absent.
  std::string TextOrNone(std::string_view key) { return table_.Find(key) == nullptr ? std::string() : Text(key); }

  // Makes an error of a value that was read. Does nothing after an earlier error.
  void Refuse(std::string_view key, std::string_view what, std::string allowed);
  const Status& status() const { return status_; }

 private:
  template <typename T>
  T Take(std::string_view key, Result<T> (Toml::*as)() const) {
    if (!status_) return {};
    const auto found = table_.Get(key);
    if (!found) {
      status_ = Propagate(found);
      return {};
    }
    const Result<T> value = ((*found)->*as)();
    if (value) return *value;
    status_ = Propagate(value);
    return {};
  }

  const Toml& table_;
  Status status_;
};

}  // namespace heliostat::io
