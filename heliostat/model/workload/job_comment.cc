#include "heliostat/model/workload/job_comment.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "heliostat/base/core/split.h"
#include "heliostat/base/io/number.h"

namespace heliostat::workload {
namespace {

constexpr std::string_view kMark = "heliostat:";
constexpr std::string_view kPlace = "comment";
constexpr std::string_view kForm = "heliostat:deadline=2026-11-18T08:00:00Z;slack=50%;may=suspend,requeue";
constexpr double kMostPercent = 10000.0;

bool IsBlank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// Where the next part begins; npos when there is none. A part follows no letter or digit: "noheliostat:" is other text.
std::size_t FindMark(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find(kMark, from); at != std::string_view::npos; at = text.find(kMark, at + 1)) {
    if (at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0) return at;
  }
  return std::string_view::npos;
}

tl::unexpected<Error> Wrong(std::string what, std::string_view allowed = kForm) {
  return Fail(ErrorCode::kInvalidArgument, std::string(kPlace), std::move(what), std::string(allowed));
}

Status ReadEntry(std::string_view entry, JobComment& comment) {
  const std::size_t equals = entry.find('=');
  const std::string_view key = entry.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? "" : entry.substr(equals + 1);
  const bool is_repeated = (key == "deadline" && comment.deadline) || (key == "slack" && comment.slack_share) ||
                           (key == "may" && (comment.may_suspend || comment.may_requeue));
  if (is_repeated) return Wrong(fmt::format("'{}' is given twice", key), "once each");
  if (key == "deadline") {
    const auto deadline = ParseInstant(value, "deadline in comment");
    if (!deadline) return Propagate(deadline);
    comment.deadline = *deadline;
    return {};
  }
  if (key == "slack") {
    const auto slack = ParseSlack(value, "slack in comment");
    if (!slack) return Propagate(slack);
    comment.slack_share = *slack;
    return {};
  }
  if (key == "may") return ParsePermissions(value, "may in comment", comment);
  return Wrong(fmt::format("'{}' is not known", Printable(entry, 60)));
}

}  // namespace

Result<double> ParseSlack(std::string_view text, std::string_view where) {
  const bool has_sign = text.ends_with('%');
  const auto percent = has_sign ? io::ParseNumber(text.substr(0, text.size() - 1)) : std::nullopt;
  const double hundredths = std::round(percent.value_or(-1.0) * 100.0);
  const bool is_fine = percent && std::abs(*percent * 100.0 - hundredths) < 1e-6;
  if (!is_fine || !(*percent >= 0.0 && *percent <= kMostPercent)) {
    return Fail(ErrorCode::kInvalidArgument, std::string(where), fmt::format("is '{}'", Printable(text, 40)),
                fmt::format("from 0% to {:.0f}%, with at most two decimals, such as 50%", kMostPercent));
  }
  return (hundredths + 0.0) / 1e4;  // no negative zero
}

Status ParsePermissions(std::string_view text, std::string_view where, JobComment& comment) {
  for (const std::string& one : SplitAtCommas(text)) {
    bool* const permission = one == "suspend"   ? &comment.may_suspend
                             : one == "requeue" ? &comment.may_requeue
                                                : nullptr;
    if (permission == nullptr || *permission) {
      return Fail(ErrorCode::kInvalidArgument, std::string(where),
                  fmt::format("'{}' {}", Printable(one, 40), permission == nullptr ? "is not known" : "is given twice"),
                  "suspend, requeue or both with a comma between");
    }
    *permission = true;
  }
  return {};
}

bool HasHeliostatPart(std::string_view comment) { return FindMark(comment, 0) != std::string_view::npos; }

Result<JobComment> ParseJobComment(std::string_view text) {
  JobComment comment;
  const std::size_t begin = FindMark(text, 0);
  if (begin == std::string_view::npos) return comment;
  if (FindMark(text, begin + 1) != std::string_view::npos)
    return Wrong("has two parts that begin with heliostat:", "one");
  std::string_view part = text.substr(begin + kMark.size());
  std::size_t length = 0;
  while (length < part.size() && !IsBlank(part[length])) ++length;
  part = part.substr(0, length);
  while (true) {
    const std::size_t end = part.find(';');
    if (const Status bad = ReadEntry(part.substr(0, end), comment); !bad) return Propagate(bad);
    if (end == std::string_view::npos) return comment;
    part.remove_prefix(end + 1);
  }
}

std::string FormatJobComment(const JobComment& comment) {
  std::string text;
  const auto add = [&](std::string entry) { text += (text.empty() ? std::string(kMark) : ";") + std::move(entry); };
  if (comment.deadline) add("deadline=" + FormatInstant(*comment.deadline));
  if (comment.slack_share) add(fmt::format("slack={}%", std::round(*comment.slack_share * 1e4) / 100.0));
  if (comment.may_suspend || comment.may_requeue) {
    const bool may_both = comment.may_suspend && comment.may_requeue;
    add(may_both ? "may=suspend,requeue" : comment.may_suspend ? "may=suspend" : "may=requeue");
  }
  return text;
}

}  // namespace heliostat::workload
