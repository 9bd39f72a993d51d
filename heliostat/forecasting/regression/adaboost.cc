#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "heliostat/base/core/random.h"
#include "heliostat/forecasting/regression/regressions.h"
#include "heliostat/forecasting/regression/saved.h"
#include "heliostat/forecasting/regression/xgboost_trees.h"

namespace heliostat::regression {
namespace {

constexpr std::size_t kMostTrees = 50;
// Errors this small compared with the range of the values are rounding of single precision.
constexpr double kPerfect = 1e-6;

// How often each row is drawn in as many draws as there are rows, with probabilities proportional to `weights`.
std::vector<double> Draw(const std::vector<double>& weights, RandomStream& random) {
  std::vector<double> running(weights.size());
  std::partial_sum(weights.begin(), weights.end(), running.begin());
  std::vector<double> counts(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto drawn = std::upper_bound(running.begin(), running.end() - 1, random.Uniform(0, running.back()));
    counts[static_cast<std::size_t>(drawn - running.begin())] += 1;
  }
  return counts;
}

// AdaBoost.R2 (Drucker 1997) over trees of depth 3, with linear loss: each tree sees more of the rows that the trees
// before it predicted badly. The result is the median of all trees, weighted by their quality.
class Adaboost : public Regressor {
 public:
  Status Fit(std::span<const Features> rows, std::span<const double> values) override {
    RandomStream random(1997);
    std::vector<double> weights(rows.size(), 1.0 / static_cast<double>(rows.size()));
    std::vector<Member> members;
    while (members.size() < kMostTrees) {
      auto tree = GrowTrees(rows, values, Draw(weights, random), TreeGrowth{});
      if (!tree) return Propagate(tree);
      const std::vector<double> losses = LossesOf(*tree, rows, values);
      const double loss = std::inner_product(weights.begin(), weights.end(), losses.begin(), 0.0);
      // No better than guessing: the last tree, kept only if there is no other.
      if (loss >= 0.5 && !members.empty()) break;
      const bool ends_here = loss >= 0.5 || loss <= 0;
      const double beta = loss / (1 - loss);
      members.push_back({std::move(*tree), ends_here ? 1.0 : -std::log(beta)});
      if (ends_here) break;
      Reweigh(weights, losses, beta);
    }
    members_ = std::move(members);
    return {};
  }

  double Predict(const Features& row) const override {
    std::vector<std::pair<double, double>> answers;
    answers.reserve(members_.size());
    double half = 0;
    for (const Member& member : members_) {
      answers.emplace_back(member.tree.Predict(row), member.weight);
      half += member.weight / 2;
    }
    std::sort(answers.begin(), answers.end());
    double running = 0;
    for (const auto& [value, weight] : answers) {
      running += weight;
      if (running >= half) return value;
    }
    return answers.empty() ? 0 : answers.back().first;
  }

  io::Json Save() const override {
    io::Json::Array trees;
    std::vector<double> weights;
    for (const Member& member : members_) {
      trees.push_back(member.tree.Save());
      weights.push_back(member.weight);
    }
    io::Json saved;
    saved.Set("weights", SaveNumbers(weights)).Set("members", std::move(trees));
    return saved;
  }

  Status Load(const io::Json& saved) override {
    const auto weights = LoadNumbers(saved, "weights");
    if (!weights) return Propagate(weights);
    const auto member = saved.Get("members");
    if (!member) return Propagate(member);
    const auto trees = (*member)->Elements();
    if (!trees) return Propagate(trees);
    if (weights->size() != (*trees)->size() || weights->empty() ||
        *std::min_element(weights->begin(), weights->end()) <= 0) {
      return Fail(ErrorCode::kCorrupt, saved.where(), "weights do not match members",
                  "must have one weight above zero per member");
    }
    std::vector<Member> members;
    for (std::size_t i = 0; i < weights->size(); ++i) {
      auto tree = TreeEnsemble::Load((**trees)[i]);
      if (!tree) return Propagate(tree);
      members.push_back({std::move(*tree), (*weights)[i]});
    }
    members_ = std::move(members);
    return {};
  }

 private:
  struct Member {
    TreeEnsemble tree;
    double weight;
  };

  // The error of each row as a share of the largest; all zero for a perfect fit.
  static std::vector<double> LossesOf(const TreeEnsemble& tree, std::span<const Features> rows,
                                      std::span<const double> values) {
    std::vector<double> losses;
    for (std::size_t i = 0; i < rows.size(); ++i) losses.push_back(std::abs(tree.Predict(rows[i]) - values[i]));
    const double worst = *std::max_element(losses.begin(), losses.end());
    const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
    const bool is_perfect = worst <= kPerfect * (*highest - *lowest);
    for (double& loss : losses) loss = is_perfect ? 0 : loss / worst;
    return losses;
  }

  static void Reweigh(std::vector<double>& weights, const std::vector<double>& losses, double beta) {
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= std::pow(beta, 1 - losses[i]);
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& weight : weights) weight /= sum;
  }

  std::vector<Member> members_;
};

}  // namespace

std::unique_ptr<Regressor> MakeAdaboost() { return std::make_unique<Adaboost>(); }

}  // namespace heliostat::regression
