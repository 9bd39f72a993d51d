#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <unordered_map>
#include <vector>

#include "heliostat/forecasting/job_length/job.h"

namespace heliostat::job_length {

// What jobs have in common, from the most to the least.
enum class Level {
  kNameAndGpus,       // user, name and number of GPUs
  kName,              // user and name
  kUserGpusAndLimit,  // user, number of GPUs and time limit
  kUser,
  kAccountAndGpus,
  kAccount,
  kLimit,  // a similar time limit
  kAll,
};
inline constexpr std::size_t kLevels = 8;

// The newest lengths of the jobs of one key, at most `capacity` of them. The newest counts most: the weight of a job
// halves with every capacity / 2 later jobs.
class Lengths {
 public:
  // A length in seconds. A job that its time limit ended would have been longer.
  struct Length {
    std::uint32_t seconds : 31;
    std::uint32_t is_cut : 1;
  };

  explicit Lengths(std::size_t capacity) : capacity_(capacity) {}

  void Add(Length length);
  std::size_t size() const { return newest_.size(); }
  // The `age`th newest, from 0.
  Length at(std::size_t age) const { return newest_[(next_ + newest_.size() - 1 - age) % newest_.size()]; }
  double WeightOf(std::size_t age) const;
  // The sum of all weights: as many jobs as it counts for.
  double evidence() const;

 private:
  std::size_t capacity_;
  std::size_t next_ = 0;  // where the next one goes
  std::vector<Length> newest_;
};

// The lengths of ended jobs, by what the jobs have in common. Its memory is bounded: of each key it keeps the newest
// lengths (64 where the user is known, else 512), and of all keys the `most_keys` to which a job was added last. With
// the default that is about 30 MB where most keys are of users. Not thread-safe.
class History {
 public:
  explicit History(std::size_t most_keys = 65536);

  void Add(const EndedJob& job);
  // The lengths of the jobs that have this much in common with `traits`. Null where there are none, and where `traits`
  // lack what the level needs.
  const Lengths* Find(Level level, const JobTraits& traits) const;
  std::size_t keys() const { return entries_.size(); }

 private:
  struct Entry {
    Lengths lengths;
    std::list<std::uint64_t>::iterator place;
  };
  Lengths& LengthsOf(std::uint64_t key, Level level);

  std::size_t most_keys_;
  std::list<std::uint64_t> by_use_;  // keys, the one used last first
  std::unordered_map<std::uint64_t, Entry> entries_;
};

}  // namespace heliostat::job_length
