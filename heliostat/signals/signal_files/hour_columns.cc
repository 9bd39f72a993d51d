#include "heliostat/signals/signal_files/hour_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>

#include "heliostat/base/core/split.h"
#include "heliostat/base/io/number.h"

namespace heliostat::signal_files {
namespace {

struct Hour {
  int number = 0;
  bool is_second = false;  // of two with one number
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// What may stand before the number of an hour: "HE ", "Hour Ending ", nothing.
bool IsHourWord(std::string_view text) {
  constexpr std::array<std::string_view, 14> kWords{"h",      "he",  "hr",    "hour", "hours", "ending", "hourending",
                                                    "stunde", "std", "heure", "hora", "ora",   "uur",    "timme"};
  std::string word;
  const auto is_known = [&] { return word.empty() || std::ranges::find(kWords, word) != kWords.end(); };
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      continue;
    }
    if ((c != ' ' && c != '_' && c != '-' && c != '.') || !is_known()) return false;
    word.clear();
  }
  return is_known();
}

// What may stand behind it: the minutes, the end of the hour, the mark of a second hour.
std::optional<bool> IsSecondBy(std::string_view text) {
  constexpr std::array<std::string_view, 4> kSecond{"x", "X", "*", "(2)"};
  if (std::ranges::find(kSecond, text) != kSecond.end()) return true;
  const bool is_time = std::ranges::all_of(text, [](char c) { return IsDigit(c) || c == ':' || c == '-' || c == ' '; });
  const bool is_whole = text.find_first_of("123456789") == std::string_view::npos || text.find('-') != text.npos;
  if ((is_time && is_whole) || text == "h" || text == "H") return false;
  return std::nullopt;
}

std::optional<Hour> ParseHour(std::string_view name) {
  name = Trimmed(name);
  const std::size_t digit = std::min(name.find_first_of("0123456789"), name.size());
  if (digit == name.size() || !IsHourWord(name.substr(0, digit))) return std::nullopt;
  const std::size_t digits = digit + 1 < name.size() && IsDigit(name[digit + 1]) ? 2 : 1;
  const auto is_second = IsSecondBy(Trimmed(name.substr(digit + digits)));
  if (!is_second) return std::nullopt;
  return Hour{io::ParseInteger(name.substr(digit, digits)).value_or(0), *is_second};
}

// The hours from column `begin` on, as far as they follow each other.
std::vector<HourColumn> RunFrom(const std::vector<std::string>& names, std::size_t begin) {
  const auto first = ParseHour(names[begin]);
  if (!first || first->number > 1 || first->is_second) return {};
  std::vector<HourColumn> run;
  int last = first->number - 1;
  int seconds = 0;
  int skips = 0;
  for (std::size_t i = begin; i < names.size(); ++i) {
    const auto hour = ParseHour(names[i]);
    const int step = hour ? hour->number - last : -1;
    if (step < 0 || step > 2 || (step == 0) != hour->is_second) break;
    seconds += step == 0 ? 1 : 0;
    skips += step == 2 ? 1 : 0;
    last = hour->number;
    const bool may_be_absent = hour->is_second || hour->number >= first->number + 23;
    run.push_back({i, fmt::format("{}{}", hour->number, hour->is_second ? "X" : ""), may_be_absent});
  }
  const int length = last - first->number + 1;
  const bool is_day =
      (seconds == 0 && skips == 0 && length >= 23 && length <= 25) || (seconds + skips == 1 && length == 24);
  return is_day ? run : std::vector<HourColumn>();
}

}  // namespace

std::vector<HourColumn> HoursIn(const std::vector<std::string>& names) {
  std::vector<HourColumn> found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::vector<HourColumn> run = RunFrom(names, i);
    if (run.empty()) continue;
    if (!found.empty()) return {};
    i = run.back().index;
    found = std::move(run);
  }
  return found;
}

}  // namespace heliostat::signal_files
