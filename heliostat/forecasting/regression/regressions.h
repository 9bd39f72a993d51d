#pragma once

#include <memory>

#include "heliostat/forecasting/regression/regressor.h"

namespace heliostat::regression {

// Support vector regression with a radial kernel and the settings of Chase: C 100, gamma 1e-4, a tube of 0.1, unscaled
// features.
std::unique_ptr<Regressor> MakeSvr();
// Ordinary least squares; of several equally good solutions the one with the least norm.
std::unique_ptr<Regressor> MakeLinear();
// The three ensembles of trees, with the defaults of scikit-learn where XGBoost has the same parameter. Each uses a
// random stream with a fixed seed: the same rows give the same trees.
std::unique_ptr<Regressor> MakeGradientBoosting();
std::unique_ptr<Regressor> MakeAdaboost();
std::unique_ptr<Regressor> MakeRandomForest();

}  // namespace heliostat::regression
