#include "heliostat/forecasting/regression/xgboost_trees.h"

#include <fmt/format.h>
#include <xgboost/c_api.h>

#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "heliostat/base/core/check.h"

namespace heliostat::regression {
namespace {

constexpr std::size_t kWidth = std::tuple_size_v<Features>;

struct FreeMatrix {
  void operator()(DMatrixHandle matrix) const { XGDMatrixFree(matrix); }
};
using Matrix = std::unique_ptr<void, FreeMatrix>;

struct FreeBooster {
  void operator()(BoosterHandle booster) const { XGBoosterFree(booster); }
};
using Booster = std::unique_ptr<void, FreeBooster>;

Status Done(int answer) {
  if (answer == 0) return {};
  return Fail(ErrorCode::kInternal, "xgboost", Printable(XGBGetLastError()));
}

Status SetInfo(const Matrix& matrix, const char* field, const std::vector<float>& numbers) {
  return Done(XGDMatrixSetFloatInfo(matrix.get(), field, numbers.data(), numbers.size()));
}

Result<Matrix> MakeMatrix(std::span<const Features> rows, const std::vector<float>& labels,
                          std::span<const double> weights) {
  std::vector<float> flat;
  flat.reserve(rows.size() * kWidth);
  for (const Features& row : rows) {
    for (const double feature : row) flat.push_back(static_cast<float>(feature));
  }
  DMatrixHandle handle = nullptr;
  const Status made =
      Done(XGDMatrixCreateFromMat(flat.data(), rows.size(), kWidth, std::numeric_limits<float>::quiet_NaN(), &handle));
  if (!made) return Propagate(made);
  Matrix matrix(handle);
  if (const Status set = SetInfo(matrix, "label", labels); !set) return Propagate(set);
  if (!weights.empty()) {
    std::vector<float> single;
    for (const double weight : weights) single.push_back(static_cast<float>(weight));
    if (const Status set = SetInfo(matrix, "weight", single); !set) return Propagate(set);
  }
  return matrix;
}

Result<Booster> MakeBooster(const Matrix& matrix, const TreeGrowth& growth) {
  DMatrixHandle watched = matrix.get();
  BoosterHandle handle = nullptr;
  const Status made = Done(XGBoosterCreate(&watched, 1, &handle));
  if (!made) return Propagate(made);
  Booster booster(handle);
  const std::pair<const char*, std::string> settings[] = {
      {"verbosity", "0"},
      {"nthread", "1"},
      {"seed", "0"},
      {"objective", "reg:squarederror"},
      {"base_score", "0"},
      {"tree_method", "exact"},
      {"lambda", "0"},
      {"min_child_weight", "1"},
      {"max_depth", fmt::to_string(growth.depth)},
      {"eta", fmt::to_string(growth.learning_rate)},
      {"subsample", fmt::to_string(growth.row_share)},
      {"num_parallel_tree", fmt::to_string(growth.trees_a_round)},
  };
  for (const auto& [name, value] : settings) {
    const Status set = Done(XGBoosterSetParam(booster.get(), name, value.c_str()));
    if (!set) return Propagate(set);
  }
  return booster;
}

Result<std::vector<std::string>> TextOf(const Booster& booster) {
  bst_ulong count = 0;
  const char** texts = nullptr;
  const Status dumped = Done(XGBoosterDumpModelEx(booster.get(), "", 0, "text", &count, &texts));
  if (!dumped) return Propagate(dumped);
  return std::vector<std::string>(texts, texts + count);
}

struct Spread {
  double mean;
  double deviation;
};

Spread SpreadOf(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / count)};
}

}  // namespace

Result<TreeEnsemble> GrowTrees(std::span<const Features> rows, std::span<const double> values,
                               std::span<const double> weights, const TreeGrowth& growth) {
  Check(rows.size() == values.size() && rows.size() >= 2, "one value per row, at least two rows");
  Check(weights.empty() || weights.size() == rows.size(), "one weight per row");
  // XGBoost computes in single precision and ignores gains below a fixed amount, so the values are scaled to mean 0 and
  // deviation 1.
  const Spread spread = SpreadOf(values);
  if (!std::isfinite(spread.deviation)) {
    return Fail(ErrorCode::kInvalidArgument, "xgboost", "the values are too large to fit");
  }
  if (spread.deviation == 0) return TreeEnsemble::Parse({}, spread.mean, 0, "xgboost");
  std::vector<float> labels;
  labels.reserve(values.size());
  for (const double value : values) labels.push_back(static_cast<float>((value - spread.mean) / spread.deviation));

  const auto matrix = MakeMatrix(rows, labels, weights);
  if (!matrix) return Propagate(matrix);
  const auto booster = MakeBooster(*matrix, growth);
  if (!booster) return Propagate(booster);
  for (int round = 0; round < growth.rounds; ++round) {
    const Status grown = Done(XGBoosterUpdateOneIter(booster->get(), round, matrix->get()));
    if (!grown) return Propagate(grown);
  }
  auto texts = TextOf(*booster);
  if (!texts) return Propagate(texts);
  return TreeEnsemble::Parse(std::move(*texts), spread.mean, spread.deviation, "xgboost");
}

}  // namespace heliostat::regression
