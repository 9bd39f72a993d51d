#include "heliostat/signals/provider/secret.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "heliostat/base/io/file.h"

namespace heliostat::provider {
namespace {

Status RefuseIfOthersCanRead(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) {
    return Fail(ErrorCode::kNotFound, path, fmt::format("cannot read: {}", std::strerror(errno)));
  }
  if ((facts.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return Fail(ErrorCode::kPermissionDenied, path, fmt::format("has mode {:04o}", facts.st_mode & 07777U),
                "only the owner may have access to a file with a key: chmod 600");
  }
  return {};
}

// `where` is the variable or the file; no message contains the text.
Result<Secret> Checked(std::string text, const std::string& where) {
  constexpr std::string_view kBlank = " \t\r\n";
  text.erase(0, std::min(text.find_first_not_of(kBlank), text.size()));
  text.erase(text.find_last_not_of(kBlank) + 1);
  // A line break in the key would end the header that carries it.
  const bool is_printable = std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7F; });
  if (text.empty() || !is_printable) {
    return Fail(ErrorCode::kInvalidArgument, where, "is empty or holds blanks or control characters",
                "must be the key and nothing else");
  }
  return Secret(std::move(text));
}

}  // namespace

Result<Secret> ReadSecret(const Environment& environment, const std::string& variable) {
  if (auto text = environment(variable)) return Checked(std::move(*text), variable);
  const std::string file_variable = variable + "_FILE";
  const auto path = environment(file_variable);
  if (!path) {
    return Fail(ErrorCode::kPermissionDenied, variable, "is not set",
                fmt::format("set it, or name a file in {}", file_variable));
  }
  if (const auto closed = RefuseIfOthersCanRead(*path); !closed) return Propagate(closed);
  auto text = io::ReadFile(*path);
  if (!text) return Propagate(text);
  return Checked(std::move(*text), *path);
}

}  // namespace heliostat::provider
