#include "heliostat/ui/cli/output_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
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

// The folder itself or, if it does not exist, its nearest parent that exists.
fs::path NearestThatIs(fs::path folder) {
  std::error_code ignored;
  while (!fs::exists(folder, ignored) && folder.has_parent_path() && folder != folder.parent_path()) {
    folder = folder.parent_path();
  }
  return folder;
}

// Makes a file in the folder and removes it. Rights alone do not tell: a file system may be read-only, full or not a
// place for files. Returns the error number, 0 for success.
int MakeFileIn(const fs::path& folder) {
  std::string probe = folder / ".heliostat-XXXXXX";
  const int fd = ::mkostemp(probe.data(), O_CLOEXEC);
  if (fd < 0) return errno;
  ::close(fd);
  ::unlink(probe.c_str());
  return 0;
}

Status RefuseFolder(const OutputFile& file, const fs::path& folder) {
  std::error_code ignored;
  const fs::path base = file.makes_folder ? NearestThatIs(folder) : folder;
  if (!fs::is_directory(base, ignored)) {
    return Fail(ErrorCode::kInvalidArgument, file.option, base.string() + " is not a folder",
                file.makes_folder ? "name a folder" : "create it first");
  }
  const int error = MakeFileIn(base);
  if (error == 0) return {};
  return Fail(ErrorCode::kInvalidArgument, file.option,
              fmt::format("no file can be made in {}: {}", base.string(), std::strerror(error)), "name another folder");
}

Status RefuseTarget(const OutputFile& file, const std::vector<std::string>& inputs) {
  std::error_code ignored;
  const fs::path whole = fs::absolute(file.path, ignored);
  const char* const other = file.makes_folder ? "name another folder" : "name another file";
  if (fs::is_directory(whole, ignored)) {
    return Fail(ErrorCode::kInvalidArgument, file.option, file.path + " is a folder",
                file.makes_folder ? "name another folder" : "name a file");
  }
  // A device would be replaced by a file.
  if (fs::exists(whole, ignored) && !fs::is_regular_file(whole, ignored)) {
    return Fail(ErrorCode::kInvalidArgument, file.option, file.path + " is not a regular file", other);
  }
  const fs::path named = fs::path(file.path).parent_path();
  if (auto bad = RefuseFolder(file, file.makes_folder || named.empty() ? whole.parent_path() : named); !bad) return bad;
  for (const std::string& input : inputs) {
    if (!input.empty() && IsSameFile(input, whole)) {
      return Fail(ErrorCode::kInvalidArgument, file.option, file.path + " is the input", other);
    }
  }
  return {};
}

}  // namespace

OutputFile FileOrStdout(const std::string& path) { return {"--output", path == "-" ? "" : path, ""}; }

OutputFile ReportFile(const std::string& folder, std::string page) {
  OutputFile file{"--report", "", std::move(page), true};
  if (!folder.empty()) file.path = (fs::absolute(folder) / "index.html").lexically_normal();
  return file;
}

Status RefuseReport(const std::string& folder, const std::vector<std::string>& inputs, const Options& options) {
  return RefuseTargets({ReportFile(folder)}, inputs, options);
}

Result<std::string> WriteReport(const std::string& folder, const std::string& page) {
  const OutputFile file = ReportFile(folder, page);
  if (const auto written = WriteAll({file}); !written) return Propagate(written);
  return file.path;
}

Status RefuseTargets(const std::vector<OutputFile>& files, const std::vector<std::string>& inputs,
                     const Options& options) {
  std::vector<std::string> taken;
  const auto check = [&](const OutputFile& file) -> Status {
    if (file.path.empty()) return {};
    if (auto bad = RefuseTarget(file, inputs); !bad) return bad;
    for (const std::string& other : taken) {
      if (!IsSameFile(other, file.path)) continue;
      return Fail(ErrorCode::kInvalidArgument, file.option, file.path + " is written by another option",
                  "name another file");
    }
    taken.push_back(file.path);
    return {};
  };
  for (const OutputFile& file : files) {
    if (auto bad = check(file); !bad) return bad;
  }
  return check({"--json", options.json_file, ""});
}

Status WriteAll(const std::vector<OutputFile>& files) {
  constexpr const char* kPart = ".part";
  std::vector<std::string> parts;
  const auto write = [&]() -> Status {
    for (const OutputFile& file : files) {
      if (file.path.empty()) continue;
      if (file.makes_folder) {
        if (auto made = io::MakeDirectories(fs::path(file.path).parent_path()); !made) return made;
      }
      if (auto written = io::WriteFileAtomically(file.path + kPart, file.text); !written) {
        written.error().where = file.path;
        return written;
      }
      parts.push_back(file.path);
    }
    for (const std::string& path : parts) {
      std::error_code failed;
      fs::rename(path + kPart, path, failed);
      if (failed) return Fail(ErrorCode::kInternal, path, "cannot write: " + failed.message());
    }
    return {};
  };
  auto written = write();
  std::error_code ignored;
  for (const std::string& path : parts) {
    if (!written) fs::remove(path + kPart, ignored);
  }
  return written;
}

}  // namespace heliostat::cli
