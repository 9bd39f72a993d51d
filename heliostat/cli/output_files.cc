#include "heliostat/cli/output_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

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
