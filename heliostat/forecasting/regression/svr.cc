#include <libsvm/svm.h>

#include <algorithm>
#include <array>

#include "heliostat/base/core/check.h"
#include "heliostat/forecasting/regression/radial_kernel.h"
#include "heliostat/forecasting/regression/regressions.h"
#include "heliostat/forecasting/regression/saved.h"

namespace heliostat::regression {
namespace {

// The settings of Chase; tolerance, cache and shrinking are the defaults of scikit-learn, which Chase used.
constexpr double kPenalty = 100;
constexpr double kGamma = 1e-4;
constexpr double kTube = 0.1;
constexpr double kTolerance = 1e-3;
constexpr double kCacheMegabytes = 200;
// A precomputed kernel matrix is faster than the kernel of libsvm while it is small.
constexpr std::size_t kMatrixRows = 512;
constexpr std::size_t kBlock = 64;  // support vectors at a time

svm_parameter Settings(int kernel_type) {
  svm_parameter settings{};
  settings.svm_type = EPSILON_SVR;
  settings.kernel_type = kernel_type;
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

// libsvm prints to standard output unless a function is set for the whole program.
void Silence() {
  [[maybe_unused]] static const bool kSilent = [] {
    svm_set_print_string_function([](const char*) {});
    return true;
  }();
}

// The training rows in the format of libsvm.
class Problem {
 public:
  Problem(std::span<const Features> rows, std::span<const double> values)
      : targets_(values.begin(), values.end()), is_matrix_(rows.size() <= kMatrixRows) {
    const std::size_t width = is_matrix_ ? rows.size() + 2 : std::tuple_size_v<Features> + 1;
    nodes_.resize(rows.size() * width);
    for (std::size_t i = 0; i < rows.size(); ++i) pointers_.push_back(&nodes_[i * width]);
    if (is_matrix_) {
      FillKernels(rows);
    } else {
      FillFeatures(rows);
    }
  }

  svm_problem View() { return {static_cast<int>(targets_.size()), targets_.data(), pointers_.data()}; }
  int kernel_type() const { return is_matrix_ ? PRECOMPUTED : RBF; }

 private:
  // Row i: its number, then its kernel with every row.
  void FillKernels(std::span<const Features> rows) {
    const RadialKernel kernel(kGamma, rows);
    std::vector<double> values(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      pointers_[i][0] = {0, static_cast<double>(i + 1)};
      pointers_[i][rows.size() + 1] = {-1, 0};
      kernel.Fill(rows[i], 0, values);
      for (std::size_t j = 0; j < rows.size(); ++j) pointers_[i][j + 1] = {static_cast<int>(j + 1), values[j]};
    }
  }

  void FillFeatures(std::span<const Features> rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t k = 0; k < rows[i].size(); ++k) pointers_[i][k] = {static_cast<int>(k + 1), rows[i][k]};
      pointers_[i][rows[i].size()] = {-1, 0};
    }
  }

  std::vector<double> targets_;
  std::vector<svm_node> nodes_;
  std::vector<svm_node*> pointers_;
  bool is_matrix_;
};

// libsvm solves; this class evaluates the solution, a sum over few support vectors, so that a saved model is numbers
// and not the format of libsvm.
class Svr : public Regressor {
 public:
  Status Fit(std::span<const Features> rows, std::span<const double> values) override {
    Check(rows.size() == values.size() && rows.size() >= 2, "one value per row, at least two rows");
    Silence();
    Problem rows_and_values(rows, values);
    const svm_problem problem = rows_and_values.View();
    const svm_parameter settings = Settings(rows_and_values.kernel_type());
    if (const char* wrong = svm_check_parameter(&problem, &settings)) {
      return Fail(ErrorCode::kInternal, "svr", wrong);
    }
    const std::unique_ptr<svm_model, FreeModel> model(svm_train(&problem, &settings));
    coefficients_.assign(model->sv_coef[0], model->sv_coef[0] + model->l);
    std::vector<Features> vectors;
    vectors.reserve(static_cast<std::size_t>(model->l));
    for (int i = 0; i < model->l; ++i) vectors.push_back(rows[static_cast<std::size_t>(model->sv_indices[i] - 1)]);
    kernel_ = RadialKernel(kGamma, vectors);
    rho_ = model->rho[0];
    return {};
  }

  double Predict(const Features& row) const override {
    std::array<double, kBlock> values;
    double sum = -rho_;
    for (std::size_t first = 0; first < kernel_.size(); first += kBlock) {
      const auto part = std::span(values).first(std::min(kBlock, kernel_.size() - first));
      kernel_.Fill(row, first, part);
      for (std::size_t i = 0; i < part.size(); ++i) sum += coefficients_[first + i] * part[i];
    }
    return sum;
  }

  io::Json Save() const override {
    std::vector<double> flat;
    for (std::size_t i = 0; i < kernel_.size(); ++i) {
      const Features vector = kernel_.Point(i);
      flat.insert(flat.end(), vector.begin(), vector.end());
    }
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
      return Fail(ErrorCode::kCorrupt, saved.where(), "vectors do not match coefficients",
                  "must have three numbers per coefficient");
    }
    rho_ = *rho;
    coefficients_ = std::move(*coefficients);
    std::vector<Features> vectors(coefficients_.size());
    for (std::size_t i = 0; i < flat->size(); ++i) vectors[i / kWidth][i % kWidth] = (*flat)[i];
    kernel_ = RadialKernel(kGamma, vectors);
    return {};
  }

 private:
  RadialKernel kernel_{kGamma, {}};  // with the support vectors
  std::vector<double> coefficients_;
  double rho_ = 0;
};

}  // namespace

std::unique_ptr<Regressor> MakeSvr() { return std::make_unique<Svr>(); }

}  // namespace heliostat::regression
