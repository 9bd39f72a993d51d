#include "heliostat/node/training_progress/line_scan.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace heliostat::training_progress {
namespace {

constexpr double kMostCount = 1e15;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool IsLetter(char c) { return (Lower(c) >= 'a' && Lower(c) <= 'z') || c == '_'; }

bool MatchesAt(std::string_view line, std::size_t at, std::string_view lower) {
  if (line.size() - at < lower.size()) return false;
  for (std::size_t i = 0; i < lower.size(); ++i) {
    if (Lower(line[at + i]) != lower[i]) return false;
  }
  return true;
}

template <std::size_t N>
bool IsOneOf(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view one) { return one.size() == word.size() && MatchesAt(word, 0, one); });
}

double ScaleOf(char suffix) {
  switch (suffix) {
    case 'k':
    case 'K':
      return 1e3;
    case 'M':
      return 1e6;
    case 'G':
      return 1e9;
    default:
      return 0.0;
  }
}

bool IsSteps(std::string_view unit) {
  static constexpr std::array<std::string_view, 9> kWords{"it",   "iter",  "iters", "iteration", "iterations",
                                                          "step", "steps", "batch", "batches"};
  return IsOneOf(unit, kWords);
}

bool IsSamples(std::string_view unit) {
  static constexpr std::array<std::string_view, 14> kWords{"sample", "samples",  "img",       "imgs", "image",
                                                           "images", "token",    "tokens",    "tok",  "example",
                                                           "seq",    "examples", "sequences", "items"};
  return IsOneOf(unit, kWords);
}

bool IsSecond(std::string_view unit) {
  static constexpr std::array<std::string_view, 4> kWords{"s", "sec", "second", "secs"};
  return IsOneOf(unit, kWords);
}

// The number that ends where a unit begins, one blank allowed between.
std::optional<double> NumberBefore(std::string_view line, std::size_t end) {
  if (end > 0 && line[end - 1] == ' ') --end;
  std::size_t from = end;
  while (from > 0 && end - from < 24 && (IsDigit(line[from - 1]) || line[from - 1] == '.' || line[from - 1] == ',')) {
    --from;
  }
  while (from < end && !IsDigit(line[from])) ++from;
  const auto number = NumberAt(line, from);
  if (!number || from == end || number->end < end) return std::nullopt;
  // NumberAt may have taken the unit's first letter for a thousand.
  return number->end == end ? number->value : number->value / ScaleOf(line[end]);
}

// Two words around a slash, and the number that they belong to.
void ReadRate(std::string_view line, std::size_t slash, Rates& rates) {
  std::size_t left = slash;
  while (left > 0 && IsLetter(line[left - 1])) --left;
  std::size_t right = slash + 1;
  while (right < line.size() && IsLetter(line[right])) ++right;
  std::string_view above = line.substr(left, slash - left);
  const std::string_view below = line.substr(slash + 1, right - slash - 1);
  double scale = 1.0;
  if (above.size() > 1 && !IsSteps(above) && !IsSamples(above) && ScaleOf(above[0]) > 0.0) {
    scale = ScaleOf(above[0]);
    above.remove_prefix(1);
  }
  auto value = NumberBefore(line, left);
  if (!value) {
    const std::size_t behind = SkipSeparators(line, right);
    const auto number = behind == right ? std::nullopt : NumberAt(line, behind);
    if (number) value = number->value;
  }
  if (!value || !(*value > 0.0) || !std::isfinite(*value)) return;
  const double rate = *value * scale;
  if (IsSecond(below)) {
    if (IsSteps(above) && !rates.steps_per_s) rates.steps_per_s = rate;
    if ((IsSamples(above) || above.empty()) && !rates.samples_per_s) rates.samples_per_s = rate;
  } else if (IsSteps(below) && !rates.steps_per_s) {
    if (IsSecond(above)) rates.steps_per_s = 1.0 / *value;
    if (above == "ms") rates.steps_per_s = 1e3 / *value;
    if (above == "us") rates.steps_per_s = 1e6 / *value;
  }
}

