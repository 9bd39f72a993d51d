#pragma once

#include <memory>
#include <utility>

namespace heliostat::controller {

// A value whose copies share its memory: thousands of jobs are in the queue, in every report, and mostly as before.
// Copies may be read from several threads; each object is for one.
template <typename T>
class SharedValue {
 public:
  SharedValue() : value_(std::make_shared<const T>()) {}
  // NOLINTNEXTLINE(google-explicit-constructor): stands for the value.
  SharedValue(T value) : value_(std::make_shared<const T>(std::move(value))) {}

  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  // Goes on to share an equal value.
  void Set(T&& value) {
    if (*value_ != value) value_ = std::make_shared<const T>(std::move(value));
  }
  // Makes a copy that no other object shares, and returns it to be changed.
  T& Own() {
    auto copy = std::make_shared<T>(*value_);
    T& mine = *copy;
    value_ = std::move(copy);
    return mine;
  }

 private:
  std::shared_ptr<const T> value_;
};

}  // namespace heliostat::controller
