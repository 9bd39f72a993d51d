#include "heliostat/model/history/hostlist.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/base/core/split.h"
#include "heliostat/base/io/number.h"

namespace heliostat::history {
namespace {

bool IsNumber(std::string_view text) {
  return !text.empty() && text.size() <= 9 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// The parts between commas that are not in brackets.
std::vector<std::string_view> SplitOutsideBrackets(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c != ',' || (depth > 0 && i < text.size())) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  return parts;
}

// "1-3" or "07" as texts of one width. False for any other text and for too many.
bool ExpandRange(std::string_view range, std::vector<std::string>& numbers) {
  const std::size_t dash = range.find('-');
  const std::string_view first = range.substr(0, dash);
  const std::string_view last = dash == std::string_view::npos ? first : range.substr(dash + 1);
  if (!IsNumber(first) || !IsNumber(last)) return false;
  const std::int32_t begin = *io::ParseInteger(first);
  const std::int32_t end = *io::ParseInteger(last);
  if (end < begin || static_cast<std::size_t>(end - begin) + numbers.size() >= kMostHosts) return false;
  for (std::int32_t number = begin; number <= end; ++number) {
    numbers.push_back(fmt::format("{:0{}}", number, first.size()));
  }
  return true;
}

// Appends each number to each name.
bool Multiply(std::string_view ranges, std::vector<std::string>& names) {
  std::vector<std::string> numbers;
  for (const std::string& range : SplitAtCommas(ranges)) {
    if (!ExpandRange(range, numbers)) return false;
  }
  if (names.size() * numbers.size() > kMostHosts) return false;
  std::vector<std::string> longer;
  longer.reserve(names.size() * numbers.size());
  for (const std::string& name : names) {
    for (const std::string& number : numbers) longer.push_back(name + number);
  }
  names = std::move(longer);
  return true;
}

// "rack[1-2]n[01-04]". False for a wrong text and for too many names.
bool ExpandOne(std::string_view text, std::vector<std::string>& hosts) {
  if (text.empty()) return false;
  std::vector<std::string> names{""};
  while (!text.empty()) {
    const std::size_t open = std::min(text.find('['), text.size());
    const std::string_view plain = text.substr(0, open);
    if (plain.find_first_of("] \t|") != std::string_view::npos) return false;
    for (std::string& name : names) name += plain;
    if (open == text.size()) break;
    const std::size_t close = text.find(']', open);
    if (close == std::string_view::npos || !Multiply(text.substr(open + 1, close - open - 1), names)) return false;
    text.remove_prefix(close + 1);
  }
  if (hosts.size() + names.size() > kMostHosts) return false;
  hosts.insert(hosts.end(), names.begin(), names.end());
  return true;
}

}  // namespace

Result<std::vector<std::string>> ExpandHostlist(std::string_view text, std::string_view where) {
  std::vector<std::string> hosts;
  for (const std::string_view part : SplitOutsideBrackets(text)) {
    if (ExpandOne(part, hosts)) continue;
    return Fail(ErrorCode::kInvalidArgument, std::string(where),
                fmt::format("'{}' is not a list of nodes", Printable(text, 60)),
                fmt::format("names such as gpu[1-3,07-09],login, at most {}", kMostHosts));
  }
  return hosts;
}

}  // namespace heliostat::history
