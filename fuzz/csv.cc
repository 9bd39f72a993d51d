// Any bytes are a table or one error. All rows of a table have as many cells as the header, the cells are not longer
// than the text, and line numbers rise.
#include "heliostat/base/io/csv.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "heliostat/base/core/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  heliostat::io::CsvReader csv(text, "fuzz.csv");
  std::size_t width = 0;
  std::size_t bytes = 0;
  std::int64_t line = 0;
  while (csv.NextRow()) {
    if (width == 0) width = csv.size();
    heliostat::Check(csv.size() == width, "a row and the header have different numbers of cells");
    heliostat::Check(csv.line() > line, "line numbers do not rise");
    line = csv.line();
    for (std::size_t i = 0; i < csv.size(); ++i) {
      const std::string_view cell = csv.cell(i);
      bytes += cell.size();
      for (const char c : cell) heliostat::Check(c != '\0', "a cell has a NUL byte");
    }
  }
  heliostat::Check(bytes <= size, "the cells are longer than the text");
  if (!csv.status()) heliostat::Check(!csv.status().error().Line().empty(), "an error has no text");
  return 0;
}
