#include "heliostat/planning/milp/branch.h"

#include <fmt/format.h>

#include <CbcModel.hpp>
#include <CbcSolver.hpp>
#include <CoinError.hpp>
#include <CoinPackedMatrix.hpp>
#include <OsiClpSolverInterface.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>

namespace heliostat::milp {
namespace {

// CBC's tolerances are absolute, so the objective is scaled to about this size.
constexpr double kObjectiveSize = 1e4;
// The error of CBC in a bound in addition to its tolerances, relative to the objective.
constexpr double kBoundSlack = 1e-6;
// With less time than this, CBC does not run.
constexpr Seconds kLeastTime{0.05};

void Load(const Linear& linear, double scale, OsiClpSolverInterface& solver) {
  std::vector<int> rows;
  std::vector<int> columns;
  std::vector<double> elements;
  for (std::size_t row = 0; row < linear.rows.size(); ++row) {
    for (const Term& term : linear.rows[row].terms) {
      rows.push_back(static_cast<int>(row));
      columns.push_back(term.column);
      elements.push_back(term.factor);
    }
  }
  CoinPackedMatrix matrix(true, rows.data(), columns.data(), elements.data(), static_cast<int>(elements.size()));
  matrix.setDimensions(static_cast<int>(linear.rows.size()), static_cast<int>(linear.columns.size()));
  std::vector<double> column_lower;
  std::vector<double> column_upper;
  std::vector<double> cost;
  for (const Linear::Column& column : linear.columns) {
    column_lower.push_back(column.lower);
    column_upper.push_back(column.upper >= kUnlimited ? solver.getInfinity() : column.upper);
    cost.push_back(column.cost * scale);
  }
  std::vector<double> row_lower;
  std::vector<double> row_upper;
  for (const Linear::Row& row : linear.rows) {
    row_lower.push_back(row.lower <= -kUnlimited ? -solver.getInfinity() : row.lower);
    row_upper.push_back(row.upper >= kUnlimited ? solver.getInfinity() : row.upper);
  }
  solver.messageHandler()->setLogLevel(0);
  solver.getModelPtr()->setLogLevel(0);
  solver.loadProblem(matrix, column_lower.data(), column_upper.data(), cost.data(), row_lower.data(), row_upper.data());
}

// The least value that the bounds of the columns alone allow.
double BoxBound(const Linear& linear) {
  double bound = linear.constant;
  for (const Linear::Column& column : linear.columns) {
    bound += std::min(column.cost * column.lower, column.cost * column.upper);
  }
  return bound;
}

double SizeOf(double value) { return std::abs(value) > 1e-9 ? std::abs(value) : 1.0; }

// Arguments as of the cbc program, because its choice of preprocessing, cuts and heuristics is the best known one.
void Run(CbcModel& model, const BranchEffort& effort, double cutoff) {
  CbcSolverUsefulData data;
  data.noPrinting_ = true;
  data.useSignalHandler_ = false;
  CbcMain0(model, data);
  model.setUseElapsedTime(true);
  const std::string seconds = fmt::format("{:.3f}", effort.time_limit.count());
  const std::string ratio = fmt::format("{:.9f}", effort.gap);
  const std::string most = fmt::format("{:.12g}", cutoff);
  std::vector<const char*> arguments{"cbc",           "-log",      "0",           "-timeMode",  "elapsed", "-sec",
                                     seconds.c_str(), "-ratioGap", ratio.c_str(), "-increment", "1e-7"};
  if (std::isfinite(cutoff)) arguments.insert(arguments.end(), {"-cutoff", most.c_str()});
  arguments.insert(arguments.end(), {"-solve", "-quit"});
  CbcMain1(
      static_cast<int>(arguments.size()), arguments.data(), model, [](CbcModel*, int) { return 0; }, data);
}

double ValueAt(const Linear& linear, const double* values) {
  double value = linear.constant;
  for (std::size_t i = 0; i < linear.columns.size(); ++i) value += linear.columns[i].cost * values[i];
  return value;
}

// `start` becomes a cutoff. Passing the solution itself to CBC is not safe: when the time is over before preprocessing
// is done, CBC 2.10.8 reads an invalid address.
Branched Branch(const Linear& linear, const Relaxed& start, const Relaxed& root, const BranchEffort& effort) {
  const auto begin = std::chrono::steady_clock::now();
  const double scale = kObjectiveSize / SizeOf(root.value - linear.constant);
  OsiClpSolverInterface solver;
  Load(linear, scale, solver);
  for (std::size_t column = 0; column < linear.columns.size(); ++column) {
    if (linear.columns[column].whole) solver.setInteger(static_cast<int>(column));
  }
  CbcModel model(solver);
  model.setLogLevel(0);
  model.messageHandler()->setLogLevel(0);
  const bool started = start.ended == Ended::kSolved;
  const double most = started ? start.value + kBoundSlack * SizeOf(start.value) : kUnlimited;
  Run(model, effort, started ? (most - linear.constant) * scale : std::numeric_limits<double>::infinity());

  Branched answer;
  double best = most;
  if (started) answer.values = start.values;
  if (model.bestSolution() != nullptr && ValueAt(linear, model.bestSolution()) <= best) {
    answer.values.assign(model.bestSolution(), model.bestSolution() + linear.columns.size());
    best = ValueAt(linear, model.bestSolution());
  }
  // Preprocessing that runs out of time reports infeasible as well.
  const bool exhausted = model.isProvenInfeasible() && std::chrono::steady_clock::now() - begin < effort.time_limit;
  if (exhausted && !started) {
    answer.ended = Ended::kInfeasible;
    return answer;
  }
  answer.ended = exhausted || model.isProvenOptimal() ? Ended::kSolved : Ended::kStopped;
  const double proven = exhausted ? most : linear.constant + model.getBestPossibleObjValue() / scale;
  const double bound = std::max(root.value, std::min(proven, best));
  answer.bound = bound - kBoundSlack * std::abs(bound);
  return answer;
}

}  // namespace

Relaxed SolveRelaxed(const Linear& linear, Seconds time_limit) {
  Relaxed answer;
  try {
    OsiClpSolverInterface solver;
    Load(linear, 1.0, solver);
    solver.getModelPtr()->setMaximumWallSeconds(std::max(0.01, time_limit.count()));
    solver.initialSolve();
    if (solver.isProvenPrimalInfeasible()) answer.ended = Ended::kInfeasible;
    if (!solver.isProvenOptimal()) return answer;
    answer.ended = Ended::kSolved;
    answer.values.assign(solver.getColSolution(), solver.getColSolution() + linear.columns.size());
    answer.value = linear.constant + solver.getObjValue();
  } catch (const CoinError&) {
    answer.ended = Ended::kStopped;
  }
  return answer;
}

Linear Fixed(Linear linear, const std::vector<std::pair<int, double>>& values) {
  for (const auto& [column, value] : values) linear.At(column).lower = linear.At(column).upper = value;
  return linear;
}

Branched SolveWhole(const Linear& linear, const std::vector<std::pair<int, double>>& start,
                    const BranchEffort& effort) {
  const auto begin = std::chrono::steady_clock::now();
  Branched answer;
  answer.bound = BoxBound(linear);
  const Relaxed root = SolveRelaxed(linear, effort.time_limit);
  answer.ended = root.ended;
  if (root.ended != Ended::kSolved) return answer;
  answer.bound = root.value - kBoundSlack * std::abs(root.value);
  answer.ended = Ended::kStopped;
  Relaxed from;
  if (!start.empty()) from = SolveRelaxed(Fixed(linear, start), effort.time_limit);
  answer.values = from.values;
  answer.relaxed = root.values;
  const Seconds left = effort.time_limit - (std::chrono::steady_clock::now() - begin);
  if (left < kLeastTime) return answer;
  try {
    answer = Branch(linear, from, root, {left, effort.gap});
  } catch (const CoinError&) {
    answer.ended = Ended::kStopped;
  }
  answer.relaxed = root.values;
  return answer;
}

}  // namespace heliostat::milp
