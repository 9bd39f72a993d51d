#include <utility>

#include "heliostat/forecasting/regression/regressions.h"
#include "heliostat/forecasting/regression/xgboost_trees.h"

namespace heliostat::regression {
namespace {

// Boosting and the random forest differ only in the growth of their trees.
class TreeRegressor : public Regressor {
 public:
  explicit TreeRegressor(const TreeGrowth& growth) : growth_(growth) {}

  Status Fit(std::span<const Features> rows, std::span<const double> values) override {
    return Keep(GrowTrees(rows, values, {}, growth_));
  }
  double Predict(const Features& row) const override { return trees_.Predict(row); }
  io::Json Save() const override { return trees_.Save(); }
  Status Load(const io::Json& saved) override { return Keep(TreeEnsemble::Load(saved)); }

 private:
  Status Keep(Result<TreeEnsemble> trees) {
    if (!trees) return Propagate(trees);
    trees_ = std::move(*trees);
    return {};
  }

  TreeGrowth growth_;
  TreeEnsemble trees_;
};

}  // namespace

std::unique_ptr<Regressor> MakeGradientBoosting() {
  TreeGrowth growth;
  growth.rounds = 100;
  growth.learning_rate = 0.1;
  return std::make_unique<TreeRegressor>(growth);
}

std::unique_ptr<Regressor> MakeRandomForest() {
  TreeGrowth growth;
  growth.trees_a_round = 100;
  growth.depth = 32;  // deep enough for leaves of single rows; the exact method of XGBoost needs a limit
  // XGBoost draws rows without replacement; this is the expected share of distinct rows in as many draws with
  // replacement as there are rows.
  growth.row_share = 0.632;
  return std::make_unique<TreeRegressor>(growth);
}

}  // namespace heliostat::regression
