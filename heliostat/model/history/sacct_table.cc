#include "heliostat/model/history/sacct_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "heliostat/base/core/split.h"

namespace heliostat::history {
namespace {

struct KnownColumn {
  Field field;
  std::string_view name;  // in lower case
};
// Of two columns for one field, the first here is used.
constexpr std::array kColumns = std::to_array<KnownColumn>({
    {Field::kJobId, "jobid"},
    {Field::kJobId, "jobidraw"},
    {Field::kSubmit, "submit"},
    {Field::kStart, "start"},
    {Field::kEnd, "end"},
    {Field::kElapsed, "elapsedraw"},
    {Field::kElapsed, "elapsed"},
    {Field::kTimeLimit, "timelimit"},
    {Field::kTimeLimit, "timelimitraw"},
    {Field::kState, "state"},
    {Field::kAllocTres, "alloctres"},
    {Field::kReqTres, "reqtres"},
    {Field::kAllocGres, "allocgres"},
    {Field::kReqGres, "reqgres"},
    {Field::kNodeList, "nodelist"},
    {Field::kNodes, "nnodes"},
    {Field::kNodes, "allocnodes"},
    {Field::kUser, "user"},
    {Field::kName, "jobname"},
    {Field::kReservation, "reservation"},
    {Field::kComment, "comment"},
});
constexpr std::array kNeeded{Field::kJobId, Field::kSubmit,    Field::kStart,
                             Field::kEnd,   Field::kTimeLimit, Field::kState};

std::string LowerCase(std::string_view text) {
  std::string lower;
  for (const char c : text) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

std::string_view NameOf(Field field) { return std::ranges::find(kColumns, field, &KnownColumn::field)->name; }

}  // namespace

SacctTable::SacctTable(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {
  while (header_.empty() && !text_.empty()) header_ = NextLine();
  for (const char mark : {'|', ';', '\t'}) {
    if (header_.find(mark) == std::string_view::npos) continue;
    delimiter_ = mark;
    break;
  }
  Split(header_);
  if (cells_.size() > 1 && cells_.back().empty()) {
    ends_in_bar_ = true;
    cells_.pop_back();
  }
  columns_ = cells_.size();
  FindColumns(cells_);
  status_ = RefuseMissing(header_);
}

std::string_view SacctTable::NextLine() {
  const std::size_t end = text_.find('\n');
  has_line_end_ = end != std::string_view::npos;
  std::string_view line = text_.substr(0, end);
  text_.remove_prefix(has_line_end_ ? end + 1 : text_.size());
  ++line_;
  while (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void SacctTable::Split(std::string_view line) {
  cells_.clear();
  while (true) {
    const std::size_t mark = line.find(delimiter_);
    cells_.push_back(Trimmed(line.substr(0, mark)));
    if (mark == std::string_view::npos) return;
    line.remove_prefix(mark + 1);
  }
}

void SacctTable::FindColumns(const std::vector<std::string_view>& header) {
  for (const KnownColumn& known : kColumns) {
    auto& index = index_[static_cast<std::size_t>(known.field)];
    for (std::size_t i = 0; i < header.size() && !index; ++i) {
      if (LowerCase(header[i]) == known.name) index = i;
    }
  }
}

Status SacctTable::RefuseMissing(std::string_view header) const {
  constexpr const char* kCommand =
      "sacct -a -D -P -o JobID,User,JobName,Submit,Start,End,Timelimit,State,AllocTRES,NodeList,Comment writes all "
      "that is "
      "needed";
  const auto lacks = [&](std::string_view column) {
    return Fail(ErrorCode::kInvalidArgument, name_,
                fmt::format("has no column {} in its first line, '{}'", column, Printable(header, 100)), kCommand);
  };
  if (header.empty()) return Fail(ErrorCode::kInvalidArgument, name_, "is empty", kCommand);
  for (const Field field : kNeeded) {
    if (!Has(field)) return lacks(NameOf(field));
  }
  if (Has(Field::kAllocTres) || Has(Field::kReqTres) || Has(Field::kAllocGres) || Has(Field::kReqGres)) return {};
  return lacks("alloctres, reqtres or allocgres");
}

bool SacctTable::Next() {
  while (status_ && !text_.empty()) {
    const std::string_view line = NextLine();
    if (Trimmed(line).empty()) continue;
    if (line == header_) {
      ++headers_;
      continue;
    }
    Split(line);
    if (ends_in_bar_ && cells_.size() == columns_ + 1 && cells_.back().empty()) cells_.pop_back();
    return true;
  }
  return false;
}

std::string_view SacctTable::Cell(Field field) const {
  const auto index = index_[static_cast<std::size_t>(field)];
  return index && *index < cells_.size() ? cells_[*index] : std::string_view();
}

std::string SacctTable::where() const { return fmt::format("{}:{}", name_, line_); }

}  // namespace heliostat::history
