#include "heliostat/model/history/gpu_tres.h"

#include <algorithm>

#include "heliostat/base/core/split.h"
#include "heliostat/base/io/number.h"

namespace heliostat::history {
namespace {

constexpr int kMostGpus = 1'000'000;

// Old releases add sockets or indices: "gpu:a100:2(IDX:0,2)".
std::string WithoutParentheses(std::string_view text) {
  std::string plain;
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : 0;
    if (depth == 0) plain += c;
    depth -= c == ')' && depth > 0 ? 1 : 0;
  }
  return plain;
}

std::optional<int> Count(std::string_view text) {
  const auto number = io::ParseInteger(text);
  return number && *number >= 0 && *number <= kMostGpus ? std::optional<int>(*number) : std::nullopt;
}

// An entry about GPUs, without "gres/".
struct Entry {
  std::string type;  // empty: all types
  int gpus = 0;
};
std::optional<Entry> ReadEntry(std::string_view text) {
  text.remove_prefix(3);  // "gpu"
  if (text.empty()) return Entry{"", 1};
  const std::size_t equals = text.find('=');
  if (equals != std::string_view::npos) {  // "=4" or ":a100=4"
    const auto gpus = Count(text.substr(equals + 1));
    if (!gpus || (equals > 0 && text[0] != ':')) return std::nullopt;
    return Entry{equals > 0 ? std::string(text.substr(1, equals - 1)) : std::string(), *gpus};
  }
  text.remove_prefix(1);  // ":4", ":a100" or ":a100:4"
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    const auto gpus = Count(text);
    return gpus ? Entry{"", *gpus} : Entry{std::string(text), 1};
  }
  const auto gpus = Count(text.substr(colon + 1));
  return gpus ? std::optional(Entry{std::string(text.substr(0, colon)), *gpus}) : std::nullopt;
}

// Not gres/gpumem or gres/gpuutil.
bool IsOfGpus(std::string_view entry) {
  return entry.starts_with("gpu") && (entry.size() == 3 || entry[3] == ':' || entry[3] == '=');
}

}  // namespace

std::optional<GpuTres> ParseGpuTres(std::string_view text) {
  GpuTres tres;
  int sum = 0;
  for (const std::string& part : SplitAtCommas(WithoutParentheses(text))) {
    std::string_view entry = Trimmed(part);
    if (entry.starts_with("gres/")) entry.remove_prefix(5);
    if (!IsOfGpus(entry)) continue;
    const auto read = ReadEntry(entry);
    if (!read) return std::nullopt;
    if (read->type.empty()) {
      tres.gpus = std::max(tres.gpus, read->gpus);
    } else if (read->gpus > 0) {
      int& of_type = tres.types[read->type];
      of_type = std::min(of_type + read->gpus, kMostGpus);
      sum = std::min(sum + read->gpus, kMostGpus);
    }
  }
  tres.gpus = std::max(tres.gpus, sum);
  return tres;
}

}  // namespace heliostat::history
