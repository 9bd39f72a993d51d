#include "heliostat/forecasting/job_length/history.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "heliostat/base/core/check.h"
#include "heliostat/base/core/hash.h"

namespace heliostat::job_length {
namespace {

constexpr std::size_t kOfUser = 64;
constexpr std::size_t kOfOthers = 512;

std::size_t CapacityOf(Level level) { return level <= Level::kUser ? kOfUser : kOfOthers; }

// Similar limits differ by less than a factor of two.
std::uint64_t BandOf(Duration limit) {
  return std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(limit.count(), 1)));
}

// Both parts are hashed with their ends, so that "a", "bc" and "ab", "c" differ.
std::uint64_t And(std::uint64_t hash, std::string_view text) { return Hash64(text.size(), Hash64(text, hash)); }

// The words are mixed, because Hash64 of one word alone changes few bits.
std::uint64_t Mixed(std::uint64_t hash) {
  hash = (hash ^ (hash >> 31)) * 0x9e3779b97f4a7c15ULL;
  return hash ^ (hash >> 32);
}

// A 64-bit hash stands for the key: with 65536 keys, two of them are the same by chance in one of 10^10 histories.
std::optional<std::uint64_t> KeyOf(Level level, const JobTraits& traits) {
  const std::uint64_t of_level = Hash64(static_cast<std::uint64_t>(level), kHashOfNothing);
  const auto gpus = static_cast<std::uint64_t>(traits.gpus);
  const bool has_user = !traits.user.empty();
  switch (level) {
    case Level::kNameAndGpus:
      if (!has_user || traits.name.empty()) return std::nullopt;
      return Mixed(Hash64(gpus, And(And(of_level, traits.user), PlainName(traits.name))));
    case Level::kName:
      if (!has_user || traits.name.empty()) return std::nullopt;
      return Mixed(And(And(of_level, traits.user), PlainName(traits.name)));
    case Level::kUserGpusAndLimit:
      if (!has_user || !traits.time_limit) return std::nullopt;
      return Mixed(
          Hash64(static_cast<std::uint64_t>(traits.time_limit->count()), Hash64(gpus, And(of_level, traits.user))));
    case Level::kUser:
      if (!has_user) return std::nullopt;
      return Mixed(And(of_level, traits.user));
    case Level::kAccountAndGpus:
      if (traits.account.empty()) return std::nullopt;
      return Mixed(Hash64(gpus, And(of_level, traits.account)));
    case Level::kAccount:
      if (traits.account.empty()) return std::nullopt;
      return Mixed(And(of_level, traits.account));
    case Level::kLimit:
      if (!traits.time_limit) return std::nullopt;
      return Mixed(Hash64(BandOf(*traits.time_limit), of_level));
    case Level::kAll:
      return Mixed(of_level);
  }
  Check(false, "a level has no key");
  return std::nullopt;
}

}  // namespace

void Lengths::Add(Length length) {
  if (newest_.size() < capacity_) {
    newest_.push_back(length);
  } else {
    newest_[next_] = length;
  }
  next_ = (next_ + 1) % capacity_;
}

double Lengths::WeightOf(std::size_t age) const {
  return std::exp2(-2.0 * static_cast<double>(age) / static_cast<double>(capacity_));
}

double Lengths::evidence() const {
  const double ratio = WeightOf(1);
  return (1.0 - std::pow(ratio, static_cast<double>(size()))) / (1.0 - ratio);
}

History::History(std::size_t most_keys) : most_keys_(most_keys) {
  Check(most_keys >= kLevels, "a history needs a key for each level of a job");
}

void History::Add(const EndedJob& job) {
  const auto seconds = std::clamp<std::int64_t>(job.length.count(), 1, 0x7fffffff);
  const bool is_cut = job.ending == Ending::kTimedOut;
  for (std::size_t level = 0; level < kLevels; ++level) {
    const auto key = KeyOf(Level{static_cast<int>(level)}, job.traits);
    if (!key) continue;
    LengthsOf(*key, Level{static_cast<int>(level)})
        .Add({.seconds = static_cast<std::uint32_t>(seconds) & 0x7fffffffU, .is_cut = is_cut});
  }
}

const Lengths* History::Find(Level level, const JobTraits& traits) const {
  const auto key = KeyOf(level, traits);
  if (!key) return nullptr;
  const auto found = entries_.find(*key);
  return found == entries_.end() ? nullptr : &found->second.lengths;
}

Lengths& History::LengthsOf(std::uint64_t key, Level level) {
  if (const auto found = entries_.find(key); found != entries_.end()) {
    by_use_.splice(by_use_.begin(), by_use_, found->second.place);
    return found->second.lengths;
  }
  if (entries_.size() >= most_keys_) {
    entries_.erase(by_use_.back());
    by_use_.pop_back();
  }
  by_use_.push_front(key);
  return entries_.emplace(key, Entry{Lengths(CapacityOf(level)), by_use_.begin()}).first->second.lengths;
}

}  // namespace heliostat::job_length
