#include "heliostat/base/io/hostlist.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/base/core/split.h"
#include "heliostat/base/io/number.h"

namespace heliostat::io {
namespace {

using Hosts = std::vector<std::string>;

tl::unexpected<Error> Refuse(std::string_view text, std::string_view what) {
  return Fail(ErrorCode::kInvalidArgument, "hostlist", fmt::format("'{}' {}", Printable(text, 60), what),
              "such as gpu[1-4,07],login");
}

// "3", "01-12" as texts with the width of the first.
Result<Hosts> Numbers(std::string_view range) {
  const std::size_t dash = range.find('-');
  const std::string_view low_text = range.substr(0, dash);
  const std::string_view high_text = dash == std::string_view::npos ? low_text : range.substr(dash + 1);
  const auto low = ParseInteger(low_text);
  const auto high = ParseInteger(high_text);
  const bool is_number = low && high && *low >= 0 && *high >= *low && low_text[0] != '-';
  if (!is_number) return Refuse(range, "is no range of numbers");
  if (static_cast<std::size_t>(*high - *low) >= kMostHosts) return Refuse(range, "names too many hosts");
  Hosts numbers;
  for (auto number = *low; number <= *high; ++number) {
    numbers.push_back(fmt::format("{:0{}}", number, low_text.size()));
  }
  return numbers;
}

Result<Hosts> Alternatives(std::string_view inside) {
  Hosts all;
  for (const std::string& range : SplitAtCommas(inside)) {
    auto numbers = Numbers(range);
    if (!numbers) return Propagate(numbers);
    all.insert(all.end(), std::make_move_iterator(numbers->begin()), std::make_move_iterator(numbers->end()));
    if (all.size() > kMostHosts) return Refuse(inside, "names too many hosts");
  }
  return all;
}

// One item without commas outside brackets: "rack[1-2]n[1-4]-x".
Result<Hosts> ExpandItem(std::string_view item) {
  Hosts hosts{""};
  while (!item.empty()) {
    const std::size_t open = std::min(item.find('['), item.size());
    for (std::string& host : hosts) host += item.substr(0, open);
    if (item.substr(0, open).find(']') != std::string_view::npos)
      return Refuse(item, "closes a bracket that is not open");
    if (open == item.size()) break;
    const std::size_t close = item.find(']', open);
    if (close == std::string_view::npos) return Refuse(item, "has a bracket that is not closed");
    const auto alternatives = Alternatives(item.substr(open + 1, close - open - 1));
    if (!alternatives) return Propagate(alternatives);
    if (hosts.size() * alternatives->size() > kMostHosts) return Refuse(item, "names too many hosts");
    Hosts longer;
    longer.reserve(hosts.size() * alternatives->size());
    for (const std::string& host : hosts) {
      for (const std::string& number : *alternatives) longer.push_back(host + number);
    }
    hosts = std::move(longer);
    item.remove_prefix(close + 1);
  }
  return hosts;
}

// Where the item at the begin of `text` ends: at the first comma outside brackets.
std::size_t EndOfItem(std::string_view text) {
  bool is_inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') is_inside = true;
    if (text[i] == ']') is_inside = false;
    if (text[i] == ',' && !is_inside) return i;
  }
  return text.size();
}

// A name cut before the digits at its end, of which at most nine count: "node2x07" is "node2x" and "07".
struct Numbered {
  std::string_view prefix;
  std::string_view number;
};
Numbered Cut(std::string_view name) {
  std::size_t begin = name.size();
  while (begin > 0 && name.size() - begin < 9 && name[begin - 1] >= '0' && name[begin - 1] <= '9') --begin;
  return {name.substr(0, begin), name.substr(begin)};
}

// Whether `next` is the number after `last` in a range that began with `width` digits.
bool Follows(std::string_view last, std::string_view next, std::size_t width) {
  const auto value = ParseInteger(last);
  return value && next == fmt::format("{:0{}}", *value + 1, width);
}

}  // namespace

Result<std::vector<std::string>> ExpandHostlist(std::string_view text) {
  Hosts all;
  if (text.empty() || text == "(null)") return all;
  while (true) {
    const std::size_t end = EndOfItem(text);
    if (end == 0) return Refuse(text, "has an empty name");
    auto hosts = ExpandItem(text.substr(0, end));
    if (!hosts) return Propagate(hosts);
    all.insert(all.end(), std::make_move_iterator(hosts->begin()), std::make_move_iterator(hosts->end()));
    if (all.size() > kMostHosts) return Refuse(text, "names too many hosts");
    if (end == text.size()) return all;
    text.remove_prefix(end + 1);
  }
}

std::string CompressHosts(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size();) {
    const auto [prefix, first] = Cut(names[i]);
    std::string ranges;
    std::size_t next = i;
    bool is_single = true;
    // Each turn takes one range of neighbours with this prefix.
    while (next < names.size() && Cut(names[next]).prefix == prefix && !Cut(names[next]).number.empty()) {
      const std::string_view low = Cut(names[next]).number;
      std::string_view high = low;
      for (++next; next < names.size(); ++next) {
        const Numbered other = Cut(names[next]);
        if (other.prefix != prefix || !Follows(high, other.number, low.size())) break;
        high = other.number;
      }
      is_single = ranges.empty() && low == high;
      ranges += fmt::format("{}{}", ranges.empty() ? "" : ",", low);
      if (low != high) ranges += fmt::format("-{}", high);
    }
    if (!text.empty()) text += ',';
    text += is_single ? names[i] : fmt::format("{}[{}]", prefix, ranges);
    i = std::max(next, i + 1);
  }
  return text;
}

}  // namespace heliostat::io
