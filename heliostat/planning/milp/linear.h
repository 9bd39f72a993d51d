#pragma once

#include <utility>
#include <vector>

namespace heliostat::milp {

inline constexpr double kUnlimited = 1e30;

// One column with its factor.
struct Term {
  int column = 0;
  double factor = 0.0;
};

// A linear programme: minimise constant + sum of cost * column under rows; some columns are integers. Plain numbers:
// programme.h gives them a meaning.
struct Linear {
  struct Column {
    double lower = 0.0;
    double upper = kUnlimited;
    double cost = 0.0;
    bool whole = false;  // an integer
  };
  struct Row {
    double lower = -kUnlimited;
    double upper = kUnlimited;
    std::vector<Term> terms;
  };

  std::vector<Column> columns;
  std::vector<Row> rows;
  double constant = 0.0;

  int AddColumn(Column column) {
    columns.push_back(column);
    return static_cast<int>(columns.size()) - 1;
  }
  int AddRow(double lower, double upper, std::vector<Term> terms) {
    rows.push_back({lower, upper, std::move(terms)});
    return static_cast<int>(rows.size()) - 1;
  }
  Column& At(int column) { return columns[static_cast<std::size_t>(column)]; }
};

}  // namespace heliostat::milp
