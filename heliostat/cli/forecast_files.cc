#include "heliostat/cli/forecast_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "heliostat/cli/forecast_history.h"
#include "heliostat/io/file.h"

namespace heliostat::cli {
namespace {

namespace fs = std::filesystem;

bool IsSameFile(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return fs::path(a).lexically_normal() == fs::path(b).lexically_normal() || fs::equivalent(a, b, ignored);
}

Status RefuseTarget(const std::string& option, const std::string& path, const std::vector<std::string>& inputs) {
  std::error_code ignored;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ignored)) {
    return Fail(ErrorCode::kInvalidArgument, option, folder.string() + " is no folder", "make it first");
  }
  if (fs::is_directory(path, ignored)) {
    return Fail(ErrorCode::kInvalidArgument, option, path + " is a folder", "name a file");
  }
  for (const std::string& input : inputs) {
    if (!input.empty() && IsSameFile(input, path)) {
      return Fail(ErrorCode::kInvalidArgument, option, path + " is the input", "name another file");
    }
  }
  return {};
}

}  // namespace

Status RefuseTargets(const std::vector<OutputFile>& files, const std::vector<std::string>& inputs,
                     const Options& options) {
  std::vector<std::string> taken = inputs;
  const auto check = [&](const std::string& option, const std::string& path) -> Status {
    if (path.empty()) return {};
    if (auto bad = RefuseTarget(option, path, inputs); !bad) return bad;
    for (std::size_t i = inputs.size(); i < taken.size(); ++i) {
      if (!IsSameFile(taken[i], path)) continue;
      return Fail(ErrorCode::kInvalidArgument, option, path + " is written by another option", "name another file");
    }
    taken.push_back(path);
    return {};
  };
  for (const OutputFile& file : files) {
    if (auto bad = check(file.option, file.path); !bad) return bad;
  }
  return check("--json", options.json_file);
}

Status WriteAll(const std::vector<OutputFile>& files) {
  for (const OutputFile& file : files) {
    if (file.path.empty()) continue;
    if (auto written = io::WriteFileAtomically(file.path, file.text); !written) return written;
  }
  return {};
}

Result<Duration> ParseSteps(const std::string& text, const std::string& option, Duration step) {
  const auto length = ParseDuration(text, option);
  if (!length) return length;
  if (*length % step != Duration{0}) {
    return Fail(ErrorCode::kInvalidArgument, option, "'" + Printable(text, 40) + "' is not a whole number of steps",
                fmt::format("a multiple of {}", FormatDuration(step)));
  }
  return length;
}

Result<Duration> ParseHorizon(const std::string& text, Duration step) {
  auto horizon = ParseSteps(text, "--horizon", step);
  if (!horizon || *horizon <= kLongestHorizon) return horizon;
  return Fail(ErrorCode::kInvalidArgument, "--horizon", "'" + Printable(text, 40) + "' is too far to see",
              "at most " + FormatDuration(kLongestHorizon));
}

Result<Instant> ParseSampleTime(const std::string& text, const std::string& option, Instant start, Duration step) {
  auto t = ParseInstant(text, option);
  if (!t || (*t - start) % step == Duration{0}) return t;
  return Fail(ErrorCode::kInvalidArgument, option, FormatInstant(*t) + " is no time of the file's",
              fmt::format("every {} from {}", FormatDuration(step), FormatInstant(start)));
}

std::string SeriesText(const signal::Signal& signal) {
  const std::string& zone = signal.meaning.zone;
  return zone.empty() || zone == signal.name ? signal.name : signal.name + ", " + zone;
}

std::string TextOf(const report::Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    std::size_t width = table.header[c].size();
    for (const auto& row : table.rows) width = std::max(width, row[c].size());
    widths.push_back(width);
  }
  std::string text;
  const auto add = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      line += c < table.text_columns ? fmt::format("{:<{}}  ", row[c], widths[c])
                                     : fmt::format("{:>{}}  ", row[c], widths[c]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  add(table.header);
  for (const auto& row : table.rows) add(row);
  return text;
}

}  // namespace heliostat::cli
