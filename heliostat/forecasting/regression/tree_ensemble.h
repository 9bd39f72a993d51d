#pragma once

#include <string>
#include <vector>

#include "heliostat/forecasting/regression/regressor.h"

namespace heliostat::regression {

// Trees whose leaves add up to a value. XGBoost grows them (xgboost_trees.h); this class stores their text and
// evaluates them. That takes nanoseconds, where the prediction of one row by XGBoost takes microseconds, and it refuses
// a damaged file, which XGBoost would trust. Immutable.
class TreeEnsemble {
 public:
  // A value is base + scale * the sum of one leaf per tree. kCorrupt for text that is not the dump of a tree by
  // XGBoost.
  static Result<TreeEnsemble> Parse(std::vector<std::string> trees, double base, double scale, std::string where);

  double Predict(const Features& row) const;

  io::Json Save() const;
  static Result<TreeEnsemble> Load(const io::Json& saved);

 private:
  // The nodes of a tree in the order of its text: the node for "yes" comes next, `other` is the index of the node for
  // "no"; 0 marks a leaf.
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
