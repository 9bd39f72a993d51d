#include "heliostat/ui/cli/output_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "heliostat/base/io/file.h"

namespace heliostat::cli {
namespace {

namespace fs = std::filesystem;

// The absolute path without links and dots; the file need not exist.
fs::path Resolved(const std::string& path) {
  std::error_code failed;
  const fs::path whole = fs::absolute(path, failed);
  fs::path resolved = fs::weakly_canonical(whole, failed);
  return failed ? whole.lexically_normal() : resolved;
}

bool IsSameFile(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return Resolved(a) == Resolved(b) || fs::equivalent(a, b, ignored);
}

Status RefuseTarget(const std::string& option, const std::string& path, const std::vector<std::string>& inputs) {
  std::error_code ignored;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ignored)) {
    return Fail(ErrorCode::kInvalidArgument, option, folder.string() + " is not a folder", "create it first");
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

// The folder itself or, if it does not exist, its nearest parent that exists.
fs::path NearestThatIs(fs::path folder) {
  std::error_code ignored;
  while (!fs::exists(folder, ignored) && folder.has_parent_path() && folder != folder.parent_path()) {
    folder = folder.parent_path();
  }
  return folder;
}

}  // namespace

Status RefuseReport(const std::string& folder, const std::vector<std::string>& inputs, const Options& options) {
  if (folder.empty()) return RefuseTargets({}, inputs, options);
  std::error_code failed;
  const fs::path wanted = fs::absolute(folder, failed);
  const fs::path base = NearestThatIs(wanted);
  if (!fs::is_directory(base, failed)) {
    return Fail(ErrorCode::kInvalidArgument, "--report", base.string() + " is not a folder", "name a folder");
  }
  if (access(base.c_str(), W_OK) != 0) {
    return Fail(ErrorCode::kInvalidArgument, "--report", base.string() + " is not writable", "name another folder");
  }
  const fs::path page = wanted / "index.html";
  if (fs::is_directory(page, failed)) {
    return Fail(ErrorCode::kInvalidArgument, "--report", page.string() + " is a folder", "name another folder");
  }
  for (const std::string& input : inputs) {
    if (!input.empty() && IsSameFile(fs::absolute(input, failed), page)) {
      return Fail(ErrorCode::kInvalidArgument, "--report", page.string() + " is the input", "name another folder");
    }
  }
  if (!options.json_file.empty() && IsSameFile(fs::absolute(options.json_file, failed), page)) {
    return Fail(ErrorCode::kInvalidArgument, "--json", page.string() + " is written by another option",
                "name another file");
  }
  return RefuseTargets({}, inputs, options);
}

Result<std::string> WriteReport(const std::string& folder, const std::string& page) {
  if (const auto made = io::MakeDirectories(folder); !made) return Propagate(made);
  std::string path = fs::absolute(folder) / "index.html";
  if (const auto written = io::WriteFileAtomically(path, page); !written) return Propagate(written);
  return path;
}

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

}  // namespace heliostat::cli