std::optional<double> NumberBehind(std::string_view line, std::string_view words) {
  if (line.size() < words.size()) return std::nullopt;
  for (std::size_t at = 0; at + words.size() <= line.size(); ++at) {
    if (!MatchesAt(line, at, words)) continue;
    const auto number = NumberAt(line, SkipSeparators(line, at + words.size()));
    if (number && number->value > 0.0) return number->value;
  }
  return std::nullopt;
}

}  // namespace

std::size_t SkipBlanks(std::string_view line, std::size_t at) {
  while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
  return at;
}

std::size_t SkipSeparators(std::string_view line, std::size_t at) {
  at = SkipBlanks(line, at);
  if (at < line.size() && (line[at] == ':' || line[at] == '=' || line[at] == '#')) at = SkipBlanks(line, at + 1);
  return at;
}

std::size_t FindWord(std::string_view line, std::string_view word, std::size_t from) {
  for (std::size_t at = from; at + word.size() <= line.size(); ++at) {
    if ((at == 0 || !IsLetter(line[at - 1])) && MatchesAt(line, at, word)) return at;
  }
  return std::string_view::npos;
}

std::optional<Number> NumberAt(std::string_view line, std::size_t at) {
  if (at >= line.size() || !IsDigit(line[at])) return std::nullopt;
  // Commas between threes are taken out; digits beyond what a double holds are not needed.
  std::array<char, 40> digits{};
  std::size_t size = 0;
  std::size_t end = at;
  for (; end < line.size() && size < digits.size(); ++end) {
    const bool is_comma = line[end] == ',' && line.size() - end > 3 && IsDigit(line[end + 1]) &&
                          IsDigit(line[end + 2]) && IsDigit(line[end + 3]);
    if (is_comma) continue;
    const bool is_exponent = (line[end] == 'e' || line[end] == 'E') && end + 1 < line.size() &&
                             (IsDigit(line[end + 1]) || (end + 2 < line.size() && IsDigit(line[end + 2]) &&
                                                         (line[end + 1] == '-' || line[end + 1] == '+')));
    const bool is_sign = (line[end] == '-' || line[end] == '+') && size > 0 && digits[size - 1] == 'e';
    if (!IsDigit(line[end]) && line[end] != '.' && !is_exponent && !is_sign) break;
    digits[size++] = is_exponent ? 'e' : line[end];
  }
  Number number{0.0, end};
  const auto [stop, trouble] = std::from_chars(digits.data(), digits.data() + size, number.value);
  if (trouble != std::errc() || stop == digits.data()) return std::nullopt;
  if (end < line.size() && ScaleOf(line[end]) > 0.0) {
    number.value *= ScaleOf(line[end]);
    ++number.end;
  }
  return number;
}

std::optional<Counter> CounterAt(std::string_view line, std::size_t at) {
  const auto count = NumberAt(line, at);
  if (!count || count->value > kMostCount) return std::nullopt;
  // A version, a loss or a time is no count; "1.2k" is.
  if (count->value != std::floor(count->value) || (count->end < line.size() && line[count->end] == '%')) {
    return std::nullopt;
  }
  Counter counter{static_cast<std::uint64_t>(count->value), std::nullopt, count->end};
  std::size_t next = SkipBlanks(line, count->end);
  if (next < line.size() && line[next] == '/') {
    ++next;
  } else if (MatchesAt(line, next, "of ")) {
    next += 3;
  } else {
    return counter;
  }
  const auto total = NumberAt(line, SkipBlanks(line, next));
  if (!total || total->value > kMostCount || total->value != std::floor(total->value)) return counter;
  counter.end = total->end;
  if (total->value > 0.0) counter.total = static_cast<std::uint64_t>(total->value);
  return counter;
}

Rates FindRates(std::string_view line) {
  Rates rates;
  for (std::size_t slash = line.find('/'); slash != std::string_view::npos; slash = line.find('/', slash + 1)) {
    ReadRate(line, slash, rates);
  }
  if (!rates.samples_per_s) rates.samples_per_s = NumberBehind(line, "samplespersec");
  if (!rates.steps_per_s) {
    if (const auto ms = NumberBehind(line, "time per iteration (ms)")) rates.steps_per_s = 1e3 / *ms;
  }
  return rates;
}

}  // namespace heliostat::training_progress
