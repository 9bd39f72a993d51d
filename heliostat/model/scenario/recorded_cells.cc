#include "heliostat/model/scenario/recorded_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "heliostat/base/core/nearest.h"
#include "heliostat/base/io/number.h"

namespace heliostat::scenario {
namespace {

// One more part than there are marks.
std::vector<std::string_view> SplitAt(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(mark);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

void Refuse(CsvTable& table, std::string_view column, const std::string& cell, std::string allowed) {
  table.Stop(Fail(ErrorCode::kInvalidArgument, table.where(), fmt::format("{} is '{}'", column, Printable(cell, 60)),
                  std::move(allowed)));
}

std::vector<Instant> ReadTimes(CsvTable& table, std::string_view column, const std::string& cell) {
  std::vector<Instant> times;
  for (const std::string_view part : SplitAt(cell, ';')) {
    const auto time = ParseInstant(part, column);
    if (!time) {
      Refuse(table, column, cell,
             "must be a UTC time such as 2024-03-04T13:05:00Z, or several with semicolons between");
      return {};
    }
    times.push_back(*time);
  }
  return times;
}

// "0:8 1:8"; empty for no nodes. Nothing for any other text.
std::optional<std::vector<NodeShare>> ReadShares(std::string_view text) {
  std::vector<NodeShare> shares;
  if (text.empty()) return shares;
  for (const std::string_view part : SplitAt(text, ' ')) {
    const std::size_t colon = part.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto node = io::ParseInteger(part.substr(0, colon));
    const auto gpus = io::ParseInteger(part.substr(colon + 1));
    if (!node || !gpus) return std::nullopt;
    shares.push_back({*node, *gpus});
  }
  return shares;
}

void ReadNodes(CsvTable& table, Recorded& recorded) {
  const std::string cell = table.TextOrNone("recorded_nodes");
  if (cell.empty()) return;
  const std::vector<std::string_view> parts = SplitAt(cell, ';');
  for (std::size_t i = 0; i < recorded.runs.size() && parts.size() == recorded.runs.size(); ++i) {
    auto shares = ReadShares(parts[i]);
    if (!shares) break;
    recorded.runs[i].nodes = *std::move(shares);
    if (i + 1 == parts.size()) return;
  }
  Refuse(table, "recorded_nodes", cell, "must be NODE:GPUS of each run, such as 0:8 1:8, with semicolons between runs");
}

void ReadGroup(CsvTable& table, const Scenario& scenario, Recorded& recorded) {
  const std::string cell = table.TextOrNone("recorded_group");
  if (cell.empty()) return;
  const auto found = std::ranges::find(scenario.groups, cell, &Group::name);
  if (found != scenario.groups.end()) {
    recorded.group = static_cast<std::size_t>(found - scenario.groups.begin());
    return;
  }
  std::vector<std::string_view> names;
  for (const Group& group : scenario.groups) names.push_back(group.name);
  Refuse(table, "recorded_group", cell, OneOf(cell, names));
}

std::string SharesText(const std::vector<NodeShare>& shares) {
  std::string text;
  for (const NodeShare& share : shares) {
    fmt::format_to(std::back_inserter(text), "{}{}:{}", text.empty() ? "" : " ", share.node, share.gpus);
  }
  return text;
}

}  // namespace

std::string RecordedCells(const Job& job, const Scenario& scenario) {
  if (!job.recorded) return ",,,";
  std::string starts;
  std::string ends;
  std::string nodes;
  for (std::size_t i = 0; i < job.recorded->runs.size(); ++i) {
    const RecordedRun& run = job.recorded->runs[i];
    const char* const mark = i == 0 ? "" : ";";
    starts += mark + FormatInstant(run.span.begin);
    ends += mark + FormatInstant(run.span.end);
    nodes += mark + SharesText(run.nodes);
  }
  const bool has_nodes = nodes.find(':') != std::string::npos;
  const auto group = job.recorded->group;
  return fmt::format("{},{},{},{}", starts, ends, group ? CsvCell(scenario.groups[*group].name) : std::string(),
                     has_nodes ? nodes : std::string());
}

std::optional<Recorded> ReadRecorded(CsvTable& table, const Scenario& scenario) {
  const std::string begin_cell = table.TextOrNone("recorded_start");
  const std::string end_cell = table.TextOrNone("recorded_end");
  if (begin_cell.empty() && end_cell.empty()) return std::nullopt;
  const std::vector<Instant> begins = ReadTimes(table, "recorded_start", begin_cell);
  const std::vector<Instant> ends = ReadTimes(table, "recorded_end", end_cell);
  if (!table.status()) return std::nullopt;
  if (begins.size() != ends.size()) {
    Refuse(table, "recorded_end", end_cell,
           fmt::format("must have as many times as recorded_start: {}", begins.size()));
    return std::nullopt;
  }
  Recorded recorded;
  for (std::size_t i = 0; i < begins.size(); ++i) recorded.runs.push_back({{begins[i], ends[i]}});
  ReadGroup(table, scenario, recorded);
  ReadNodes(table, recorded);
  return recorded;
}

}  // namespace heliostat::scenario
