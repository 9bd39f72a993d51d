#pragma once

#include <vector>

namespace heliostat::decomposition {

// The number of GPUs of a group in use at each second of one slot. Seconds count from the begin of the slot. Not
// thread-safe.
class GpuUse {
 public:
  // Adds `gpus` (may be negative) in [begin, end) of a slot of `step_s` seconds.
  void Add(int begin, int end, int gpus, int step_s);
  // The most in use at any second of [begin, end).
  int Peak(int begin, int end) const;
  int peak() const { return peak_; }
  // Whether the same number is in use all the time.
  bool is_even() const { return changes_.empty(); }
  // How many seconds from `begin` on, or up to `end`, do not exceed `limit`.
  int Prefix(int begin, int end, int limit) const;
  int Suffix(int begin, int end, int limit) const;
  // The longest span inside [begin, end) that does not exceed `limit`, and its begin.
  int Longest(int begin, int end, int limit, int& from) const;

 private:
  struct Change {
    int at = 0;    // second
    int gpus = 0;  // in use from `at` on
  };
  void Tidy();

  int whole_ = 0;                // GPUs of pieces that fill the slot
  std::vector<Change> changes_;  // of the other pieces, by time; empty when there are none
  int peak_ = 0;
};

}  // namespace heliostat::decomposition
