#include <libsvm/svm.h>

#include <cmath>

#include "heliostat/core/check.h"
#include "heliostat/regression/regressions.h"
#include "heliostat/regression/saved.h"

namespace heliostat::regression {
namespace {

// Chase's settings; tolerance, cache and shrinking are scikit-learn's, which it used.
constexpr double kPenalty = 100;
constexpr double kGamma = 1e-4;
constexpr double kTube = 0.1;
constexpr double kTolerance = 1e-3;
constexpr double kCacheMegabytes = 200;

svm_parameter Settings() {
  svm_parameter settings{};
  settings.svm_type = EPSILON_SVR;
  settings.kernel_type = RBF;
  settings.gamma = kGamma;
  settings.C = kPenalty;
  settings.p = kTube;
  settings.eps = kTolerance;
  settings.cache_size = kCacheMegabytes;
  settings.shrinking = 1;
  return settings;
}

struct FreeModel {
  void operator()(svm_model* model) const { svm_free_and_destroy_model(&model); }
};

// libsvm reports to standard output unless told otherwise, for the whole program.
void Silence() {
  [[maybe_unused]] static const bool kSilent = [] {
    svm_set_print_string_function([](const char*) {});
    return true;
  }();
}

double SquaredDistance(const Features& a, const Features& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

// libsvm solves; the answer, a sum over few support vectors, is evaluated here,
// so that a saved model is numbers and not libsvm's own format.
class Svr : public Regressor {
 public:
  Status Fit(std::span<const Features> rows, std::span<const double> values) override {
    Check(rows.size() == values.size() && rows.size() >= 2, "a value a row, two rows at least");
    Silence();
    using SparseRow = std::array<svm_node, std::tuple_size_v<Features> + 1>;
    std::vector<SparseRow> sparse;
    sparse.reserve(rows.size());
    for (const Features& row : rows) sparse.push_back({{{1, row[0]}, {2, row[1]}, {3, row[2]}, {-1, 0}}});
    std::vector<svm_node*> pointers;
    pointers.reserve(rows.size());
    for (auto& row : sparse) pointers.push_back(row.data());
    std::vector<double> targets(values.begin(), values.end());
    const svm_problem problem{static_cast<int>(rows.size()), targets.data(), pointers.data()};
    const svm_parameter settings = Settings();
    if (const char* wrong = svm_check_parameter(&problem, &settings)) {
      return Fail(ErrorCode::kInternal, "svr", wrong);
    }
    const std::unique_ptr<svm_model, FreeModel> model(svm_train(&problem, &settings));
    vectors_.clear();
    coefficients_.assign(model->sv_coef[0], model->sv_coef[0] + model->l);
    for (int i = 0; i < model->l; ++i) vectors_.push_back(rows[static_cast<std::size_t>(model->sv_indices[i] - 1)]);
    rho_ = model->rho[0];
    return {};
  }

  double Predict(const Features& row) const override {
    double sum = -rho_;
    for (std::size_t i = 0; i < vectors_.size(); ++i) {
      sum += coefficients_[i] * std::exp(-kGamma * SquaredDistance(vectors_[i], row));
    }
    return sum;
  }

  io::Json Save() const override {
    std::vector<double> flat;
    for (const Features& vector : vectors_) flat.insert(flat.end(), vector.begin(), vector.end());
    io::Json saved;
    saved.Set("rho", rho_).Set("coefficients", SaveNumbers(coefficients_)).Set("vectors", SaveNumbers(flat));
    return saved;
  }

  Status Load(const io::Json& saved) override {
    const auto rho = LoadNumber(saved, "rho");
    if (!rho) return Propagate(rho);
    auto coefficients = LoadNumbers(saved, "coefficients");
    if (!coefficients) return Propagate(coefficients);
    const auto flat = LoadNumbers(saved, "vectors");
    if (!flat) return Propagate(flat);
    constexpr std::size_t kWidth = std::tuple_size_v<Features>;
    if (flat->size() != kWidth * coefficients->size()) {
      return Fail(ErrorCode::kCorrupt, saved.where(), "vectors do not match coefficients", "three numbers for each");
    }
    rho_ = *rho;
    coefficients_ = std::move(*coefficients);
    vectors_.resize(coefficients_.size());
    for (std::size_t i = 0; i < flat->size(); ++i) vectors_[i / kWidth][i % kWidth] = (*flat)[i];
    return {};
  }

 private:
  std::vector<Features> vectors_;
  std::vector<double> coefficients_;
  double rho_ = 0;
};

}  // namespace

std::unique_ptr<Regressor> MakeSvr() { return std::make_unique<Svr>(); }

}  // namespace heliostat::regression
