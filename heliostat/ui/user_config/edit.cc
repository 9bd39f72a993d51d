#include "heliostat/ui/user_config/edit.h"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "heliostat/base/io/file.h"
#include "heliostat/base/io/toml.h"

namespace heliostat::user_config {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> LinesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// A text in quotes, or a number as it is.
std::string Written(Key key, const std::string& value) {
  if (key == Key::kPue || key == Key::kEta) return value;
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

// The comment behind the value of a line `key = value # comment`, with the blanks before it.
std::string CommentOf(std::string_view line) {
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != '\0') {
      if (c == '\\' && quote == '"') ++i;
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      const auto before = line.find_last_not_of(" \t", i == 0 ? 0 : i - 1);
      return std::string(line.substr(before + 1));
    }
  }
  return line.ends_with('\r') ? "\r" : "";
}

// The line of a key, counted from 0, as the parser reports it; absent without the key.
std::optional<std::size_t> LineOf(const io::Toml& document, Key key) {
  const io::Toml* const found = document.Find(FactsOf(key).name);
  if (found == nullptr) return std::nullopt;
  const std::string where = found->where();
  return std::stoul(where.substr(where.rfind(':') + 1)) - 1;
}

// All keys and values of a document but one, to compare two documents.
std::string OthersIn(const io::Toml& document, std::string_view left_out) {
  std::string all;
  const auto members = document.Members();
  for (const auto& [name, value] : **members) {
    if (name == left_out) continue;
    const auto number = value.Number();
    all += fmt::format("{}={}\n", name, number ? fmt::format("{}", *number) : value.Text().value_or("?"));
  }
  return all;
}

}  // namespace

Result<std::string> Edited(std::string_view text, const std::string& file, Key key,
                           const std::optional<std::string>& value) {
  const auto document = io::Toml::Parse(text, file);
  if (!document) return Propagate(document);
  const std::string name(FactsOf(key).name);
  std::vector<std::string> lines = LinesOf(text);
  const auto line = LineOf(*document, key);
  if (!line && !value) return std::string(text);
  if (!line) {
    lines.push_back(fmt::format("{} = {}", name, Written(key, *value)));
  } else if (value) {
    lines[*line] = fmt::format("{} = {}{}", name, Written(key, *value), CommentOf(lines[*line]));
  } else {
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(*line));
  }
  std::string edited = fmt::format("{}{}", fmt::join(lines, "\n"), lines.empty() ? "" : "\n");
  // The parser judges the result: the same other values, and the new one.
  const auto after = io::Toml::Parse(edited, file);
  const bool is_right = after && (after->Find(name) != nullptr) == value.has_value() &&
                        OthersIn(*after, name) == OthersIn(*document, name);
  if (is_right) return edited;
  return Fail(ErrorCode::kUnsupported, fmt::format("{}:{}", file, line.value_or(0) + 1),
              fmt::format("{} spans several lines, or shares its line", name), "edit the file by hand");
}

Status EditFile(const std::string& path, Key key, const std::optional<std::string>& value) {
  std::error_code failure;
  // A file in a repository of settings, linked from the home folder.
  const fs::path target = fs::is_symlink(path, failure) ? fs::weakly_canonical(path, failure) : fs::path(path);
  std::string before;
  if (fs::exists(target, failure)) {
    auto read = io::ReadFile(target);
    if (!read) return Propagate(read);
    before = *std::move(read);
  } else if (!value) {
    return {};
  }
  const auto after = Edited(before, path, key, value);
  if (!after) return Propagate(after);
  if (const auto made = io::MakeDirectories(target.parent_path()); !made) return Propagate(made);
  return io::WriteFileAtomically(target, *after);
}

}  // namespace heliostat::user_config
