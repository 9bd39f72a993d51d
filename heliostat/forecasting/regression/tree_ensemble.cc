#include "heliostat/forecasting/regression/tree_ensemble.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include "heliostat/forecasting/regression/saved.h"

namespace heliostat::regression {
namespace {

// Deeper than any tree that GrowTrees() makes.
constexpr int kDeepest = 64;

}  // namespace

// Reads the text of one tree, one node per line:
//
//   0:[f2<613.5] yes=1,no=2,missing=1
//   <tab>1:leaf=-0.25
//   <tab>2:leaf=0.5
class TreeEnsemble::Reader {
 public:
  Reader(std::string_view text, std::vector<Node>& nodes) : rest_(text), nodes_(nodes) {}

  bool ReadTree() { return ReadNode(0, 0) && rest_.empty(); }

 private:
  bool ReadNode(std::uint32_t expected_id, int depth) {
    rest_.remove_prefix(std::min(rest_.find_first_not_of('\t'), rest_.size()));
    std::uint32_t id = 0;
    if (depth > kDeepest || !TakeNumber(id) || id != expected_id || !Take(":")) return false;
    const std::size_t place = nodes_.size();
    nodes_.push_back({});
    if (Take("leaf=")) return TakeNumber(nodes_[place].value) && Take("\n");
    std::uint32_t yes = 0, no = 0, missing = 0;
    if (!Take("[f") || !TakeNumber(nodes_[place].feature) || !Take("<") || !TakeNumber(nodes_[place].value))
      return false;
    if (nodes_[place].feature >= std::tuple_size_v<Features>) return false;
    if (!Take("] yes=") || !TakeNumber(yes) || !Take(",no=") || !TakeNumber(no)) return false;
    if (!Take(",missing=") || !TakeNumber(missing) || !Take("\n")) return false;
    if (!ReadNode(yes, depth + 1)) return false;
    nodes_[place].other = nodes_.size();
    return ReadNode(no, depth + 1);
  }

  bool Take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  template <typename Number>
  bool TakeNumber(Number& number) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc{} || !std::isfinite(static_cast<double>(number))) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }

  std::string_view rest_;
  std::vector<Node>& nodes_;
};

Result<TreeEnsemble> TreeEnsemble::Parse(std::vector<std::string> trees, double base, double scale, std::string where) {
  TreeEnsemble ensemble;
  ensemble.base_ = base;
  ensemble.scale_ = scale;
  for (const std::string& text : trees) {
    ensemble.roots_.push_back(ensemble.nodes_.size());
    if (!Reader(text, ensemble.nodes_).ReadTree()) {
      return Fail(ErrorCode::kCorrupt, std::move(where), "has a tree that cannot be read",
                  "must be the text of a tree by XGBoost");
    }
  }
  ensemble.texts_ = std::move(trees);
  return ensemble;
}

double TreeEnsemble::Predict(const Features& row) const {
  // XGBoost compares in single precision.
  const std::array<float, 3> features{static_cast<float>(row[0]), static_cast<float>(row[1]),
                                      static_cast<float>(row[2])};
  double sum = 0;
  for (std::size_t node : roots_) {
    while (nodes_[node].other != 0) {
      node = features[nodes_[node].feature] < nodes_[node].value ? node + 1 : nodes_[node].other;
    }
    sum += static_cast<double>(nodes_[node].value);
  }
  return base_ + scale_ * sum;
}

io::Json TreeEnsemble::Save() const {
  io::Json saved;
  saved.Set("base", base_).Set("scale", scale_);
  saved.Set("trees", io::Json::Array(texts_.begin(), texts_.end()));
  return saved;
}

Result<TreeEnsemble> TreeEnsemble::Load(const io::Json& saved) {
  const auto base = LoadNumber(saved, "base");
  if (!base) return Propagate(base);
  const auto scale = LoadNumber(saved, "scale");
  if (!scale) return Propagate(scale);
  const auto member = saved.Get("trees");
  if (!member) return Propagate(member);
  const auto elements = (*member)->Elements();
  if (!elements) return Propagate(elements);
  std::vector<std::string> trees;
  for (const auto& element : **elements) {
    auto text = element.Text();
    if (!text) return Propagate(text);
    trees.push_back(std::move(*text));
  }
  return Parse(std::move(trees), *base, *scale, saved.where());
}

}  // namespace heliostat::regression
