#include "heliostat/base/io/table_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "heliostat/base/io/csv.h"

namespace heliostat::io {
namespace {

constexpr std::size_t kMostRows = 2000;
constexpr double kGoodShare = 0.7;

struct NamedDelimiter {
  char delimiter;
  std::string_view name;
};
// In the order of preference: a table with decimal commas could also be split at the commas.
constexpr std::array kDelimiters{NamedDelimiter{'\t', "tab"}, NamedDelimiter{';', "semicolon"},
                                 NamedDelimiter{'|', "pipe"}, NamedDelimiter{',', "comma"}};

// The width of most rows of the second half: titles and comments stand above the table.
std::size_t UsualWidth(const std::vector<std::vector<std::string>>& rows) {
  std::map<std::size_t, std::size_t> widths;
  for (std::size_t i = rows.size() / 2; i < rows.size(); ++i) ++widths[rows[i].size()];
  std::size_t usual = 0;
  std::size_t most = 0;
  for (const auto& [width, count] : widths) {
    if (count <= most) continue;
    most = count;
    usual = width;
  }
  return usual;
}

bool IsBetter(const TableSample& a, const TableSample& b) {
  if (a.is_broken != b.is_broken) return b.is_broken && a.share > 0.0;
  if (a.is_even != b.is_even) return a.is_even;
  const bool is_good = b.share >= kGoodShare;
  return !is_good && a.share > b.share;
}

}  // namespace

TableSample SplitSample(std::string_view text, char delimiter) {
  TableSample sample;
  sample.delimiter = delimiter;
  CsvReader csv(text, "", {.delimiter = delimiter, .is_ragged = true});
  while (sample.rows.size() < kMostRows && csv.NextRow()) {
    sample.rows.push_back(csv.texts());
    sample.lines.push_back(csv.line());
  }
  sample.is_broken = !csv.status();
  sample.width = UsualWidth(sample.rows);
  if (sample.width < 2) return sample;
  const auto near = std::ranges::count_if(
      sample.rows, [&](const auto& row) { return row.size() + 1 >= sample.width && row.size() <= sample.width + 1; });
  sample.share = static_cast<double>(near) / static_cast<double>(sample.rows.size());
  sample.is_even = std::ranges::all_of(sample.rows, [&](const auto& row) { return row.size() == sample.width; });
  return sample;
}

TableSample FindDelimiter(std::string_view text) {
  TableSample best = SplitSample(text, kDelimiters.front().delimiter);
  for (const NamedDelimiter& known : std::span(kDelimiters).subspan(1)) {
    TableSample sample = SplitSample(text, known.delimiter);
    const bool is_usual = known.delimiter == ',' && best.share == 0.0;
    if (IsBetter(sample, best) || is_usual) best = std::move(sample);
  }
  return best;
}

std::string DelimiterName(char delimiter) {
  const auto* const found = std::ranges::find(kDelimiters, delimiter, &NamedDelimiter::delimiter);
  return found == kDelimiters.end() ? std::string(1, delimiter) : std::string(found->name);
}

Result<char> ParseDelimiter(const std::string& text) {
  for (const NamedDelimiter& known : kDelimiters) {
    if (text == known.name || text == std::string(1, known.delimiter)) return known.delimiter;
  }
  if (text == "\\t") return '\t';
  return Fail(ErrorCode::kInvalidArgument, "delimiter option", fmt::format("'{}' is not known", Printable(text, 20)),
              "one of comma, semicolon, tab, pipe");
}

Result<DecimalMark> FindDecimal(const TableSample& sample, std::span<const std::size_t> columns,
                                const std::string& file, std::string_view option) {
  DecimalEvidence evidence;
  for (std::size_t i = 1; i < sample.rows.size(); ++i) {
    for (const std::size_t column : columns) {
      if (column < sample.rows[i].size()) evidence.Add(sample.rows[i][column]);
    }
  }
  const DecimalMark mark = evidence.Decide(sample.delimiter);
  if (mark == DecimalMark::kUnknown) return UnknownDecimal(file, option);
  return mark;
}

Result<DecimalMark> ParseDecimal(const std::string& text, std::string_view where) {
  if (text == "point" || text == ".") return DecimalMark::kPoint;
  if (text == "comma" || text == ",") return DecimalMark::kComma;
  return Fail(ErrorCode::kInvalidArgument, std::string(where), fmt::format("'{}' is not known", Printable(text, 20)),
              "point or comma");
}

tl::unexpected<Error> UnknownDecimal(const std::string& file, std::string_view option) {
  return Fail(ErrorCode::kInvalidArgument, file, "its numbers can be read with a decimal point or a decimal comma",
              fmt::format("set option '{}' to point or comma", option));
}

}  // namespace heliostat::io
