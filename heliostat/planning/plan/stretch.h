#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heliostat::plan {

// GPUs of one node that a run, or a part of a run, holds from `begin` to `end`. Seconds and slots are counted from the
// start of the horizon.
struct Part {
  std::size_t run = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::size_t first = 0;  // slot
  std::size_t last = 0;   // slot, inclusive
  int gpus = 0;
  int node = -1;  // on which it must be, because it runs there; -1: on any
};

// A node that is on in consecutive slots, and the parts that it holds. It holds a part in each of these slots. Not
// thread-safe.
class Stretch {
 public:
  std::size_t first() const { return first_; }
  std::size_t last() const { return last_; }
  bool empty() const { return parts_.empty(); }
  const std::vector<Part>& parts() const { return parts_; }
  int node() const { return node_; }  // Part::node of its parts that must be on one; -1 without any

  bool Covers(const Part& part) const { return first_ <= part.first && part.last <= last_; }
  bool Touches(const Part& part) const { return !empty() && first_ <= part.last && part.first <= last_; }

  // The most GPUs in use at any second of [begin, end).
  int Peak(std::int64_t begin, std::int64_t end) const;

  // Adds a part. Unless the stretch is empty, the part must share a slot with it.
  void Add(const Part& part);
  void Clear();  // keeps the memory

 private:
  struct Level {
    std::int64_t from = 0;  // until the `from` of the next level
    int used = 0;
  };
  std::size_t Cut(std::int64_t at);

  std::size_t first_ = 0;
  std::size_t last_ = 0;
  std::vector<Level> levels_;
  std::vector<Part> parts_;
  int node_ = -1;
};

}  // namespace heliostat::plan
