#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

// Scanners for parts of lines. They do not use std::regex, which is slow, because they run on all output of a program.
namespace heliostat::training_progress {

inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
inline bool StartsWith(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

std::size_t SkipBlanks(std::string_view line, std::size_t at);
// Skips blanks and at most one of ':', '=' and '#'.
std::size_t SkipSeparators(std::string_view line, std::size_t at);

// The position where a word begins with `word` (lower case), ignoring case.
std::size_t FindWord(std::string_view line, std::string_view word, std::size_t from);

struct Number {
  double value = 0.0;
  std::size_t end = 0;
};
// "36.1", "1.2e5", "12k", "1,234.5".
std::optional<Number> NumberAt(std::string_view line, std::size_t at);

// "450", "450/1000", " 100/ 5000", "1.2k/5k" of tqdm's unit_scale, "1,200 of 5,000". A total of 0 is none.
struct Counter {
  std::uint64_t count = 0;
  std::optional<std::uint64_t> total;
  std::size_t end = 0;
};
std::optional<Counter> CounterAt(std::string_view line, std::size_t at);

// "36.1it/s", "2.5s/it", "3ms/step", "812.3 img/s", "samples/sec: 212.4", "elapsed time per iteration (ms): 523.1".
struct Rates {
  std::optional<double> steps_per_s;
  std::optional<double> samples_per_s;
};
Rates FindRates(std::string_view line);

}  // namespace heliostat::training_progress
