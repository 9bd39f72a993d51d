#include "heliostat/signals/signal_files/table_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "heliostat/base/core/nearest.h"
#include "heliostat/base/io/number.h"
#include "heliostat/base/io/table_sample.h"
#include "heliostat/signals/signal_files/hour_columns.h"

namespace heliostat::signal_files {
namespace {

using Row = std::vector<std::string>;

enum class CellKind { kEmpty, kTime, kClock, kNumber, kText };

bool IsAnyNumber(std::string_view cell) {
  return io::ParseWrittenNumber(cell, io::DecimalMark::kPoint) || io::ParseWrittenNumber(cell, io::DecimalMark::kComma);
}

CellKind KindOf(std::string_view cell) {
  if (io::IsMissingMark(cell)) return CellKind::kEmpty;
  if (io::ParseWrittenTime(cell, io::DateOrder::kUnknown) || io::IsWithoutYear(cell)) return CellKind::kTime;
  if (IsAnyNumber(cell)) return CellKind::kNumber;
  if (const std::string_view unit = io::UnitBehind(cell); !unit.empty() && signal::UnitInName(unit))
    return CellKind::kNumber;
  if (io::ParseTimeOfDay(cell)) return CellKind::kClock;
  return CellKind::kText;
}

bool IsData(const Row& row) {
  std::size_t times = 0;
  std::size_t numbers = 0;
  std::size_t texts = 0;
  for (const std::string& cell : row) {
    const CellKind kind = KindOf(cell);
    times += kind == CellKind::kTime ? 1 : 0;
    numbers += kind == CellKind::kNumber ? 1 : 0;
    texts += kind == CellKind::kText ? 1 : 0;
  }
  return row.size() >= 2 && (times > 0 || (numbers > 0 && texts <= numbers));
}

// Moves `begin` behind comment and blank lines, and collects the comments. The last one may be the header.
std::string_view SkipComments(std::string_view text, TableLayout& layout, std::vector<std::string>& comments) {
  std::string_view last;
  while (layout.begin < text.size()) {
    const auto end = std::min(text.find('\n', layout.begin), text.size());
    const std::string_view line = Trimmed(text.substr(layout.begin, end - layout.begin));
    const bool is_comment = line.starts_with("#") || line.starts_with("//") || line.starts_with("\"#");
    if (!line.empty() && !is_comment) break;
    if (is_comment) last = line;
    if (is_comment && comments.size() < 100) comments.emplace_back(line);
    layout.begin = std::min(end + 1, text.size());
    ++layout.begin_line;
  }
  return last;
}

// What most of the later rows have in each column.
std::vector<CellKind> UsualKinds(const io::TableSample& split) {
  std::vector<std::map<CellKind, std::size_t>> counts(split.width);
  for (std::size_t i = split.rows.size() / 2; i < split.rows.size(); ++i) {
    if (split.rows[i].size() + 1 < split.width) continue;
    for (std::size_t c = 0; c < std::min(split.width, split.rows[i].size()); ++c) ++counts[c][KindOf(split.rows[i][c])];
  }
  std::vector<CellKind> usual(split.width, CellKind::kEmpty);
  for (std::size_t c = 0; c < split.width; ++c) {
    std::size_t most = 0;
    for (const auto& [kind, count] : counts[c]) {
      if (count <= most) continue;
      most = count;
      usual[c] = kind;
    }
  }
  return usual;
}

// A line of facts above the table ("Latitude,39.73") has numbers too, but not where the table has them.
bool IsAsUsual(const Row& row, const std::vector<CellKind>& usual) {
  const bool has_times = std::ranges::find(usual, CellKind::kTime) != usual.end();
  std::size_t same = 0;
  std::size_t all = 0;
  for (std::size_t c = 0; c < std::min(row.size(), usual.size()); ++c) {
    const bool counts = has_times ? usual[c] == CellKind::kTime : usual[c] == CellKind::kNumber;
    all += counts ? 1 : 0;
    same += counts && KindOf(row[c]) == usual[c] ? 1 : 0;
  }
  return 2 * same >= all;
}

// The first row of data: two rows of data follow each other, or it is the last one.
std::size_t FirstData(const io::TableSample& split) {
  const std::vector<CellKind> usual = UsualKinds(split);
  for (std::size_t i = 0; i < split.rows.size(); ++i) {
    const bool is_wide = split.rows[i].size() + (split.width > 2 ? 1 : 0) >= split.width;
    if (!is_wide || !HoursIn(split.rows[i]).empty() || !IsData(split.rows[i]) || !IsAsUsual(split.rows[i], usual))
      continue;
    if (i + 1 >= split.rows.size() || IsData(split.rows[i + 1])) return i;
  }
  return split.rows.size();
}

// A row of units or types under the names: "[kWh]", "$/MWh", "Number", "dd.MM.yyyy".
bool IsUnitRow(const Row& row) {
  constexpr std::array<std::string_view, 8> kTypes{"string", "number", "date", "he", "h", "float", "utc", "integer"};
  std::size_t units = 0;
  std::size_t others = 0;
  for (const std::string& cell : row) {
    const std::string_view text = Trimmed(cell);
    if (text.empty()) continue;
    const bool is_type =
        std::ranges::any_of(kTypes, [&](std::string_view type) { return IsSameWithoutCase(type, text); });
    const bool is_unit = text.starts_with("[") || text.starts_with("(") || signal::UnitInName(text) || is_type;
    (is_unit ? units : others) += 1;
  }
  return units > 0 && units >= others;
}

void NameColumns(TableLayout& layout, const Row& names, const Row& units, std::size_t width) {
  for (std::size_t i = 0; i < std::max(width, names.size()); ++i) {
    TableColumn column;
    const std::string_view name = i < names.size() ? Trimmed(names[i]) : "";
    column.name = name.empty() ? fmt::format("column {}", i + 1) : std::string(name);
    const auto namesakes = std::ranges::count_if(layout.columns, [&](const TableColumn& other) {
      return other.name == column.name || other.name.starts_with(column.name + " (");
    });
    column.unit = signal::UnitInName(column.name);
    if (i < units.size() && !column.unit) {
      column.unit = signal::UnitInName(column.name + " " + units[i]);
      if (!column.unit) column.unit = signal::UnitInName(units[i]);
    }
    if (namesakes > 0) column.name += fmt::format(" ({})", namesakes + 1);
    layout.columns.push_back(std::move(column));
  }
  // An unnamed last column comes from a delimiter at the end of each row.
}

// The parts of a sentence or list in a line of text.
std::vector<std::string> PartsOf(std::string_view text) {
  std::vector<std::string> parts(1);
  for (const char c : text.substr(0, 400)) {
    if (c == ',' || c == ';' || c == '{' || c == '}') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// True when `text` has `name` as a word of its own, before other words.
bool IsAbout(std::string_view text, std::string_view name) {
  const auto at = text.find(name);
  if (name.empty() || at == std::string_view::npos) return false;
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const auto end = at + name.size();
  return (at == 0 || !is_part(text[at - 1])) && end < text.size() && !is_part(text[end]);
}

void CountCells(TableLayout& layout) {
  for (const Row& row : layout.sample) {
    for (std::size_t i = 0; i < std::min(row.size(), layout.columns.size()); ++i) {
      TableColumn& column = layout.columns[i];
      column.is_constant &= i < layout.sample.front().size() && row[i] == layout.sample.front()[i];
      switch (KindOf(row[i])) {
        case CellKind::kEmpty:
          ++column.empties;
          break;
        case CellKind::kTime: {
          const auto time = io::ParseWrittenTime(row[i], io::DateOrder::kUnknown);
          ++column.times;
          column.yearless += time ? 0 : 1;
          if (!time) {
            ++column.times_of_day;
            break;
          }
          column.times_of_day += time->has_time_of_day ? 1 : 0;
          column.offsets += time->utc_offset ? 1 : 0;
          break;
        }
        case CellKind::kClock:
          ++column.clocks;
          break;
        case CellKind::kNumber:
          ++column.numbers;
          if (column.cell_unit.empty() && !IsAnyNumber(row[i])) column.cell_unit = io::UnitBehind(row[i]);
          break;
        case CellKind::kText:
          ++column.texts;
          break;
      }
    }
  }
}

// Units that stand behind the numbers, or in the text around the table: "electricity in kW", "P: PV power (W)", or a
// title such as "Prices in EUR/MWh".
void FindUnitsElsewhere(TableLayout& layout, const std::vector<std::string>& texts) {
  std::optional<signal::UnitReading> of_title;
  std::size_t titles_with_unit = 0;
  for (const std::string& text : texts) {
    const auto unit = signal::UnitInName(text);
    if (unit && (unit->kind == signal::Kind::kPrice || unit->kind == signal::Kind::kCarbonIntensity)) {
      of_title = unit;
      ++titles_with_unit;
    }
  }
  bool has_any = false;
  for (TableColumn& column : layout.columns) {
    if (!column.unit && !column.cell_unit.empty()) column.unit = signal::UnitInName(column.cell_unit);
    for (const std::string& text : texts) {
      for (const std::string& part : PartsOf(text)) {
        if (!IsAbout(part, column.name)) continue;
        if (column.text_about.empty()) column.text_about = part;
        if (!column.unit) column.unit = signal::UnitInName(part);
      }
    }
    has_any |= column.unit.has_value() && column.IsNumber();
  }
  // One title with a unit speaks for a table whose columns have none.
  if (has_any || titles_with_unit != 1) return;
  for (TableColumn& column : layout.columns) {
    if (column.IsNumber()) column.unit = of_title;
  }
}

// The lines under the table, without those that have the form of its rows.
std::vector<std::string> LinesBelow(std::string_view text) {
  constexpr std::size_t kMostBytes = 4096;
  std::vector<std::string> lines;
  std::string_view end = text.substr(text.size() - std::min(text.size(), kMostBytes));
  while (!end.empty()) {
    const auto newline = std::min(end.find('\n'), end.size());
    const std::string_view line = Trimmed(end.substr(0, newline));
    const bool is_row = !line.empty() && (line.front() == '"' || (line.front() >= '0' && line.front() <= '9'));
    if (is_row) lines.clear();
    if (!is_row && !line.empty()) lines.emplace_back(line);
    end.remove_prefix(std::min(newline + 1, end.size()));
  }
  return lines;
}

io::DecimalMark FindDecimal(const TableLayout& layout) {
  io::DecimalEvidence evidence;
  for (const Row& row : layout.sample) {
    for (std::size_t i = 0; i < std::min(row.size(), layout.columns.size()); ++i) {
      if (!layout.columns[i].IsNumber()) continue;
      std::string_view cell = Trimmed(row[i]);
      if (cell.ends_with(layout.columns[i].cell_unit)) cell.remove_suffix(layout.columns[i].cell_unit.size());
      evidence.Add(cell);
    }
  }
  return evidence.Decide(layout.delimiter);
}

tl::unexpected<Error> NotATable(const std::string& file, std::string_view text) {
  const std::string_view first = text.substr(0, text.find('\n'));
  return Fail(ErrorCode::kInvalidArgument, file + ":1",
              fmt::format("header '{}' matches no known format and no table", Printable(Trimmed(first), 120)),
              "rows of at least two cells with a time and a number are needed");
}

}  // namespace

bool IsSameWithoutCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

Result<TableLayout> FindLayout(std::string_view text, const std::string& file, const TableOptions& options) {
  TableLayout layout;
  std::vector<std::string> texts;
  const std::string_view comment = SkipComments(text, layout, texts);
  const std::string_view body = text.substr(layout.begin);
  io::TableSample split;
  if (options.delimiter.empty()) {
    split = io::FindDelimiter(body);
  } else {
    const auto delimiter = io::ParseDelimiter(options.delimiter);
    if (!delimiter) return Propagate(delimiter);
    split = io::SplitSample(body, *delimiter);
  }
  layout.delimiter = split.delimiter;
  if (split.width < 2 || split.rows.empty()) return NotATable(file, body);
  const std::size_t data = FirstData(split);
  if (data == split.rows.size()) return NotATable(file, body);
  layout.rows_before = data;
  for (std::size_t i = data; i < split.rows.size(); ++i) {
    if (2 * split.rows[i].size() >= split.width) layout.sample.push_back(split.rows[i]);  // not a note under the table
  }

  Row names;
  Row units;
  const auto is_header = [&](std::size_t row) {
    return split.rows[row].size() + 1 >= split.width && split.rows[row].size() > 1;
  };
  if (data > 0 && is_header(data - 1)) {
    names = split.rows[data - 1];
    layout.header_line = split.lines[data - 1] + layout.begin_line - 1;
    if (data > 1 && is_header(data - 2) && IsUnitRow(names) && !IsUnitRow(split.rows[data - 2])) {
      units = std::exchange(names, split.rows[data - 2]);
      layout.header_line = split.lines[data - 2] + layout.begin_line - 1;
    }
  } else if (!comment.empty()) {
    const io::TableSample header =
        io::SplitSample(comment.substr(comment.find_first_not_of("#/\" ")), layout.delimiter);
    if (header.rows.size() == 1 && header.rows[0].size() == split.width) {
      names = header.rows[0];
      layout.header_line = layout.begin_line - 1;
    }
  }
  for (std::size_t i = 0; i < data && split.lines[i] + layout.begin_line - 1 != layout.header_line; ++i) {
    texts.push_back(fmt::format("{}", fmt::join(split.rows[i], " ")));
  }
  layout.titles = texts;
  const std::vector<std::string> below = LinesBelow(text);
  texts.insert(texts.end(), below.begin(), below.end());
  NameColumns(layout, names, units, split.width);
  CountCells(layout);
  FindUnitsElsewhere(layout, texts);
  layout.decimal = FindDecimal(layout);
  if (!options.decimal.empty()) {
    const auto mark = io::ParseDecimal(options.decimal, "decimal option");
    if (!mark) return Propagate(mark);
    layout.decimal = *mark;
  }
  return layout;
}

Result<std::size_t> FindColumn(const TableLayout& layout, std::string_view name, std::string_view where) {
  std::vector<std::size_t> alike;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    const std::string& known = layout.columns[i].name;
    if (known == name) return i;
    if (IsSameWithoutCase(known, name)) alike.push_back(i);
    names.push_back(known);
  }
  if (alike.size() == 1) return alike.front();
  const auto number = io::ParseInteger(name);
  if (number && *number >= 1 && static_cast<std::size_t>(*number) <= names.size()) {
    return static_cast<std::size_t>(*number) - 1;
  }
  return Fail(ErrorCode::kNotFound, std::string(where), fmt::format("has no column '{}'", Printable(name, 60)),
              OneOf(name, names));
}

std::string GuessText(const TableColumn& column) {
  if (column.IsTime()) return column.times_of_day > 0 ? "time" : "date";
  if (column.IsClock()) return "time of day";
  if (!column.IsNumber()) return column.texts > 0 ? "text" : "empty";
  if (column.unit) {
    return fmt::format("{} in {}", NameOf(column.unit->kind), column.unit->text);
  }
  const signal::Kind kind = signal::KindInName(column.name);
  return kind == signal::Kind::kOther ? "number" : fmt::format("{}, unit not known", NameOf(kind));
}

}  // namespace heliostat::signal_files
