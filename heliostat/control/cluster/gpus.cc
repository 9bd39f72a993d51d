#include "heliostat/control/cluster/gpus.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "heliostat/base/core/split.h"
#include "heliostat/base/io/number.h"

namespace heliostat::cluster {
namespace {

constexpr int kMostGpus = 10'000'000;

struct Item {
  std::string type;
  int count = 0;
};

// "2", "2K" as Slurm shortens large counts.
std::optional<int> CountIn(std::string_view text) {
  const bool is_thousands = text.ends_with('K');
  if (is_thousands) text.remove_suffix(1);
  const auto count = io::ParseInteger(text);
  if (!count || *count < 0 || *count > kMostGpus / (is_thousands ? 1024 : 1)) return std::nullopt;
  return *count * (is_thousands ? 1024 : 1);
}

// "gpu:a100:4(S:0-1)", "gres/gpu=4", "gpu:2", "gpu".
std::optional<Item> ParseItem(std::string_view text) {
  text = Trimmed(text.substr(0, text.find('(')));
  if (text.starts_with("gres:") || text.starts_with("gres/")) text.remove_prefix(5);
  if (!text.starts_with("gpu")) return std::nullopt;
  text.remove_prefix(3);
  if (text.empty()) return Item{"", 1};
  if (text.front() != ':' && text.front() != '=') return std::nullopt;  // "gpumem:…"
  text.remove_prefix(1);
  const std::size_t last = text.find_last_of(":=");
  if (last != std::string_view::npos) {
    const auto count = CountIn(text.substr(last + 1));
    if (!count || last == 0) return std::nullopt;
    return Item{std::string(text.substr(0, last)), *count};
  }
  if (const auto count = CountIn(text)) return Item{"", *count};
  return Item{std::string(text), 1};  // "gpu:a100" is one of them
}

// The parts between commas outside parentheses: "gpu:a100:4(IDX:0,2-3),gpu:a40:1".
template <typename Each>
void ForEachItem(std::string_view text, Each each) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '(') ++depth;
    if (i < text.size() && text[i] == ')') depth = std::max(0, depth - 1);
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    each(text.substr(begin, i - begin));
    begin = i + 1;
  }
}

}  // namespace

int CountOf(const GpusByType& gpus) {
  return std::accumulate(gpus.begin(), gpus.end(), 0, [](int sum, const auto& entry) { return sum + entry.second; });
}

GpusByType ParseGpus(std::string_view text) {
  GpusByType gpus;
  int untyped = 0;
  ForEachItem(text, [&](std::string_view part) {
    const auto item = ParseItem(part);
    if (!item || item->count == 0) return;
    int& count = item->type.empty() ? untyped : gpus[item->type];
    count = std::min(kMostGpus, count + item->count);
  });
  if (const int more = untyped - std::min(kMostGpus, CountOf(gpus)); more > 0) gpus[""] = more;
  return gpus;
}

GpusByType Times(GpusByType gpus, int factor) {
  for (auto& [type, count] : gpus) {
    count = static_cast<int>(std::min<std::int64_t>(kMostGpus, std::int64_t{count} * std::max(0, factor)));
  }
  std::erase_if(gpus, [](const auto& entry) { return entry.second == 0; });
  return gpus;
}

}  // namespace heliostat::cluster
