#pragma once

#include <string>
#include <vector>

#include "heliostat/forecasting/regression/regressor.h"

namespace heliostat::regression {

// Trees whose leaves add up to a value. Grown by XGBoost (xgboost_trees.h), kept
// as its text, walked here: a walk costs nanoseconds where XGBoost's own
// prediction of one row costs microseconds, and a saved file that is not one of
// ours is refused where XGBoost would trust it.
class TreeEnsemble {
 public:
  // A value is base + scale * the sum of one leaf of each tree. Refuses text
  // that is not XGBoost's dump of a tree.
  static Result<TreeEnsemble> Parse(std::vector<std::string> trees, double base, double scale, std::string where);

  double Predict(const Features& row) const;

  io::Json Save() const;
  static Result<TreeEnsemble> Load(const io::Json& saved);

 private:
  // A tree in the order of its text: what holds when the answer is yes follows
  // at once, `other` says where the rest begins; 0 marks a leaf.
  struct Node {
    float value;  // threshold, or what the leaf adds
    std::uint32_t feature;
    std::size_t other;
  };
  class Reader;

  std::vector<std::string> texts_;
  double base_ = 0;
  double scale_ = 0;
  std::vector<Node> nodes_;
  std::vector<std::size_t> roots_;
};

}  // namespace heliostat::regression
