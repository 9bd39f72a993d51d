#pragma once

#include <vector>

namespace heliostat::decomposition {

// GPUs of a group in use through one slot, second by second.
class GpuUse {
 public:
  void Add(int begin, int end, int gpus, int step_s);
  // The most in use at any second of [begin, end).
  int Peak(int begin, int end) const;
  int peak() const { return peak_; }
  // How long, from the beginning (to the end) of [begin, end), `limit` is not exceeded.
  int Prefix(int begin, int end, int limit) const;
  int Suffix(int begin, int end, int limit) const;
  // The longest such stretch inside [begin, end), and where it begins.
  int Longest(int begin, int end, int limit, int& from) const;

 private:
  struct Change {
    int at = 0;    // second
    int gpus = 0;  // in use from there on
  };
  void Tidy();

  int whole_ = 0;                // pieces that fill the slot
  std::vector<Change> changes_;  // of the others, by time; empty when there are none
  int peak_ = 0;
};

}  // namespace heliostat::decomposition
