#include "heliostat/control/cluster/job_note.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "heliostat/base/io/number.h"
#include "heliostat/control/cluster/slurm_cells.h"

namespace heliostat::cluster {
namespace {

constexpr std::string_view kNote = "heliostat:";
constexpr std::string_view kAnnotation = "heliostat-info:";
constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:=,;/+-";
constexpr std::string_view kHex = "0123456789abcdef";

std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t blank = text.find(' ');
    words.push_back(text.substr(0, blank));
    if (blank == std::string_view::npos) return words;
    text.remove_prefix(blank + 1);
  }
}

using Members = std::map<std::string_view, std::string_view>;

std::optional<Members> Split(std::string_view text) {
  Members members;
  while (true) {
    const std::string_view part = text.substr(0, text.find(';'));
    const std::size_t sign = part.find('=');
    if (sign == std::string_view::npos || !members.emplace(part.substr(0, sign), part.substr(sign + 1)).second)
      return {};
    if (part.size() == text.size()) return members;
    text.remove_prefix(part.size() + 1);
  }
}

// Takes members out one by one, so that an unknown one is noticed.
class Reader {
 public:
  explicit Reader(Members members) : members_(std::move(members)) {}

  bool Has(std::string_view key) const { return members_.contains(key); }
  std::string_view Take(std::string_view key) {
    const auto found = members_.find(key);
    if (found == members_.end()) return {};
    const std::string_view value = found->second;
    members_.erase(found);
    return value;
  }
  std::optional<Instant> TakeTime(std::string_view key) { return Known(ParseEpoch(Take(key))); }
  std::optional<int> TakeNumber(std::string_view key) {
    const std::string_view text = Take(key);
    // Slurm's values have up to ten digits.
    const bool is_negative = text.starts_with('-');
    const auto value = Known(ParseWhole(is_negative ? text.substr(1) : text));
    if (!value || *value > kMost) {
      is_good_ = false;
      return {};
    }
    return static_cast<int>(is_negative ? -*value : *value);
  }
  bool TakeFlag(std::string_view key) {
    if (!Has(key)) return false;
    if (Take(key) != "yes") is_good_ = false;
    return true;
  }
  std::optional<JobNote::Number> TakePair(std::string_view key) {
    if (!Has(key)) return {};
    const auto set = TakeNumber(key);
    const auto was = TakeNumber(fmt::format("{}-was", key));
    if (!set || !was) return {};
    return JobNote::Number{*set, *was};
  }
  std::optional<JobNote::Begin> TakeBegin() {
    if (!Has("begin")) return {};
    JobNote::Begin begin;
    begin.set = TakeTime("begin").value_or(Instant{});
    if (const auto none = members_.find("begin-was"); none != members_.end() && none->second == "none")
      members_.erase(none);
    else
      begin.was = TakeTime("begin-was");
    if (Has("begin-before")) begin.before = TakeTime("begin-before");
    return begin;
  }
  bool is_good() const { return is_good_ && members_.empty(); }

 private:
  static constexpr std::int64_t kMost = 2'147'483'647;
  template <typename T>
  std::optional<T> Known(std::optional<T> value) {
    if (!value) is_good_ = false;
    return value;
  }

  Members members_;
  bool is_good_ = true;
};

std::optional<JobNote> ParseWord(std::string_view word) {
  if (!word.starts_with(kNote)) return {};
  auto members = Split(word.substr(kNote.size()));
  if (!members) return {};
  Reader reader(std::move(*members));
  JobNote note;
  note.run = reader.TakeTime("run").value_or(Instant{});
  note.begin = reader.TakeBegin();
  note.nice = reader.TakePair("nice");
  note.throttle = reader.TakePair("throttle");
  note.is_suspended = reader.TakeFlag("suspended");
  note.is_let_go = reader.TakeFlag("let-go");
  if (!reader.is_good() || note.empty()) return {};
  return note;
}

std::string Seconds(Instant time) { return fmt::format("{}", time.time_since_epoch().count()); }

std::string Written(const JobNote& note) {
  std::string word = fmt::format("{}run={}", kNote, Seconds(note.run));
  if (note.begin) {
    word += fmt::format(";begin={};begin-was={}", Seconds(note.begin->set),
                        note.begin->was ? Seconds(*note.begin->was) : "none");
    if (note.begin->before) word += ";begin-before=" + Seconds(*note.begin->before);
  }
  if (note.nice) word += fmt::format(";nice={};nice-was={}", note.nice->set, note.nice->was);
  if (note.throttle) word += fmt::format(";throttle={};throttle-was={}", note.throttle->set, note.throttle->was);
  if (note.is_suspended) word += ";suspended=yes";
  if (note.is_let_go) word += ";let-go=yes";
  return word;
}

std::string Encoded(std::string_view text) {
  std::string word;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos) {
      word += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    word += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
  }
  return word;
}

// Nothing for a word that Encoded() does not write.
std::optional<std::string> Decoded(std::string_view word) {
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] != '%') {
      text += word[i];
      continue;
    }
    if (i + 2 >= word.size()) return {};
    const std::size_t high = kHex.find(word[i + 1]);
    const std::size_t low = kHex.find(word[i + 2]);
    if (high == std::string_view::npos || low == std::string_view::npos) return {};
    text += static_cast<char>(high * 16 + low);
    i += 2;
  }
  if (text.empty() || Encoded(text) != word) return {};
  return text;
}

std::optional<std::string> AnnotationOf(std::string_view word) {
  return word.starts_with(kAnnotation) ? Decoded(word.substr(kAnnotation.size())) : std::nullopt;
}

// `text` without the words of a kind, and with `added` at the end.
template <typename IsOurs>
std::string Replaced(std::string_view text, IsOurs is_ours, const std::string& added) {
  std::vector<std::string_view> words = Words(text);
  std::erase_if(words, is_ours);
  std::string result;
  for (std::size_t i = 0; i < words.size(); ++i) result.append(i == 0 ? "" : " ").append(words[i]);
  if (added.empty()) return result;
  return words.empty() || text.empty() ? added : result + " " + added;
}

}  // namespace

std::optional<JobNote> ParseNote(std::string_view admin_comment) {
  for (const std::string_view word : Words(admin_comment)) {
    if (const auto note = ParseWord(word)) return note;
  }
  return {};
}

std::string WithNote(std::string_view admin_comment, const JobNote& note) {
  return Replaced(
      admin_comment, [](std::string_view word) { return ParseWord(word).has_value(); },
      note.empty() ? "" : Written(note));
}

std::string AnnotationIn(std::string_view admin_comment) {
  for (const std::string_view word : Words(admin_comment)) {
    if (auto text = AnnotationOf(word)) return *text;
  }
  return "";
}

std::string WithAnnotation(std::string_view admin_comment, std::string_view text) {
  return Replaced(
      admin_comment, [](std::string_view word) { return AnnotationOf(word).has_value(); },
      text.empty() ? "" : std::string(kAnnotation) + Encoded(text));
}

}  // namespace heliostat::cluster
